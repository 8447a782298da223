/** Progress of a run: the bar of phases, and what is said of it. */
import type { Loom } from 'cipherloom';
import * as format from '../format.js';
import { type GpuOutcome, gpuWords, measuredWords } from '../run/gpu-choice.js';
import { PHASES, type Phase, type PhaseName, type Phases } from '../run/phases.js';
import { h } from './dom.js';

const TITLES: Readonly<Record<PhaseName, string>> = {
  compile: 'Compile',
  keys: 'Make keys',
  encrypt: 'Encrypt',
  evaluate: 'Evaluate',
  decrypt: 'Decrypt',
};
const DOING: Readonly<Record<PhaseName, string>> = {
  compile: 'Compiling',
  keys: 'Making keys',
  encrypt: 'Encrypting',
  evaluate: 'Evaluating',
  decrypt: 'Decrypting',
};

interface Row {
  readonly item: HTMLElement;
  readonly fill: HTMLElement;
  readonly time: HTMLElement;
}

/** The elements that it fills in. */
export interface PhaseElements {
  readonly list: HTMLElement;
  /** Of the whole run. */
  readonly bar: HTMLElement;
  readonly status: HTMLElement;
  /** What passes between the two sides, by phases. */
  readonly crossing: HTMLElement;
  /** Before the test ids: a page can have several lists. */
  readonly prefix: string;
}

export class PhaseList {
  readonly #elements: PhaseElements;
  readonly #rows: readonly Row[];
  /** Who computed it, where a GPU was asked for. */
  readonly #where: HTMLElement;
  #said = '';

  constructor(elements: PhaseElements) {
    this.#elements = elements;
    const { list, prefix, status } = elements;
    this.#where = h('p', { class: 'note', role: 'status', 'data-testid': `${prefix}where` });
    status.after(this.#where);
    this.#rows = PHASES.map((name) => {
      const fill = h('span', { class: 'fill' });
      const time = h('span', { class: 'time', 'data-testid': `${prefix}phase-time-${name}` });
      const item = h(
        'li',
        { 'data-phase': name, 'data-testid': `${prefix}phase-${name}` },
        h('span', { class: 'track' }, fill),
        h('span', { class: 'name' }, TITLES[name]),
        time,
      );
      return { item, fill, time };
    });
    list.append(...this.#rows.map(({ item }) => item));
  }

  show(phases: Phases): void {
    const percent = Math.round(phases.fraction * 100);
    const { bar, crossing } = this.#elements;
    const active = phases.active;
    bar.setAttribute('aria-valuenow', String(percent));
    bar.dataset['phase'] = active?.name ?? '';
    for (const [index, phase] of phases.all.entries()) this.#showPhase(this.#rows[index]!, phase);
    if (active !== undefined) {
      this.#where.textContent = '';
      bar.setAttribute('aria-valuetext', `${DOING[active.name]}, ${percent} percent of all`);
      this.say(`${DOING[active.name]}…`);
    }
    for (const item of crossing.querySelectorAll<HTMLElement>('.threads-between li')) {
      item.classList.toggle('active', item.dataset['phase'] === active?.name);
    }
  }

  /** Says something once: screen readers read every change. */
  say(text: string): void {
    if (text === this.#said) return;
    this.#said = text;
    this.#elements.status.textContent = text;
    // Who computed the run before is of no interest any more.
    if (text === '') this.#where.textContent = '';
  }

  /** Says who computed a run that is over, where a GPU was asked for; more of it once that was measured. */
  sayWhere(gpu: GpuOutcome, loom: Promise<Loom>): void {
    const words = gpuWords(gpu);
    this.#where.textContent = words;
    void measuredWords(gpu, loom).then((more) => {
      if (more !== undefined && this.#where.textContent === words) this.#where.textContent = more;
    });
  }

  #showPhase({ item, fill, time }: Row, { state, fraction, seconds }: Phase): void {
    item.dataset['state'] = state;
    fill.style.transform = `scaleX(${fraction})`;
    if (state === 'kept') time.textContent = 'earlier';
    else if (seconds !== undefined) time.textContent = format.seconds(seconds);
    else if (state === 'stopped') time.textContent = 'stopped';
    else time.textContent = state === 'active' ? `${Math.floor(fraction * 100)} %` : '';
    if (seconds !== undefined) item.dataset['seconds'] = String(seconds);
    else delete item.dataset['seconds'];
  }
}
