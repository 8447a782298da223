/// <reference lib="esnext.disposable" preserve="true" />
/**
 * Every public type of the package, those of graphs (graph-types.ts) and of values (values/types.ts) apart. No code: importing this file costs nothing.
 *
 * Habits that hold everywhere:
 * - Every call that can take long takes `signal` (AbortSignal). An aborted call rejects with `signal.reason`
 *   (an `AbortError` unless you gave another), as `fetch` does; the work behind it stops within 200 ms.
 * - Every failure that is not an abort is a `CipherloomError` with a stable `code` (table in errors.ts).
 * - `dispose()` may be called any number of times; using a disposed object throws `DisposedError`.
 * - Bytes handed in are copied, never detached; bytes handed out belong to you.
 */
import type { Circuit, GraphBuilder, GraphOptions, OperatorDefinition } from './graph-types.js';
import type { STAGES } from './stages.js';
import type { LoomValueTask, ValueCompileOptions, ValueProgram, ValueTask } from './values/types.js';
import type { Conformance, ConformanceOptions, TrialOptions, Verification } from './verification-types.js';

// ---------------------------------------------------------------------------------------------- loading

/**
 * Which of the three builds runs. `relaxed` needs shared memory and relaxed SIMD, whose fused multiplication makes the
 * kernels about twice as fast; `threads` needs shared memory; `single` runs everywhere, on one thread. All give the
 * same bytes.
 */
export type Variant = 'relaxed' | 'threads' | 'single';

/**
 * The workers behind a loom: a client worker, which alone ever holds secret keys (a program that was opened from bytes
 * may need one of its own), an evaluator worker, two alike for tasks over values from the first of these on, a graph worker from the
 * first graph of one's own on, and for each of them
 * those that run the threads of its pool, one fewer than there are threads; and operator workers, as many as there are threads
 * at most, where base operators of one's own are computed.
 */
export type Role =
  | 'client'
  | 'evaluator'
  | 'task-client'
  | 'task-evaluator'
  | 'graph'
  | 'pool'
  | 'task-pool'
  | 'graph-pool'
  | 'operator'
  | 'conformance';

/** Where a build's wasm comes from: an absolute address, its bytes, or a compiled module. */
export type WasmSource = URL | string | ArrayBuffer | ArrayBufferView | CompiledModule;

/** Where each build comes from. */
export type WasmSources = { readonly [build in Variant]?: WasmSource | undefined };

/** `WebAssembly.Module`, in words that also compile without the DOM's types, as in projects for Node. */
export type CompiledModule = typeof globalThis extends {
  WebAssembly: { Module: new (...args: never[]) => infer Module };
}
  ? Module
  : never;

/** The part of a `Worker` that is used. A DOM `Worker` is one as it is. */
export interface WorkerLike {
  /** `transfer`: Transferable objects, whose type does not exist in projects for Node. */
  postMessage(message: unknown, transfer: any[]): void;
  addEventListener(type: 'message' | 'messageerror' | 'error', listener: (event: Event) => void): void;
  terminate(): unknown;
  /** Node only: keep the process alive while a call is under way. */
  ref?(): void;
  /** Node only: let the process end when nothing is under way. */
  unref?(): void;
}

/** Options of `load`. */
export interface LoadOptions {
  /**
   * `auto` (default) takes the best build and as many threads as it can, and says why not more. The name of a
   * build insists on it, and on `threads` if given: ParameterError where these cannot run.
   */
  mode?: 'auto' | Variant | undefined;
  /**
   * Threads per worker, 1 to 256. Default: the number of processors, at most 16. Each takes 2 MiB of its worker's
   * memory for its stack, and about 30 ms to start.
   */
  threads?: number | undefined;
  /**
   * Own copies of the wasm, for hosts whose bundler cannot place the package's files. Only the chosen build is
   * fetched, that of `tasks` with the first task over values, that of `graphs` with the first graph of one's own, that of `conformance` by the method
   * of this name; one that is not given here comes from the package.
   */
  wasm?:
    | (WasmSources & { readonly [part in 'tasks' | 'graphs' | 'conformance']?: WasmSources | undefined })
    | undefined;
  /**
   * Own start-up of workers: module workers over `cipherloom/client-worker`, `/evaluator-worker`, `/task-client-worker` and
   * `/task-evaluator-worker` (of tasks over values), `/graph-worker` (where graphs of one's own are built), `/operator-worker` (where base operators of one's own are computed), `/conformance-worker`
   * (of `conformance`), and, with more than one thread, `/pool-worker`, for tasks over values `/task-pool-worker`, and
   * for graphs `/graph-pool-worker`. What is refused, such as a Promise of one, is ended.
   */
  worker?: ((role: Role) => WorkerLike) | undefined;
  signal?: AbortSignal | undefined;
}

