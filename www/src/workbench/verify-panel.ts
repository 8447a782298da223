/** Verification of the graph that is open. */
import { type Circuit, load, type Loom } from 'cipherloom';
import { OPERATORS } from 'virtual:operator-names';
import { failureOf } from '../failure.js';
import * as format from '../format.js';
import { button, h } from '../ui/dom.js';
import { type Line, verdictOf } from '../verify/check-report.js';
import { CheckTable } from '../verify/check-table.js';
import { deviceOf } from '../verify/device.js';
import { Job, type JobEnd, type Working } from '../verify/job.js';
import { Checks, type Written } from './checks.js';
import type { OwnOperators } from './own/own-operators.js';
import type { Made } from './stages.js';

export interface VerifyEvents {
  loom(): Promise<Loom>;
  /** All stages; the first one is what was written. */
  stages(): readonly Made[];
  operators(): OwnOperators;
  /** Shows an operator of a stage in the picture. */
  reveal(stop: string, op: number): void;
}

/** What is not a visitor's own. Builders make constants and copies by themselves. */
const CORE = [...OPERATORS.keys(), 'constant', 'copy'];
const MOST_TRIALS = 1000;
/** A fault in a rounding shows in a few rounds of many; graphs of more operators than that take their time. */
const ROUNDS = { usual: 30, large: 3, from: 10_000 } as const;

export class VerifyPanel {
  readonly #events: VerifyEvents;
  readonly #job: Job;
  readonly #trials = numberField('verify-trials', ROUNDS.usual, 1, MOST_TRIALS);
  readonly #seed = numberField('verify-seed', 0, 0, 2 ** 32 - 1);
  readonly #report = h('div', { class: 'job-report', 'data-testid': 'verify-report' });
  readonly #kept = h('div', { class: 'row kept', 'data-testid': 'verify-kept' });
  /** A text that means what the first stage has to mean. */
  #meaning: { readonly text: string; readonly about: string } | undefined;

  constructor(host: HTMLElement, events: VerifyEvents) {
    this.#events = events;
    host.append(
      h(
        'p',
        { class: 'note' },
        'Computes every stage, down to base operators, beside the one that it was made of, on the same random data, and ' +
          'compares all bits; so it does before and after each of the optimizer’s passes, and with every operator on vector ' +
          'kernels and on scalar ones. The first operator that gives something else is named. A graph’s structure is ' +
          'proved sound. That two graphs mean the same is not: random data find what is wrong, and can miss it; more rounds ' +
          'miss less.',
      ),
      this.#kept,
    );
    const fields = [field('Rounds', this.#trials), field('Seed', this.#seed)];
    this.#job = new Job(host, fields, {
      title: 'Verify this graph',
      during: 'verifying',
      testId: 'verify',
      work: (working) => this.#verify(working),
    });
    host.append(this.#report);
    this.#showKept();
  }

  /** Another graph is open: what was found of the one before ends. */
  reset({ operators }: Circuit): void {
    this.#job.reset();
    this.#trials.value = String(operators < ROUNDS.from ? ROUNDS.usual : ROUNDS.large);
    this.#report.replaceChildren();
    this.#showKept();
  }

  /** Compares with this text from now on; undefined: with none. */
  keep(text: string | undefined, about = 'a graph that means the same'): void {
    this.#meaning = text === undefined ? undefined : { text, about };
    this.#showKept();
  }

  // ----------------------------------------------------------------------------------------- what is meant

  #showKept(problem?: string): void {
    const meaning = this.#meaning;
    this.#kept.replaceChildren(
      ...(meaning === undefined
        ? [
            button('Keep this graph', () => void this.#keepOpen(), {
              class: 'small',
              'data-testid': 'verify-keep',
            }),
            h(
              'span',
              { class: 'note' },
              problem ??
                'as what is meant, then change the text or an operator of your own: the new one is compared with it, too.',
            ),
          ]
        : [
            h('span', { class: 'note' }, `Also compared with ${meaning.about}.`),
            button('Forget it', () => this.keep(undefined), {
              class: 'small',
              'data-testid': 'verify-forget',
            }),
          ]),
    );
  }

  async #keepOpen(): Promise<void> {
    const written = this.#events.stages()[0];
    if (written === undefined) return;
    try {
      const text = await this.#withoutOwn(written.circuit);
      this.keep(text, `the graph of ${format.plural(written.circuit.operators, 'operator')} that you kept`);
    } catch (error) {
      this.#showKept(`It cannot be kept: ${failureOf(error, 'keeping the graph').sentence}`);
    }
  }

  /** Operators of the visitor's own are written out: they may mean something else later. */
  async #withoutOwn(circuit: Circuit): Promise<string> {
    const own = this.#events.operators();
    if (own.names.length === 0) return circuit.toText();
    const loom = await this.#events.loom();
    const expanded = await own.resolved(loom, () => circuit.expand({ base: CORE }));
    try {
      return await expanded.toText();
    } finally {
      expanded.dispose();
    }
  }

  // -------------------------------------------------------------------------------------------------- work

  async #verify({ signal, tell }: Working): Promise<JobEnd> {
    const [trials, seed] = [this.#trials, this.#seed].map(wholeNumber) as [number, number];
    const start = performance.now();
    const table = new CheckTable(this.#report, this.#events.reveal);
    const stages = writtenOf(this.#events.stages());
    const own = this.#events.operators().copy();
    const { variant, threads } = (await this.#events.loom()).mode;
    // Workers of its own: cancelling ends them, and the tab's are free meanwhile.
    const loom = await load({ mode: variant, threads, signal });
    try {
      const lines: Line[] = [];
      const resolved = <T>(call: () => Promise<T>): Promise<T> => own.resolved(loom, call);
      const subject = { stages, meaning: this.#meaning?.text };
      const checks = new Checks(loom, subject, { trials, seed, signal, tell, resolved });
      for await (const line of checks.lines()) {
        lines.push(line);
        table.add(line);
      }
      const seconds = (performance.now() - start) / 1000;
      const checked = { lines, trials, seed, seconds, device: await deviceOf(loom) };
      signal.throwIfAborted();
      table.end(checked);
      return { passed: lines.every(({ check }) => check.passed), said: verdictOf(checked) };
    } finally {
      loom.dispose();
    }
  }
}

function writtenOf(stages: readonly Made[]): Written[] {
  return stages.map((made) => ({
    name: made.name,
    stop: made.stop.id,
    text: async () => (await made.text()).text,
    from: made.from === undefined ? undefined : stages.indexOf(made.from),
  }));
}

function numberField(id: string, value: number, min: number, max: number): HTMLInputElement {
  return h('input', { type: 'number', id, value, min, max, step: 1, 'data-testid': id });
}

function field(title: string, input: HTMLInputElement): HTMLElement {
  return h('label', { class: 'number-field', for: input.id }, title, input);
}

/** Errors: RangeError for what is no whole number within the field's bounds. */
function wholeNumber(input: HTMLInputElement): number {
  const value = input.valueAsNumber;
  if (Number.isInteger(value) && input.checkValidity()) return value;
  const title = input.labels?.[0]?.textContent ?? input.id;
  throw new RangeError(`${title}: expected a whole number from ${input.min} to ${input.max}`);
}
