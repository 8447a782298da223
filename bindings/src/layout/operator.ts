/** What labels have to know of an operator. Each has a file of its own in operators/. */
import type { Dimension, Sizes } from './dimensions.js';
import type { PortRole } from './category.js';
import type { Recorded, Recorder } from './recorded.js';
import type { Range } from './split-index.js';
import type { LayoutTensor } from './tensor.js';

/** Where a dimension of an operand leads: to one of the output, to one with a rim of neighbours, or into a sum. */
export type Lead = { readonly to: Dimension; readonly rim?: true } | 'sum';

/** Numbers that an operator is told beside its operands. */
export type LayoutAttributes = Readonly<Record<string, number>>;

/** An operand, as an operator takes it. */
export interface LayoutPort {
  readonly name: 'input' | 'weight';
  /** What parts are called: `i1`, `w2`. */
  readonly letter: string;
  readonly role: PortRole;
  /** Orders of dimensions that it may have, the usual one first, by number of dimensions, for what is detected. */
  readonly usual: readonly string[];
  /** Where its dimensions lead; those that are missing are never cut. */
  readonly leads: Readonly<Partial<Record<Dimension, Lead>>>;
}

/** What of a first operand a run of the output needs. */
export interface Rim {
  /** The run of the operand; where it ends no later than it begins the output's run needs nothing, and is 0. */
  readonly range: Range;
  /** Attributes of the computation on it, as far as they are about this dimension. */
  readonly attributes: LayoutAttributes;
}

/** An operator over one or two operands. */
export interface LayoutOperator {
  readonly name: string;
  /** Of operators that strategies treat alike. */
  readonly family: string;
  readonly ports: readonly LayoutPort[];
  /** Attributes that it takes, with what they are where nothing is said. */
  readonly defaults: LayoutAttributes;
  /** Sizes of the output of such operands. Errors: LayoutError `layout.operands`. Sizes of summed dimensions are looked at elsewhere. */
  output(input: Sizes, weight: Sizes, attributes: LayoutAttributes): Sizes;
  /** Attributes of the computation of a part, beside those of rims. */
  local(attributes: LayoutAttributes): LayoutAttributes;
  /** Of a dimension with a rim, for each computation, cut or not; sizes are those of the data themselves: what labels fill up is no neighbour. */
  rim?(dimension: Dimension, range: Range, input: Sizes, weight: Sizes, attributes: LayoutAttributes): Rim;
  /** Computes a part, rounded after every operation; `dims` is the order of the output. */
  compute(
    operands: readonly LayoutTensor[],
    attributes: LayoutAttributes,
    dims: string,
    round: (x: number) => number,
  ): LayoutTensor;
  /** How many operations that takes: a multiplication and an addition are one. */
  operations(input: Sizes, weight: Sizes, output: Sizes): number;
  /** Records a part in a graph, to the same bits for finite numbers. */
  record(recorder: Recorder, operands: readonly Recorded[], attributes: LayoutAttributes): Recorded;
  /** Operators of graphs that are this one, without their element: `matmul`. */
  readonly graph: readonly string[];
}
