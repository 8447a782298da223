/**
 * The contract with the Rust side (border/), used inside the workers: thin classes whose every throw is an Error with
 * `code` and `details`. raw-tasks.ts and its like import the glue of each module.
 */
import type { ShaderCall } from './gpu/device.js';
import type { WorkgroupNeeds } from './gpu/needs.js';
import type { Element, Growth, Platform, ProtectOptions } from './graph-types.js';
import type { CompiledModule, GpuTimes, GraphView, PlacementTrace, TraceView, Variant } from './types.js';
import type { MeaningStage } from './stages.js';
import type {
  Stage,
  CompileOptions,
  Layout,
  Parameters,
  ProgramInfo,
  Releases,
  GivenResult,
  SchemeName,
  TaskLiteral,
} from './values/types.js';
import { installKernels } from '../wasm/threads/kernels.js';
import type { WasmMemory, WasmTable } from './web-types.js';
import { granted, type SharedMemory, engineMemory } from './worker/memory.js';

/** Serialized ciphertexts of an input, or of the outputs that share some. */
export interface NamedBytes {
  names: string[];
  bytes: Uint8Array<ArrayBuffer>;
}

/** Asked by long work: told how far it is, from 0 to 1, it says whether to go on. */
export type Hear = (far: number) => boolean;

/**
 * What a builder recorded. Operands are numbered from 0 in the order of the calls that make one, which all do but output.
 * The tape has one call after the other: recording.ts.
 */
export interface GraphLiteral {
  /** Bits. */
  unit: number;
  /** Names of operators and ports, each once. */
  names: string[];
  /** In the text form, each once: `{axis=0, mode="set", q=[3,5], parts=$["a"]}`. */
  attrs: string[];
  /** In the text form without sizes, each once: `f32{shape=[1024]}`; plain units with theirs: `raw[12]{}`. */
  types: string[];
  /** Bytes of the elements, little-endian; bits packed from the lowest of a byte up. */
  constants: Uint8Array[];
  tape: Uint32Array<ArrayBuffer>;
}

/** An input or output, or an operand that is kept: then its name is `%` and its number in the builder. */
export interface RawPort {
  name: string;
  /** In the text form, with its size. */
  type: string;
  /** Null for what is no tensor. */
  element: Element | null;
  shape: number[] | null;
  bytes: number;
}

/** Who waits for whom; what belongs to operator i stands at start[i] .. start[i + 1]. */
export interface RawAnalysis {
  dependsStart: Uint32Array;
  depends: Uint32Array;
  notifiesStart: Uint32Array;
  notifies: Uint32Array;
  wave: Uint32Array;
  /** Units that are read from outside: pairs of start and end. */
  inputs: Float64Array;
  /** Operators that nobody waits for. */
  outputs: Uint32Array;
  criticalPath: Uint32Array;
}

/** What a run of a circuit is told. */
export interface RawCircuitOptions {
  /** The preferred ones, in order; the usual ones if there is none. */
  platforms: string[];
  memoryLimit: number;
  /** Overwrite what was held of the data. */
  secret: boolean;
}

/** On what data circuits are compared, and where they run. */
export interface RawTrials {
  platform: Platform | undefined;
  rounds: number;
  /** The number of the first of these rounds. */
  first: number;
  seed: bigint | undefined;
  /** Inputs that are not drawn, and their data. */
  names: string[];
  data: Uint8Array[];
}

/** What was compared and found to be the same, what was not compared, and how many bytes. */
export interface RawReport {
  compared: string[];
  skipped: { what: string; why: string }[];
  bytes: number;
}

/** What an operator type passed on a platform, and what is wrong with it. */
export interface RawTried {
  cases: number;
  passed: number;
  problem?: string | null;
}