/** What `load` chose. */
export interface Mode {
  readonly variant: Variant;
  /** Threads in each worker's pool. More than 1 where workers may share memory: in Node, and isolated pages. */
  readonly threads: number;
  /** The most memory one worker can grow to, in bytes. */
  readonly memoryBytes: number;
  /** Why this and not more; empty if nothing was given up. One sentence each. */
  readonly reasons: readonly string[];
}

/** Running workers, and all that is made with them. `using loom = await load()` works too. */
export interface Loom extends Disposable {
  readonly mode: Mode;
  /** Version of the wasm core. */
  readonly version: string;
  /** A new empty task that can compile itself here. */
  task(): LoomTask;
  /** Compiles a task made by `task()` or `createTask()`. See {@link LoomTask.compile}. */
  compile(task: Task, options?: CompileOptions & CallOptions): Promise<Program>;
  /**
   * Opens what `Program.toBytes` gave, checked, in the evaluator worker: whatever others put into it, no secret key is
   * in its reach. Its clients share a worker with those of no other program. Errors: FormatError, MemoryError.
   */
  program(bytes: Uint8Array, options?: CallOptions): Promise<Program>;
  /** A new empty task over values - of any shape and kind, encrypted or not - that can compile itself here. */
  valueTask(): LoomValueTask;
  /**
   * Compiles a task over values: with BGV, exactly, if no real is encrypted, else with CKKS. The first one starts the workers of such
   * tasks. Errors: GraphError, ParameterError, OutOfRangeError, MemoryError. Aborting rejects at once.
   */
  compileValues(task: ValueTask, options?: ValueCompileOptions & CallOptions): Promise<ValueProgram>;
  /** Opens what `ValueProgram.toBytes` gave, as `program` does. Errors: FormatError, MemoryError. */
  valueProgram(bytes: Uint8Array, options?: CallOptions): Promise<ValueProgram>;
  /**
   * Makes an operator of one's own known, to all graphs of this loom that are built or opened from now on. Errors: GraphError
   * `operator.name` (none, or taken).
   */
  operator(definition: OperatorDefinition): void;
  /** Starts a graph of one's own. The first one that is built starts a worker for graphs. */
  graph(options?: GraphOptions): GraphBuilder;
  /** Opens what `Circuit.toText` or `Circuit.toBytes` gave, checked. Errors: GraphError, FormatError, MemoryError. */
  circuit(saved: string | Uint8Array, options?: CallOptions): Promise<Circuit>;
  /**
   * Runs the conformance suite on this device: every operator that its platforms have kernels for, on edge values and random
   * ones, compared with models written from their definitions. Takes some seconds for each platform; what fails is told by
   * the report. Aborting rejects at once; the worker still ends the operator type that it is at.
   */
  conformance(options?: ConformanceOptions): Promise<Conformance>;
  /**
   * Replaces dead workers, if there are any. Programs and circuits go on working, and so do clients that were saved or restored
   * before: the loom has kept those bytes. A client whose secret key was never saved is lost with its worker; its calls
   * reject with `worker.key_lost`. Errors: WorkerError, MemoryError if a new worker does not start.
   */
  restart(): Promise<void>;
  /** Ends all workers; everything made with them is disposed. */
  dispose(): void;
}

// ------------------------------------------------------------------------------------- options of calls

