/// <reference lib="esnext.disposable" preserve="true" />
/**
 * Every public type of the package, those of graphs (graph-types.ts) and of values (values/types.ts) apart. No code: importing this file costs nothing.
 *
 * Habits that hold everywhere:
 * - Every call that can take long takes `signal` (AbortSignal). An aborted call rejects with `signal.reason`
 *   (an `AbortError` unless you gave another), as `fetch` does; the work behind it stops within 200 ms.
 * - Every failure that is not an abort is a `CipherloomError` with a stable `code` (table in errors.ts).
 * - `dispose()` may be called any number of times; using a disposed object throws `DisposedError`.
 * - Bytes handed in are copied before the call returns, but for keys, which are looked at when they are needed; never detached. Bytes handed out belong to you.
 */
import type { SharedGraph } from './parties/types.js';
import type { Circuit, GraphBuilder, GraphOptions, OperatorDefinition } from './graph-types.js';
import type { ChosenKernel, ChosenKernels } from './tune/kernels/chosen.js';
import type { CompileOptions, LoomTask, OpenOptions, Program, Task } from './values/types.js';
import type { Conformance, ConformanceOptions } from './verification-types.js';

// ---------------------------------------------------------------------------------------------- loading

/**
 * Which of the builds runs. Three are WebAssembly: `relaxed` needs shared memory and relaxed SIMD, whose fused multiplication makes the
 * kernels about twice as fast; `threads` needs shared memory; `single` runs everywhere, on one thread. All give the
 * same bytes. So does `native`, which Node runs where the package `cipherloom-native` is installed beside this one.
 */
export type Variant = 'native' | WasmVariant;

/** Those that are WebAssembly. */
export type WasmVariant = 'relaxed' | 'threads' | 'single';

/**
 * The workers behind a loom: a client worker, which alone ever holds secret keys (a program that was opened from bytes
 * may need one of its own, and so may data owners, who have no secret key beside them), an evaluator worker, a graph worker from the
 * first graph of one's own on, and for each of them
 * those that run the threads of its pool, one fewer than there are threads; and operator workers, as many as there are threads
 * at most, where base operators of one's own are computed.
 */
export type Role = 'client' | 'evaluator' | 'graph' | 'pool' | 'graph-pool' | 'operator' | 'conformance';

/** Where a build's wasm comes from: an absolute address, its bytes, or a compiled module. */
export type WasmSource = URL | string | ArrayBuffer | ArrayBufferView | CompiledModule;