/** A finished graph. */
export interface RawCircuit {
  ports(): { inputs: RawPort[]; outputs: RawPort[] };
  operators(): number;
  text(): string;
  bytes(hear: Hear): Uint8Array<ArrayBuffer>;
  /** 32 hexadecimal digits. */
  id(): string;
  view(): GraphView;
  analyze(hear: Hear): RawAnalysis;
  expand(options: RawExpandOptions, hear: Hear): RawCircuit;
  /** `to`: the platform of each of `operators`. */
  place(platforms: string[], operators: string[], to: string[]): RawCircuit;
  /** Of these platforms and a GPU; `times`: {@link RawTimes} as a JSON text. */
  placeByTimes(
    platforms: string[],
    times: string,
    operators: string[],
    to: string[],
    hear: Hear,
  ): { circuit: RawCircuit; placement: PlacementTrace };
  /** What runs on these platforms are made of, and on a GPU beside them. */
  uses(platforms: string[], hear: Hear): RawUse[];
  /** Without passes: the usual ones. */
  optimize(passes: string[] | undefined, hear?: Hear): RawCircuit;
  /** `seed`: 32 bytes. */
  protect(seed: Uint8Array, options: Omit<ProtectOptions, 'seed'>): { circuit: RawCircuit; growth: Growth };
  /** `keep`: numbers of the builder's operands, which `takeObjects` then gives as `%N`. */
  runJob(
    names: string[],
    data: Uint8Array[],
    keep: Uint32Array,
    options: RawCircuitOptions,
    hear: Hear,
  ): RawCircuitJob;
  /** What `keep` would give. */
  kept(keep: Uint32Array): RawPort[];
  /** All that verify throw what is wrong; `verify.differs` where two computations do not give the same. */
  verifyStructure(): void;
  verifyAgainst(against: RawCircuit, trials: RawTrials): RawReport;
  verifyPass(pass: string, trials: RawTrials): RawReport;
  verifyPlatform(reference: Platform, trials: RawTrials): RawReport;
  free(): void;
}

/** A graph of several parties. */
export interface RawShared {
  bytes(hear: Hear): Uint8Array<ArrayBuffer>;
  /** 32 hexadecimal digits. */
  id(): string;
  about(): RawSharedAbout;
  expand(options: RawExpandOptions, hear: Hear): RawShared;
  circuit(): RawCircuit;
  cut(party: string, hear: Hear): { circuit: RawCircuit; cut: RawCut };
  free(): void;
}

/** What is told of a shared graph. */
export interface RawSharedAbout {
  parties: string[];
  inputs: { port: RawPort; party: string }[];
  outputs: { port: RawPort; party: string }[];
  operators: number;
}

/** What crosses; `operator`: the number of the one in the cut that sends or receives it. */
export interface RawCrossing {
  from: string;
  to: string;
  number: number;
  input: boolean;
  producer: string;
  of: string;
  type: string;
  bytes: number;
  encrypted?: string | null;
  channel: string;
  operator: number;
}

/** A party's part of a shared graph, beside its circuit. */
export interface RawCut {
  own: number[];
  common: number[];
  sends: RawCrossing[];
  receives: RawCrossing[];
  interactions: {
    number: number;
    input: boolean;
    name: string;
    party: string;
    feeds: number[];
    reads: number[];
  }[];
}

/** The conformance suite of a platform. */
export interface RawConformance {
  names(): string[];
  check(index: number): RawTried;
  free(): void;
}

/** The same suite for shaders, which a device runs. */
export interface RawShaders {
  names(): string[];
  /** How many cases the operator type has, which are then those that are given. */
  open(index: number): number;
  given(at: number): ShaderCall;
  check(at: number, out: Uint8Array): string | undefined;
  free(): void;
}

/** How far to expand: to some platforms, or, if there are none, to exactly one of the others. */
export interface RawExpandOptions {
  platforms: string[];
  base?: string[];
  level?: string;
  steps?: number;
}

/** An operator that a run hands out: its number in that run, what it computes, and the data of its inputs. */
export interface RawOutgoing {
  op: number;
  /** Where it is computed: `javascript`, or `party` for what is sent and received. */
  platform: string;
  name: string;
  attributes: string;
  inputs: RawPlace[];
  output: RawPlace & Pick<RawPort, 'bytes'>;
  data: Uint8Array<ArrayBuffer>[];
}

/** A tensor, where the platform computes on such. */
export interface RawPlace {
  element: Element;
  shape: number[];
}

/** An operator type of the core. */
export interface OperatorInfo {
  name: string;
  level: 'task' | 'scheme' | 'polynomial' | 'base';
  /** Names of the attributes that it takes, if the core tells. */
  attributes?: string[];
}

/** What a job tells of itself: of which work it is, whoever asked knows. */
export type RawTrace = Omit<TraceView, 'phase' | 'item' | 'role' | 'gpu' | 'placement'>;

