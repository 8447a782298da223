/**
 * Public types of graphs of one's own: data, builder, circuits. No code.
 *
 * The habits of types.ts hold here, too. What is wrong with a call of a builder is thrown by that call where it can be
 * seen at once, and else by `build()`, whose error has the stack of the line that made the call.
 */
import type { OperatorAttributes, OperatorName, PassName } from './operators.js';
import type { SharedGraph } from './parties/types.js';
import type { ByName, CallOptions, GpuTimes, GraphView, PlacementTrace, TraceOptions } from './types.js';
import type { Verification, VerifyOptions } from './verification-types.js';

// ------------------------------------------------------------------------------------------------- data

/** The typed array that holds elements of a kind. `bit`: one 0 or 1 per element, packed when it is sent. */
export interface ElementArrays {
  bit: Uint8Array;
  u8: Uint8Array;
  i32: Int32Array;
  u32: Uint32Array;
  i64: BigInt64Array;
  u64: BigUint64Array;
  f32: Float32Array;
  f64: Float64Array;
}

/** What a tensor holds. */
export type Element = keyof ElementArrays;

/** Any array of elements. */
export type DataArray = ElementArrays[Element];

/**
 * A value of an attribute. A whole `number` below 2^53 and a `bigint` below 2^127 are integers, any other finite `number` is a
 * binary64. An empty array is a list of integers.
 */
export type AttributeValue = number | bigint | string | readonly (number | bigint)[] | readonly string[];

/** Attributes by name. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

/** A type of data, made by `f32(...)` and its like, or by `type(...)`. */
export interface DataType {
  /** As the text form has it, without its size: `f32{shape=[4,2]}`, `limb{form="ntt", n=8, q=17}`. */
  readonly text: string;
  /** What a tensor holds; undefined for any other type. */
  readonly element: Element | undefined;
  /** Dimensions of a tensor, the outermost first; none is one element. Undefined for any other type. */
  readonly shape: readonly number[] | undefined;
}

/** A tensor: elements one after the other, the first dimension outermost. */
export interface TensorType<E extends Element = Element> extends DataType {
  readonly element: E;
  readonly shape: readonly number[];
}

/** The array that data of a type are given in: of its elements, or of the 64-bit words of any other type. */
export type DataOf<T extends DataType> = T extends TensorType<infer E> ? ElementArrays[E] : BigUint64Array;

// ---------------------------------------------------------------------------------------------- builder

declare const operand: unique symbol;

/** A value in a graph, known to the builder that made it and to the circuits made of that. Nothing to look into. */
export interface Operand {
  readonly [operand]: true;
}

/** Bits that a graph counts in. */
export type Unit = 1 | 2 | 4 | 8 | 16 | 32 | 64;

/** Options of `Loom.graph`. */
export interface GraphOptions {
  /**
   * Bits that the graph counts in: every type is a whole number of units. Default 8. Lattice types are made of 64-bit
   * words and live in graphs of unit 64.
   */
  unit?: Unit | undefined;
}

/** Attributes of an operator: of one that is known here those that it takes, and no others. */
export type AttributesOf<N extends string> = N extends keyof OperatorAttributes
  ? [OperatorAttributes[N]] extends [never]
    ? Readonly<Record<string, undefined>>
    : { readonly [name in OperatorAttributes[N]]?: AttributeValue | undefined }
  : Attributes;

/**
 * Records a graph, call by call; nothing is computed, and no worker asked, before `build()`. Errors of every call:
 * InputError for arguments of a wrong type, GraphError `graph.foreign` for operands of another builder, `graph.shape` for
 * a tensor that is no whole number of units.
 */