/** Where each build comes from. */
export type WasmSources = { readonly [build in WasmVariant]?: WasmSource | undefined };

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
   * The native build for Node (the package `cipherloom-native`, of the same version): `true` insists on it, ParameterError `parameters.mode` where it cannot be
   * had, as `mode: 'native'` does; `false` never takes it. Default: it is taken where it is installed, unless `workers` is false, or `wasm` or `kernels` are given,
   * which are WebAssembly's. All roles are then threads of one process without the walls of WebAssembly between their memories.
   */
  native?: boolean | undefined;
  /**
   * Threads per worker, 1 to 256. Default: the number of processors, at most 16. Each takes 2 MiB of its worker's
   * memory for its stack, and about 30 ms to start.
   */
  threads?: number | undefined;
  /**
   * Own copies of the wasm, for hosts whose bundler cannot place the package's files. Only the chosen build is
   * fetched, that of `graphs` with the first graph of one's own, that of `conformance` by the method
   * of this name; one that is not given here comes from the package.
   */
  wasm?:
    (WasmSources & { readonly [part in 'graphs' | 'conformance']?: WasmSources | undefined }) | undefined;
  /**
   * Own start-up of workers: module workers over `cipherloom/client-worker`, `/evaluator-worker`, `/graph-worker` (where graphs of one's own are built), `/operator-worker` (where base operators of one's own are computed), `/conformance-worker`
   * (of `conformance`), and, with more than one thread, `/pool-worker`, and for graphs
   * `/graph-pool-worker`. What is refused, such as a Promise of one, is ended.
   */
  worker?: ((role: Role) => WorkerLike) | undefined;
  /**
   * Kernels made at run time, in WebAssembly for the build `relaxed`, on a GPU for all but the native one: what `chooseKernels` of `cipherloom/tune/kernels` gave, which verified them on this device (signature, class of the
   * device, code that follows from the schedule, conformance). Records themselves are not taken: nothing runs that is not verified. What was refused is told by
   * `mode.reasons`. Results are the same bytes with them and without. Default: none.
   */
  kernels?: ChosenKernels | undefined;
  /**
   * `false` does all on the caller's thread, one thread of it, for hosts without workers (edge functions, service workers) and for short scripts:
   * nothing is started, so that the first result is there sooner. A call gives way to others every 25 ms, but not in steps that are longer, such as compiling;
   * what is aborted in one of these ends after it. Clients and evaluators have memories of their own, as workers have, but whoever runs code on that
   * thread reaches both: a secret key is as safe there as any variable. With `worker`: ParameterError.
   */
  workers?: boolean | undefined;
  /**
   * Where times that `gpu: 'measured'` and `Circuit.place({ times: 'measured' })` place by are kept from one start to the next; false for nowhere. Default: IndexedDB in browsers; in Node, and hosts like it, a folder of the user's
   * (`$XDG_CACHE_HOME/cipherloom` or `~/.cache/cipherloom`; on macOS and Windows where caches are). They hold no data: names of operators, what these take, and what the GPU calls itself.
   */
  gpuTimes?: TimesStore | false | undefined;
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
  /** Kernels made at run time that the engines have, by their names; what they do not serve is computed by those that are built in. */
  readonly kernels: readonly string[];
  /** Why these: of each what it was measured on, and what is built in and was slower ({@link kernelsText} says so of the operators of a trace). */
  readonly chosen: readonly ChosenKernel[];
}

