/** The builds that this Node runs. */
import type { Variant } from 'cipherloom';
import { chooseMode, detectFeatures } from '../../dist/choose-mode.js';
import { findNative } from '../../dist/native.js';

const BEST = chooseMode(detectFeatures(), { threads: 2 }).variant;

export const WASM_BUILDS: readonly Variant[] = ['single', 'threads', ...(BEST === 'relaxed' ? [BEST] : [])];

/** Whether the native build is installed: `NODE_PATH` may name the folder that it is in. */
export const NATIVE = findNative().path !== undefined;

export const BUILDS: readonly Variant[] = [...WASM_BUILDS, ...(NATIVE ? (['native'] as const) : [])];

/** Threads that a build is tested with. */
export function threadsOf(build: Variant): number {
  return build === 'single' ? 1 : 2;
}