export interface GraphBuilder {
  /** Bits that it counts in. */
  readonly unit: Unit;
  /** Declares an input, which a run is given by this name. Errors: GraphError `graph.name` (none, or taken). */
  input(name: string, type: DataType): Operand;
  /**
   * The output of an operator. Its type follows from the operator, the types of `inputs` and the attributes; what does
   * not fit is told by `build()`. After `@` the name may say on which platform it, and what it expands to, is computed:
   * `f32.exp@scalar`; see {@link Circuit.place}.
   */
  op<N extends OperatorName>(
    name: N,
    inputs: readonly Operand[],
    attributes?: AttributesOf<N> | undefined,
  ): Operand;
  /**
   * A part of an operand, or all of it, seen as another type, without a copy. `from`: the unit that it starts at, counted
   * from 0 (default). It ends where the type does. Tensors are never seen as lattice types.
   */
  view(operand: Operand, type: DataType, options?: ViewOptions): Operand;
  /** Operands one after the other, seen as one of that type, without a copy. Their sizes add up to its size. */
  merge(parts: readonly Operand[], type: DataType): Operand;
  /** Data that are part of the graph. They are copied. */
  constant<T extends DataType>(type: T, data: DataOf<T>): Operand;
  /**
   * Declares a result, which a run gives by this name. Errors: GraphError `graph.name` (none, taken, or `kept`, under which
   * runs give what else was asked for).
   */
  output(name: string, operand: Operand): void;
  /**
   * Checks the calls made so far and makes a circuit of them; the builder may go on. Errors: GraphError, told at the line
   * of the call that it is about, with `details.call`, that call's number counted from 0. Lines are kept for the first
   * 10,000 calls; of later ones the error tells number, kind and name alone.
   */
  build(options?: CallOptions): Promise<Circuit>;
  /**
   * A view of this builder whose inputs, operators and outputs are that party's. What one party makes the others may read: it is sent to them. Errors:
   * GraphError `graph.name` for what is no name.
   */
  party(name: string): PartyBuilder;
  /**
   * As `build()`, of a graph of several parties: each of its inputs, operators and outputs is one's. Operators that follow from constants alone need no
   * party. Errors: also PartyError `party.shared`, which says what belongs to nobody.
   */
  share(options?: Pick<CallOptions, 'signal'>): Promise<SharedGraph>;
  /** `build()`, and that circuit's {@link Circuit.expand}. */
  expand(options: ExpandOptions & CallOptions): Promise<Circuit>;
  /** `build()`, and that circuit's {@link Circuit.optimize}. */
  optimize(options?: OptimizeOptions & CallOptions): Promise<Circuit>;
  /** `build()`, and that circuit's {@link Circuit.analyze}. */
  analyze(options?: CallOptions): Promise<Analysis>;
  /** `build()`, and that circuit's {@link Circuit.run}. */
  run<T extends Record<string, any>>(
    inputs: ByName<T, DataArray>,
    options?: CircuitRunOptions,
  ): Promise<RunOutputs>;
}

/** A party's view of a builder. */
export type PartyBuilder = Pick<
  GraphBuilder,
  'unit' | 'input' | 'op' | 'view' | 'merge' | 'constant' | 'output'
>;

/** What an expansion may call: everything of a builder but declaring inputs and outputs. */
export type ExpansionBuilder = Pick<GraphBuilder, 'unit' | 'op' | 'view' | 'merge' | 'constant'>;

/** What an operator of one's own is used with. */
export interface OperatorUse {
  /** The types of the operands. */
  readonly types: readonly DataType[];
  /** The attributes, as they were given. */
  readonly attributes: Attributes;
}

/** An operator of one's own, for `Loom.operator`. */
export type OperatorDefinition = ExpandedOperatorDefinition | BaseOperatorDefinition;

/** An operator of one's own that expands into others. */
export interface ExpandedOperatorDefinition {
  /** Its name, such as `my.polynomial`: letters, digits, _ and a dot. */
  readonly name: string;
  /** How many operands it takes; others are refused (`operator.invalid`). Default: as many as it is given. */
  readonly operands?: number | undefined;
  /** The attributes that it knows; others are refused (`operator.invalid`). Default: all. */
  readonly attributes?: readonly string[] | undefined;
  /**
   * Gives the operator's output, in lower operators of the same builder. It is called once for each combination of
   * attributes and operand types, and must give the same calls every time: a circuit's bytes carry the operator's name and a
   * hash of these calls, never code. What it throws is the cause of the error that `build()` throws. To refuse
   * operands, throw.
   */
  expand(g: ExpansionBuilder, inputs: readonly Operand[], use: OperatorUse): Operand;
}

