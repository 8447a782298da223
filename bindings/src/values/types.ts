/**
 * The public types of tasks over values. No code: importing this file costs nothing.
 *
 * A value is numbers (integers with decimals, reals), booleans, dates or categories in some shape, encrypted or not. Its kind, shape and
 * place are known while the task is written, so what does not fit throws at the call that is wrong: GraphError `operator.invalid`
 * (kind or place), `graph.shape`, `graph.missing` (cells may be missing), `graph.foreign` (of another task); InputError and
 * OutOfRangeError for numbers that cannot be taken.
 */
import type { KeyParty, PartyOptions } from '../parties/types.js';
import type { STAGES, TASK_PASSES } from '../stages.js';
import type {
  ByName,
  CallOptions,
  Ciphertexts,
  Decimal,
  EncryptOptions,
  EvaluationKeys,
  GpuTimes,
  GraphView,
  RestoreOptions,
  TraceOptions,
} from '../types.js';
import type { TrialOptions, Verification } from '../verification-types.js';

// ---------------------------------------------------------------------------------------- what values are

/**
 * What the cells of a value are. `integer`: exact, in units of 10^-decimals. `real`: approximate where encrypted. `date`: whole days.
 * `category`: one of so many things, that have names or are numbered from 0.
 */
export type ValueKind = 'integer' | 'real' | 'boolean' | 'date' | 'category';

/** Who sees a value: who holds the key (`encrypted`), the server, too (`plain`), everybody (`public`). */
export type ValuePlace = 'encrypted' | 'plain' | 'public';

/** Lengths along the dimensions, the first outermost; `[]` of a single value. At most 16, and 2^32 cells. */
export type Shape = readonly number[];

/** What is known of a value before there is data. */
export interface ValueType {
  readonly kind: ValueKind;
  readonly shape: Shape;
  readonly place: ValuePlace;
  /** Of integers: cells are whole numbers of 10^-decimals. Else 0. */
  readonly decimals: number;
  /** True if cells may be missing. */
  readonly missing: boolean;
  /** Of categories: how many there are. Else undefined. */
  readonly categories: number | undefined;
  /** Of categories that have names: these, in the order of their numbers. Else undefined. */
  readonly names: readonly string[] | undefined;
}

interface AnyOptions {
  /** Default: `[]`, a single value. Public. */
  shape?: Shape | undefined;
  /** True if cells may be missing; which ones is encrypted, too. Default false. */
  missing?: boolean | undefined;
}

/** An input of integers, or of decimals. */
export interface IntegerOptions extends AnyOptions {
  kind?: 'integer' | undefined;
  /** Least value that may occur. Tighter bounds make smaller and faster programs. */
  min: number | bigint;
  /** Greatest value that may occur. `min` and `max` times 10^decimals must be below 2^126. */
  max: number | bigint;
  /** Decimal places kept, 0 (default) to 36, exactly. */
  decimals?: number | undefined;
}

/** An input of real numbers. An encrypted one makes the whole task one of reals (CKKS): results are off by a little. */
export interface RealOptions extends AnyOptions {
  kind: 'real';
  min: number;
  max: number;
}

/** An input of booleans. */
export interface BooleanOptions extends AnyOptions {
  kind: 'boolean';
}

/** An input of days. */
export interface DateOptions extends AnyOptions {
  kind: 'date';
  min: Day;
  max: Day;
}

/** An input of categories. */
export interface CategoryOptions extends AnyOptions {
  kind: 'category';
  /**
   * Their names, 1 to 256 different ones of 1 to 256 bytes (UTF-8): cells are names, results as well. Or how many there are, 1 to 2^32: cells are 0 to categories - 1. Names are part of
   * programs and of what is encrypted, for everybody to read; values of other names, or of these in another order, are none that these go together with.
   */
  categories: number | readonly string[];
}

/** What an input is declared with. */
export type ValueOptions = IntegerOptions | RealOptions | BooleanOptions | DateOptions | CategoryOptions;

/** A day: `"2024-02-29"`, or a `Date` at midnight UTC. */
export type Day = Date | string;

/** One cell, as people have it. null, undefined and NaN are missing ones. A number stands for its shortest decimal form. */
export type Cell = number | bigint | boolean | Day | null | undefined;

/**
 * The cells of a value: one, or arrays in arrays as the shape says. A typed array has all cells of any shape in order, the first
 * dimension outermost.
 */
export type Cells = Cell | ArrayLike<number | bigint> | readonly Cells[];

/**
 * What a value decrypts to: numbers of integers (the nearest double), of reals and of categories without names, names of others, booleans, `Date`s at midnight UTC, null for a missing cell;
 * in arrays as the shape says.
 */
export type Decrypted = number | boolean | string | Date | null | Decrypted[];

/** As {@link Decrypted}, but integers are exact `Decimal`s: `units` is a bigint. */
export type DecryptedExact = Decimal | number | boolean | string | Date | null | DecryptedExact[];

/** An output with what stands behind it. */
export interface DecryptedDetails {
  /** Undefined where there is none: `problem` then says why. */
  readonly value: DecryptedExact | undefined;
  /** An UndefinedStatisticError. */
  readonly problem: Error | undefined;
  /**
   * Noise budget that was left, measured with the secret key, in bits; the worst of the ciphertexts that it comes from. Infinity where nothing was encrypted, as of
   * the count of complete cells; undefined under CKKS, where noise is part of the result, and of results that may be published
   * ({@link CompileOptions.releases}), since it tells of the key. A large budget is no sign that an evaluator was honest, and telling it
   * the budget can cost the key: see {@link Client.decrypt}.
   */
  readonly budgetBits: number | undefined;
  /**
   * The most that one of its numbers may be off: the bound of what was decrypted (`errorBits` of {@link ProgramInfo.ciphertexts}), and for what the client makes of that (means,
   * quotients, roots, correlations) what the operators make of it in the worst case. Of booleans and categories 1, where noise alone may have decided; what such a boolean chose may be what it did not
   * choose. Undefined for what is exact, of `plainDetails`, and where no bound is known.
   */
  readonly error: number | undefined;
}

