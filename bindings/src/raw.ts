/**
 * The only import of the wasm glue, used inside the workers. The types are the contract with the Rust side
 * (src/wasm): thin classes whose every throw is an Error with `code` and `details`.
 */
import * as single from '../wasm/single/cipherloom.js';
import * as shared from '../wasm/threads/cipherloom.js';
import type {
  CompileOptions,
  GraphView,
  InputInfo,
  OutputInfo,
  ProgramInfo,
  Stage,
  TaskLiteral,
  TraceView,
  Variant,
} from './types.js';

/** Program info as the core knows it: integers only, so without decimals and scaled bounds. */
export interface RawProgramInfo extends Omit<ProgramInfo, 'inputs' | 'outputs'> {
  readonly inputs: readonly Omit<InputInfo, 'decimals' | 'min' | 'max'>[];
  readonly outputs: readonly Omit<OutputInfo, 'decimals'>[];
}

/** A decrypted output: integers as decimal strings. */
export interface RawOutputValues {
  parts: Record<string, string[]>;
  noiseBudgetBits: number;
}

/** Serialized ciphertexts of one output. */
export interface NamedBytes {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** A compiled program. */
export interface RawProgram {
  bytes(): Uint8Array<ArrayBuffer>;
  info(): RawProgramInfo;
  text(stage: Stage): string;
  graph(stage: Stage): GraphView;
  free(): void;
}

/** A key holder. */
export interface RawClient {
  save(): Uint8Array<ArrayBuffer>;
  keyJob(index: number): RawJob;
  encryptJob(input: string, values: BigInt64Array, present: Uint8Array | undefined): RawJob;
  decryptJob(output: string, ciphertexts: Uint8Array): RawJob;
  free(): void;
}

/** An evaluator: program and evaluation keys. */
export interface RawEvaluator {
  loadKey(bytes: Uint8Array): void;
  missingKeys(): string[];
  runJob(inputs: Uint8Array[]): RawJob;
  free(): void;
}

/** A run that is taken step by step. */
export interface RawJob {
  /** Runs for about that many milliseconds; true when finished. */
  step(milliseconds: number): boolean;
  progress(): { done: number; total: number };
  setTrace(on: boolean): void;
  trace(): TraceView;
  takeBytes(): Uint8Array<ArrayBuffer>;
  takeOutputs(): NamedBytes[];
  takeOutput(): RawOutputValues;
  free(): void;
}

/** One instance of the wasm. */
export interface RawModule {
  RawProgram: {
    compile(task: TaskLiteral, options: CompileOptions): RawProgram;
    fromBytes(bytes: Uint8Array): RawProgram;
  };
  RawClient: {
    new (program: RawProgram): RawClient;
    restore(program: RawProgram, saved: Uint8Array): RawClient;
  };
  RawEvaluator: new (programBytes: Uint8Array) => RawEvaluator;
  threads(): number;
  version(): string;
}

/** How to start an instance. Survives structured clone. */
export interface RawOptions {
  readonly variant: Variant;
  readonly threads: number;
  readonly module: WebAssembly.Module;
  /** What the pool's workers have joined already; none for `single`. */
  readonly memory: WebAssembly.Memory | undefined;
}

/** Starts the instance of this worker, which is the first thread of its pool. Once per worker. */
export function openRaw({ variant, threads, module, memory }: RawOptions): RawModule {
  if (variant === 'single') {
    single.initSync({ module });
    return single as unknown as RawModule;
  }
  shared.initSync({ module, memory });
  shared.poolStart(threads);
  return shared as unknown as RawModule;
}
