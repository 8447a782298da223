/** Absorb, step by step: one operator that was expanded, its placeholder, and who writes and reads it before and after. */
import type { Interval } from '../graph/graph-text.js';
import { kindOf } from '../graph/kinds.js';
import * as format from '../format.js';
import { button, h, s } from '../ui/dom.js';
import { focusFirst } from '../ui/keep-focus.js';
import { absorbed, type Absorbed, type Named, type Part } from './absorb.js';
import type { Made } from './stages.js';

/** Larger graphs are for the picture. */
const MOST_OPERATORS = 5000;
const MOST_PARTS = 40;
const MOST_NAMED = 4;

export class AbsorbView {
  readonly #host: HTMLElement;
  readonly #reveal: (made: Made, op: number) => void;
  #made: Made | undefined;
  #found: readonly (() => Absorbed)[] = [];
  #at = 0;

  constructor(host: HTMLElement, reveal: (made: Made, op: number) => void) {
    this.#host = host;
    this.#reveal = reveal;
  }

  /** Shows what led to a stage. */
  async show(made: Made | undefined): Promise<void> {
    this.#made = made;
    this.#found = [];
    this.#at = 0;
    const from = made?.from;
    if (made === undefined || from === undefined || made.making !== 'expand')
      return this.#say('Expand a step: then this shows how the results of what was expanded are absorbed.');
    if (made.circuit.operators > MOST_OPERATORS)
      return this.#say(`This is told of graphs of up to ${format.count(MOST_OPERATORS)} operators.`);
    const [before, after, { parent }] = await Promise.all([from.text(), made.text(), made.view()]);
    if (this.#made !== made) return;
    this.#found = absorbed(before, after, parent);
    if (this.#found.length === 0) this.#say('This step replaced nothing.');
    else this.#draw();
  }

  #say(text: string): void {
    this.#host.replaceChildren(h('p', { class: 'note' }, text));
  }

  #draw(): void {
    const one = this.#found[this.#at]!();
    const go = (by: number) => (): void => {
      this.#at += by;
      this.#draw();
      // The buttons are others by now.
      const [back, on] = this.#host.querySelectorAll('button');
      focusFirst(by > 0 ? [on, back] : [back, on]);
    };
    const steps = [
      button('‹ Previous', go(-1), { class: 'small', disabled: this.#at === 0 }),
      button('Next ›', go(1), { class: 'small', disabled: this.#at === this.#found.length - 1 }),
      h(
        'span',
        { class: 'note' },
        `${format.count(this.#at + 1)} of ${format.plural(this.#found.length, 'expanded operator')}`,
      ),
    ];
    const writers = one.parts.filter(({ absorbed }) => absorbed.length > 0);
    const between = one.parts.length - writers.length;
    const unchanged = sameReaders(one.readersBefore, one.readersAfter);
    this.#host.replaceChildren(
      h('div', { class: 'row' }, ...steps),
      h(
        'p',
        { 'data-testid': 'absorb-said' },
        h('strong', {}, `${one.type} #${one.op}`),
        ` wrote ${unitsText(one.units)}. It is gone: ${writers.map(nameOf).join(', ')} ${writers.length === 1 ? 'writes' : 'write'} ${unitsText(one.units)} now. `,
        between > 0
          ? `${format.plural(between, 'operand')} in between ${between === 1 ? 'lies' : 'lie'} at units that nobody had. `
          : 'Nothing is in between. ',
        one.readersBefore.length === 0
          ? 'No operator reads the result.'
          : unchanged
            ? `Who read it (${one.readersAfter.map(nameOf).slice(0, MOST_NAMED).join(', ')}${one.readersAfter.length > MOST_NAMED ? ', …' : ''}) still reads the same units, which ${writers.map(nameOf).join(', ')} ${writers.length === 1 ? 'writes' : 'write'} now.`
            : 'What reads it was expanded, too, and reads the same units.',
      ),
      this.#strip(one),
    );
  }

  /** Units from left to right: the operator before, above; what it became, below; who reads it. */
  #strip(one: Absorbed): HTMLElement {
    const parts = one.parts.slice(0, MOST_PARTS);
    const all = [...one.units, ...parts.flatMap(({ units }) => units)];
    const scale = new Scale(all);
    const row = (label: string, kind: string, units: readonly Interval[], part?: Part): HTMLElement =>
      h(
        'tr',
        {
          class: `kind-${kind}`,
          'data-absorbed': part === undefined ? undefined : String(part.absorbed.length > 0),
        },
        h('th', { scope: 'row' }, ...this.#label(label, part)),
        h('td', { class: 'track' }, scale.draw(units, part?.absorbed ?? units)),
        h('td', {}, h('code', { class: 'placeholder' }, unitsText(units))),
      );
    const readers = (named: readonly Named[]): string =>
      named.length === 0
        ? '–'
        : `${named.slice(0, 6).map(nameOf).join(', ')}${named.length > 6 ? ', …' : ''}`;
    const more = one.parts.length - parts.length;
    return h(
      'div',
      { class: 'scroll' },
      h(
        'table',
        { class: 'strip', 'data-testid': 'absorb' },
        h('caption', { class: 'sr-only' }, 'Units before and after'),
        h(
          'tbody',
          {},
          h(
            'tr',
            {},
            h('th', { colspan: 3, class: 'when' }, `Before: read by ${readers(one.readersBefore)}`),
          ),
          row(`${one.type} #${one.op}`, kindOf(one.type), one.units),
          h('tr', {}, h('th', { colspan: 3, class: 'when' }, `After: read by ${readers(one.readersAfter)}`)),
          ...parts.map((part) => row(nameOf(part), kindOf(part.type), part.units, part)),
          ...(more > 0
            ? [
                h(
                  'tr',
                  {},
                  h('th', { colspan: 3, class: 'when' }, `and ${format.plural(more, 'operator')} more`),
                ),
              ]
            : []),
        ),
      ),
    );
  }

  #label(label: string, part: Part | undefined): (Node | string)[] {
    const made = this.#made;
    if (part === undefined || made === undefined) return [label];
    return [button(label, () => this.#reveal(made, part.op), { class: 'link' })];
  }
}

/** Only units that occur take up room: gaps between them are all of one width. */
class Scale {
  readonly #pieces: { readonly units: Interval; readonly x: number; readonly width: number }[] = [];
  readonly #width: number;

  constructor(intervals: readonly Interval[]) {
    const ends = [...new Set(intervals.flat())].sort((a, b) => a - b);
    let x = 0;
    for (let index = 0; index + 1 < ends.length; index++) {
      const units: Interval = [ends[index]!, ends[index + 1]!];
      const used = intervals.some(([start, end]) => start < units[1] && end > units[0]);
      const width = used ? 26 : 6;
      this.#pieces.push({ units, x, width });
      x += width;
    }
    this.#width = Math.max(x, 1);
  }

  draw(units: readonly Interval[], strong: readonly Interval[]): SVGElement {
    const holds = (intervals: readonly Interval[], [start, end]: Interval): boolean =>
      intervals.some((one) => one[0] < end && one[1] > start);
    const boxes = this.#pieces
      .filter((piece) => holds(units, piece.units))
      .map(({ units: piece, x, width }) =>
        s('rect', {
          x: x + 1,
          y: 2,
          width: width - 2,
          height: 14,

          class: holds(strong, piece) ? 'strong' : 'weak',
        }),
      );
    return s(
      'svg',
      { viewBox: `0 0 ${this.#width} 18`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
      ...boxes,
    );
  }
}

function nameOf({ type, op }: Named): string {
  return `${type} #${op}`;
}

function unitsText(units: readonly Interval[]): string {
  const shown = units.slice(0, 3).map(([start, end]) => `[${format.count(start)}, ${format.count(end)})`);
  return `${shown.join(' + ')}${units.length > 3 ? ' + …' : ''}`;
}

function sameReaders(before: readonly Named[], after: readonly Named[]): boolean {
  const types = (named: readonly Named[]): string => named.map(({ type }) => type).join();
  return types(before) === types(after);
}
