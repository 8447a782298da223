/** Dimensions of data, by their letters [L1]. */
import { describe } from '../arguments.js';
import { type LayoutCode, wrong } from './wrong.js';

/**
 * What a dimension counts: N items (of a weight: its outputs), C channels, H rows, W columns, D depth of three-dimensional convolutions, T steps of time of
 * recurrent networks (seed 004, paragraph 106).
 */
export const DIMENSIONS = ['N', 'C', 'H', 'W', 'D', 'T'] as const;
/** A dimension's letter. */
export type Dimension = (typeof DIMENSIONS)[number];

/** Most elements of a datum, and the largest size of one dimension. */
export const MOST_ELEMENTS = 2 ** 40;

/** Whether something is a dimension's letter. */
export function isDimension(value: unknown): value is Dimension {
  return DIMENSIONS.includes(value as Dimension);
}

/** The letters of an order such as `NCHW`, the outermost first. Errors: LayoutError of that code for what is none, or has a letter twice. */
export function lettersOf(code: LayoutCode, where: string, order: unknown): readonly Dimension[] {
  const letters = typeof order === 'string' ? [...order] : [];
  if (letters.length > 0 && letters.every(isDimension) && new Set(letters).size === letters.length)
    return letters;
  throw wrong(code, where, describe(order), `some of the letters ${DIMENSIONS.join('')}, each once`);
}

/** Sizes by dimension. */
export type Sizes = Readonly<Partial<Record<Dimension, number>>>;

/** Sizes in an order, by dimension. */
export function byDimension(dims: readonly Dimension[], sizes: readonly number[]): Sizes {
  return Object.fromEntries(dims.map((dimension, index) => [dimension, sizes[index] ?? 1] as const));
}

/** Sizes by dimension, in an order; 1 of a dimension that they have not. */
export function inOrder(dims: string, sizes: Sizes): number[] {
  return [...dims].map((letter) => sizes[letter as Dimension] ?? 1);
}

/** The product of sizes. */
export function product(sizes: readonly number[]): number {
  return sizes.reduce((all, size) => all * size, 1);
}
