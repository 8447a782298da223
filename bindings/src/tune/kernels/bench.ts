/** A worker of its own, with one thread, in which implementations of one operator are tried against the reference and measured side by side. */
import { checkOptions } from '../../arguments.js';
import { chooseMode, detectFeatures } from '../../choose-mode.js';
import type { RawKernel } from '../../raw.js';
import type { LoadOptions } from '../../types.js';
import { moduleOf } from '../../worker/wasm-module.js';
import { type Engine, startEngine } from '../../worker/engine.js';
import type { ConformanceMethods, GpuTraits, Trial, TrialSettings } from '../../worker/protocol.js';
import { startWorker } from '../../worker/start.js';
import { type OperatorKey, typeAndPlace } from '../key.js';
import { BENCH } from '../options.js';

/** What is tried: kernels of this build, by the name of a platform or of a family of it, shaders (`gpu`, in trials of which all are), and those made at run time that are to be taken. */
export interface Candidate {
  readonly platform: string;
  readonly kernels?: readonly RawKernel[] | undefined;
}

/** Where the worker comes from: as {@link LoadOptions}. */
export type BenchOptions = Pick<LoadOptions, 'wasm' | 'worker'>;

/** A worker for trials; started by the first one, and anew after a crash. */
export class Bench {
  readonly #options: BenchOptions;
  readonly #ended = new AbortController();
  #engine: Promise<Engine<ConformanceMethods>> | undefined;

  constructor(options: BenchOptions = {}) {
    this.#options = options;
  }

  /** Whether kernels made at run time run here: they need relaxed SIMD that rounds once, and shared memory. */
  get generated(): boolean {
    return chooseMode(detectFeatures(), { threads: 1 }).variant === 'relaxed';
  }

  /** Tries each candidate against the reference, then measures those that conform, in turns. Errors: TuneError, WorkerError, those of the signal. */
  async trial(
    key: OperatorKey,
    candidates: readonly Candidate[],
    settings: TrialSettings,
    signal?: AbortSignal,
  ): Promise<Trial[]> {
    const { attributes, inputs } = key;
    const [operator] = typeAndPlace(key);
    return this.#ask((connection) =>
      connection.call('trial', [{ operator, attributes, inputs: [...inputs] }, candidates, settings], {
        signal,
      }),
    );
  }

  /** What the GPU here is, and has for a workgroup. Errors: GpuError `gpu.none`; WorkerError, those of the signal. */
  gpu(signal?: AbortSignal): Promise<GpuTraits> {
    return this.#ask((connection) => connection.call('gpu', [], { signal }));
  }

  async #ask<T>(asked: (connection: Engine<ConformanceMethods>['connection']) => Promise<T>): Promise<T> {
    this.#engine ??= this.#start();
    const { connection } = await this.#engine;
    try {
      return await asked(connection);
    } finally {
      if (!connection.alive) this.#engine = undefined;
    }
  }

  close(): void {
    this.#ended.abort();
    this.#engine?.then(
      ({ connection }) => connection.close(),
      () => {},
    );
    this.#engine = undefined;
  }

  #start(): Promise<Engine<ConformanceMethods>> {
    const choice = chooseMode(detectFeatures(), { threads: 1 });
    const { wasm, worker = startWorker } = this.#options;
    const module = moduleOf('conformance', choice.variant, wasm, this.#ended.signal);
    const started = startEngine<ConformanceMethods>(
      'conformance',
      { choice, module, worker, kernels: [] },
      this.#ended.signal,
    );
    started.catch(() => (this.#engine = undefined));
    return started;
  }
}

/** What the GPU of this device is, as `deviceClass({ gpu })` takes it, and what it has for a workgroup. Takes a worker for a moment. Errors: GpuError `gpu.none`; WorkerError. */
export async function gpuTraits(options: BenchOptions = {}): Promise<GpuTraits> {
  checkOptions('gpuTraits', options, BENCH);
  const bench = new Bench(options);
  try {
    return await bench.gpu();
  } finally {
    bench.close();
  }
}
