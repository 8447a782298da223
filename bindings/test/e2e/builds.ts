/** The builds that this Node runs. */
import type { Variant } from 'cipherloom';
import { chooseMode, detectFeatures } from '../../dist/choose-mode.js';

const BEST = chooseMode(detectFeatures(), { threads: 2 }).variant;

export const BUILDS: readonly Variant[] = ['single', 'threads', ...(BEST === 'relaxed' ? [BEST] : [])];

/** Threads that a build is tested with. */
export function threadsOf(build: Variant): number {
  return build === 'single' ? 1 : 2;
}
