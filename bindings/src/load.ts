/** Starts a loom. */
import { checkOptions, LOAD_OPTIONS, WASM_OPTIONS } from './arguments.js';
import { chooseLess, chooseMode, detectFeatures } from './choose-mode.js';
import { CipherloomError } from './errors.js';
import { WorkerLoom } from './loom.js';
import type { LoadOptions, Loom } from './types.js';

/**
 * Starts the two workers with the best build that runs here. Every call makes a new loom; a failed one may be
 * repeated. Errors: ParameterError (`mode` or `threads` cannot be met), InputError (other options), WorkerError,
 * MemoryError.
 */
export async function load(options: LoadOptions = {}): Promise<Loom> {
  checkOptions('load', options, LOAD_OPTIONS);
  checkOptions('load, option wasm', options.wasm ?? {}, WASM_OPTIONS);
  options.signal?.throwIfAborted();
  let choice = chooseMode(detectFeatures(), options);
  for (;;) {
    try {
      return await WorkerLoom.start(choice, options);
    } catch (error) {
      const less = error instanceof CipherloomError ? chooseLess(choice, error) : undefined;
      if (less === undefined) throw error;
      choice = less;
    }
  }
}