/**
 * How far a call is. `done` grows from 0 to `total`, in steps of the phase's own unit; it may be a fraction.
 */
export interface Progress {
  /**
   * Unit of `done`: compile, and build, expand, optimize, place, protect, analyze and save (`toBytes`) of a graph - the
   * whole; keys - keys; encrypt - inputs; run - operators; decrypt - outputs; verify - checks; conformance - operator types.
   */
  readonly phase:
    | 'compile'
    | 'keys'
    | 'encrypt'
    | 'run'
    | 'decrypt'
    | 'build'
    | 'expand'
    | 'optimize'
    | 'place'
    | 'protect'
    | 'analyze'
    | 'save'
    | 'verify'
    | 'conformance';
  readonly done: number;
  readonly total: number;
  /** Name of the key, input or output at work. */
  readonly item?: string;
}

/** Options of every call that can take long. */
export interface CallOptions {
  /** Aborting rejects the call with `signal.reason` and stops the work. */
  signal?: AbortSignal | undefined;
  /** Called at most about 20 times a second, and once at the end. */
  onProgress?: ((progress: Progress) => void) | undefined;
}

/** Options of `Client.encrypt`. */
export interface EncryptOptions extends CallOptions {
  /**
   * True: an error tells the value that was refused, for data that may be seen in logs. Default false: it tells column,
   * row and bounds only.
   */
  showValues?: boolean | undefined;
}

/** Options of `Client.decrypt` and `Client.decryptDetails`. */
export interface DecryptOptions extends CallOptions {
  /**
   * All inputs of the run as they were encrypted: a result of any others, such as one of yesterday, is then refused with
   * KeyError `key.foreign`. Without them a result of any run of this program on this client's data is taken.
   */
  inputs?: Ciphertexts | undefined;
}

/** Options of `Program.run`. */
export interface RunOptions extends CallOptions {
  /** Asks for a trace of the run and receives it before `run` resolves. */
  onTrace?: ((trace: TraceView) => void) | undefined;
}

/** Options of `Program.restoreClient`. */
export interface RestoreOptions extends CallOptions {
  /**
   * This client's keys as made before (`[]` if it will only encrypt and decrypt). Default: new ones are made.
   */
  evaluationKeys?: EvaluationKeys | undefined;
  /** What the key was exported with (`exportKey`); none for what `save` gave. */
  passphrase?: string | undefined;
}

/** What a compilation may be told. Everything left out is chosen by the compiler. */
export interface CompileOptions {
  /**
   * Table of secure sizes: `guidelines-2024` (ia.cr/2024/463, default) or the 2018 HE standard. Always 128
   * bits.
   */
  security?: 'guidelines-2024' | 'standard-2018' | undefined;
  /** Ring dimension, a power of two. */
  n?: number | undefined;
  /** Plaintext moduli, primes as decimal strings. */
  plainModuli?: string[] | undefined;
  /** Ciphertext moduli, primes as decimal strings. */
  moduli?: string[] | undefined;
  /** Threads that the time estimate supposes, 1 to 256. Default: the loom's. */
  threads?: number | undefined;
  /**
   * Bytes; a plan that needs more is a MemoryError. Default: seven eighths of what the loom's workers can hold
   * beside the stacks of their threads, at most 3.5 GiB.
   */
  memoryLimit?: number | undefined;
}

// ---------------------------------------------------------------------------------- tasks (expressions)

/**
 * `column`: any number of rows over as many ciphertexts as needed.
 * `slots`: one ciphertext; the rows form one or two rings that can be rotated. A ring has l rows, rows 0 to l - 1 of the
 * column; a second one has rows l to 2 l - 1. There is nothing else: plain numbers, statistics and outputs are over these
 * rows.
 */
export type Layout = 'column' | 'slots';