// ------------------------------------------------------------------------------------------ expressions

/**
 * What stands beside a value: another value of its task, or constants, which are part of the program; texts are names of categories, or days such as "2024-02-29", beside such. Numbers of an array are in the shape that its
 * nesting has.
 */
export type ValueOperand =
  Value | number | bigint | boolean | string | Date | readonly ValueConstant[] | ArrayLike<number | bigint>;

/** Constants in arrays, of which the innermost may be typed ones. */
export type ValueConstant =
  number | bigint | boolean | string | Date | readonly ValueConstant[] | ArrayLike<number | bigint>;

/** Which polynomial stands for a function: of a degree, or of the least degree 2^k - 1 that is off by no more than `error`. */
export interface ApproximationOptions {
  /** The least x, and the largest. */
  from: number;
  to: number;
  /** 1 to 1023. About log2(degree + 1) products follow one another. */
  degree?: number | undefined;
  /** Default 1e-6; ignored beside a degree. */
  error?: number | undefined;
}

/** A polynomial in place of a function, on `from` to `to`. */
export interface Approximation {
  readonly from: number;
  readonly to: number;
  readonly degree: number;
  /** Of Chebyshev's polynomials T_0, T_1, ... */
  readonly coefficients: readonly number[];
  /** The most that it was seen to be off by, at sixteen places for each coefficient and 4,096 at least. What a function does between these is not seen. */
  readonly error: number;
  /** The polynomial's value. */
  at(x: number): number;
}

/** How reals are compared by who cannot see them. */
export interface ComparisonOptions {
  /**
   * From which difference on the result has to be right, above 0: where operands are nearer to each other it may be either, and what is made of it anything in between. Encrypted reals need one.
   * Of integers a wider one than their unit makes it cheaper where reals are encrypted beside them, and a narrower one nothing; it is ignored where no real is encrypted in the whole task.
   */
  gap?: number | undefined;
}

/** Sample (divisor n - 1, default) or population (divisor n). */
export interface MomentOf {
  of?: 'sample' | 'population' | undefined;
}

/** The same, of all cells or along a dimension. */
export interface VarianceOptions extends MomentOf {
  axis?: number | undefined;
}

/**
 * An expression of a task. Element-wise operations broadcast as NumPy does, align decimals, and take booleans as 0 and 1; where one operand
 * is real, the result is. A result is where the most hidden operand is.
 *
 * Division and roots of encrypted values are the client's, after decryption, as is everything made of them; so are means and other
 * statistics, which are quotients of exact sums. What they read must be single values.
 */
export interface Value extends ValueType {
  /** Whether the client computes it, after decryption. */
  readonly finished: boolean;

  /** x + y. A date and whole days give a date. */
  add(other: ValueOperand): Value;
  /** x - y. Two dates give days; a date less days, a date. */
  sub(other: ValueOperand): Value;
  /** x y; decimals add up. */
  multiply(other: ValueOperand): Value;
  negate(): Value;
  /** x^2, cheaper than other products. */
  square(): Value;
  /** x^exponent, 1 to 1000, by squaring: about log2(exponent) products follow one another. */
  power(exponent: number): Value;
  /** c_0 + c_1 x + ... + c_n x^n, n from 1 to 100. Coefficients are taken exactly, as decimals. */
  polynomial(coefficients: readonly (number | bigint)[]): Value;
  /** x / y: a real. Of encrypted single values by the client, after decryption; a real by a number is a product with its inverse. */
  divide(other: ValueOperand): Value;
  /** The square root, a real: of an encrypted single value by the client, after decryption. */
  sqrt(): Value;
  /**
   * The same, from here on the client's: an encrypted, complete single value is decrypted, so that what follows costs the server nothing. The client sees it then,
   * and not only what is made of it.
   */
  finish(): Value;

  /**
   * A function of x, as the polynomial that stands for it ({@link approximation}): a real. The bounds of x must lie in `from` to `to`; where they say less
   * than you know, `within` helps. What results are said to be off by is measured from the polynomial: `error` comes on top.
   */
  approximate(of: ((x: number) => number) | Approximation, options?: ApproximationOptions): Value;
  /** 1 / (1 + e^-x), approximately, for x in `from` to `to`. */
  sigmoid(options: ApproximationOptions): Value;
  /**
   * The same, of numbers or days that are sure to lie between `min` and `max`, which bounds do not tell: of what is encrypted nobody sees that they do not, and
   * results are wrong, or refused when they are decrypted (NoiseError).
   */
  within(min: number | bigint | Day, max: number | bigint | Day): Value;

  /**
   * x < y: booleans, as of all comparisons. Of encrypted integers, dates: narrow bounds make it cheap; wide ones are compared by digits, which are encrypted with an input, where both sides are inputs,
   * moved, times and plus single known numbers. What is made of several inputs may differ by at most 4095 units. Encrypted reals need a `gap`, and the wider it is the
   * cheaper. A choice by a comparison (`select`) computes both sides: where one has no value, the result has none.
   */
  lessThan(other: ValueOperand, options?: ComparisonOptions): Value;
  /** x <= y. */
  atMost(other: ValueOperand, options?: ComparisonOptions): Value;
  /** x > y. */
  greaterThan(other: ValueOperand, options?: ComparisonOptions): Value;
  /** x >= y. */
  atLeast(other: ValueOperand, options?: ComparisonOptions): Value;
  /** The larger one, cell by cell; of encrypted reals that are nearer to each other than `gap`, a number between them. */
  max(other: ValueOperand, options?: ComparisonOptions): Value;
  /** The smaller one. */
  min(other: ValueOperand, options?: ComparisonOptions): Value;
  /** x = y; the only comparison that categories have. Not of encrypted reals. */
  equals(other: ValueOperand): Value;
  /** Of booleans, as the next two. */
  and(other: ValueOperand): Value;
  or(other: ValueOperand): Value;
  not(): Value;
  /** Of booleans: `a` where it is true, `b` elsewhere; both of one kind. */
  select(a: ValueOperand, b: ValueOperand): Value;

