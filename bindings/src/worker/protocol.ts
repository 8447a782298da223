/** What the page and its workers say to each other. Everything survives structured clone. */
import type { ErrorRecord } from '../errors.js';
import type { Growth, Platform, ProtectOptions } from '../graph-types.js';
import type {
  GraphLiteral,
  NamedBytes,
  NamedData,
  RawAnalysis,
  RawCircuitOptions,
  RawCompileOptions,
  RawCut,
  RawExpandOptions,
  RawExplanation,
  RawGivenValues,
  RawKernel,
  RawOptions,
  RawOutgoing,
  RawOpening,
  RawOutput,
  RawPort,
  RawProgramReport,
  RawReport,
  RawSharedAbout,
  RawStep,
  RawTrace,
  RawTrials,
  RawTried,
  RawUse,
  RawValues,
} from '../raw.js';
import type { WorkgroupNeeds } from '../gpu/needs.js';
import type { KnownTimes } from '../gpu/times.js';
import type { GraphView, PlacementTrace, TraceView } from '../types.js';
import type { MeaningStage } from '../stages.js';
import type { Stage, ProgramStats, TaskLiteral } from '../values/types.js';
import type { CheckKind, ConformancePlatform } from '../verification-types.js';
import type { GivenBack } from './lent.js';

/** Number of an object that lives in a worker. */
export type Handle = number;

type Bytes = Uint8Array<ArrayBuffer>;

/** What a job gives, and what ran where and when, where that was asked for. */
export interface Traced<T> {
  readonly result: T;
  readonly trace: (RawTrace & Pick<TraceView, 'gpu' | 'placement'>) | undefined;
}

/** A program that is open in a worker. */
export interface OpenProgram {
  readonly program: Handle;
  readonly report: RawProgramReport;
  readonly literal: TaskLiteral;
  readonly bytes: Bytes;
}

/** A circuit that is open in the graph worker. */
export interface OpenCircuit {
  readonly circuit: Handle;
  readonly id: string;
  readonly operators: number;
  readonly inputs: readonly RawPort[];
  readonly outputs: readonly RawPort[];
  /** Of one that was protected. */
  readonly growth?: Growth | undefined;
  /** Of one that was placed by times. */
  readonly placement?: PlacementTrace | undefined;
}

/** The parties of a graph, and by number whose inputs, operators and outputs are. */
export interface OwnerTable {
  readonly parties: string[];
  readonly inputs: Uint32Array;
  readonly operators: Uint32Array;
  readonly outputs: Uint32Array;
}

/** A shared graph: its bytes are all there is of it. */
export interface SharedRecord {
  readonly id: string;
  readonly bytes: Bytes;
  readonly about: RawSharedAbout;
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
  /** `allowInsecure`: also one whose parameters are below their security level. */
  openProgram(bytes: Uint8Array, allowInsecure: boolean): OpenProgram;
  explain(program: Handle): RawExplanation;
  sizes(program: Handle): ProgramStats;
  /** What runs with a GPU and without are made of. */
  uses(program: Handle): RawUse[];
  text(program: Handle, stage: Stage): string;
  graph(program: Handle, stage: Stage): GraphView;
  /** Compares what a stage means with what the task means. */
  verify(program: Handle, stage: MeaningStage, trials: Rounds): CheckRecord[];
  freeProgram(program: Handle): void;
}

/** What a party's secret inputs are for, and of what run, where that is used up by it. */
export type Secrets =
  { readonly of: 'deal' | 'decrypt' } | { readonly of: 'keys' | 'refresh'; readonly run: Uint8Array };

/**
 * What a client worker does. It holds secret keys, and no answer but `saveClient`'s contains one; or public ones, of data owners, which have no secret key
 * beside them.
 */
