/** How a value's box looks: its share of the work as a shade and a bar, the primes that are left one by one. */
import type { ExplainedValue } from 'cipherloom';
import type { Looks, Place } from '../../graph/looks.js';
import * as format from '../../format.js';
import { s } from '../../ui/dom.js';
import { mostCost, mostPrimes, PRIME } from './value-graph.js';
import {
  type ComputedAt,
  detailOf,
  operatorList,
  placesOf,
  precisionText,
  shareText,
  titleOf,
  typeText,
  whereText,
} from './value-text.js';

/** What `.place-...` has as its colour, from afar. */
const PAINTS: Readonly<Record<ComputedAt, string>> = {
  encrypted: 'var(--evaluator)',
  clear: 'var(--line-strong)',
  client: 'var(--client)',
  none: 'var(--line)',
};

/** Of these values, by number. */
export function valueLooks(values: () => readonly ExplainedValue[]): Looks {
  return {
    title: 'Values',
    classOf: ({ node }) => {
      const value = values()[node]!;
      return `task-value place-${placesOf(value)[0]}${value.name === undefined ? '' : ' given'}`;
    },
    labelOf: ({ node }) => labelOf(values()[node]!),
    paint: ({ node }) => PAINTS[placesOf(values()[node]!)[0] ?? 'none'],
    draw: ({ node }, place) => draw(values()[node]!, values(), place),
  };
}

function labelOf(value: ExplainedValue): string {
  const level = value.level === undefined ? '' : `level ${value.level}`;
  const share = shareText(value);
  return [
    `${titleOf(value)}: ${typeText(value)}`,
    whereText(value),
    level,
    value.errorBits === undefined && value.budgetBits !== undefined
      ? `${format.bits(value.budgetBits)} left`
      : (precisionText(value) ?? ''),
    share === '' ? '' : `${share} of the work`,
  ]
    .filter(Boolean)
    .join(', ');
}

function draw(
  value: ExplainedValue,
  values: readonly ExplainedValue[],
  { x, y, width, height }: Place,
): SVGElement[] {
  const shade = s('rect', {
    class: 'shade',
    x: x + 4,
    y: y + 2,
    width: width - 6,
    height: height - 4,
    rx: 5,
  });
  const most = mostCost(values);
  shade.style.setProperty('--share', String(most > 0 ? value.cost / most : 0));
  const left = x + 14;
  const right = x + width - 12;
  const track = width - 28;
  const elements = [
    s('title', {}, [labelOf(value), ...operatorList(value)].join('\n')),
    shade,
    s('text', { class: 'type', x: left, y: y + 20 }, titleOf(value)),
    s('text', { class: 'share', x: right, y: y + 20 }, shareText(value)),
    s('text', { class: 'sub', x: left, y: y + 37 }, detailOf(value, values)),
    ...state(value, mostPrimes(values), left, y),
  ];
  // Computed in two places: the mark at its side has two colors.
  const [, also] = placesOf(value);
  if (also !== undefined && value.name === undefined)
    elements.push(
      s('rect', {
        class: `stripe place-${also}`,
        x,
        y: y + height / 2,
        width: 3.5,
        height: height / 2 - 7,
      }),
    );
  if (value.cost > 0)
    elements.push(
      s('rect', { class: 'track', x: left, y: y + height - 10, width: track, height: 3, rx: 1.5 }),
      s('rect', {
        class: 'work',
        x: left,
        y: y + height - 10,
        width: Math.max(track * value.cost, 2),
        height: 3,
        rx: 1.5,
      }),
    );
  return elements;
}

/** The primes that are left, and what that is worth; or where the value is, if it is in no ciphertext of its own. */
function state(value: ExplainedValue, most: number, left: number, y: number): SVGElement[] {
  const { level } = value;
  if (level === undefined) return [s('text', { class: 'sub', x: left, y: y + 55 }, whereText(value))];
  const primes = Array.from({ length: most }, (_, prime) =>
    s('rect', {
      class: prime < level ? 'prime' : 'prime gone',
      x: left + prime * PRIME.step,
      y: y + 46,
      width: PRIME.width,
      height: 10,
      rx: 1.5,
    }),
  );
  const x = left + most * PRIME.step + 6;
  return [...primes, s('text', { class: 'sub', x, y: y + 55 }, precisionText(value) ?? '')];
}