  /** The sum of all cells, or along a dimension, which disappears; of those that are there. */
  sum(axis?: number): Value;
  /** The sum of the products of the cells of two values of one shape. */
  dot(other: ValueOperand): Value;
  /** The product of matrices [m, k] and [k, n], or of a matrix and a vector. */
  matmul(other: ValueOperand): Value;

  /**
   * Of booleans, how many are true: `income.greaterThan(30000).and(region.equals('north')).count()`; of those that are there. Of everything else, how many cells are
   * not missing; `x.present().count()` is that of booleans, too, where some are missing. With a dimension: along it, as of a sum.
   */
  count(axis?: number): Value;
  /**
   * The mean of the cells, of those that are there; a single real, exact and rounded once where the task is one of integers. Along a dimension, which disappears: at most 1024 means of
   * encrypted values, each of which is decrypted.
   */
  mean(axis?: number): Value;
  /** The variance of the cells, or along a dimension as {@link mean}. */
  variance(options?: VarianceOptions): Value;
  /** The covariance of two values of one shape, over the cells present in both. */
  covariance(other: ValueOperand, options?: MomentOf): Value;
  /** Pearson's r. */
  correlation(other: ValueOperand): Value;
  /**
   * The line y = slope x + intercept of least squares for this x: [slope, intercept]. Of a matrix [n, k] of at most 32 predictors and a vector [n] the plane: [slope_1, ..., slope_k, intercept].
   * Rows of which a cell is missing are left out. No value (UndefinedStatisticError) where predictors say the same twice.
   */
  regression(y: ValueOperand): Value;
  /** Of categories: how many cells are of each of them, [categories]; of those that are there. */
  counts(): Value;
  /**
   * Of numbers or dates: how many cells lie in each bin, e_i <= x < e_(i+1), the last bin with its end; of those that are there. `edges` are 2 to 257 increasing ones, and the result
   * is one shorter; what lies before the first or behind the last is in none. Each edge within the bounds costs a comparison: encrypted reals need a `gap`, and what is nearer to an edge may
   * be counted on either side, or in parts on both.
   */
  histogram(edges: readonly (number | bigint | Day)[], options?: ComparisonOptions): Value;
  /**
   * The number that a share of the cells are at most, 0 < share <= 1, as far as a {@link histogram} tells: 0.5 for the median. In the bin from a to b that the quantile falls into, with
   * c cells before it and k in it of n in all, cells are taken to lie evenly: a + (b - a) (n share - c) / k. A single real, computed by the client; it has no value
   * (UndefinedStatisticError) of no cells, and where it falls into no bin.
   */
  quantile(share: number, edges: readonly (number | bigint)[], options?: ComparisonOptions): Value;
  /**
   * A private look-up, table[x]: of each cell, a whole number from 0 or a category, the entry of that number along the first dimension of a table of numbers; 0 where there is none. The result is of
   * this shape and what is left of the table's. The table may be the server's own. Each entry costs a part of a comparison: narrow bounds make it cheap.
   */
  lookup(table: ValueOperand): Value;

  /** x[i], x[i][j], ...: those dimensions disappear. Negative indices count from the end. */
  at(...indices: number[]): Value;
  /** Cells `start` to before `end` along the first dimension, or, with arrays, along each; as `Array.slice`. */
  slice(start: number | ArrayLike<number>, end?: number | ArrayLike<number>): Value;
  /** This and others one after the other along a dimension, by default the first. */
  concat(others: ValueOperand | readonly Value[], axis?: number): Value;
  /** The same cells in another shape of as many. */
  reshape(shape: Shape): Value;
  /** Repeated to a shape, as NumPy does; operations do it by themselves. */
  broadcast(shape: Shape): Value;
  /** With its dimensions in another order, by default the reverse one, as NumPy does: of a matrix, out[i][j] = x[j][i]; dimension k of the result is dimension axes[k] of this. */
  transpose(axes?: readonly number[]): Value;
  /** Turned to the left along a dimension, by default the first: out[i] = x[(i + steps) mod n]. */
  rotate(steps: number, axis?: number): Value;

  /**
   * Of a value with missing cells: a complete one, `value` where they are missing (0, false, 1970-01-01, the first category without it). Errors: InputError `input.type` for what is
   * no single cell of this kind, with no more decimals.
   */
  filled(value?: number | bigint | boolean | Day): Value;
  /** Which cells are there: booleans. */
  present(): Value;
}

/** A computation over values, to be compiled. Pure data: needs no wasm. */
export interface Task {
  /** Declares an input that the client encrypts. Errors: GraphError `graph.name`, `graph.shape`; ParameterError (bounds, decimals, categories). */
  encrypted(name: string, options: ValueOptions): Value;
  /** Declares an input of the server's own, which it gives in the clear to each run, and the client never sees. */
  plain(name: string, options: ValueOptions): Value;
  /** Declares an input that both sides know: it is given to each run, and to `decrypt` where the client computes with it. */
  public(name: string, options: ValueOptions): Value;
  /** Numbers, booleans or dates that are part of the program. */
  constant(cells: Exclude<ValueOperand, Value>): Value;
  /** The same of records of all inputs, declared so far, that are no single values, by name. */
  forEach<R extends Value | Readonly<Record<string, Value>>>(
    body: (record: Readonly<Record<string, Value>>) => R,
  ): R extends Value ? Value : { [N in keyof R]: Value };
  /**
   * What is written for one record, computed for all of them at once. `columns` are values whose first dimensions are equal: the records. `body` is called once,
   * with a record, of which every value is that of a column less the first dimension; other values of the task are the same for each record. What it gives, a
   * value or an object of values, is had of all records: the first dimension again. Operators of a record are those that compute cell by cell, sums, products of matrices, and
   * what moves cells; statistics are of all records, and so are outside. Errors: GraphError (`graph.shape`; `graph.foreign` for what is no value of this record,
   * or one used outside; `operator.invalid`).
   */
  forEach<C extends Readonly<Record<string, Value>>, R extends Value | Readonly<Record<string, Value>>>(
    columns: C,
    body: (record: { readonly [N in keyof C]: Value }) => R,
  ): R extends Value ? Value : { [N in keyof R]: Value };
  /**
   * Declares an input that is an encrypted result of another task or program, by default its output of the same name: what that one's run gives is given to this
   * one's, and is decrypted in between by nobody. Its type and bounds are those of the result. A task is compiled together with those whose results it takes
   * ({@link Loom.compileAll}); a program has its parameters already, under which this task is compiled, too, with the levels that the result has left (`keep` of
   * {@link Task.output}). Cells are complete, and the client does not finish the result. Errors: GraphError (name; `operator.invalid` for what is no such result);
   * InputError `input.unknown` (no output of that name).
   */
  result(name: string, of: Task | Program, output?: string, options?: ResultOptions): Value;
  /** Declares what is decrypted in the end. Errors: GraphError (name taken, of another task, the server's own). */
  output(name: string, value: Value, options?: OutputOptions): void;
  /**
   * The plain description that is compiled, of what outputs need. Wide whole numbers are compared by their digits, but under a scheme of `reals` (CKKS); default: {@link hasReals}. Errors: GraphError if there is no output.
   */
  literal(reals?: boolean): TaskLiteral;
  /** Whether an encrypted real is among its inputs, or what outputs need. */
  readonly hasReals: boolean;
  /** What ties the task to others. */
  ties(): TaskTies;
}

