/**
 * Public types of secret sharing. No code.
 *
 * The habits of graph-types.ts hold here, too.
 */
import type { DataOf, Operand, TensorType } from '../../graph-types.js';
import type { Approximation, ApproximationOptions } from '../../values/types.js';

/** Elements that can be shared: integers as they are, floats as fixed-point numbers. */
export type SharedElement = 'bit' | 'u8' | 'i32' | 'u32' | 'i64' | 'u64' | 'f32' | 'f64';

/** Options of `shares`. */
export interface SharesOptions {
  /** Who holds shares: 2 to 16 parties. All of them together know every value, all but one nothing of any. */
  holders: readonly string[];
  /**
   * Who deals what products and truncations take: a party that holds no shares, receives nothing, and has to collude with no holder. It may own
   * inputs; results are not opened to it. Without one there are sums and products with public integers, and no party but holders, owners and readers.
   */
  dealer?: string | undefined;
  /** Bits behind the point of reals, f: they are multiples of 2^-f. 0 to 30, default 16. */
  fraction?: number | undefined;
  /** What the seeds' inputs begin with, where one graph has several of these. Default `shares`. */
  name?: string | undefined;
}

/**
 * A tensor of integers modulo 2^64 that the holders have shares of, which add up to it: with fraction f the integer X stands for X 2^-f, integers from
 * 2^63 on for X - 2^64. Made by {@link Shares}, and known to that one alone.
 */
export interface SharedTensor {
  readonly shape: readonly number[];
  /** Bits behind the point: 0 for integers. Products have those of both factors, until they are truncated. */
  readonly fraction: number;
}

/** Numbers that everybody knows, as part of the graph. */
export interface PublicTensor<E extends 'i64' | 'f64' = 'i64' | 'f64'> {
  readonly type: TensorType<E>;
  readonly data: DataOf<TensorType<E>>;
}

/** A `bigint` and tensors of `i64` are integers; a `number` and tensors of `f64` reals, rounded to a multiple of 2^-fraction (ties away from 0). */
export type PublicNumber = bigint | number | PublicTensor;

/**
 * Secret sharing in a graph of several parties: each method adds calls of the parties to the graph, which then is shared, cut and run as any other.
 * A shared integer X is sum of x_i modulo 2^64, x_i being holder i's. Shapes broadcast as NumPy's do. Sizes below are numbers of elements, of 8
 * bytes each; n is the number of holders.
 *
 * What is additive costs nothing; a product or a truncation takes one message between each two holders, one round; products that do not wait for each other share a round.
 *
 * Errors of all: PartyError `party.shares` for what takes a dealer where there is none (products of shared tensors, truncations, polynomials); GraphError `graph.foreign` for a tensor of others, `graph.shape` for shapes that do not go together; ParameterError
 * `parameters.fraction` for more than 60 bits behind the point; InputError `input.type`.
 */
export interface Shares {
  readonly holders: readonly string[];
  readonly dealer: string | undefined;
  /** Bits behind the point of reals. */
  readonly fraction: number;

  /**
   * Shares what a party has: `operand`, of that type. n - 1 shares are drawn by the owner, uniformly, from its own seed; the last one, its own where it is a holder, is what is
   * left. Integers become integers modulo 2^64; floats X = x 2^f, rounded to the nearest (ties away from 0), cut off at +-2^62, NaN 0. Sends: 1 size to each other holder.
   */
  share(party: string, operand: Operand, type: TensorType<SharedElement>): SharedTensor;
  /** Declares an input of a party, and shares it. Errors: GraphError `graph.name`. */
  input(party: string, name: string, type: TensorType<SharedElement>): SharedTensor;
  /**
   * The integers X as `i64` at a party, which learns nothing else. Sends: 1 size from each other holder. Errors: PartyError `party.shares`
   * for the dealer, who could tell the factors of a product from its shares.
   */
  open(x: SharedTensor, party: string): Operand;
  /** The numbers X 2^-fraction as `f64`, rounded to nearest even. As `open`. */
  openReal(x: SharedTensor, party: string): Operand;