/** Running workers, and all that is made with them. `using loom = await load()` works too. */
export interface Loom extends Disposable {
  readonly mode: Mode;
  /** Version of the wasm core. */
  readonly version: string;
  /** A new empty task that can compile itself here. */
  task(): LoomTask;
  /**
   * Compiles a task made by `task()` or `createTask()`: with BGV, exactly, if no real is encrypted, else with CKKS. Errors: GraphError, ParameterError,
   * OutOfRangeError, MemoryError. Aborting rejects at once.
   */
  compile(task: Task, options?: CompileOptions & CallOptions): Promise<Program>;
  /**
   * The same of several tasks, whose programs share parameters: one key serves all (`Program.restoreClient`), inputs of one name and shape lie alike, so that
   * they are encrypted once, and results of earlier tasks may be inputs of later ones (`Task.result`). With CKKS if a real is encrypted in any of them.
   */
  compileAll<const T extends readonly Task[]>(
    tasks: T,
    options?: CompileOptions & CallOptions,
  ): Promise<{ -readonly [K in keyof T]: Program }>;
  /**
   * Opens what `Program.toBytes` gave, checked, in the evaluator worker: whatever others put into it, no secret key is
   * in its reach. Its clients share a worker with those of no other program. Which security level it has is in its `info`; one that is not secure is
   * opened only if the caller allows it. Errors: FormatError, MemoryError, ParameterError (`parameters.insecure`).
   */
  program(bytes: Uint8Array, options?: OpenOptions): Promise<Program>;
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
   * Opens what `SharedGraph.toBytes` gave, checked: a graph of several parties, which each of them cuts for themselves. Errors: PartyError, GraphError,
   * FormatError, MemoryError.
   */
  shared(bytes: Uint8Array, options?: CallOptions): Promise<SharedGraph>;
  /**
   * Runs the conformance suite on this device: every operator that its platforms have kernels for, on edge values and random
   * ones, compared with models written from their definitions. Takes some seconds for each platform; what fails is told by
   * the report. Aborting rejects at once; the worker still ends the operator type that it is at.
   */
  conformance(options?: ConformanceOptions): Promise<Conformance>;
  /**
   * The times that `gpu: 'measured'` places by, once all that is being measured is done; undefined where nothing was asked for. They are measured in the background after the first such run
   * of a program, and where `Circuit.place` asks for them. Errors: GpuError `gpu.none` where there is no GPU; WorkerError, MemoryError: what went wrong there, which no run is told.
   */
  gpuTimes(): Promise<GpuTimes | undefined>;
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

/** An option of calls whose operators can be traced. */
export interface TraceOptions {
  /**
   * Asks for traces, and receives them before the call resolves: `client` and `restoreClient` give one for each evaluation key that they make, other calls one. It slows
   * small operators down, and changes no result.
   */
  onTrace?: ((trace: TraceView) => void) | undefined;
}

/** Options of `Client.encrypt` and `DataOwner.encrypt`. */
export interface EncryptOptions extends CallOptions, TraceOptions {
  /**
   * True: an error tells the value that was refused, for data that may be seen in logs. Default false: it tells column,
   * row and bounds only.
   */
  showValues?: boolean | undefined;
}

/** Options of `Program.restoreClient`. */
export interface RestoreOptions extends CallOptions, TraceOptions {
  /**
   * This client's keys as made before (`[]` if it will only encrypt and decrypt). Default: new ones are made.
   */
  evaluationKeys?: EvaluationKeys | undefined;
  /** What the key was exported with (`exportKey`); none for what `save` gave. */
  passphrase?: string | undefined;
}

/** One thing for each of some names, in a `Record` or in an object of an `interface`, which TypeScript takes for none. No array. */
export type ByName<T, Each> =
  | Readonly<Record<string, Each>>
  | ({ readonly [name in keyof T]: Each } & { readonly [Symbol.iterator]?: never });

/**
 * Ciphertexts by name of their input or output, serialized: safe to store or send. Outputs that share ciphertexts have
 * the same `Uint8Array`, which needs to be sent only once, and may stand in a list of transfers only once.
 */
export type Ciphertexts = Readonly<Record<string, Uint8Array>>;

/**
 * All evaluation keys of one client, serialized: safe to send to the evaluator, and useless for decryption. They are copied when an evaluator first needs them, and again where one takes the place of
 * one that died: do not change them.
 */
export type EvaluationKeys = readonly Uint8Array[];

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

/**
 * What operators take on one thread of the processors and on a GPU, in nanoseconds, and what it costs to go there and back: what `gpu: 'measured'` places by. What was not
 * measured follows from the use of that type whose work is nearest, in proportion.
 */
export interface GpuTimes {
  readonly uses: readonly {
    /** Operator type. */
    readonly op: string;
    /** How much work it is, in multiplications modulo a prime. */
    readonly work: number;
    /** On one thread. */
    readonly host: number;
    /** On the GPU, where there is a shader: a dispatch, whatever is in it, and one operator of many in it. */
    readonly wave?: number | undefined;
    readonly each?: number | undefined;
  }[];
  /** A submission with nothing to do, until it is heard of. */
  readonly submission: number;
  /** A block's way there: of its own, and for each word of 8 bytes. */
  readonly up: { readonly fixed: number; readonly each: number };
  /** Its way back. */
  readonly down: { readonly fixed: number; readonly each: number };
  /** Whether the GPU is software that computes on the processors. */
  readonly shared: boolean;
}

/** Keeps texts by short names. What it throws, or has lost, costs only that times are measured anew. */
export interface TimesStore {
  /** The text of a name; undefined where there is none. */
  get(name: string): Promise<string | undefined>;
  /** Keeps a text in the place of what its name had. */
  put(name: string, text: string): Promise<void>;
  /** Forgets a name; one that is not there is no error. */
  delete(name: string): Promise<void>;
}

/** How a run was placed by times. */
export interface PlacementTrace {
  /**
   * `host`: all on the processors. `device`: all on the GPU that it can compute. `groups`: groups of operators that share no data, on either side. `ranks`: each operator where it would
   * be done first.
   */
  readonly way: 'host' | 'device' | 'groups' | 'ranks';
  /** Operators on the GPU. */
  readonly operators: number;
  /** Milliseconds of a run as expected, and without the GPU; 0 where nothing had to be placed to know that it is of no use. */
  readonly expected: number;
  readonly alone: number;
}

/** What a GPU was given at once. Times are milliseconds since 1970, as `TraceView.origin`. */
export interface SubmissionTrace {
  /** When it was handed over, and when what was before it was done: between them it waited. */
  readonly queued: number;
  readonly begun: number;
  /** When it was done and had come back. */
  readonly ended: number;
  /** Bytes that went there with it, and that came back. */
  readonly up: number;
  readonly down: number;
}

/** What a GPU did in a run. */
export interface GpuTrace {
  /** What its adapter calls itself, as far as it tells. */
  readonly device: string | undefined;
  /** How often it was given work. */
  readonly submissions: number;
  /** Each of these that was done, in order. */
  readonly queue: readonly SubmissionTrace[];
  /** Why the run went on without it, from its inputs on, if it did; `code` as of a GpuError. */
  readonly lost: { readonly code: string; readonly message: string } | undefined;
}

/**
 * What one piece of work ran where and when; in `op`, `thread`, `start` and `end`, index i is the i-th finished operator. It holds names, numbers and times, and no data. Times of a client's
 * operators are told to whoever holds the key: what others could learn of them, they had better not be given (SECURITY.md).
 */
export interface TraceView {
  /** `keys`: one evaluation key, or the public key. */
  readonly phase: 'keys' | 'encrypt' | 'run' | 'decrypt';
  /** Name of the key, as in `ProgramInfo.keys`, or `public key`. */
  readonly item?: string | undefined;
  /** The worker. */
  readonly role: Extract<Role, 'client' | 'evaluator' | 'graph'>;
  /** Its first step, milliseconds since 1970 by the worker's `performance.timeOrigin + performance.now()`, so that traces of several workers of one machine have one axis. */
  readonly origin: number;
  /** Threads of the worker's pool. */
  readonly threads: number;
  /** Names of operator types. */
  readonly types: string[];
  /** Index into `types`, by the numbers in `op`. */
  readonly type: Uint32Array;
  /**
   * Which kernels there were, each by its names: the family of built-in ones (`f64x2-fma`, `u32x4`, `f64x2`, `blake3x4`; natively `f64x4-fma` and `f64x4`, where registers have four doubles), `scalar`, `plain` (tensors), `gpu`, or `javascript`, then the names of
   * those made at run time that worked in it, as `Mode.kernels` has them.
   */
  readonly kernels: readonly (readonly string[])[];
  /** Index into `kernels`, by the numbers in `op`. */
  readonly kernel: Uint32Array;
  /**
   * Dependency sets: operator i waits for `waits[waitsStart[i] .. waitsStart[i + 1]]`. Storage that is used again makes some wait for others, too; these are not in it.
   */
  readonly waitsStart: Uint32Array;
  readonly waits: Uint32Array;
  /** Of `run`: operator of the base stage, or of the circuit. Else of a graph of the client's own, which no method shows. */
  op: Uint32Array;
  /** From 0; after the threads comes what your functions compute, then what a GPU computes, then what is copied there and back, by the operator that it is for; submissions' times are shared out by their operators' work. */
  thread: Uint32Array;
  /** Milliseconds since the run's first step. */
  start: Float64Array;
  end: Float64Array;
  /** Of a run that a GPU was to compute a part of. */
  gpu?: GpuTrace | undefined;
  /** Of a run that was placed by times. */
  placement?: PlacementTrace | undefined;
}