/** Options of `Task.output`. */
export interface OutputOptions {
  /**
   * True for one that programs compute on which are not compiled together with this task: it has ciphertexts of its own, and keeps all the levels that it has,
   * which may be none under parameters that were chosen for this task alone. A sum is handed over without its ciphertext where it is not kept, and a product
   * may be left in a form that nobody computes on (`openResults`). Results of tasks that are compiled together are kept without it. Default false.
   */
  keep?: boolean | undefined;
  /**
   * True for one that the parties who share the key refresh (`KeyParty.refresh`) for programs that are not compiled together with this task: as with `keep`, and there is room for what hides it meanwhile. Results of tasks that
   * are compiled together, and taken `refreshed`, are so without it. Default false.
   */
  refresh?: boolean | undefined;
}

/** Options of `Task.result`. */
export interface ResultOptions {
  /**
   * True for what the parties who share the key refreshed (`KeyParty.refresh`): it has all levels and fresh noise, and its own errors are, of integers, gone. False, the default, for the result as it is.
   */
  refreshed?: boolean | undefined;
}

/** Which inputs of a task are results of others, and which outputs others compute on. */
export interface TaskTies {
  readonly results: ReadonlyMap<
    string,
    { readonly of: Task | Program; readonly output: string; readonly refreshed: boolean }
  >;
  readonly kept: readonly string[];
  readonly refreshed: readonly string[];
}

/** A task that knows a loom. */
export interface LoomTask extends Task {
  /** Chooses scheme, parameters and keys. See {@link Loom.compile}. */
  compile(options?: CompileOptions & CallOptions): Promise<Program>;
}

/** A task as plain, unchecked data: what the compiler reads. */
export interface TaskLiteral {
  /** Bounds in units of 10^-decimals, as decimal strings. */
  inputs: {
    name: string;
    type: string;
    min?: string;
    max?: string;
    /** Of an input that whoever gives an earlier one, `of`, makes of its cells x, in units: the digits of factor x - low in that base, the lowest first, along one more dimension, the first. */
    digits?: { of: string; base: number; factor: string; low: string };
  }[];
  /** Operands are numbered: inputs first, then nodes in order; a node uses only smaller numbers. Attributes in the text form: `{axis=0}`. */
  nodes: { op: string; inputs: number[]; attrs?: string }[];
  outputs: { name: string; operand: number }[];
}

// --------------------------------------------------------------------------------------------- programs

/**
 * A published table of how large moduli may be, for uniform ternary secrets: Bossuat et al., "Security Guidelines for Implementing Homomorphic Encryption"
 * (ia.cr/2024/463), or the standard of HomomorphicEncryption.org of 2018, which Microsoft SEAL has.
 */
export type SecurityTable = 'guidelines-2024' | 'standard-2018';

/** A security level. */
export interface SecurityLevel {
  /** Default `guidelines-2024`. */
  readonly table?: SecurityTable | undefined;
  /** log2 of the work of an attacker. Default 128. More bits take larger rings. */
  readonly bits?: 128 | 192 | 256 | undefined;
  /** True: against attackers with quantum computers, too. Default false. */
  readonly quantum?: boolean | undefined;
}

/** Options of `Loom.program`. */
export interface OpenOptions extends CallOptions {
  /**
   * For teaching: opens a program that is not secure (`CompileOptions.allowInsecure`). Without it whoever made the bytes could have others use weak parameters
   * unknowingly. Default false.
   */
  allowInsecure?: boolean | undefined;
}

/** Schemes of homomorphic encryption: BFV and BGV compute on integers, exactly; CKKS on reals, results of which are off by a little. */
export type SchemeName = 'BFV' | 'BGV' | 'CKKS';

