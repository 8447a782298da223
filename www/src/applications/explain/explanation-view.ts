/** A program explained: reasons, values as a picture and as a table, keys. */
import type { ExplainedValue, Explanation } from 'cipherloom';
import { Diagram } from '../../graph/diagram.js';
import { LayoutClient } from '../../graph/layout-client.js';
import { button, h } from '../../ui/dom.js';
import { inspectorHint, inspectorOf } from './value-inspector.js';
import { keyTable } from './key-table.js';
import { mostCost, readersOf, valueGroup, valueShapes } from './value-graph.js';
import { valueLooks } from './value-looks.js';
import { markLine, valueTable } from './value-table.js';
import { PLACES, PLACE_TITLES, placesOf } from './value-text.js';

/** The elements that it fills in. */
export interface ExplanationElements {
  readonly section: HTMLElement;
  readonly reasons: HTMLElement;
  readonly note: HTMLElement;
  readonly diagram: HTMLElement;
  readonly tools: HTMLElement;
  readonly legend: HTMLElement;
  readonly inspector: HTMLElement;
  readonly values: HTMLElement;
  readonly keys: HTMLElement;
}

const ZOOM_STEP = 1.25;
/** Pixels below the picture, for legend and tools. */
const FOOT = 70;
const NOBODY: ReadonlySet<number> = new Set();

export class ExplanationView {
  readonly #elements: ExplanationElements;
  readonly #layout = new LayoutClient();
  readonly #diagram: Diagram;
  #explanation: Explanation | undefined;
  #table: HTMLTableElement | undefined;
  #selected: number | undefined;
  #hovered: number | undefined;

  constructor(elements: ExplanationElements) {
    this.#elements = elements;
    const nothing = (): void => {};
    this.#diagram = new Diagram(
      elements.diagram,
      {
        select: (node) => this.#select(node),
        toggle: (node) => this.#select(node),
        turn: nothing,
        hover: (node) => {
          this.#hovered = node;
          this.#mark();
        },
      },
      valueLooks(() => this.#values),
    );
    elements.tools.append(
      button('−', () => this.#diagram.zoomBy(1 / ZOOM_STEP), { 'aria-label': 'Zoom out', class: 'small' }),
      button('+', () => this.#diagram.zoomBy(ZOOM_STEP), { 'aria-label': 'Zoom in', class: 'small' }),
      button('Fit', () => this.#diagram.fit(), { class: 'small' }),
    );
  }

  hide(): void {
    this.#explanation = undefined;
    this.#elements.section.hidden = true;
  }

  /** Shows an explanation; the same one stays as it is. */
  async show(explanation: Explanation): Promise<void> {
    if (explanation === this.#explanation) return;
    this.#explanation = explanation;
    this.#selected = this.#hovered = undefined;
    const { section, reasons, note, legend, inspector, values, keys, diagram } = this.#elements;
    section.hidden = false;
    const select = (index: number): void => this.#reveal(index);
    this.#table = valueTable(explanation.values, select);
    reasons.replaceChildren(
      ...explanation.reasons.flatMap(({ about, text }) => [
        h('dt', {}, about),
        h('dd', {}, ...withCode(text)),
      ]),
    );
    note.textContent = noteOf(explanation.values);
    legend.replaceChildren(...legendOf(explanation.values));
    inspector.replaceChildren(...inspectorHint());
    values.replaceChildren(this.#table);
    keys.replaceChildren(keyTable(explanation, select));
    const group = valueGroup(explanation.values);
    diagram.setAttribute('aria-busy', 'true');
    const placed = await this.#layout.layOut(valueShapes(group, explanation.values));
    if (placed === undefined || explanation !== this.#explanation) return;
    diagram.removeAttribute('aria-busy');
    section.style.setProperty('--picture-height', `${placed.height + FOOT}px`);
    this.#diagram.draw(group, placed);
    this.#diagram.fit();
    this.#mark();
    diagram.dataset['values'] = String(explanation.values.length);
  }

  get #values(): readonly ExplainedValue[] {
    return this.#explanation?.values ?? [];
  }

  /** Selects a value from elsewhere: its box comes into view, and the picture if it is far. */
  #reveal(index: number): void {
    this.#select(index);
    this.#diagram.bringIntoView(index);
  }

  #select(index: number): void {
    this.#selected = index;
    const { inspector } = this.#elements;
    const hadFocus = inspector.contains(document.activeElement);
    inspector.replaceChildren(...inspectorOf(this.#explanation!, index, (at) => this.#reveal(at)));
    inspector.scrollTop = 0;
    // What had it is gone.
    if (hadFocus) inspector.querySelector('h3')!.focus();
    this.#mark();
  }

  #mark(): void {
    const subject = this.#hovered ?? this.#selected;
    const value = subject === undefined ? undefined : this.#values[subject];
    this.#diagram.mark({
      selected: this.#selected,
      subject,
      producers: new Set(value?.operands),
      readers: subject === undefined ? NOBODY : new Set(readersOf(this.#values, subject)),
      found: NOBODY,
    });
    if (this.#table !== undefined) markLine(this.#table, this.#selected);
  }
}

/** Whether numbers are off by a little. */
function isReal(values: readonly ExplainedValue[]): boolean {
  return values.some(({ errorBits }) => errorBits !== undefined);
}

/** How the picture is read. */
function noteOf(values: readonly ExplainedValue[]): string {
  return [
    'Data goes from top to bottom.',
    isReal(values)
      ? 'Every product on ciphertexts uses up a prime; numbers are off by a little, and each box says by how much at most.'
      : 'Every product on ciphertexts uses up bits and primes; when none is left, decryption fails.',
    'The more color a box has, the more of the work is in it.',
  ].join(' ');
}

/** What colors and bars mean: only those that there are. */
function legendOf(values: readonly ExplainedValue[]): HTMLElement[] {
  const seen = new Set(values.flatMap(placesOf));
  const most = Math.round(100 * mostCost(values));
  return [
    ...PLACES.filter((place) => seen.has(place)).map((place) =>
      h('li', { class: `place-${place}` }, PLACE_TITLES[place]),
    ),
    h('li', { class: 'scale' }, 'work 0 %', h('span', { class: 'ramp', 'aria-hidden': 'true' }), `${most} %`),
    h('li', { class: 'primes' }, isReal(values) ? 'primes left' : 'primes left, bits left'),
  ];
}

/** Text between backticks is code. */
function withCode(text: string): (Node | string)[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? h('code', {}, part) : part));
}