/** What must be known of an encrypted column before there is any data. */
export interface ColumnOptions {
  /** Number of rows, 1 to 2^24; in layout `slots` at most 2^14 for each ring. Public. */
  rows: number;
  /** Least value that may occur (inclusive). Tighter bounds make smaller and faster programs. */
  min: number | bigint;
  /** Greatest value that may occur (inclusive). `min` and `max` times 10^decimals must be below 2^62. */
  max: number | bigint;
  /** Decimal places kept, 0 (default) to 18: a value v is stored as the integer v * 10^decimals, exactly. */
  decimals?: number | undefined;
  /**
   * True if rows may be missing. Which ones is encrypted too. Such a column has statistics, but no operations
   * by rows. Default false.
   */
  missing?: boolean | undefined;
  layout?: Layout | undefined;
  /** Rings of equal length that the rows of layout `slots` form: 1 (default) or 2. */
  rings?: 1 | 2 | undefined;
}

/**
 * Plain numbers: one per row, or one for all rows. A bigint is a whole number. Decimals are taken exactly.
 */
export type Plain = number | bigint | ArrayLike<number | bigint>;

/** What a number computed over a column is. `number` only occurs in programs made by other builders. */
export type StatisticKind = 'number' | 'count' | 'sum' | 'mean' | 'variance' | 'covariance' | 'correlation';

/** An expression that decrypts to one number. */
export interface Statistic {
  readonly kind: StatisticKind;
  /** The decrypted parts are integers of 10^-decimals. */
  readonly decimals: number;
}

/** Sample (divisor n - 1, default) or population (divisor n). */
export interface MomentOptions {
  population?: boolean | undefined;
}

/**
 * An expression whose value is one encrypted number per row. All arithmetic is exact; bounds and decimals are
 * tracked. Errors of every operation: GraphError if the other operand is of another task or has other rows or another
 * layout, InputError or OutOfRangeError for plain numbers that cannot be taken.
 */
export interface EncryptedColumn {
  readonly rows: number;
  /** Values are integers of 10^-decimals. */
  readonly decimals: number;
  readonly layout: Layout;
  /** Rings that its rows form in layout `slots`; else 1. */
  readonly rings: number;
  /** True if rows may be missing: then only statistics can be made of it, everything else is GraphError. */
  readonly missing: boolean;
  /** Sum by rows. Unequal decimals are aligned by an exact multiplication with a power of ten. */
  add(other: EncryptedColumn | Plain): EncryptedColumn;
  /** Difference by rows; decimals as in `add`. */
  sub(other: EncryptedColumn | Plain): EncryptedColumn;
  /** Product by rows; decimals add up. */
  multiply(other: EncryptedColumn | Plain): EncryptedColumn;
  negate(): EncryptedColumn;
  /**
   * Each ring turned to the left: its row i becomes the row (i + steps) mod l, l the rows of a ring, for any whole `steps`.
   * Cheapest where l is a power of two; else it takes two rotations and a mask. Layout `slots` only, else GraphError.
   */
  rotateRows(steps: number): EncryptedColumn;
  /** Exchange of the two rings: row i becomes row (i + l) mod 2 l. Layout `slots` with `rings: 2` only, else GraphError. */
  rotateColumns(): EncryptedColumn;
  /** Rows that are present. Decrypts to a number. */
  count(): Statistic;
  /** Sum of the present rows, exact. Decrypts to a Decimal. */
  sum(): Statistic;
  /** Mean of the present rows, rounded once. UndefinedStatisticError at decryption if there are none. */
  mean(): Statistic;
  /** Variance of the present rows, rounded once. Needs 2 rows (population: 1). */
  variance(options?: MomentOptions): Statistic;
  /** Covariance over the rows present in both, rounded once. Needs 2 rows (population: 1). */
  covariance(other: EncryptedColumn, options?: MomentOptions): Statistic;
  /** Pearson's r over the rows present in both, rounded once. Needs 2 rows and two nonzero variances. */
  correlation(other: EncryptedColumn): Statistic;
}

/** A computation over encrypted columns, to be compiled. Pure data: needs no wasm. */
export interface Task {
  /**
   * Declares an encrypted input. Errors: GraphError (name taken), ParameterError (rows, bounds, decimals).
   */
  encrypted(name: string, options: ColumnOptions): EncryptedColumn;
  /** Declares what is decrypted in the end. Errors: GraphError (name taken, expression of another task). */
  output(name: string, expression: EncryptedColumn | Statistic): void;
  /** The plain description that is compiled. Errors: GraphError if there is no output. */
  literal(): TaskLiteral;
}

