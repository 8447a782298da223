/** Numbers with dimensions, and what is done to them on the way to their place. */
import { describe, tag } from '../arguments.js';
import {
  byDimension,
  type Dimension,
  inOrder,
  lettersOf,
  MOST_ELEMENTS,
  product,
  type Sizes,
} from './dimensions.js';
import { numberKind, type NumberType } from './numbers.js';
import type { Range } from './split-index.js';
import { checkWhole, wrong } from './wrong.js';

/** Numbers, the first dimension outermost, as doubles: of a smaller type they are rounded to it. */
export interface LayoutTensor {
  readonly dims: string;
  readonly sizes: readonly number[];
  readonly values: Float64Array;
}

/** A part of a tensor: the runs of dimensions that are not whole. */
export type Box = Readonly<Partial<Record<Dimension, Range>>>;

/** A tensor of numbers, which are copied. Errors: LayoutError `layout.data`. */
export function tensor(dims: string, sizes: readonly number[], values: ArrayLike<number>): LayoutTensor {
  const where = 'tensor';
  checkSizesOf(where, dims, sizes);
  if (typeof values !== 'object' || values === null || values.length !== product(sizes))
    throw wrong('layout.data', `${where}, values`, describe(values?.length), `${product(sizes)} numbers`);
  for (let index = 0; index < values.length; index++)
    if (typeof values[index] !== 'number')
      throw wrong('layout.data', `${where}, value ${index}`, `a ${typeof values[index]}`, 'a number');
  return { dims, sizes: [...sizes], values: Float64Array.from(values) };
}

/** A tensor that somebody wrote, with as many numbers as its sizes say. Errors: LayoutError `layout.data`. */
export function checkTensor(where: string, value: unknown): LayoutTensor {
  const bad = 'layout.data';
  if (tag(value) !== 'Object') throw wrong(bad, where, describe(value), 'a tensor: { dims, sizes, values }');
  const { dims, sizes, values } = value as LayoutTensor;
  checkSizesOf(where, dims, sizes);
  const length = product(sizes);
  if (tag(values) !== 'Float64Array')
    throw wrong(bad, `${where}, values`, describe(values), `${length} numbers (Float64Array)`);
  const found = values.length;
  if (found !== length)
    throw wrong(bad, `${where}, values`, `${found} numbers`, `${length} of ${dims} ${sizes.join(' x ')}`);
  return value as LayoutTensor;
}

/** That dimensions have a size each. Errors: LayoutError `layout.data`. */
function checkSizesOf(where: string, dims: unknown, sizes: unknown): void {
  const letters = lettersOf('layout.data', `${where}, dimensions`, dims);
  if (!Array.isArray(sizes) || sizes.length !== letters.length)
    throw wrong('layout.data', `${where}, sizes`, describe(sizes), `an array of ${letters.length} sizes`);
  sizes.forEach((size, index) =>
    checkWhole('layout.data', `${where}, size of ${letters[index]}`, size, 1, MOST_ELEMENTS),
  );
}

/** A tensor of zeros. Errors: LayoutError `layout.data` where there is no memory for it. */
export function zeros(dims: string, sizes: readonly number[]): LayoutTensor {
  const length = product(sizes);
  try {
    return { dims, sizes, values: new Float64Array(length) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw wrong('layout.data', `tensor ${dims}`, `${length} numbers`, 'as many as memory holds');
  }
}

/** Its sizes, by dimension. */
export function sizesOf({ dims, sizes }: Pick<LayoutTensor, 'dims' | 'sizes'>): Sizes {
  return byDimension([...dims] as Dimension[], sizes);
}

/** How far apart neighbours along a dimension lie; 0 for one that the tensor has not. */
export function stride({ dims, sizes }: LayoutTensor, dimension: Dimension): number {
  const at = dims.indexOf(dimension);
  return at < 0 ? 0 : product(sizes.slice(at + 1));
}

/** Numbers of another type. */
export function convert(of: LayoutTensor, type: NumberType): LayoutTensor {
  return { ...of, values: of.values.map(numberKind(type).round) };
}

/** The same numbers with dimensions in another order. */
export function transpose(of: LayoutTensor, dims: string): LayoutTensor {
  if (dims === of.dims) return of;
  return read(of, dims, inOrder(dims, sizesOf(of)), {});
}

/** A box out of a tensor. */
export function slice(of: LayoutTensor, box: Box): LayoutTensor {
  const sizes = [...of.dims].map((letter, index) => {
    const range = box[letter as Dimension];
    return range === undefined ? (of.sizes[index] ?? 1) : range[1] - range[0];
  });
  return read(of, of.dims, sizes, box);
}

/** Filled up or cut off behind, to other sizes. */
export function fit(of: LayoutTensor, sizes: Sizes, fill: Sizes = {}): LayoutTensor {
  const own = sizesOf(of);
  let result = of;
  for (const letter of [...of.dims] as Dimension[]) {
    const [from, to] = [own[letter] ?? 1, sizes[letter] ?? own[letter] ?? 1];
    if (to < from) result = slice(result, { [letter]: [0, to] });
    if (to <= from) continue;
    const extra = result.sizes.map((size, index) => (result.dims[index] === letter ? to - from : size));
    const more = zeros(result.dims, extra);
    more.values.fill(fill[letter] ?? 0);
    result = join([result, more], letter);
  }
  return result;
}

/** One after the other along a dimension. */
export function join(parts: readonly LayoutTensor[], dimension: Dimension): LayoutTensor {
  const [first] = parts;
  if (first === undefined) throw wrong('layout.data', 'join', 'nothing', 'at least one part');
  const at = first.dims.indexOf(dimension);
  const sizes = first.sizes.map((size, index) =>
    index === at ? parts.reduce((sum, part) => sum + (part.sizes[at] ?? 1), 0) : size,
  );
  const result = zeros(first.dims, sizes);
  const outer = product(sizes.slice(0, at));
  const inner = product(sizes.slice(at + 1));
  const row = inner * (sizes[at] ?? 1);
  let begin = 0;
  for (const part of parts) {
    const run = inner * (part.sizes[at] ?? 1);
    for (let block = 0; block < outer; block++)
      result.values.set(part.values.subarray(block * run, (block + 1) * run), block * row + begin);
    begin += run;
  }
  return result;
}

/** Element by element, from where a box begins. */
function read(of: LayoutTensor, dims: string, sizes: readonly number[], box: Box): LayoutTensor {
  const result = zeros(dims, sizes);
  const letters = [...dims] as Dimension[];
  const strides = letters.map((letter) => stride(of, letter));
  const base = letters.reduce(
    (sum, letter, index) => sum + (box[letter]?.[0] ?? 0) * (strides[index] ?? 0),
    0,
  );
  const counter = sizes.map(() => 0);
  let from = base;
  for (let at = 0; at < result.values.length; at++) {
    result.values[at] = of.values[from] as number;
    for (let digit = sizes.length - 1; digit >= 0; digit--) {
      from += strides[digit] as number;
      counter[digit] = (counter[digit] as number) + 1;
      if ((counter[digit] as number) < (sizes[digit] as number)) break;
      from -= (strides[digit] as number) * (sizes[digit] as number);
      counter[digit] = 0;
    }
  }
  return result;
}