export interface ClientMethods extends ProgramMethods {
  compile(steps: RawStep[], options: RawCompileOptions): OpenProgram[];
  saveClient(client: Handle): Bytes;
  /** How many results were decrypted to be published. */
  released(client: Handle): number;
  freeClient(client: Handle): void;
  createClient(program: Handle): Handle;
  restoreClient(program: Handle, saved: Uint8Array): Handle;
  key(client: Handle, trace: boolean, name: string): Traced<Bytes>;
  publicKey(client: Handle, trace: boolean): Traced<Bytes>;
  encrypt(client: Handle, trace: boolean, ...values: RawValues): Traced<NamedBytes[]>;
  createOwner(program: Handle, publicKey: Uint8Array): Handle;
  freeOwner(owner: Handle): void;
  encryptAsOwner(owner: Handle, trace: boolean, ...values: RawValues): Traced<NamedBytes[]>;
  decrypt(
    client: Handle,
    trace: boolean,
    results: Uint8Array[],
    names: RawValues[0],
    cells: RawValues[1],
    present: RawValues[2],
    inputs: { names: string[]; encrypted: Uint8Array[] } | undefined,
  ): Traced<RawOutput<ErrorRecord>[]>;
  plain(client: Handle, ...values: RawValues): RawOutput<ErrorRecord>[];
  /** A party at a shared key, and what it does there: of these answers `partyInputs` has secrets, for its own run of a protocol, and `saveParty`. */
  createParty(
    program: Handle,
    parties: string[],
    threshold: number | undefined,
    name: string,
    saved: Uint8Array | undefined,
  ): Handle;
  freeParty(party: Handle): void;
  saveParty(party: Handle): Bytes;
  partyReleased(party: Handle): number;
  partyDealing(party: Handle): Bytes;
  partyInputs(party: Handle, secrets: Secrets): NamedData[];
  partyKeep(party: Handle, share: Uint8Array): void;
  partyKeys(
    party: Handle,
    active: string[],
    hub: string,
    run: Uint8Array,
    publicKey: Uint8Array | undefined,
  ): Bytes;
  partyPublicKey(party: Handle, run: Uint8Array, output: Uint8Array): Bytes;
  partyKey(party: Handle, run: Uint8Array, name: string, output: Uint8Array, publicKey: Uint8Array): Bytes;
  partyDecryption(
    party: Handle,
    results: Uint8Array[],
    publicKey: Uint8Array,
    active: string[],
    to: string[],
  ): RawOpening;
  partyOpened(
    party: Handle,
    results: Uint8Array[],
    publicKey: Uint8Array,
    names: string[],
    outputs: Uint8Array[],
    open: RawValues,
  ): RawOutput<ErrorRecord>[];
  partySwitching(
    party: Handle,
    results: Uint8Array[],
    publicKey: Uint8Array,
    receiver: Uint8Array,
    active: string[],
    hub: string,
  ): RawOpening;
  partySwitched(
    party: Handle,
    results: Uint8Array[],
    publicKey: Uint8Array,
    receiver: Uint8Array,
    names: string[],
    outputs: Uint8Array[],
  ): NamedData[];
  partyRefreshing(
    party: Handle,
    results: Uint8Array[],
    publicKey: Uint8Array,
    active: string[],
    hub: string,
    run: Uint8Array,
  ): RawOpening;
  partyRefreshed(
    party: Handle,
    results: Uint8Array[],
    publicKey: Uint8Array,
    names: string[],
    outputs: Uint8Array[],
  ): NamedData[];
}

/**
 * What the evaluator worker does. It is told program bytes, evaluation keys, ciphertexts and the server's own inputs, and nothing
 * else; so this is where programs that others made are opened first.
 */
export interface EvaluatorMethods extends ProgramMethods {
  open(program: Uint8Array, allowInsecure: boolean): Handle;
  loadKey(evaluator: Handle, key: Uint8Array): void;
  missingKeys(evaluator: Handle): string[];
  free(evaluator: Handle): void;
  /** Values that stay for many runs: encrypted ones, then clear ones. */
  hold(evaluator: Handle, given: RawGivenValues): Handle;
  freeHeld(held: Handle): void;
  run(
    evaluator: Handle,
    held: Handle | undefined,
    given: RawGivenValues,
    trace: boolean,
    gpu: boolean | ByTimes,
  ): Traced<NamedBytes[]>;
}

/** How a run is to be placed: times as a JSON text, operator types that are pinned, and where to. */
export interface ByTimes {
  readonly times: string;
  readonly pinned: string[];
  readonly to: string[];
}

/** How often data are drawn, from which seed. */
export type Rounds = Pick<RawTrials, 'rounds' | 'first' | 'seed'>;

/** What a circuit is verified by. */
export interface VerifyRequest {
  /** Another circuit that means the same. */
  readonly against: Handle | undefined;
  /** Without a list: the usual ones. */
  readonly passes: readonly string[] | undefined;
  /** Each but the last is compared with that one. */
  readonly platforms: readonly Platform[];
  readonly trials: RawTrials;
}

/** What came of one check; `error` if it did not pass. */
export interface CheckRecord extends RawReport {
  readonly kind: CheckKind;
  /** Of the pass or platform. */
  readonly name: string | undefined;
  readonly error: ErrorRecord | undefined;
}

/** The conformance suite on a platform. */
export interface PlatformRecord {
  readonly platform: ConformancePlatform;
  readonly device: string | undefined;
  readonly operators: readonly (RawTried & { readonly name: string })[];
}

