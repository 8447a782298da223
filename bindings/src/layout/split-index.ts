/** Which dimension is cut, into how many parts, how long [L3]. */
import { checkArgument, checkOptions, describe } from '../arguments.js';
import type { Dimension, Sizes } from './dimensions.js';
import { listOf, PARTS_OPTIONS, SIZES } from './kinds.js';
import { checkOneOf, checkWhole, wrong } from './wrong.js';

/** A run of a dimension: from the first to before the end. */
export type Range = readonly [from: number, to: number];

/** How a part's length is made whole. `round`: halves go up. */
export type Rounding = 'ceiling' | 'floor' | 'round';
/** Their names. */
export const ROUNDINGS: readonly Rounding[] = ['ceiling', 'floor', 'round'];

/** How parts are made. */
export interface PartsOptions {
  /** Default `ceiling`, with a short last part. */
  readonly rounding?: Rounding | undefined;
  /** What `floor` and `round` leave over: refused (default), or spread over the first parts, one more each. */
  readonly rest?: 'refuse' | 'spread' | undefined;
  /** Lengths become a multiple of this one, upwards. Default 1. */
  readonly multiple?: number | undefined;
}

/** Most parts of a datum. */
export const MOST_PARTS = 65536;

/**
 * The first of some rows, by priority, whose dimension's size is at least the number of channels; else the one with the largest size, of equal ones the first. Undefined for no rows, or for
 * rows of dimensions that the datum has not (seed 004, paragraphs 170-173; R36). Errors: InputError `input.type` for no rows or sizes, LayoutError `layout.label` for a number of channels that is none.
 */
export function targetOf<R extends { readonly dimension: Dimension }>(
  rows: readonly R[],
  sizes: Sizes,
  channels: number,
): R | undefined {
  checkArgument('targetOf, rows', rows, listOf('rows, with a dimension each'));
  checkArgument('targetOf, sizes', sizes, SIZES);
  checkWhole('layout.label', 'targetOf, channels', channels, 1, Number.MAX_SAFE_INTEGER);
  const present = rows.filter(({ dimension }) => sizes[dimension] !== undefined);
  const sizeOf = ({ dimension }: R): number => sizes[dimension] ?? 0;
  const fits = present.find((row) => sizeOf(row) >= channels);
  if (fits !== undefined) return fits;
  return present.length === 0
    ? undefined
    : present.reduce((best, row) => (sizeOf(row) > sizeOf(best) ? row : best));
}

/** How many parts are wanted, in the seed's order of tests (R51): one for each core, one for each channel, or of length 1. */
export function wantedParts(size: number, cores: number, channels: number): number {
  if (size >= cores) return cores;
  return size >= channels ? channels : size;
}

/**
 * The parts of a dimension. Length = size / wanted parts, rounded (seed 004, paragraphs 161-163); parts are disjoint and cover it. With `ceiling` the last one may be short, and there may be fewer than wanted.
 * Errors: LayoutError `layout.split` where a rounding would lose data, `layout.label` for a size or an option that is none; InputError for options that there are not.
 */
export function partsOf(
  size: number,
  cores: number,
  channels: number,
  options: PartsOptions = {},
): readonly Range[] {
  checkOptions('partsOf', options, PARTS_OPTIONS);
  checkWhole('layout.label', 'split, size', size, 1, 2 ** 40);
  checkWhole('layout.label', 'split, cores', cores, 1, MOST_PARTS);
  checkWhole('layout.label', 'split, channels', channels, 1, MOST_PARTS);
  const { rounding = 'ceiling', rest = 'refuse', multiple = 1 } = options;
  checkOneOf('layout.label', 'split, rounding', rounding, ROUNDINGS);
  checkOneOf('layout.label', 'split, rest', rest, ['refuse', 'spread']);
  checkWhole('layout.label', 'split, multiple', multiple, 1, 2 ** 40);
  const wanted = wantedParts(size, cores, channels);
  const exact = size / wanted;
  const rounded =
    rounding === 'ceiling'
      ? Math.ceil(exact)
      : rounding === 'floor'
        ? Math.floor(exact)
        : Math.floor(exact + 0.5);
  const length = Math.ceil(rounded / multiple) * multiple;
  const count = Math.min(wanted, Math.ceil(size / length));
  const covered = count * length;
  if (covered >= size)
    return ranges(Array.from({ length: count }, (_, k) => Math.min(length, size - k * length)));
  if (rest === 'refuse') {
    const found = `${count} parts of ${length}, which cover ${covered} of ${size} (${rounding})`;
    throw wrong('layout.split', 'split, rounding', found, 'parts that cover all: ceiling, or rest: "spread"');
  }
  const left = size - covered;
  return ranges(
    Array.from({ length: count }, (_, k) => length + Math.floor(left / count) + (k < left % count ? 1 : 0)),
  );
}

function ranges(lengths: readonly number[]): readonly Range[] {
  let at = 0;
  return Object.freeze(lengths.map((length): Range => Object.freeze([at, (at += length)] as const)));
}

/** Parts that were looked at: in order, disjoint, and all of the dimension. Errors: LayoutError `layout.split`. */
export function checkParts(where: string, parts: unknown, size: number): readonly Range[] {
  if (!Array.isArray(parts) || parts.length === 0 || parts.length > MOST_PARTS)
    throw wrong('layout.split', where, describe(parts), `an array of 1 to ${MOST_PARTS} parts`);
  let at = 0;
  const checked = parts.map((part: unknown, index): Range => {
    const [from, to] = (Array.isArray(part) ? part : []) as unknown[];
    const what = `${where}, part ${index + 1}`;
    checkWhole('layout.split', `${what}, start`, from, 0, size);
    checkWhole('layout.split', `${what}, end`, to, 1, size);
    const range = [from, to] as [number, number];
    const found = `[${range.join(', ')})`;
    if (range[0] < at)
      throw wrong('layout.split', what, `${found}, which overlaps the part before`, `one from ${at} on`);
    if (range[0] > at)
      throw wrong(
        'layout.split',
        what,
        `${found}, which leaves out ${at} to ${range[0] - 1}`,
        `one from ${at} on`,
      );
    if (range[1] <= range[0])
      throw wrong('layout.split', what, `${found}, which is empty`, 'at least one element');
    at = range[1];
    return Object.freeze(range);
  });
  if (at !== size) throw wrong('layout.split', where, `parts up to ${at}`, `all ${size}`);
  return Object.freeze(checked);
}