/** What a compilation may be told. Everything left out is chosen. */
export interface CompileOptions {
  /**
   * The scheme. Default: CKKS where something real is encrypted, BGV else. Integers may be computed on as reals (CKKS), and are rounded in the end. Errors: ParameterError
   * `parameters.invalid` for BFV or BGV where something real is encrypted, and for another one than that of `parameters`.
   */
  scheme?: SchemeName | undefined;
  /**
   * How secure parameters have to be: a table, or a level by a table. Default: that of `parameters`, if they tell one, or else 128 bits against classical
   * computers by `guidelines-2024`. Errors: ParameterError `parameters.none` says which level would do; ParameterError `parameters.invalid` for a table that
   * there is not.
   */
  security?: SecurityTable | SecurityLevel | undefined;
  /**
   * For teaching: takes `parameters` that are below the level, and an `n` that is too small for it (16 and more). What comes of it protects nothing, and says so: `info.security` is
   * `insecure`, `explain` and `toText` begin with it, and whoever opens the bytes has to allow it, too. Without it such parameters are a ParameterError
   * `parameters.insecure`. Parameters that are chosen without `n` are secure all the same. Default false.
   */
  allowInsecure?: boolean | undefined;
  /** Ring dimension, a power of two. Where it is left out, 2048 to 32768 are tried; tables have 1024, and `guidelines-2024` to 131072, too. */
  n?: number | undefined;
  /**
   * Bytes; a plan that needs more is a MemoryError. Default: seven eighths of what the loom's workers can hold
   * beside the stacks of their threads, at most 3.5 GiB.
   */
  memoryLimit?: number | undefined;
  /**
   * Most bytes of evaluation keys, as they travel (`info.keys` tells them). Where turns of slots need more keys than that, some are made of several others: fewer bytes, more work,
   * more noise. Errors: ParameterError where products alone need more, or where what is left is too few for the task; it says how many bytes came nearest. Default: no limit.
   */
  keyBytes?: number | undefined;
  /** Bits that results of reals are right to, of the larger of 1 and what they may be: 1 to 40, default 20. */
  precision?: number | undefined;
  /**
   * Parameters that are not to be chosen. With the `info` of another program both share values and a key: what was encrypted once answers the questions of
   * both (`Program.restoreClient`), as inputs of one name and shape then lie alike. A program that needs no keys has parameters under which no other one
   * has keys: compile both together ({@link Loom.compileAll}), or the first one without the pass `openResults`. Or made by hand: they are checked as chosen
   * ones are. Errors: ParameterError, which says what the task lacks under them.
   */
  parameters?: Parameters | undefined;
  /** Passes that are not to be made, to see what each is worth. Results are the same. */
  passes?: Partial<Record<TaskPass, boolean>> | undefined;
  /**
   * True: inputs may also come from data owners, who hold the public key alone ({@link Program.owner}). Bounds then hold for the noise of public encryptions, which costs fresh values 2 to 5
   * bits where the program has special primes, by which it is divided, and 8 to 10 where it has none. Default: as `parameters` say, else false.
   */
  publicKey?: boolean | undefined;
  /**
   * Results that are to be published, or told to others than who holds the key. What reals are decrypted to tells of the key: they then get noise that hides it, far larger than their
   * errors, by which they are less precise (`info.ciphertexts`); results of integers are exact, and tell no noise. Either way a key decrypts no more than so many
   * (KeyError `key.released`). It does not help against who made the ciphertexts otherwise than the program says. Default: none; results are for the client alone.
   */
  releases?: Releases | undefined;
  /**
   * How many parties share the secret key, 2 to 256, so that none of them has it ({@link Program.party}). Inputs then come from data owners (`publicKey`), results are decrypted by the parties
   * together, and `releases` says how many times that may be: each shows the parties shares of it, which get noise that hides what they tell of the key. Default: as `parameters` say, else one.
   */
  parties?: number | undefined;
}

/** Results that may be published: see {@link CompileOptions.releases}. */
export interface Releases {
  /** How many decryptions under one key, each of all results of a run: 1 to 1,000,000. The same result twice counts twice. */
  readonly count: number;
  /**
   * How well all of them together hide the key: who sees them has an advantage below 2^-statisticalBits in telling two keys apart, counted as bits of decisions are: the
   * square of its bias. 20 to 60, default 30.
   */
  readonly statisticalBits?: number | undefined;
}

/**
 * A pass of the compiler. `square`: f(x, x) for what it is. `balance`: products in a row as trees. `turns`: rotations along several
 * dimensions in one order. `dedup`: what is computed twice is computed once. `factors`: real numbers go into clear factors, where
 * they cost no level. `flatten`: turns of sums of masked vectors are sums of turns. `giantSteps`: sums
 * of many turns of one vector of few. `lateSums`: what is summed up stays in its slots until the sum is needed, so that several are added up at once, in one
 * ciphertext. `extract`: sums that are outputs are added up by who decrypts, who learns the sums alone. `lazyRelinearization`: after products were added up. `openResults`: results that are products keep three parts where no key is needed then, nothing but what who decrypts encrypted goes into them, and no more has to travel. `earlySwitching`: primes are dropped as soon as they cost little to drop
 * (BGV). `hoist`: what turns of one ciphertext share is computed once. `fuse`: divisions that follow one another are one, sums of products of limbs another.
 */
export type TaskPass = (typeof TASK_PASSES)[number];

/** What is told of one value of a task: an input, or what an operator gives. */
export interface ExplainedValue {
  /** Of an input. */
  readonly name: string | undefined;
  /** Of others, with its attributes as text, and its operands as numbers in the list. */
  readonly operator: string | undefined;
  readonly attributes: string;
  readonly operands: readonly number[];
  /** The outputs that it is. */
  readonly outputs: readonly string[];
  readonly type: ValueType;
  /** Whether some of it is computed on ciphertexts, or given as such. */
  readonly encrypted: boolean;
  /** Whether some of it is computed in clear by who evaluates. */
  readonly clear: boolean;
  /** Whether some of it is computed by the client after decryption. What is none of these three nothing needs, or it is another value under another name. */
  readonly finished: boolean;
  /** In how many ciphertexts it leaves its operator; 0 where it is a view of its operand, or not encrypted. */
  readonly ciphertexts: number;
  /** How many primes these have left, at least. */
  readonly level: number | undefined;
  /** CKKS: log2 of the scale, of how large a number may be, and of how much it may be off. */
  readonly scaleBits: number | undefined;
  readonly messageBits: number | undefined;
  readonly errorBits: number | undefined;
  /** Bits before decryption fails. */
  readonly budgetBits: number | undefined;
  /** Operators on ciphertexts that it is made by. */
  readonly operators: Readonly<Record<string, number>>;
  /** Its share of the work, from 0 to 1, by the compiler's count of products modulo primes. */
  readonly cost: number;
}

/** What a program is, and why. */
export interface Explanation {
  /** What was decided: scheme, security, ring, plain moduli or scale, levels, keys, public key, releases. */
  readonly reasons: readonly { readonly about: string; readonly text: string }[];
  /** The inputs of the task, then its operators. */
  readonly values: readonly ExplainedValue[];
  /** The evaluation keys, and for which values they are. */
  readonly keys: readonly { readonly name: string; readonly bytes: number; readonly of: readonly number[] }[];
  /** All of it as a table. */
  toString(): string;
}

