/** Tensors of a graph, with dimensions by letter: what operators are recorded with on the device. */
import { f32, f64, i32, u32, u8 } from '../element.js';
import type { ExpansionBuilder, Operand, TensorType, Unit } from '../graph-types.js';
import { product, type Dimension, type Sizes } from './dimensions.js';
import type { NumberType } from './numbers.js';
import type { Range } from './split-index.js';
import { type Box, sizesOf } from './tensor.js';
import { wrong } from './wrong.js';

/** A tensor of a graph. */
export interface Recorded {
  readonly operand: Operand;
  readonly dims: string;
  readonly sizes: readonly number[];
}

type Maker = (...shape: number[]) => TensorType;
const ELEMENTS: Readonly<
  Partial<Record<NumberType, { readonly name: string; readonly bits: number; readonly type: Maker }>>
> = {
  float32: { name: 'f32', bits: 32, type: f32 },
  float64: { name: 'f64', bits: 64, type: f64 },
  int32: { name: 'i32', bits: 32, type: i32 },
  uint32: { name: 'u32', bits: 32, type: u32 },
  uint8: { name: 'u8', bits: 8, type: u8 },
};

/** Types of numbers that graphs have, too. */
export const GRAPH_TYPES = /* @__PURE__ */ Object.keys(ELEMENTS) as readonly NumberType[];

/** Records calls on tensors of one type, with views instead of copies where elements lie one after the other. */
export class Recorder {
  readonly #g: ExpansionBuilder;
  readonly #bits: number;
  readonly #type: Maker;
  /** The name that operators begin with: `f32`. */
  readonly element: string;

  /** Errors: LayoutError `layout.operands` for a type that graphs have not. */
  constructor(g: ExpansionBuilder, type: NumberType) {
    const found = ELEMENTS[type];
    if (found === undefined)
      throw wrong('layout.operands', 'split, type', type, `one of ${GRAPH_TYPES.join(', ')}`);
    this.#g = g;
    this.#bits = found.bits;
    this.#type = found.type;
    this.element = found.name;
  }

  /** Bits of the graph's unit. */
  get unit(): Unit {
    return this.#g.unit;
  }

  /** An operator of this element: `op('add', [a, b])`. */
  op(
    name: string,
    inputs: readonly Operand[],
    attributes?: Readonly<Record<string, number | readonly number[]>>,
  ): Operand {
    return this.#g.op(`${this.element}.${name}`, inputs, attributes);
  }

  /** A number that is known before. */
  number(value: number): Operand {
    const { element } = this;
    if (element === 'f32') return this.#g.constant(f32(), Float32Array.of(value));
    if (element === 'f64') return this.#g.constant(f64(), Float64Array.of(value));
    if (element === 'i32') return this.#g.constant(i32(), Int32Array.of(value));
    if (element === 'u32') return this.#g.constant(u32(), Uint32Array.of(value));
    return this.#g.constant(u8(), Uint8Array.of(value));
  }

  /** The same elements under other dimensions. */
  reshape({ operand }: Recorded, dims: string, sizes: readonly number[]): Recorded {
    return { operand: this.#g.view(operand, this.#type(...sizes)), dims, sizes };
  }

  /** Dimensions in another order. */
  transpose(of: Recorded, dims: string): Recorded {
    if (of.dims === dims) return of;
    const axes = [...dims].map((letter) => of.dims.indexOf(letter));
    const sizes = axes.map((axis) => of.sizes[axis] ?? 1);
    // Where only dimensions of size 1 change their place, so does nothing in memory.
    const long = axes.filter((axis) => (of.sizes[axis] ?? 1) > 1);
    if (long.every((axis, index) => index === 0 || axis > (long[index - 1] ?? 0)))
      return this.reshape(of, dims, sizes);
    return { operand: this.op('transpose', [of.operand], { axes }), dims, sizes };
  }

  /** A box: a view where its elements lie one after the other. */
  slice(of: Recorded, box: Box): Recorded {
    const ranges = [...of.dims].map(
      (letter, index): Range => box[letter as Dimension] ?? [0, of.sizes[index] ?? 1],
    );
    const sizes = ranges.map(([from, to]) => to - from);
    if (sizes.every((size, index) => size === of.sizes[index])) return of;
    const outer = sizes.findIndex((size, index) => size > 1 || of.sizes[index] !== 1);
    const run = sizes.slice(outer + 1).every((size, index) => size === of.sizes[outer + 1 + index]);
    const from = (ranges[outer]?.[0] ?? 0) * product(sizes.slice(outer + 1)) * this.#bits;
    const bits = product(sizes) * this.#bits;
    if (run && from % this.unit === 0 && bits % this.unit === 0) {
      const operand = this.#g.view(of.operand, this.#type(...sizes), { from: from / this.unit });
      return { operand, dims: of.dims, sizes };
    }
    const operand = this.op('slice', [of.operand], { start: ranges.map(([start]) => start), size: sizes });
    return { operand, dims: of.dims, sizes };
  }

  /** A tensor of zeros. */
  zeros(dims: string, sizes: readonly number[]): Recorded {
    return { operand: this.op('broadcast', [this.number(0)], { shape: sizes }), dims, sizes };
  }

  /** One after the other along a dimension, in the first one's order: a merge where elements then lie so, too. */
  join(parts: readonly Recorded[], dimension: Dimension): Recorded {
    const [first] = parts;
    if (first === undefined) throw wrong('layout.plan', 'join', 'nothing', 'at least one part');
    if (parts.length === 1) return first;
    const { dims } = first;
    const axis = dims.indexOf(dimension);
    const sizes = first.sizes.map((size, index) =>
      index === axis ? parts.reduce((sum, part) => sum + (sizesOf(part)[dimension] ?? 1), 0) : size,
    );
    const operands = parts.map((part) => this.transpose(part, dims).operand);
    const outermost = product(sizes.slice(0, axis)) === 1;
    const operand = outermost
      ? this.#g.merge(operands, this.#type(...sizes))
      : this.op('concat', operands, { axis });
    return { operand, dims, sizes };
  }

  /** Zeros before and behind, by dimension. */
  surround(
    of: Recorded,
    around: Readonly<Partial<Record<Dimension, readonly [before: number, after: number]>>>,
  ): Recorded {
    return (Object.entries(around) as [Dimension, readonly [number, number]][]).reduce(
      (padded, [dimension, [before, after]]) => {
        const rows = (length: number): Recorded[] => {
          if (length === 0) return [];
          const sizes = padded.sizes.map((size, index) => (padded.dims[index] === dimension ? length : size));
          return [this.zeros(padded.dims, sizes)];
        };
        return this.join([...rows(before), padded, ...rows(after)], dimension);
      },
      of,
    );
  }
}

/** Sizes of a tensor of a graph, by dimension. */
export function recordedSizes(of: Recorded): Sizes {
  return sizesOf(of);
}