/** A run that is taken step by step. */
export interface RawJob {
  /** Runs for about that many milliseconds; true when finished. */
  step(milliseconds: number): boolean;
  progress(): { done: number; total: number };
  setTrace(on: boolean): void;
  trace(): RawTrace;
  takeBytes(): Uint8Array<ArrayBuffer>;
  takeObjects(): NamedBytes[];
  free(): void;
}

/** What a device has to know of a run: words of memory, shaders, identities of tables, and of inputs that may come again. */
export interface RawDevice {
  readonly words: number;
  readonly shaders: readonly { readonly source: string; readonly passes: Uint32Array }[];
  readonly tables: readonly string[];
  readonly inputs: readonly { readonly number: number; readonly id: string; readonly words: number }[];
}

/**
 * What is given to a device in one go. `commands`, five numbers each, places in words: 0 copies from `bytes` (from, to, words), 1 from a kept input (input, from,
 * to, words), 2 dispatches (shader, number of `bytes` at which its records begin, numbers, operators), 3 copies to what comes back (from, to, words).
 */
export interface RawSubmission {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly commands: Uint32Array;
  /** Words that come back. */
  readonly downloads: number;
  readonly cost: number;
}

/** A run of which a device may compute a part. */
export interface RawDeviceJob extends RawJob {
  /** Undefined where no operator is a device's. */
  device(): RawDevice | undefined;
  table(index: number): Uint8Array;
  input(number: number): Uint8Array;
  /** Where the tables begin, in words, and which inputs the device keeps. */
  openDevice(tables: Uint32Array, kept: Uint32Array): void;
  /** What is ready, up to about that much work; undefined for nothing. */
  encode(budget: number): RawSubmission | undefined;
  /** Takes what came back of the first submission that has not landed. */
  landed(bytes: Uint8Array): void;
  hasDeviceWork(): boolean;
  /** True when there is nothing to do before something lands or is delivered. */
  waits(): boolean;
  /** Begins anew without the device. */
  fallBack(): void;
}

/** Parameters that are given to the core. */
export interface RawParameters extends Omit<Parameters, 'inputs' | 'security' | 'securityBits' | 'quantum'> {
  readonly layouts: Record<string, Layout>;
}

/** A task, and what ties it to those before and to programs. */
export interface RawStep {
  readonly task: TaskLiteral;
  readonly from: Record<
    string,
    { readonly task: number; readonly output: string; readonly refreshed: boolean }
  >;
  readonly results: Record<string, GivenResult>;
  readonly kept: readonly string[];
  readonly refreshed: readonly string[];
}

/** What the core compiles tasks with. */
export interface RawCompileOptions extends Omit<CompileOptions, 'parameters' | 'security'> {
  readonly security?: string | undefined;
  readonly securityBits?: number | undefined;
  readonly quantum?: boolean | undefined;
  readonly parameters?: RawParameters | undefined;
}

/** What the core tells of a program. */
export interface RawProgramReport {
  readonly scheme: SchemeName;
  readonly n: number;
  readonly plainModuli: string[];
  readonly moduli: string[];
  readonly special: string[];
  readonly scale?: number | null;
  readonly security: ProgramInfo['security'];
  readonly securityBits: ProgramInfo['securityBits'];
  readonly quantum: boolean;
  /** Names, and bytes of the words of each. */
  readonly keys: [name: string, bytes: number][];
  /** Bytes of the public key, where data owners may encrypt with one. */
  readonly publicKey?: number | null;
  /** How many parties share the secret key; left out for one. */
  readonly parties?: number;
  readonly releases?: Required<Releases> | null;
  readonly operators: Record<string, number>;
  readonly totalBits: number;
  readonly maxTotalBits: number;
  /** Of a run on one thread. */
  readonly seconds: number;
  /** Those that are encrypted. */
  readonly inputs: Record<
    string,
    { layout: Layout; ciphertexts: number; bytes: number; result?: string | null }
  >;
  readonly outputs: {
    name: string;
    values: string[];
    level: number;
    budgetBits: number;
    errorBits?: number | null;
    noiseBits?: number | null;
    bytes: number;
  }[];
  /** Those that other programs can compute on. */
  readonly results: Record<
    string,
    {
      type: string;
      min?: string | null;
      max?: string | null;
      given: GivenResult;
      refreshed?: GivenResult;
    }
  >;
  readonly downloadBytes: number;
}

