/** Running a stage: on the data of the fields, with the operands that one wants to look into. */
import type { Circuit, Loom } from 'cipherloom';
import { failureOf, isCancellation } from '../failure.js';
import * as format from '../format.js';
import { button, h } from '../ui/dom.js';
import { keepFocus } from '../ui/keep-focus.js';
import type { DataFields } from './data-fields.js';
import { withLooks } from './looks.js';
import type { Made } from './stages.js';
import { valueTable } from './value-table.js';

export interface RunEvents {
  loom(): Promise<Loom>;
  /** Makes a call that may need operators of the visitor's own. */
  resolved<T>(loom: Loom, call: () => Promise<T>): Promise<T>;
  /** A run failed, and not for its data. */
  failed(error: unknown): void;
}

export class RunPanel {
  readonly #events: RunEvents;
  readonly #fields: DataFields;
  readonly #outputs: HTMLElement;
  readonly #looks = h('span', { class: 'looks', 'data-testid': 'graph-looks' });
  readonly #said = h('p', { class: 'note', role: 'status', 'data-testid': 'graph-run-status' });
  readonly #run: HTMLButtonElement;
  readonly #cancel: HTMLButtonElement;
  #made: Made | undefined;
  /** Operators of the stage whose operands are wanted. */
  #wanted = new Set<number>();
  #running: AbortController | undefined;

  constructor(host: HTMLElement, outputs: HTMLElement, fields: DataFields, events: RunEvents) {
    this.#events = events;
    this.#fields = fields;
    this.#outputs = outputs;
    this.#run = button('Run', () => void this.#start(), { class: 'primary', 'data-testid': 'graph-run' });
    this.#cancel = button('Cancel', () => this.#running?.abort(new DOMException('Cancelled', 'AbortError')), {
      'data-testid': 'graph-cancel',
    });
    host.append(this.#run, this.#cancel, this.#looks);
    host.after(this.#said);
    this.#enable();
  }

  /** The stage that runs next; what was looked into belongs to the one before. */
  show(made: Made | undefined): void {
    if (made === this.#made) return;
    this.#made = made;
    this.#wanted = new Set();
    this.#showLooks();
    this.#enable();
    this.#outputs.replaceChildren();
    this.#said.textContent = '';
  }

  /** Adds an operator's operand to what the next run shows, or takes it out. */
  toggleLook(op: number): void {
    if (!this.#wanted.delete(op)) this.#wanted.add(op);
    this.#showLooks();
  }

  looksInto(op: number): boolean {
    return this.#wanted.has(op);
  }

  #showLooks(): void {
    this.#looks.replaceChildren(
      ...Array.from(this.#wanted, (op) =>
        button(`#${op} ×`, () => this.toggleLook(op), {
          class: 'small',
          'aria-label': `Do not look into #${op} any more`,
        }),
      ),
    );
  }

  #enable(): void {
    const change = (): void => {
      this.#run.disabled = this.#made === undefined || this.#running !== undefined;
      this.#cancel.disabled = this.#running === undefined;
    };
    keepFocus(change, this.#cancel, this.#run);
  }

  async #start(): Promise<void> {
    const made = this.#made;
    if (made === undefined || this.#running !== undefined) return;
    const controller = new AbortController();
    const { signal } = controller;
    this.#running = controller;
    this.#enable();
    this.#outputs.dataset['state'] = 'running';
    try {
      const data = this.#fields.data;
      this.#said.textContent = 'Expanding to what the kernels serve…';
      const ready = await this.#executable(made, signal);
      try {
        this.#said.textContent = 'Running…';
        const start = performance.now();
        const onProgress = ({ done, total }: { done: number; total: number }): void => {
          this.#said.textContent = `Running: ${format.count(Math.floor(done))} of ${format.plural(total, 'operator')}`;
        };
        const outputs = await ready.run(data, { signal, onProgress });
        const seconds = (performance.now() - start) / 1000;
        if (made !== this.#made) return;
        this.#said.textContent = `${format.plural(ready.operators, 'operator')} ran in ${format.seconds(seconds)}.`;
        this.#outputs.replaceChildren(
          ...ready.outputs.map(({ name, type, shape }) =>
            valueTable({ name, type: shortType(type), shape, data: outputs[name]! }),
          ),
        );
      } finally {
        ready.dispose();
      }
      this.#outputs.dataset['state'] = 'done';
    } catch (error) {
      this.#outputs.dataset['state'] = 'failed';
      // Those of a run before are not of these data.
      this.#outputs.replaceChildren();
      if (isCancellation(error, signal)) this.#said.textContent = 'Cancelled.';
      else {
        const { sentence, code } = failureOf(error, 'running');
        this.#said.textContent = code === 'Error' ? sentence : `${sentence} (${code})`;
        this.#events.failed(error);
      }
    } finally {
      this.#running = undefined;
      this.#enable();
    }
  }

  /** The stage, with what is looked into as further outputs, in operators that kernels serve. */
  async #executable(made: Made, signal: AbortSignal): Promise<Circuit> {
    const loom = await this.#events.loom();
    const expand = (from: Circuit): Promise<Circuit> =>
      this.#events.resolved(loom, () => from.expand({ platform: 'simd', signal }));
    if (this.#wanted.size === 0) return expand(made.circuit);
    const looked = withLooks(await made.text(), this.#wanted);
    const opened = await this.#events.resolved(loom, () => loom.circuit(looked, { signal }));
    try {
      return await expand(opened);
    } finally {
      opened.dispose();
    }
  }
}

/** Of types with long attributes, the beginning says enough. */
function shortType(type: string): string {
  return type.length > 80 ? `${type.slice(0, 77)}…` : type;
}