  /** x + y. The one with fewer bits behind the point gets as many as the other. Sends nothing, as all up to `times`. */
  add(x: SharedTensor, y: SharedTensor): SharedTensor;
  /** x - y. */
  sub(x: SharedTensor, y: SharedTensor): SharedTensor;
  /** -x. */
  negate(x: SharedTensor): SharedTensor;
  /** x + y for public y, rounded to the bits that x has behind the point. Errors: OutOfRangeError `range.value`. */
  plus(x: SharedTensor, y: PublicNumber): SharedTensor;
  /** x y for public y. A real y adds `fraction` bits behind the point. Errors: OutOfRangeError `range.value`. */
  times(x: SharedTensor, y: PublicNumber): SharedTensor;
  /** The sum along a dimension, counted from 0, which disappears. */
  sum(x: SharedTensor, axis: number): SharedTensor;
  /** The same elements in another shape. */
  reshape(x: SharedTensor, shape: readonly number[]): SharedTensor;
  /** Dimension d of the result is dimension axes[d] of x. Default: in reverse order. */
  transpose(x: SharedTensor, axes?: readonly number[]): SharedTensor;
  /** One after the other along a dimension. All get as many bits behind the point as the one with most. */
  concat(tensors: readonly SharedTensor[], axis: number): SharedTensor;
  /** A box of that size, beginning at `start`. */
  slice(x: SharedTensor, start: readonly number[], size: readonly number[]): SharedTensor;

  /**
   * x y, element by element, exactly modulo 2^64 (Beaver 1991): the dealer deals random a, b and c = a b, x - a and y - b are opened among the holders.
   * One round. Sends: to each holder from the dealer |x| + |y| + |x y|, from each other holder |x| + |y|.
   */
  multiply(x: SharedTensor, y: SharedTensor): SharedTensor;
  /** x^2: as `multiply`, for less. Sends: to each holder from the dealer 2 |x|, from each other holder |x|. */
  square(x: SharedTensor): SharedTensor;
  /** The product of matrices, vectors being rows on the left and columns on the right: as `multiply`, for matrices a and b. */
  matmul(x: SharedTensor, y: SharedTensor): SharedTensor;
  /**
   * Fewer bits behind the point, by default as many as reals have: floor((X + u) / 2^bits) with u uniform in [0, 2^bits), drawn anew for each element. So it is off by less than one
   * unit in the last place, right on average, and exact where the bits that go are 0. For X from -2^62 to 2^62 - 1 it never fails; others give anything.
   * One round. Sends: to each holder from the dealer 3 |x|, from each other holder |x|. Errors: ParameterError `parameters.fraction`
   * where there are no such bits.
   */
  truncate(x: SharedTensor, bits?: number): SharedTensor;
  /**
   * c_0 + c_1 x + ... + c_d x^d in reals, by Horner's rule, in 2 d - 1 rounds. Coefficients: 2 to 16 finite numbers. Off by at most 2^-f (1 + |x| + ... + |x|^d),
   * where nothing exceeds the range of `truncate`.
   */
  polynomial(x: SharedTensor, coefficients: readonly number[]): SharedTensor;
  /**
   * What `approximation` of the package gave, of degree d up to 15, in 2 d rounds, by powers of u = (x - middle) / h, where h is half the width of its range; u
   * lies in -1..1 for x in the range, others give anything. Off from `of.at(x)` by at most 2^-f (d + 1 + D (1 + h / 2 + 1 / (2 h))), D being the
   * largest slope of the polynomial in u.
   */
  approximate(x: SharedTensor, of: Approximation): SharedTensor;
  /** 1 / (1 + e^-x) as a polynomial. Default: degree 3 on -8..8, off by 0.12 at most. */
  sigmoid(x: SharedTensor, options?: ApproximationOptions): SharedTensor;
}