/** Why a program is as it is; values in the order of the literal's operands. */
export interface RawExplanation {
  readonly reasons: { about: string; text: string }[];
  readonly values: {
    encrypted: boolean;
    clear: boolean;
    finished: boolean;
    ciphertexts: number;
    level?: number | null;
    scaleBits?: number | null;
    messageBits?: number | null;
    errorBits?: number | null;
    budgetBits?: number | null;
    operators: Record<string, number>;
    cost: number;
  }[];
  readonly keys: { name: string; bytes: number; of: number[] }[];
}

/** Cells as the core takes them: reals, or integers of any sort; these may be doubles where they are below 2^53. */
export type RawGivenCells = Float64Array<ArrayBuffer> | BigInt64Array<ArrayBuffer> | string[];

/** An output; `cells` or why it has none. */
export interface RawOutput<Problem = unknown> {
  name: string;
  budgetBits?: number;
  error?: number;
  problem?: Problem;
  cells?: RawCells['cells'];
  present?: RawCells['present'];
  integers?: RawCells['integers'];
}

/** A decrypted value. */
export interface RawCells {
  cells: Float64Array<ArrayBuffer>;
  /** Which cells are there; left out where all are. */
  present?: Uint8Array<ArrayBuffer>;
  /** The cells exactly, where all are integers. */
  integers?: BigInt64Array<ArrayBuffer> | string[];
}

/** A compiled task. */
export interface RawProgram {
  bytes(): Uint8Array<ArrayBuffer>;
  /** A JSON text: {@link RawProgramReport}. */
  report(): string;
  /** A JSON text: {@link ProgramStats}. */
  sizes(): string;
  /** What runs with a GPU and without are made of: {@link RawUse}s. */
  uses(): string;
  /** A JSON text: {@link RawExplanation}. */
  explain(): string;
  /** A JSON text: {@link TaskLiteral}. */
  literal(): string;
  text(stage: Stage): string;
  graph(stage: Stage): GraphView;
  /** Some rounds of a stage; a JSON text: {@link RawReport}. */
  verify(stage: MeaningStage, seed: bigint, first: number, rounds: number, hear: Hear): string;
  free(): void;
}

/** A key holder. */
export interface RawClient {
  save(): Uint8Array<ArrayBuffer>;
  released(): number;
  keyJob(name: string): RawJob;
  publicKeyJob(): RawJob;
  encryptJob(...values: RawValues): RawJob;
  /** All results of a run, and public inputs; where they are `bound`, also the run's encrypted inputs. */
  decryptJob(
    results: Uint8Array[],
    names: string[],
    cells: RawGivenCells[],
    present: (Uint8Array | undefined)[],
    bound: boolean,
    inputs: string[],
    encrypted: Uint8Array[],
  ): RawDecryption;
  plain(...values: RawValues): RawOutput[];
  free(): void;
}

/** Values by name. */
export type RawValues = [names: string[], cells: RawGivenCells[], present: (Uint8Array | undefined)[]];

/** A holder of a public key. */
export interface RawOwner {
  encryptJob(...values: RawValues): RawJob;
  free(): void;
}

