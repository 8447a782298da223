/** Where adapters come from: what the browser has, or in Node the package `webgpu` (Dawn), which whoever wants a GPU installs. */
import { failure } from '../errors.js';

/** A variable, so that no bundler follows: it is an optional peer, of many megabytes. */
const PACKAGE = 'webgpu';

/** Of the package: one for all devices of this thread, since what it made must not outlive it. */
let ofPackage: Promise<GPU> | undefined;

/** What the GPU was asked and has not answered yet. */
const asked = new Set<Promise<unknown>>();

/** What it is asked is waited for where a thread ends, since the package takes the process with it otherwise. */
export function answer<T>(promise: Promise<T>): Promise<T> {
  asked.add(promise);
  const done = (): boolean => asked.delete(promise);
  promise.then(done, done);
  return promise;
}

/** Resolves when nothing is waited for, nor asked by whoever was answered last. */
export async function quiet(): Promise<void> {
  do {
    await Promise.allSettled(asked);
    await new Promise((resolve) => setTimeout(resolve));
  } while (asked.size > 0);
}

/** Errors: GpuError `gpu.none`. */
export async function entry(): Promise<GPU> {
  const gpu = (globalThis.navigator as Navigator | undefined)?.gpu;
  if (gpu !== undefined) return gpu;
  if (globalThis.process?.versions?.node === undefined) throw none('no WebGPU here');
  ofPackage ??= opened();
  // Whoever installs it meanwhile need not start anew.
  ofPackage.catch(() => (ofPackage = undefined));
  return ofPackage;
}

/** Errors: GpuError `gpu.none`. */
async function opened(): Promise<GPU> {
  // Whoever ends this thread is told to let it end by itself (worker/start.ts), also while the package loads.
  const { workerData } = globalThis.process.getBuiltinModule('node:worker_threads');
  const { gpu } = ((workerData as unknown) ?? {}) as { gpu?: Int32Array };
  if (gpu !== undefined) Atomics.store(gpu, 0, 1);
  try {
    const name = PACKAGE;
    const { create } = (await answer(import(/* @vite-ignore */ /* webpackIgnore: true */ name))) as {
      create(options: string[]): GPU;
    };
    return create([]);
  } catch (cause) {
    const missing = (cause as NodeJS.ErrnoException | undefined)?.code === 'ERR_MODULE_NOT_FOUND';
    const why = missing ? 'is not installed: npm install webgpu' : `does not load (${String(cause)})`;
    throw none(`Node has WebGPU from the package "${PACKAGE}", which ${why}`, cause);
  }
}

/** There is no GPU. */
export function none(found: string, cause?: unknown): Error {
  return failure('gpu.none', `No GPU: ${found}`, { found, expected: 'WebGPU with an adapter' }, cause);
}