/**
 * A base operator of one's own, over tensors: a function in a module, which workers import. It is computed on the platform
 * `javascript`, while the engine goes on with what does not wait for it.
 */
export interface BaseOperatorDefinition {
  /** Its name, such as `my.histogram`: letters, digits, _ and a dot. */
  readonly name: string;
  /** As of {@link ExpandedOperatorDefinition}. */
  readonly operands?: number | undefined;
  /** As of {@link ExpandedOperatorDefinition}. */
  readonly attributes?: readonly string[] | undefined;
  /** The type that it gives for such operands; called once for each combination. To refuse operands, throw. */
  output(use: OperatorUse): TensorType;
  /**
   * The absolute address of the module: `new URL('./my-histogram.js', import.meta.url)`. A circuit's bytes do not carry it. A
   * page's content security policy has to allow it as a script.
   */
  readonly module: string | URL;
  /** The name by which the module exports the {@link BaseOperatorFunction}. Default `default`. */
  readonly function?: string | undefined;
}

/** A tensor's place in a base operator. */
export interface TensorPlace {
  readonly element: Element;
  readonly shape: readonly number[];
}

/** What the function of a base operator is told beside the data. */
export interface BaseOperatorUse {
  /** The attributes, as they were given. */
  readonly attributes: Attributes;
  readonly inputs: readonly TensorPlace[];
  readonly output: TensorPlace;
}

/**
 * Computes a base operator: gives the array of its output's elements, of exactly its length. The inputs are copies. It may be
 * called in several workers at once. Errors: GraphError `operator.failed` for what it throws, `operator.result`
 * for what it gives else.
 */
export type BaseOperatorFunction = (
  inputs: readonly DataArray[],
  use: BaseOperatorUse,
) => DataArray | Promise<DataArray>;

/** Options of `GraphBuilder.view`. */
export interface ViewOptions {
  /** The unit that the view starts at. Default 0. */
  from?: number | undefined;
}

// --------------------------------------------------------------------------------------------- circuits

/** An input or output of a circuit. */
export interface Port {
  readonly name: string;
  /** As the text form has it, with its size in units: `f32[4096]{shape=[1024,4]}`. */
  readonly type: string;
  /** What a tensor holds; undefined for any other type. */
  readonly element: Element | undefined;
  /** Dimensions of a tensor. */
  readonly shape: readonly number[] | undefined;
  /** Bytes of its data; bits take up one each in the arrays here, and an eighth in bytes. */
  readonly bytes: number;
}

/**
 * Whose kernels compute: `simd`, vectors where they serve; `scalar`, the reference; `javascript`, base operators of one's own
 * ({@link BaseOperatorDefinition}); `gpu`, shaders on the device that WebGPU gives, in graphs of unit 64, where it is asked for. All give the same bytes.
 */
export type PlatformName = Platform | 'javascript' | 'gpu';

/** Those whose kernels are the package's own. */
export type Platform = 'simd' | 'scalar';

/** How far to expand: exactly one of these. */
export interface ExpandOptions {
  /** To what the kernels of a platform serve, or of several together. */
  platform?: PlatformName | readonly PlatformName[] | undefined;
  /** To these operators. Errors: GraphError `operator.no_expansion` if one cannot be reached from there. */
  base?: readonly OperatorName[] | undefined;
  /** To a level: `task` (as it is), `scheme` (ciphertexts), `polynomial`, `base`. */
  level?: 'task' | 'scheme' | 'polynomial' | 'base' | undefined;
  /** Every operator that can be expanded, that many times. */
  steps?: number | undefined;
}

/** Options of `Circuit.optimize`. */
export interface OptimizeOptions {
  /** Names of passes, in the order in which they are made. Default: the usual ones. Errors: `pass.unknown`. */
  passes?: readonly PassName[] | undefined;
}