/** Words of an input or output, or bytes of a value, by name. */
export interface NamedData {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A party at the protocols of a shared key. */
export interface RawParty {
  save(): Uint8Array<ArrayBuffer>;
  released(): number;
  dealing(): Uint8Array<ArrayBuffer>;
  dealingInputs(): NamedData[];
  keep(share: Uint8Array): void;
  keys(
    active: string[],
    hub: string,
    run: Uint8Array,
    publicKey: Uint8Array | undefined,
  ): Uint8Array<ArrayBuffer>;
  keyInputs(run: Uint8Array): NamedData[];
  publicKey(run: Uint8Array, output: Uint8Array): Uint8Array<ArrayBuffer>;
  key(run: Uint8Array, name: string, output: Uint8Array, publicKey: Uint8Array): Uint8Array<ArrayBuffer>;
  decryption(results: Uint8Array[], publicKey: Uint8Array, active: string[], to: string[]): RawOpening;
  decryptionInputs(): NamedData[];
  refreshingInputs(run: Uint8Array): NamedData[];
  openedJob(
    results: Uint8Array[],
    publicKey: Uint8Array,
    names: string[],
    outputs: Uint8Array[],
    ...open: RawValues
  ): RawDecryption;
  switching(
    results: Uint8Array[],
    publicKey: Uint8Array,
    receiver: Uint8Array,
    active: string[],
    hub: string,
  ): RawOpening;
  switched(
    results: Uint8Array[],
    publicKey: Uint8Array,
    receiver: Uint8Array,
    names: string[],
    outputs: Uint8Array[],
  ): NamedData[];
  refreshing(
    results: Uint8Array[],
    publicKey: Uint8Array,
    active: string[],
    hub: string,
    run: Uint8Array,
  ): RawOpening;
  refreshed(
    results: Uint8Array[],
    publicKey: Uint8Array,
    names: string[],
    outputs: Uint8Array[],
  ): NamedData[];
  free(): void;
}

/** A graph of a decryption as bytes, and a party's inputs of it that are no secret. */
export interface RawOpening {
  readonly shared: Uint8Array<ArrayBuffer>;
  readonly inputs: NamedData[];
}

/** An evaluator: program, evaluation keys, values that stay. */
export interface RawEvaluator {
  loadKey(bytes: Uint8Array): void;
  missingKeys(): string[];
  /** Encrypted inputs, then clear ones. */
  hold(...given: RawGivenValues): RawHeld;
  runJob(...given: RawGivenValues): RawJob;
  runHeldJob(held: RawHeld, ...given: RawGivenValues): RawJob;
  /** The same on a GPU: all that it can compute, or what was placed there by times last. */
  runJobOnGpu(byTimes: boolean, ...given: RawGivenValues): RawDeviceJob;
  runHeldJobOnGpu(byTimes: boolean, held: RawHeld, ...given: RawGivenValues): RawDeviceJob;
  /** Places operators by times, as of {@link RawTimes}; pinned ones go where they are pinned to. Both are JSON texts; gives a {@link PlacementTrace}. */
  placeByTimes(times: string, operators: string[], to: string[]): string;
  free(): void;
}

/** One use of an operator type, in the text form of graphs. */
export interface RawUse {
  readonly op: string;
  readonly attributes: string;
  readonly inputs: readonly string[];
  readonly work: number;
  /** Whether there is a shader of it. */
  readonly shader: boolean;
}

/** What operators take on the processors and on a GPU. */
export type RawTimes = GpuTimes;

/** Encrypted values by name, then clear ones. */
export type RawGivenValues = [names: string[], encrypted: Uint8Array[], ...clear: RawValues];

/** Values that stay for many runs. */
export interface RawHeld {
  free(): void;
}

/** A decryption. */
export interface RawDecryption extends RawJob {
  takeCells(): RawOutput[];
}

/** A run of a circuit, whose operators may be computed elsewhere. */
export interface RawCircuitJob extends RawDeviceJob {
  /** Operators to be computed elsewhere, each once. */
  handOut(): RawOutgoing[];
  /** Takes the output of one that was handed out. */
  deliver(op: number, bytes: Uint8Array): void;
}

/** What all kernels have that are made at run time. */
interface RawMade {
  /** Short, for people. */
  readonly name: string;
  /** What it computes, for which ring, and for primes of at most so many bits, or for one alone. */
  readonly piece: string;
  readonly n: number;
  readonly bits: number;
  /** Beside the ring: of sums of products how many terms are what a transform left open, how many are residues, and outputs; of changes of base as `Change` in `made.rs`. */
  readonly shape: readonly number[];
  readonly prime: number | undefined;
}

/** A shader made at run time. Survives structured clone. */
export interface RawShader extends RawMade {
  /** WGSL that follows the prelude of all shaders. */
  readonly body: string;
  /** Workgroups of one operator in each pass. */
  readonly passes: Uint32Array<ArrayBuffer>;
  /** What its table has: `Factors` in `platform/gpu/made.rs`. */
  readonly factors: string;
  /** What it takes of a device. */
  readonly needs: WorkgroupNeeds;
}

/** A kernel made at run time. Survives structured clone. */
export type RawKernel = RawFunctions | RawShader;

/** A kernel in WebAssembly, made at run time. Survives structured clone. */
export interface RawFunctions extends RawMade {
  readonly module: CompiledModule;
  /** Numbers of the doubles that it reads. */
  readonly layout: Uint32Array<ArrayBuffer>;
}

/** One use of an operator, tried and measured. */
export interface RawSample {
  /** What is wrong with what the platform computes, if anything is. */
  check(): string | undefined;
  run(times: number): void;
  /** Its shader, and what it brings to that; throws where there is none. */
  shader(): ShaderCall;
  /** The same, filled in one of so many ways (`patterns`); what comes of it {@link judge} compares. */
  given(way: number): ShaderCall;
  /** What is wrong with it, if anything is. */
  judge(out: Uint8Array): string | undefined;
  free(): void;
}

/** What all modules have. */
interface RawModule {
  threads(): number;
  version(): string;
  functionTable(): WasmTable;
  /** Makes a kernel known, by the places of its functions in that table. `shape`: dimension, bits, and that of {@link RawKernel}; `prime`: 0 for any. */
  offerKernel(
    piece: string,
    name: string,
    shape: Uint32Array,
    prime: bigint,
    places: Uint32Array,
    layout: Uint32Array,
  ): void;
  /** Makes a shader known, `shape` and `prime` as of kernels. */
  offerShader(
    piece: string,
    name: string,
    shape: Uint32Array,
    prime: bigint,
    factors: string,
    passes: Uint32Array,
    body: string,
  ): void;
  withdrawKernels(): void;
}

/** One instance of the module of tasks. */
export interface RawTasks extends RawModule {
  RawProgram: {
    /** JSON texts: an array of {@link RawStep}, {@link RawCompileOptions}. */
    compileAll(steps: string, options: string, hear: Hear): RawProgram[];
    fromBytes(bytes: Uint8Array, allowInsecure: boolean, hear: Hear): RawProgram;
  };
  RawClient: {
    new (program: RawProgram): RawClient;
    restore(program: RawProgram, saved: Uint8Array): RawClient;
  };
  RawOwner: new (program: RawProgram, publicKey: Uint8Array) => RawOwner;
  RawParty: new (
    program: RawProgram,
    names: string[],
    threshold: number | undefined,
    name: string,
    saved: Uint8Array | undefined,
  ) => RawParty;
  RawEvaluator: new (programBytes: Uint8Array, allowInsecure: boolean) => RawEvaluator;
}

/** One instance of the module of graphs. */
export interface RawGraphs extends RawModule {
  RawCircuit: {
    build(literal: GraphLiteral, hear: Hear): RawCircuit;
    fromText(text: string, hear: Hear): RawCircuit;
    fromBytes(bytes: Uint8Array, hear: Hear): RawCircuit;
  };
  RawShared: {
    /** Recorded calls, the parties, and the owners of inputs, operators and outputs. */
    build(
      literal: GraphLiteral,
      parties: string[],
      inputs: Uint32Array,
      operators: Uint32Array,
      outputs: Uint32Array,
      hear: Hear,
    ): RawShared;
    fromBytes(bytes: Uint8Array, hear: Hear): RawShared;
  };
  /** Makes an operator type of a user's own known, `base`: JavaScript computes it; throws if the name is taken. */
  declareOperator(name: string, base: boolean): void;
  /** Records what it means; throws `operator.not_recorded` where another one has to be recorded before. */
  recordOperator(name: string, attrs: string, inputs: string[], literal: GraphLiteral): void;
  /** Records what a base operator gives. */
  recordOutput(name: string, unit: number, attrs: string, inputs: string[], output: string): void;
  /** Names of the optimizer's passes, and of those that are the usual ones. */
  passes(): string[];
  defaultPasses(): string[];
  operators(): OperatorInfo[];
}

/** One instance of the module of the conformance suite. */
export interface RawConformances extends RawModule {
  RawConformance: new (platform: Platform) => RawConformance;
  /** `platform`: of all that is built in and offered (`simd`), of one family, or the reference. */
  RawSample: {
    new (platform: string, operator: string, attributes: string, inputs: string[]): RawSample;
    /** With operands of any type, to be measured and compared with nothing. */
    toMeasure(operator: string, attributes: string, inputs: string[]): RawSample;
    /** How many ways there are to fill one for a comparison. */
    patterns(): number;
  };
  RawShaders: new () => RawShaders;
}

/** How to start an instance. Survives structured clone. */
export interface RawOptions {
  readonly variant: Variant;
  readonly threads: number;
  /** Of builds that are WebAssembly. */
  readonly module?: CompiledModule | undefined;
  /** The addon of the native build. */
  readonly native?: string | undefined;
  /** What the pool's workers have joined already; without a pool, the instance makes its own memory. */
  readonly shared: SharedMemory | undefined;
  /** Made at run time; what the pool's workers have in their tables already. */
  readonly kernels?: readonly RawKernel[] | undefined;
}

/** Starts an instance. */
export type Open<M> = (options: RawOptions) => RawInstance<M> | Promise<RawInstance<M>>;

/** An instance that runs. */
export interface RawInstance<M> {
  readonly raw: M;
  /** The most bytes that its memory can grow to. */
  readonly memoryBytes: number;
  /** Its memory, where kernels can work on it. */
  readonly memory: WasmMemory | undefined;
}

/** What starts instances: the glue of a build of a module. */
export interface Glue {
  initSync(options: { module: CompiledModule; memory?: WasmMemory }): unknown;
  /** Of builds with shared memory. */
  poolStart?(threads: number): void;
}

/** Starts an instance, which is the first thread of its pool. Once for each glue: it has one instance. */
export function openRaw<M>(
  glue: Glue,
  { variant, threads, module, shared = sharedBy(variant), kernels = [] }: RawOptions,
): RawInstance<M> {
  if (module === undefined) throw new TypeError('a build in WebAssembly starts with its module');
  granted(() => glue.initSync(shared === undefined ? { module } : { module, memory: shared.memory }));
  const raw = glue as unknown as M;
  // Before anything is prepared, and before the pool, whose workers have them.
  offerKernels(raw as unknown as RawModule, shared?.memory, kernelsFor(variant, kernels));
  glue.poolStart?.(threads);
  return { raw, memoryBytes: shared?.maximumBytes ?? 2 ** 32, memory: shared?.memory };
}

/** Whether a build has the arithmetic that kernels in WebAssembly made at run time are of. */
export function takesKernels(variant: Variant): boolean {
  return variant === 'relaxed';
}

/** Whether a kernel is a GPU's. */
export function isShader(kernel: RawKernel): kernel is RawShader {
  return 'body' in kernel;
}

/** Those that a build takes: shaders are no affair of WebAssembly. The native build has one list for all looms of a process, and takes none. */
export function kernelsFor(variant: Variant, kernels: readonly RawKernel[]): readonly RawKernel[] {
  if (variant === 'native') return [];
  return takesKernels(variant) ? kernels : kernels.filter(isShader);
}

/** Modules of those that are WebAssembly. */
export function modulesOf(kernels: readonly RawKernel[]): CompiledModule[] {
  return kernels.flatMap((kernel) => (isShader(kernel) ? [] : [kernel.module]));
}

/** Puts kernels into the table of this instance, and says so to the core, as it does of shaders. `memory`: where there are others than shaders. */
export function offerKernels(
  raw: Pick<RawModule, 'functionTable' | 'offerKernel' | 'offerShader'>,
  memory: WasmMemory | undefined,
  kernels: readonly RawKernel[],
): void {
  const modules = modulesOf(kernels);
  const places =
    memory === undefined || modules.length === 0 ? [] : installKernels(raw.functionTable(), memory, modules);
  let at = 0;
  for (const kernel of kernels) {
    const { piece, name, n, bits, shape: more, prime } = kernel;
    const [shape, of] = [Uint32Array.of(n, bits, ...more), BigInt(prime ?? 0)];
    if (isShader(kernel)) {
      const { factors, passes, body } = kernel;
      raw.offerShader(piece, name, shape, of, factors, passes, body);
    } else raw.offerKernel(piece, name, shape, of, Uint32Array.from(places[at++] as number[]), kernel.layout);
  }
}

/**
 * Pages that are not isolated may make a shared memory, too, and only not send it anywhere. So one thread has all
 * builds.
 */
function sharedBy(variant: Variant): SharedMemory | undefined {
  return variant === 'single' ? undefined : engineMemory();
}