/** Parameters of a program, as its info tells them. Primes as decimal strings. */
export interface Parameters extends Pick<
  ProgramInfo,
  'scheme' | 'n' | 'moduli' | 'special' | 'plainModuli' | 'scale'
> {
  /** The level that they are checked against, unless the options of the compilation say another one. What is `insecure` is checked against the default one. */
  readonly security?: ProgramInfo['security'] | undefined;
  readonly securityBits?: ProgramInfo['securityBits'] | undefined;
  readonly quantum?: boolean | undefined;
  /**
   * How encrypted inputs lie, by name, of the same shape; one with another name lies as all those of its shape do, if these lie alike. What nothing is said of
   * is chosen.
   */
  readonly inputs?: readonly { readonly name: string; readonly layout?: Layout | undefined }[] | undefined;
  /** Whether data owners may encrypt, where the option of that name does not say. Default false. */
  readonly publicKey?: boolean | undefined;
  /** How many parties share the secret key, where the option of that name does not say. Default 1. */
  readonly parties?: number | undefined;
}

/** Where the cells of an encrypted input lie in slots: made by the compiler, and given to it again. */
export interface Layout {
  /** Length and lowest bit of each dimension in the number of a slot; no bit for a dimension of length 1. */
  readonly axes: readonly (readonly [size: number, low: number | null])[];
  /** The bits along which slots repeat, as the sum of their powers of two. */
  readonly repeated: number;
}

/** A level of the program: the server's half of the task, the client's, vectors of slots, ciphertext operators, polynomials, what is run. */
export type Stage = (typeof STAGES)[number];

/** One input of a program. */
export interface InputInfo extends ValueType {
  readonly name: string;
  /** The declared bounds of integers, exact, and of reals; of dates as `Date`; undefined for booleans and categories. */
  readonly min: Decimal | number | Date | undefined;
  readonly max: Decimal | number | Date | undefined;
  /** How an encrypted one lies in slots. */
  readonly layout: Layout | undefined;
  /** In how many ciphertexts it is encrypted; 0 for others. */
  readonly ciphertexts: number;
  /** How many bytes these take; 0 for others. */
  readonly bytes: number;
  /** Of an encrypted one that is a result of another program: the name of the output there. */
  readonly result: string | undefined;
  /** The name of the input of which these are digits: given with it, by nobody apart. Wide numbers are compared by digits. */
  readonly digitsOf: string | undefined;
}

/** One output of a program. */
export interface OutputInfo extends ValueType {
  readonly name: string;
  /** What a program is told that computes on it; undefined where none can: see `Task.result`. */
  readonly result: ResultInfo | undefined;
}

/** A result as an input of another program: made by the compiler, and given to it again. */
export interface ResultInfo {
  /** Type and bounds, as of inputs of a {@link TaskLiteral}. */
  readonly type: string;
  readonly min: string | undefined;
  readonly max: string | undefined;
  readonly given: GivenResult;
  /** The same once it was refreshed, where it is to be. */
  readonly refreshed?: GivenResult | undefined;
}

/** What another program is told of a result that it computes on. */
export interface GivenResult {
  /** Identity of the program, and the name of the output. */
  readonly program: string;
  readonly name: string;
  /** True where the parties who share the key refreshed it. */
  readonly refreshed?: boolean;
  /** How it lies in slots. */
  readonly layout: Layout;
  /** Types of its ciphertexts, and log2 of bounds on error and, under CKKS, on what they hold. */
  readonly ciphertexts: readonly {
    readonly type: string;
    readonly error: number;
    readonly message?: number;
  }[];
}

/** What the compiler chose. */
export interface ProgramInfo {
  /** What it computes with. */
  readonly scheme: SchemeName;
  /** Ring dimension. */
  readonly n: number;
  /** Primes of the ciphertext modulus, of key switching, and (BFV, BGV) of the plaintext modulus, as decimal strings. */
  readonly moduli: readonly string[];
  readonly special: readonly string[];
  readonly plainModuli: readonly string[];
  /** CKKS: what fresh ciphertexts hold numbers times. */
  readonly scale: number | undefined;
  /** The table by which the parameters have their security level; `insecure` where they are below it (`CompileOptions.allowInsecure`). */
  readonly security: SecurityTable | 'insecure';
  /** Bits of security, 0 for `insecure`; whether they are against quantum computers, too. */
  readonly securityBits: 0 | 128 | 192 | 256;
  readonly quantum: boolean;
  /** Bits of all primes of ciphertexts and key switching, and the most that the level allows at this n, of `insecure` that which was asked for; 0 where it has no such n. */
  readonly totalBits: number;
  readonly maxTotalBits: number;
  readonly inputs: readonly InputInfo[];
  readonly outputs: readonly OutputInfo[];
  /** What a run gives: ciphertexts of outputs, and of what the client finishes others from. */
  readonly ciphertexts: readonly {
    readonly name: string;
    /** The values of which it has cells: outputs of the task, and what the client finishes others from. Several share a ciphertext where there is room. */
    readonly values: readonly string[];
    /** Primes that are left. */
    readonly level: number;
    /** Bits before decryption fails. */
    readonly budgetBits: number;
    /** CKKS: log2 of the most that a number is off by, with the noise of {@link CompileOptions.releases}. */
    readonly errorBits: number | undefined;
    /** CKKS, where results may be published: log2 of the standard deviation of the noise that hides the key, in a number. */
    readonly noiseBits: number | undefined;
    /** How long it is. */
    readonly bytes: number;
  }[];
  /** Evaluation keys, and about how many bytes each takes. */
  readonly keys: readonly { readonly name: string; readonly bytes: number }[];
  /** Whether data owners who hold the public key alone may encrypt inputs ({@link CompileOptions.publicKey}). */
  readonly publicKey: boolean;
  /** How many parties share the secret key ({@link CompileOptions.parties}); 1 where one holds it. */
  readonly parties: number;
  /** Results that may be published ({@link CompileOptions.releases}); undefined where they are for who holds the key alone. */
  readonly releases: Required<Releases> | undefined;
  /** Operators on ciphertexts, by name. */
  readonly operators: Readonly<Record<string, number>>;
  /** What one run takes, before there is one. */
  readonly cost: {
    /** Estimate, without keys, encryption and decryption. */
    readonly seconds: number;
    readonly keyBytes: number;
    /** Of the public key; 0 where there is none. */
    readonly publicKeyBytes: number;
    /** Of what the client encrypts; results of other programs are with the evaluator. What data owners encrypt takes twice as many. */
    readonly uploadBytes: number;
    readonly downloadBytes: number;
  };
}

