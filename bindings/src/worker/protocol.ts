/** What the page and its workers say to each other. Everything survives structured clone. */
import type { ErrorRecord } from '../errors.js';
import type { ExpandOptions } from '../graph-types.js';
import type {
  GraphLiteral,
  Integers,
  NamedBytes,
  RawAnalysis,
  RawCircuitOptions,
  RawOptions,
  RawOutputValues,
  RawPort,
  RawProgramInfo,
} from '../raw.js';
import type { CompileOptions, GraphView, Stage, TaskLiteral, TraceView } from '../types.js';

/** Number of an object that lives in a worker. */
export type Handle = number;

type Bytes = Uint8Array<ArrayBuffer>;

/** A program that is open in a worker. */
export interface OpenProgram {
  readonly program: Handle;
  readonly info: RawProgramInfo;
  readonly bytes: Bytes;
}

/** A circuit that is open in the graph worker. */
export interface OpenCircuit {
  readonly circuit: Handle;
  readonly id: string;
  readonly operators: number;
  readonly inputs: readonly RawPort[];
  readonly outputs: readonly RawPort[];
}

/** What a worker tells of the instance that it started. */
export interface Started {
  /** Version of the core. */
  readonly version: string;
  /** The most bytes that its memory can grow to. */
  readonly memoryBytes: number;
}

/** What every worker does first. */
export interface StartMethods {
  /** Starts the instance. */
  start(options: RawOptions): Started;
}

/** What can be asked about programs, in either worker. */
export interface ProgramMethods extends StartMethods {
  openProgram(bytes: Uint8Array): OpenProgram;
  text(program: Handle, stage: Stage): string;
  graph(program: Handle, stage: Stage): GraphView;
  freeProgram(program: Handle): void;
}

/** What a client worker does. It holds secret keys; no answer but `saveClient`'s contains one. */
export interface ClientMethods extends ProgramMethods {
  compile(task: TaskLiteral, options: CompileOptions): OpenProgram;
  createClient(program: Handle): Handle;
  restoreClient(program: Handle, saved: Uint8Array): Handle;
  saveClient(client: Handle): Bytes;
  freeClient(client: Handle): void;
  key(client: Handle, index: number): Bytes;
  encrypt(
    client: Handle,
    inputs: string[],
    units: Integers[],
    present: (Uint8Array | undefined)[],
  ): NamedBytes[];
  decrypt(
    client: Handle,
    names: string[],
    at: Uint32Array,
    ciphertexts: Uint8Array[],
    inputs: Uint8Array[] | undefined,
  ): RawOutputValues[];
}

/**
 * What the evaluator worker does. It is told program bytes, evaluation keys and ciphertexts, and nothing
 * else; so this is where programs that others made are opened first.
 */
export interface EvaluatorMethods extends ProgramMethods {
  open(program: Uint8Array): Handle;
  loadKey(evaluator: Handle, key: Uint8Array): void;
  missingKeys(evaluator: Handle): string[];
  run(
    evaluator: Handle,
    inputs: Uint8Array[],
    trace: boolean,
  ): { outputs: NamedBytes[]; trace: TraceView | undefined };
  free(evaluator: Handle): void;
}

/** What the graph worker does. It is told recorded graphs and the data of their runs, and nothing else. */
export interface GraphMethods extends StartMethods {
  /** Makes an operator of a user's own known by its name. */
  declare(name: string): void;
  /** Records what it means for such attributes and operand types, as texts. */
  record(name: string, attrs: string, inputs: string[], literal: GraphLiteral): void;
  build(literal: GraphLiteral): OpenCircuit;
  openText(text: string): OpenCircuit;
  openBytes(bytes: Uint8Array): OpenCircuit;
  expand(circuit: Handle, options: ExpandOptions): OpenCircuit;
  /** Without passes: the usual ones. */
  optimize(circuit: Handle, passes: string[] | undefined): OpenCircuit;
  analyze(circuit: Handle): RawAnalysis;
  text(circuit: Handle): string;
  bytes(circuit: Handle): Bytes;
  view(circuit: Handle): GraphView;
  /** `objects`: outputs by their names, and operand number N of `keep`, described in `kept`, as `%N`. */
  run(
    circuit: Handle,
    names: string[],
    data: Uint8Array[],
    keep: Uint32Array,
    options: RawCircuitOptions,
    trace: boolean,
  ): { objects: NamedBytes[]; kept: RawPort[]; trace: TraceView | undefined };
  free(circuit: Handle): void;
}

type Method<M, K extends keyof M> = Extract<M[K], (...args: never[]) => unknown>;
/** Arguments of a method. */
export type Args<M, K extends keyof M> = Parameters<Method<M, K>>;
/** Result of a method. */
export type Result<M, K extends keyof M> = ReturnType<Method<M, K>>;

/** A call, by its number; `stop`, not 0 once it is aborted, is heard of in the middle of what the core computes. */
export type Request<M> = {
  [K in keyof M]: {
    readonly id: number;
    readonly method: K;
    readonly args: Args<M, K>;
    readonly stop?: Int32Array<SharedArrayBuffer>;
  };
}[keyof M];

/** To a worker: a call, or the wish that one ends. */
export type ToWorker<M> = Request<M> | { readonly cancel: number };

/**
 * From a worker: how far a call is, and then its result or its error; `fatal` if the worker is of no use any
 * more.
 */
export type FromWorker =
  | { readonly id: number; readonly progress: { readonly done: number; readonly total: number } }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: ErrorRecord; readonly fatal: boolean };