/** What the graph worker does. It is told recorded graphs and the data of their runs, and nothing else. */
export interface GraphMethods extends StartMethods {
  /** Makes an operator of a user's own known by its name; `base`: JavaScript computes it. */
  declare(name: string, base: boolean): void;
  /** Records what it means for such attributes and operand types, as texts. */
  record(name: string, attrs: string, inputs: string[], literal: GraphLiteral): void;
  /** Records what a base operator gives for such attributes and operand types, as texts. */
  recordOutput(name: string, unit: number, attrs: string, inputs: string[], output: string): void;
  build(literal: GraphLiteral): OpenCircuit;
  openText(text: string): OpenCircuit;
  openBytes(bytes: Uint8Array): OpenCircuit;
  expand(circuit: Handle, options: RawExpandOptions): OpenCircuit;
  /** `to`: the platform of each of `operators`. */
  place(circuit: Handle, platforms: string[], operators: string[], to: string[]): OpenCircuit;
  /** By times, a JSON text. */
  placeByTimes(
    circuit: Handle,
    platforms: string[],
    times: string,
    operators: string[],
    to: string[],
  ): OpenCircuit;
  /** What runs on these platforms are made of, and on a GPU beside them. */
  usesOf(circuit: Handle, platforms: string[]): RawUse[];
  /** Without passes: the usual ones. */
  optimize(circuit: Handle, passes: string[] | undefined): OpenCircuit;
  protect(circuit: Handle, options: ProtectOptions): OpenCircuit;
  analyze(circuit: Handle): RawAnalysis;
  text(circuit: Handle): string;
  bytes(circuit: Handle): Bytes;
  view(circuit: Handle): GraphView;
  verify(circuit: Handle, request: VerifyRequest): CheckRecord[];
  /** `objects`: outputs by their names, and operand number N of `keep`, described in `kept`, as `%N`. */
  run(
    circuit: Handle,
    names: string[],
    data: Uint8Array[],
    keep: Uint32Array,
    options: RawCircuitOptions,
    trace: boolean,
  ): Traced<{ objects: NamedBytes[]; kept: RawPort[] }>;
  free(circuit: Handle): void;
  share(literal: GraphLiteral, owners: OwnerTable): SharedRecord;
  openShared(bytes: Uint8Array): SharedRecord;
  expandShared(bytes: Uint8Array, options: RawExpandOptions): SharedRecord;
  /** The whole graph. */
  wholeShared(bytes: Uint8Array): OpenCircuit;
  cut(bytes: Uint8Array, party: string): OpenCircuit & { readonly cut: RawCut };
}

/** What conformance workers do. */
export interface ConformanceMethods extends StartMethods {
  /** Runs the suite on these. */
  conformance(platforms: readonly ConformancePlatform[]): PlatformRecord[];
  /** Tries ways to compute one operator against the reference, and measures those that are right, in turns; on the GPU, where the first one's platform is `gpu`, all of them. */
  trial(
    operator: { operator: string; attributes: string; inputs: string[] },
    candidates: readonly { platform: string; kernels?: readonly RawKernel[] | undefined }[],
    settings: TrialSettings,
  ): Trial[];
  /** What the GPU of this device is, and what it has for a workgroup. Errors: GpuError `gpu.none`. */
  gpu(): GpuTraits;
  /** Measures uses of operators on the processors and the GPU; `about` says of what package and build. Those that are known are added, where they are of the same device. */
  times(about: string, known: KnownTimes | undefined, uses: readonly RawUse[]): KnownTimes;
}

/** What is told of a GPU. */
export interface GpuTraits {
  /** What its adapter says: as `deviceClass` takes it. */
  readonly vendor: string;
  readonly architecture: string;
  /** What a workgroup may take: invocations, and bytes of memory. */
  readonly limits: WorkgroupNeeds;
}

/** How trials are measured: see `MeasureOptions`. */
export interface TrialSettings {
  readonly warmUp: number;
  readonly rounds: number;
  readonly sample: number;
}

/** What became of one candidate: what is wrong with it, or its times in nanoseconds. */
export interface Trial {
  /** A family of kernels that this build has not. */
  readonly absent?: true;
  readonly problem?: string;
  readonly time?: number;
  readonly spread?: number;
  readonly samples?: number;
}

/** Where the function of a base operator is. */
export interface OperatorModule {
  /** Its address. */
  readonly module: string;
  /** The name that it is exported by. */
  readonly exported: string;
}

/** What operator workers do: a function of a user's own over the data of one operator. */
export interface OperatorMethods {
  compute(module: OperatorModule, outgoing: RawOutgoing): Bytes;
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

/** To a worker: a call, the wish that one ends, or that a thread of Node's does, or the answer to what it has asked. */
export type ToWorker<M> =
  | Request<M>
  | { readonly cancel: number }
  | { readonly end: true }
  | { readonly answer: number; readonly result: unknown }
  | { readonly answer: number; readonly error: ErrorRecord };

/**
 * From a worker: how far a call is, what it asks the page meanwhile, by the number of the question, and then its result or
 * its error; `fatal` if the worker is of no use any more.
 */
export type FromWorker =
  | { readonly id: number; readonly ask: number; readonly question: unknown }
  | { readonly id: number; readonly progress: { readonly done: number; readonly total: number } }
  | { readonly id: number; readonly result: unknown; readonly back?: GivenBack }
  | { readonly id: number; readonly error: ErrorRecord; readonly fatal: boolean };