/** How large a program is. */
export interface ProgramStats {
  /** In the order in which they become one another. */
  readonly stages: readonly StageStats[];
  /** Storage of one run, inputs and keys included. */
  readonly memoryBytes: number;
}

/** Size of a program at one stage. */
export interface StageStats {
  readonly stage: Stage;
  readonly operators: number;
  /** The longest chain of operators that wait for each other. */
  readonly depth: number;
  readonly byType: Readonly<Record<string, number>>;
}

/** Options of `Program.hold`. */
export interface HoldOptions extends Pick<CallOptions, 'signal'> {
  /** The server's own inputs, by name. */
  plain?: Readonly<Record<string, Cells>> | undefined;
  /** Public inputs, by name. */
  public?: Readonly<Record<string, Cells>> | undefined;
}

/** Options of `Program.run`. */
export interface RunOptions extends CallOptions, HoldOptions, TraceOptions {
  /**
   * `true`: a GPU computes all that there are shaders of, by WebGPU (in Node by the package `webgpu`), faster or not. `'measured'`: what is done sooner there, beside the processors, by times
   * that are measured in the background after the first such run of a program, and kept (`LoadOptions.gpuTimes`); until then, and where there is no GPU, or none that pays, the processors
   * compute all of it. An object: by times of one's own, or with pins. The bytes are the same in each case. Default false, which loads nothing of it. Where a GPU fails in the run, this
   * goes on without it, and the trace says so. Errors: GpuError `gpu.none` where something is to go there and there is none; GraphError `task.invalid` of times that are none.
   */
  gpu?: boolean | 'measured' | GpuPlacement | undefined;
}

/** What of a run goes to a GPU. */
export interface GpuPlacement {
  /** Default: those that were measured, as with `'measured'`. */
  times?: GpuTimes | undefined;
  /** Operator types of the base stage, and where they go whatever the times: `gpu` or `simd`. */
  pins?: Readonly<Record<string, 'gpu' | 'simd'>> | undefined;
}

/** Options of `Client.decrypt`. */
export interface DecryptOptions extends CallOptions, TraceOptions {
  /** Public inputs that the client computes with, by name: those of the run, which a result does not tell. */
  public?: Readonly<Record<string, Cells>> | undefined;
  /**
   * All encrypted inputs of the run: results of any others, such as those of yesterday, are then refused with KeyError `key.foreign`. Without them results of any run of
   * this program on this client's data are taken.
   */
  inputs?: Ciphertexts | undefined;
}

/** A compiled task. Built once, run many times. */
export interface Program extends Disposable {
  readonly info: ProgramInfo;
  /** Why the program is as it is, and what each value of the task is and costs. */
  explain(options?: CallOptions): Promise<Explanation>;
  /** Sizes of all stages, and the memory that a run takes. */
  stats(options?: CallOptions): Promise<ProgramStats>;
  /** The program as text at a stage. */
  toText(stage: Stage, options?: CallOptions): Promise<string>;
  /** The program as a graph at a stage, for drawing. */
  graph(stage: Stage, options?: CallOptions): Promise<GraphView>;
  /**
   * Checks every stage, on random data within the bounds of inputs. `server`: what the passes on values make of the task, and its ciphertexts' half, by the exact
   * interpreter, as the task is written; cells lie within the bounds that were found for them. `finish`: both halves, one after the other. `packed`: what is in slots,
   * exactly, of reals within what the program says; slots that are no cell's are 0, or repeat one. `scheme`, `polynomial`, `base`: in the graph
   * worker the structure of each; the polynomial stage against that of the scheme, and the base stage against that one, on random data; every operator of the base
   * stage on both platforms. Keys are random data there: that a scheme computes on ciphertexts what is meant in slots follows from its types and bounds, and is not compared. What was
   * not compared otherwise, checks say: reals nearer to each other than the gap of their comparison; all, where a task takes none of the data, or
   * takes too many steps of exact arithmetic. Aborting as of `Circuit.verify`.
   */
  verify(options?: TrialOptions): Promise<Verification>;
  /** Everything needed to open the program elsewhere with `Loom.program`. Holds no secret. */
  toBytes(): Uint8Array;
  /** Makes fresh keys. The secret key stays in a client worker. */
  client(options?: CallOptions & TraceOptions): Promise<Client>;
  /**
   * A client from what `Client.save` gave, or `Client.exportKey` with the same `passphrase`, of this program or of another one under the same
   * parameters. Errors: FormatError, KeyError (keys of other parameters; `key.passphrase` for another passphrase or bytes that were changed; `key.sealed` where
   * one is needed).
   */
  restoreClient(saved: Uint8Array, options?: RestoreOptions): Promise<Client>;
  /**
   * A data owner with what `Client.publicKey` gave, for a program that was compiled with `publicKey`. It lives in a client worker that has no secret key. Whose key it is,
   * nothing but the way by which it came tells. Errors: KeyError (`key.public` for a program compiled without the option; `key.foreign` for a key of other parameters),
   * FormatError.
   */
  owner(publicKey: Uint8Array, options?: CallOptions): Promise<DataOwner>;
  /**
   * A party at the key of a program that was compiled with `parties`: one of those who share it, with a fresh secret or a saved one, or, under another name, who adds shares up and has no secret. Its
   * secret lives in a client worker; for each run of a protocol the graph worker is lent it, and overwrites it. Errors: PartyError `party.shared` for another number of parties, and for a
   * threshold that is none; `format.*` and `key.foreign` for what was saved otherwise.
   */
  party(name: string, options: PartyOptions): Promise<KeyParty>;
  /**
   * Computes on ciphertexts, in an evaluator worker. A ciphertext of any name serves that was encrypted, under the same key, for an input of the
   * same type and bounds, and of one layout (`info.inputs`), be it by the client or by data owners; for an input that is a result, that result of any run. Keys are kept while the same `EvaluationKeys` object is used. Errors: InputError, OutOfRangeError (clear inputs), FormatError,
   * KeyError, MemoryError, WorkerError.
   */
  run<T extends Record<string, any>>(
    inputs: ByName<T, Uint8Array>,
    keys: EvaluationKeys,
    options?: RunOptions,
  ): Promise<Ciphertexts>;
  /**
   * Leaves inputs with the evaluator for many runs: any of those that the program takes, in each of the places. Ciphertexts are read and checked once; where all
   * that is not encrypted stays, so do its encodings. They take the worker's memory until they are disposed of, and outlive its restart. Errors: as of `run`.
   */
  hold<T extends Record<string, any>>(
    inputs: ByName<T, Uint8Array>,
    keys: EvaluationKeys,
    options?: HoldOptions,
  ): Promise<HeldValues>;
  dispose(): void;
}