/** A task that knows a loom. */
export interface LoomTask extends Task {
  /**
   * Chooses parameters and keys, and lowers the task to base operators. Errors: GraphError, ParameterError,
   * OutOfRangeError, ParameterError (no secure parameters are large enough), MemoryError.
   * Aborting rejects at once; the worker still ends the compilation that it began.
   */
  compile(options?: CompileOptions & CallOptions): Promise<Program>;
}

/** One value of an operator's attribute. */
export type Attribute = string | number;

/** A task as plain, unchecked data: what the compiler reads. All numbers of it are integers. */
export interface TaskLiteral {
  inputs: {
    name: string;
    rows: number;
    /** Bounds after scaling, as decimal strings. */
    min: string;
    max: string;
    missing: boolean;
    layout: Layout;
    rings: number;
    /** The integers stand for units of 10^-decimals. */
    decimals: number;
  }[];
  /** Operands are numbered: inputs first, then nodes in order; a node uses only smaller numbers. */
  nodes: { op: string; inputs: number[]; attrs?: Record<string, Attribute | Attribute[]> }[];
  /** `decimals` of a column or a sum, or of the integers that a statistic is made of. */
  outputs: { name: string; operand: number; decimals: number }[];
}

// -------------------------------------------------------------------------------------------- programs

/** A level of the program: what was asked, ciphertext operators, polynomials, and what is run. */
export type Stage = (typeof STAGES)[number];

/** One input of a program. */
export interface InputInfo {
  readonly name: string;
  readonly rows: number;
  readonly decimals: number;
  /** The declared bounds, exact. */
  readonly min: Decimal;
  readonly max: Decimal;
  readonly ciphertexts: number;
  /** Length of its encrypted bytes. */
  readonly bytes: number;
  readonly missing: boolean;
  readonly layout: Layout;
  readonly rings: number;
}

/** One output of a program. */
export interface OutputInfo {
  readonly name: string;
  readonly kind: 'column' | StatisticKind;
  readonly population: boolean;
  /** Rows of a column; 1 otherwise. */
  readonly rows: number;
  readonly decimals: number;
  /** Names of the integers that it decrypts to, such as `n` and `sum`. */
  readonly parts: readonly string[];
  /** 0 if the value is public, as the count of a column without missing rows. */
  readonly ciphertexts: number;
  /** Length of the encrypted bytes that it is in, alone or with outputs that share its ciphertexts; 0 if it is public. */
  readonly bytes: number;
}

/** What the compiler chose, and what it will cost. */
export interface ProgramInfo {
  readonly params: {
    /** Ring dimension. */
    readonly n: number;
    /**
     * Primes of the ciphertext modulus, of key switching, and of the plaintext modulus, as decimal strings.
     */
    readonly moduli: readonly string[];
    readonly special: readonly string[];
    readonly plainModuli: readonly string[];
    readonly securityBits: number;
    /** Name of the table that the sizes were checked against. */
    readonly table: string;
    /** Bits of all ciphertext and special primes, and the most that the table allows at this n. */
    readonly totalBits: number;
    readonly maxTotalBits: number;
    /** Bits of noise budget that the bounds leave at the worst output: what an honest run has left, or more. */
    readonly noiseBudgetBits: number;
    /** How many of the `moduli` are left in sums, rotated columns and outputs that no product follows. */
    readonly low: number;
  };
  readonly inputs: readonly InputInfo[];
  readonly outputs: readonly OutputInfo[];
  readonly keys: readonly { readonly index: number; readonly name: string; readonly bytes: number }[];
  readonly cost: {
    /** Estimate for one run, without keys, encryption and decryption. */
    readonly seconds: number;
    readonly memoryBytes: number;
    readonly keyBytes: number;
    readonly uploadBytes: number;
    readonly downloadBytes: number;
  };
  readonly stats: readonly StageStats[];
}