/** Options of `Circuit.place`. */
export interface PlaceOptions {
  /** Those to choose from; of equally cheap ones the first. With `times` a GPU beside them. Default: `simd`, `javascript`. */
  platform?: PlatformName | readonly PlatformName[] | undefined;
  /** The platform of operators by their name, whatever is cheaper. */
  pin?: Readonly<Record<string, PlatformName>> | undefined;
  /**
   * Places operators on these platforms and a GPU, each where the whole is done soonest by times: by some of one's own, or by those of this device, `'measured'`, which are measured
   * where that was not done and kept (`LoadOptions.gpuTimes`). The circuit is expanded for it, since of several operators that processors compute as one a GPU has each; expand no
   * further than you need before; pins are of operators that it is expanded to. Where there is no GPU, or none that pays, all stay with the platforms. Measured are the operators of
   * graphs of 64-bit units, on processors those of `simd`. `Circuit.placement` says what came of it.
   */
  times?: 'measured' | GpuTimes | undefined;
}

/**
 * A kind of change that a protection makes: operators whose results nobody needs; a value in two ways between which a
 * condition chooses that never changes, though it is computed from data; shares that add up, multiply or XOR to what was
 * there; look-ups in two tables, or in permuted ones; identities such as a + b = (a ^ b) + 2 (a & b).
 */
export type ProtectionKind =
  | 'dead_code'
  | 'branches'
  | 'additive_shares'
  | 'multiplicative_shares'
  | 'xor_shares'
  | 'table_splitting'
  | 'rewriting';

/** Options of `Circuit.protect`. */
export interface ProtectOptions {
  /** 32 random bytes. The same ones give the same circuit on every device. They are copied. */
  seed: Uint8Array;
  /** Default: all. */
  kinds?: readonly ProtectionKind[] | undefined;
  /** At most so many times the operators, from 1 to 256. Default 4. */
  growth?: number | undefined;
  /** Whether `optimize` leaves the result as it is. Default true. */
  keep?: boolean | undefined;
  /**
   * Whether all units and the numbers of parents are taken away, which tell what is new and what it was made from; then
   * operands of the builder cannot be kept any more. Default false.
   */
  anonymous?: boolean | undefined;
}

/** By how much a protection made a circuit grow. */
export interface Growth {
  /** Operators before and after. */
  readonly before: number;
  readonly after: number;
  /** For each kind that was asked for: how many operators it changed, and how many more there are for it. */
  readonly kinds: readonly {
    readonly kind: ProtectionKind;
    readonly changes: number;
    readonly operators: number;
  }[];
  /** Constant tables that were dropped since nobody reads them any more. */
  readonly dropped: number;
  /** Share of operators, before and after, whose neighborhood the other circuit does not have: 0 to 1. */
  readonly difference: number;
}

/** Options of `Circuit.run`. */
export interface CircuitRunOptions extends CallOptions, TraceOptions {
  /**
   * Operands of the builder that are wanted beside the outputs. Errors: GraphError `operand.not_kept` for one that the
   * circuit does not compute any more, `graph.foreign` for one of another builder.
   */
  keep?: readonly Operand[] | undefined;
  /**
   * Whose kernels compute what is not placed: the first one of these that can. Default: `simd`, `javascript`. What is placed
   * is computed where it is placed.
   */
  platform?: PlatformName | readonly PlatformName[] | undefined;
  /** Bytes; a plan that needs more is a MemoryError. Default: seven eighths of what the worker can hold. */
  memoryLimit?: number | undefined;
  /** The data are secret: what the worker held of them is overwritten after the run. Default false. */
  secret?: boolean | undefined;
}

/** Data by name of their input: for each the array of its elements, of exactly its length. They are copied. */
export type RunInputs = Readonly<Record<string, DataArray>>;

/**
 * Data by name of their output; `kept`, which is no enumerable property, has the operands that were asked for. Of types
 * that are no tensors the 64-bit words, or the bytes where these are no whole number of words.
 */
export type RunOutputs = Readonly<Record<string, DataArray>> & {
  readonly kept: ReadonlyMap<Operand, DataArray>;
};

/**
 * A finished graph, in the graph worker, which no client or evaluator shares. `expand` and `optimize` give new ones; each
 * is disposed by itself. After `Loom.restart` a circuit of a worker that died is made anew where it is asked next, from
 * what it was made of.
 */
