/** What is told of a task's values, in words. */
import type { ExplainedValue } from 'cipherloom';
import * as format from '../../format.js';

/** Operators that have a plainer name than their own. */
const TITLES: Readonly<Record<string, string>> = {
  'matrix.multiply': 'matrix × matrix',
  'matrix.vector': 'matrix × vector',
  'value.broadcast': 'repeat',
  'value.chebyshev': 'polynomial',
  'value.sub': 'subtract',
  'value.within': 'known range',
};
/** Longer attributes are for who looks closer. */
const MOST_ATTRIBUTES = 20;

/** An input's name, or what its operator does. */
export function titleOf({ name, operator = '', attributes }: ExplainedValue): string {
  if (name !== undefined) return name;
  if (operator === 'value.constant')
    return `constant ${/value=([^,}]{1,8})[,}]/.exec(attributes)?.[1] ?? ''}`.trim();
  return TITLES[operator] ?? operator.replace(/^\w+\./, '').replaceAll('_', ' ');
}

/** `real [569, 30]` */
export function typeText({ type: { kind, shape, decimals, place } }: ExplainedValue): string {
  const places = decimals > 0 ? `, ${format.plural(decimals, 'decimal')}` : '';
  return `${place} ${kind}${shape.length > 0 ? ` [${shape.join(', ')}]` : ''}${places}`;
}

/** What its box says of it beside its name: attributes where they are short, else the shape where that is news, else the operator. */
export function detailOf(
  { type: { shape }, operator, operands, attributes }: ExplainedValue,
  values: readonly ExplainedValue[],
): string {
  const own = operator === 'value.constant' ? '' : attributes.replace(/^\{|\}$/g, '');
  if (own !== '' && own.length <= MOST_ATTRIBUTES) return own;
  const text = shape.join(', ');
  const isKnown = operands.some((operand) => values[operand]!.type.shape.join(', ') === text);
  if (isKnown) return operator ?? '';
  return shape.length > 0 ? `[${text}]` : 'one number';
}

/** Where it is computed. */
export const PLACES = ['encrypted', 'clear', 'client', 'none'] as const;
export type ComputedAt = (typeof PLACES)[number];

/** What each place means, for the legend. */
export const PLACE_TITLES: Readonly<Record<ComputedAt, string>> = {
  encrypted: 'on ciphertexts',
  clear: 'in the clear, by the evaluator',
  client: 'by your side, after decryption',
  none: 'not at all: nobody needs it, or another value is the same',
};

/** All places where some of it is computed, the most hidden first; `none` alone if there is none. */
export function placesOf({ encrypted, clear, finished }: ExplainedValue): ComputedAt[] {
  const places: ComputedAt[] = [];
  if (encrypted) places.push('encrypted');
  if (clear) places.push('clear');
  if (finished) places.push('client');
  return places.length > 0 ? places : ['none'];
}

const WHERE: Readonly<Record<ComputedAt, string>> = {
  encrypted: 'encrypted',
  clear: 'in the clear',
  client: 'by your side',
  none: 'nowhere',
};

/** "encrypted, in the clear" */
export function whereText(value: ExplainedValue): string {
  if (value.name !== undefined) return value.encrypted ? 'given encrypted' : 'given in the clear';
  return placesOf(value)
    .map((place) => WHERE[place])
    .join(', ');
}

/** What is left of it, or how precise it is: reals have an error, whole numbers a budget. */
export function precisionText({ errorBits, budgetBits }: ExplainedValue): string | undefined {
  if (errorBits !== undefined) return `error ${format.power(errorBits)}`;
  return budgetBits === undefined ? undefined : format.bits(budgetBits);
}

/** "58 %", "<1 %", or nothing where there is no work. */
export function shareText({ cost }: ExplainedValue): string {
  if (cost === 0) return '';
  return cost < 0.005 ? '<1 %' : `${Math.round(100 * cost)} %`;
}

/** "3 rlwe.add" and so on, the most frequent first. */
export function operatorList({ operators }: ExplainedValue): string[] {
  return Object.entries(operators)
    .sort(([a, m], [b, n]) => n - m || a.localeCompare(b))
    .map(([name, times]) => `${format.count(times)} ${name}`);
}

/** How it is named where others read it: `%3 add`. */
export function referenceText(value: ExplainedValue, index: number): string {
  return `%${index} ${titleOf(value)}`;
}