/** Size of a program at one stage. */
export interface StageStats {
  readonly stage: Stage;
  readonly operators: number;
  readonly depth: number;
  readonly byType: Readonly<Record<string, number>>;
}

/**
 * Ciphertexts by name of their input or output, serialized: safe to store or send. Outputs that share ciphertexts have
 * the same `Uint8Array`, which needs to be sent only once, and may stand in a list of transfers only once.
 */
export type Ciphertexts = Readonly<Record<string, Uint8Array>>;

/**
 * All evaluation keys of one client, serialized: safe to send to the evaluator, and useless for decryption.
 */
export type EvaluationKeys = readonly Uint8Array[];

/** A compiled task. Built once, run many times. */
export interface Program extends Disposable {
  readonly info: ProgramInfo;
  stats(): readonly StageStats[];
  /** The program as text at a stage. */
  toText(stage: Stage, options?: CallOptions): Promise<string>;
  /** The program as a graph at a stage, for drawing. */
  graph(stage: Stage, options?: CallOptions): Promise<GraphView>;
  /**
   * Checks the structure of every stage; compares the polynomial stage with the scheme stage, and the base stage with that
   * one, on random data; and every operator of the base stage on both platforms. Keys are random data here, too: it is
   * the expansions that are compared, not what decrypts. In the graph worker. Aborting as of `Circuit.verify`.
   */
  verify(options?: TrialOptions): Promise<Verification>;
  /** Everything needed to open the program elsewhere with `Loom.program`. Holds no secret. */
  toBytes(): Uint8Array;
  /** Makes fresh keys. The secret key stays in the client worker. */
  client(options?: CallOptions): Promise<Client>;
  /**
   * A client from what `Client.save` gave, or `Client.exportKey` with the same `passphrase`. Errors: FormatError, KeyError (keys of other
   * parameters; `key.passphrase` for another passphrase or bytes that were changed; `key.sealed` where one is needed).
   */
  restoreClient(saved: Uint8Array, options?: RestoreOptions): Promise<Client>;
  /**
   * Computes on ciphertexts, in the evaluator worker. Inputs of several clients' encryptions can be mixed by
   * spreading, if they share keys. Keys are kept in the worker while the same `EvaluationKeys` object is
   * used. Outputs come in the order in which the task declared them. Errors: InputError (an input is missing or
   * unknown, or its bytes are those of another one), FormatError, KeyError, MemoryError, WorkerError.
   */
  run(inputs: Ciphertexts, keys: EvaluationKeys, options?: RunOptions): Promise<Ciphertexts>;
  dispose(): void;
}

// --------------------------------------------------------------------------------------------- clients

/**
 * A column of values. null, undefined and NaN are missing rows, allowed only where the input says `missing:
 * true`. A number is taken as its shortest decimal form: 0.1 is one tenth.
 */
export type Values = ArrayLike<number | bigint | null | undefined>;

/** An exact decimal number, `units` * 10^-`decimals`. */
export interface Decimal {
  readonly units: bigint;
  readonly decimals: number;
  /** The nearest double. */
  toNumber(): number;
  /** Exact, with all decimals, such as `"-0.50"`. */
  toString(): string;
  toJSON(): string;
}

/**
 * What an output decrypts to: count - number; sum, number - Decimal (exact); column - Decimal per row
 * (exact); mean, variance, covariance, correlation - number (exact result, rounded once to the nearest
 * double).
 */
export type DecryptedValue = number | Decimal | Decimal[];

/** One decrypted output with what stands behind it. */
export interface DecryptedOutput {
  /** Undefined if the statistic has no value; `problem` then says why. */
  readonly value: DecryptedValue | undefined;
  /** An UndefinedStatisticError. */
  readonly problem: Error | undefined;
  /** The decrypted integers: see {@link OutputInfo.parts}. */
  readonly parts: Readonly<Record<string, readonly bigint[]>>;
  /**
   * Noise budget that was left, measured with the secret key, in bits; the worst of its ciphertexts. Infinity
   * for a count of complete columns, which is public. A large budget is no sign that an evaluator was honest, and
   * telling it the budget can cost the key: see `Client.decrypt`.
   */
  readonly noiseBudgetBits: number;
}