export interface Circuit extends Disposable {
  /** Hash of the graph, 32 hexadecimal digits: equal for equal graphs, whoever built them. */
  readonly id: string;
  /** Number of its operators. */
  readonly operators: number;
  /** In the order of their declaration. */
  readonly inputs: readonly Port[];
  /** In the order of their declaration. */
  readonly outputs: readonly Port[];
  /** By how much it grew, of a circuit that `protect` gave. */
  readonly growth: Growth | undefined;
  /** Of a circuit that `place` gave by times: how its operators were placed, and what a run is expected to take. */
  readonly placement: PlacementTrace | undefined;
  /**
   * The same computation in lower operators. Errors: InputError `input.option` for none or several of the options,
   * GraphError `operator.*`, MemoryError.
   */
  expand(options: ExpandOptions & CallOptions): Promise<Circuit>;
  /**
   * The same computation with each operator on a platform, as the text form tells (`f32.exp@scalar`): pinned ones where
   * they are pinned, others where they are cheapest. Those that are placed already, by their name in the builder or by
   * an earlier call, stay. Errors: GraphError `operator.unknown`, `operator.not_implemented` for a pin to a GPU of what it has no shader of, `task.invalid` of times that are none, those of `expand` with `times`; WorkerError,
   * MemoryError of a worker that measures.
   */
  place(options?: PlaceOptions & CallOptions): Promise<Circuit>;
  /** The same computation with less to do. */
  optimize(options?: OptimizeOptions & CallOptions): Promise<Circuit>;
  /**
   * The same computation, obfuscated: another circuit that gives the same results, bit for bit. Operators on integers and
   * bits are changed, floats and operators of higher levels are not; expand first. No encryption: `SECURITY.md` of the
   * repository says against what it does not protect.
   */
  protect(options: ProtectOptions & CallOptions): Promise<Circuit>;
  /** Who waits for whom. */
  analyze(options?: CallOptions): Promise<Analysis>;
  /**
   * Computes. Errors: InputError, before anything is sent: `input.unknown`, `input.missing`, `input.type` (another typed
   * array), `input.length`; OutOfRangeError `range.value` (a bit that is neither 0 nor 1); GraphError, MemoryError,
   * WorkerError.
   */
  run<T extends Record<string, any>>(
    inputs: ByName<T, DataArray>,
    options?: CircuitRunOptions,
  ): Promise<RunOutputs>;
  /** The text form: what is printed is what is run. `Loom.circuit` opens it. */
  toText(options?: CallOptions): Promise<string>;
  /** The short form. `Loom.circuit` opens it. */
  toBytes(options?: CallOptions): Promise<Uint8Array>;
  /**
   * Checks the graph's structure, and compares it on random data: with another circuit, before and after passes, on
   * several platforms. What is wrong is told by the report, and not thrown. Aborting rejects at once; the worker still
   * ends the trials that it is at, 16 at most. Errors: InputError for options, `pass.unknown`; MemoryError.
   */
  verify(options?: VerifyOptions): Promise<Verification>;
  /** As arrays, for drawing. */
  graph(options?: CallOptions): Promise<GraphView>;
  dispose(): void;
}

/** Dependencies of a circuit. Operators are numbered as in the text form, inputs not counted. */
export interface Analysis {
  /** One for each operator. Arrays are made when they are read. */
  readonly operators: readonly OperatorAnalysis[];
  /** Operators of each wave: those of wave 0 wait for nobody, those of wave k for one of wave k - 1 or more. */
  readonly waves: readonly Uint32Array[];
  /** Units that are read and that no operator writes, as [start, end), in order. */
  readonly inputs: readonly (readonly [start: number, end: number])[];
  /** Operators that nobody waits for. */
  readonly outputs: Uint32Array;
  /** A longest chain of operators each of which waits for the one before. */
  readonly criticalPath: Uint32Array;
}

/** Dependencies of one operator. */
export interface OperatorAnalysis {
  /** The operators that write what it reads, ascending. */
  readonly dependsOn: Uint32Array;
  /** The operators that read what it writes, ascending. */
  readonly notifies: Uint32Array;
  /** The earliest wave in which it can run. */
  readonly wave: number;
}