/** Inputs that stay with an evaluator. See {@link Program.hold}. */
export interface HeldValues extends Disposable {
  /** As `Program.run`, of the inputs that do not stay. Errors: also `task.invalid` for one that does. */
  run<T extends Record<string, any>>(
    inputs?: ByName<T, Uint8Array>,
    options?: RunOptions,
  ): Promise<Ciphertexts>;
  dispose(): void;
}

/**
 * A key holder: encrypts and decrypts. Its secret key lives in a client worker only; once it was saved, or if it was restored, this object also keeps the saved
 * bytes, so that it survives the worker's death (`Loom.restart`).
 */
export interface Client extends Disposable {
  /** To be sent to the evaluator. Holds no secret. */
  readonly evaluationKeys: EvaluationKeys;
  /** Encrypts values by the names of inputs; any subset. Errors name value and cell, and tell no value unless `showValues` asks for it. */
  encrypt<T extends Record<string, any>>(
    values: ByName<T, Cells>,
    options?: EncryptOptions,
  ): Promise<Ciphertexts>;
  /**
   * Makes a public key, with which data owners encrypt what this client alone decrypts ({@link Program.owner}). Any number of them may be made and handed to anybody: they
   * hold no secret. Errors: KeyError `key.public` for a program compiled without `publicKey`.
   */
  publicKey(options?: CallOptions & TraceOptions): Promise<Uint8Array>;
  /**
   * Decrypts all results of a run, and finishes them: every output of the task. They are for who holds the key alone, unless the program was compiled with
   * {@link CompileOptions.releases}; then each call counts. Errors: InputError (a result is missing), FormatError, KeyError (`key.released`: as many were decrypted as may be published),
   * NoiseError, UndefinedStatisticError (a mean of nothing, a root of what is below 0: `decryptDetails` has the other outputs).
   *
   * An evaluator that may cheat must learn nothing of what comes out: not the numbers, not the noise budget, not whether this threw. A made-up ciphertext can
   * decrypt to the secret key itself, and look like a good result.
   */
  decrypt<T extends Record<string, any>>(
    results: ByName<T, Uint8Array>,
    options?: DecryptOptions,
  ): Promise<Record<string, Decrypted>>;
  /** As `decrypt`, with integers as exact `Decimal`s. */
  decryptExact<T extends Record<string, any>>(
    results: ByName<T, Uint8Array>,
    options?: DecryptOptions,
  ): Promise<Record<string, DecryptedExact>>;
  /** As `decryptExact`, with the noise that was left; what has no value does not throw. */
  decryptDetails<T extends Record<string, any>>(
    results: ByName<T, Uint8Array>,
    options?: DecryptOptions,
  ): Promise<Record<string, DecryptedDetails>>;
  /**
   * The whole task without encryption, exactly, in the client's worker: what decryption has to give, of reals up to their bounds. For tests, with all inputs of each
   * place. Errors: as of `encrypt`; InputError `input.missing`; UndefinedStatisticError; MemoryError.
   */
  plain<T extends Record<string, any>>(
    values: ByName<T, Cells>,
    options?: HoldOptions,
  ): Promise<Record<string, DecryptedExact>>;
  /** As `plain`; what has no value does not throw, and `budgetBits` is undefined. */
  plainDetails<T extends Record<string, any>>(
    values: ByName<T, Cells>,
    options?: HoldOptions,
  ): Promise<Record<string, DecryptedDetails>>;
  /**
   * How many results were decrypted under this key to be published ({@link CompileOptions.releases}), as far as this client knows, and the saved ones that it comes from. Two copies of
   * a saved key know nothing of each other: save it again after results were published, and keep one.
   */
  released(options?: CallOptions): Promise<number>;
  /** The secret key, and what `released` counts: whoever has these bytes can decrypt. From then on the client survives its worker's death. */
  save(options?: CallOptions): Promise<Uint8Array>;
  /**
   * The secret key, encrypted with AES-256-GCM under a passphrase (PBKDF2-HMAC-SHA-256, 600,000 iterations): to be kept where others may come by the
   * bytes. It is as safe as the passphrase is hard to guess: take a long one. `restoreClient(bytes, { passphrase })` gives the client back. From then on
   * the client survives its worker's death. Errors: ParameterError `parameters.crypto` where there is no WebCrypto.
   */
  exportKey(passphrase: string, options?: CallOptions): Promise<Uint8Array>;
  dispose(): void;
}

/**
 * Who has data and may not decrypt: encrypts with a client's public key, which lives in a worker beside no secret key. Several of them may give a run its inputs, each
 * some, and the client others.
 */
export interface DataOwner extends Disposable {
  /**
   * As {@link Client.encrypt}: any subset of the inputs, with the same checks. Only the client can decrypt; nothing says who encrypted, since whoever has the public key
   * can. The bytes are about twice as many as the client's.
   */
  encrypt<T extends Record<string, any>>(
    values: ByName<T, Cells>,
    options?: EncryptOptions,
  ): Promise<Ciphertexts>;
  dispose(): void;
}
