/** Starts a loom. */
import { checkOptions, LOAD_OPTIONS, WASM_BUILDS, WASM_OPTIONS } from './arguments.js';
import { chooseLess, chooseMode, detectFeatures } from './choose-mode.js';
import { CipherloomError, failure } from './errors.js';
import { WorkerLoom } from './loom.js';
import { ChosenKernels } from './tune/kernels/chosen.js';
import type { LoadOptions, Loom, Role, Variant, WorkerLike } from './types.js';
import { findNative } from './native.js';
import { moduleOf } from './worker/wasm-module.js';
import { startWorker } from './worker/start.js';

/**
 * Starts the two workers with the best build that runs here. With several threads, those of the evaluator start behind those of the client, and are not waited for: a run waits for
 * them. Every call makes a new loom; a failed one may be repeated. Errors: ParameterError (`mode` or `threads` cannot be met), InputError (other options), WorkerError,
 * MemoryError.
 */
export async function load(options: LoadOptions = {}): Promise<Loom> {
  checkOptions('load', options, LOAD_OPTIONS);
  checkOptions('load, option wasm', options.wasm ?? {}, WASM_OPTIONS);
  for (const part of ['graphs', 'conformance'] as const)
    checkOptions(`load, option wasm.${part}`, options.wasm?.[part] ?? {}, WASM_BUILDS);
  options.signal?.throwIfAborted();
  const worker = await starter(options);
  const features = { ...detectFeatures(), native: wantsNative(options) ? findNative() : {} };
  let choice = chooseMode(features, options);
  const kernels = ChosenKernels.taken(options.kernels) ?? [];
  const left = options.kernels?.refused.map(({ message }) => `A kernel was not taken: ${message}.`) ?? [];
  choice = { ...choice, reasons: [...choice.reasons, ...left] };
  let build = fetchBuild(choice.variant, options);
  for (;;) {
    try {
      return await WorkerLoom.start(choice, build.module, options, worker, kernels);
    } catch (error) {
      const less = error instanceof CipherloomError ? chooseLess(choice, error, features) : undefined;
      // The same build with fewer threads is the same file, which is not asked for twice.
      if (less?.variant !== choice.variant) build.stop();
      if (less === undefined) throw error;
      if (less.variant !== choice.variant) build = fetchBuild(less.variant, options);
      choice = less;
    }
  }
}

/** Whether the native build is worth looking for: what is given for WebAssembly is used, and without workers there would be one memory for all. */
function wantsNative({ native, mode = 'auto', workers, wasm, kernels }: LoadOptions): boolean {
  if (native !== undefined) return native;
  return (
    mode === 'native' || (mode === 'auto' && workers !== false && wasm === undefined && kernels === undefined)
  );
}

/** What starts workers. Errors: ParameterError `parameters.mode`. */
async function starter({ worker, workers = true }: LoadOptions): Promise<(role: Role) => WorkerLike> {
  if (workers) return worker ?? startWorker;
  if (worker !== undefined) {
    const problem = 'load, option worker: with workers: false there are none that it could start';
    throw failure('parameters.mode', problem, { found: 'worker', expected: 'workers: true' });
  }
  // Who has workers does not load what stands in for them.
  return (await import('./worker/inline.js')).inlineWorker;
}

/** Fetches and compiles a build, until it is stopped. */
function fetchBuild(variant: Variant, { wasm, signal }: LoadOptions): Build {
  const stopped = new AbortController();
  const either = AbortSignal.any(signal === undefined ? [stopped.signal] : [stopped.signal, signal]);
  const module = moduleOf('tasks', variant, wasm, either);
  // Nobody waits for it if no worker can be created.
  module.catch(() => {});
  return { module, stop: () => stopped.abort() };
}

interface Build {
  readonly module: Promise<WebAssembly.Module | undefined>;
  readonly stop: () => void;
}