/**
 * A key holder: encrypts and decrypts. Its secret key lives in a client worker only; once it was saved, or if it was
 * restored, this object also keeps the saved bytes, so that it survives the worker's death (`Loom.restart`). What
 * `encrypt` and `decrypt` give is in the order in which the task declared it.
 */
export interface Client extends Disposable {
  /** To be sent to the evaluator. Holds no secret. */
  readonly evaluationKeys: EvaluationKeys;
  /**
   * Encrypts columns, by input name; any subset of the inputs. Errors, naming column and row: InputError
   * (unknown column, wrong length, missing or not a number, more decimals than declared), OutOfRangeError
   * (outside min..max). They tell no value, unless `showValues` asks for it.
   */
  encrypt(columns: Readonly<Record<string, Values>>, options?: EncryptOptions): Promise<Ciphertexts>;
  /**
   * Decrypts outputs; any subset of them. Errors: FormatError, KeyError (other keys), NoiseError (budget used
   * up), UndefinedStatisticError (a mean of nothing, ...: pass the other outputs, or use `decryptDetails`).
   *
   * An evaluator that may cheat must learn nothing of what comes out: not the numbers, not the noise budget, not whether
   * this threw. A made-up ciphertext can decrypt to the secret key itself, and look like a good result.
   */
  decrypt(outputs: Ciphertexts, options?: DecryptOptions): Promise<Record<string, DecryptedValue>>;
  /**
   * As `decrypt`, with the integers behind each value and the noise left; an undefined statistic does not
   * throw.
   */
  decryptDetails(outputs: Ciphertexts, options?: DecryptOptions): Promise<Record<string, DecryptedOutput>>;
  /**
   * The secret key, 32 bytes and a header: whoever has these bytes can decrypt. Evaluation keys are made anew. From then
   * on the client survives its worker's death.
   */
  save(options?: CallOptions): Promise<Uint8Array>;
  /**
   * The secret key, encrypted with AES-256-GCM under a passphrase (PBKDF2-HMAC-SHA-256, 600,000 iterations): to be kept where others may come by the
   * bytes. It is as safe as the passphrase is hard to guess: take a long one. `restoreClient(bytes, { passphrase })` gives the client back. From then on
   * the client survives its worker's death. Errors: ParameterError `parameters.crypto` where there is no WebCrypto.
   */
  exportKey(passphrase: string, options?: CallOptions): Promise<Uint8Array>;
  dispose(): void;
}

// ------------------------------------------------------------------------------------ views for drawing

/** A program's graph as a struct of arrays; index i is operator i. */
export interface GraphView {
  /** Names of the operator types. */
  types: string[];
  /** Index into `types`. */
  type: Uint32Array;
  /** The operator one stage up that it came from, or -1. */
  parent: Int32Array;
  /** Inputs of operator i are `inputs[inputsStart[i] .. inputsStart[i + 1]]`. */
  inputsStart: Uint32Array;
  /** Producing operator, or -(k + 1) for graph input k. */
  inputs: Int32Array;
  /** Start and end of the output of operator i at 2i and 2i + 1, in units. */
  placeholders: Float64Array;
  /** Texts of attributes. */
  labels: string[];
  /** Index into `labels`. */
  label: Uint32Array;
  inputNames: string[];
  /** The operator that writes each output (the last, if several do), or -(k + 1) for graph input k. */
  outputs: { name: string; op: number }[];
  /**
   * Earliest wave in which the operator can run, at every stage: 0 if it waits for no operator, else one more than the
   * latest of those that it waits for.
   */
  wave: Uint32Array;
}

/** What ran where and when; index i is the i-th finished operator. */
export interface TraceView {
  /** Operator of the base stage. */
  op: Uint32Array;
  thread: Uint32Array;
  /** Milliseconds since the run's first step. */
  start: Float64Array;
  end: Float64Array;
}
