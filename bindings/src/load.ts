/** Starts a loom. */
import { chooseMode, detectFeatures, type Choice } from './choose-mode.js';
import { CipherloomError } from './errors.js';
import { WorkerLoom } from './loom.js';
import type { LoadOptions, Loom } from './types.js';

/**
 * Starts the two workers with the best build that runs here. Every call makes a new loom; a failed one may be
 * repeated. Errors: ParameterError (`mode` or `threads` cannot be met), WorkerError, MemoryError.
 */
export async function load(options: LoadOptions = {}): Promise<Loom> {
  options.signal?.throwIfAborted();
  const choice = chooseMode(detectFeatures(), options);
  try {
    return await WorkerLoom.start(choice, options);
  } catch (error) {
    const reason = threadFailure(choice, error);
    if (reason === undefined) throw error;
    return WorkerLoom.start(
      { variant: 'single', threads: 1, reasons: [...choice.reasons, reason], flexible: false },
      options,
    );
  }
}

/** Why a build with threads did not start, if the other build may. */
function threadFailure(choice: Choice, error: unknown): string | undefined {
  const mayFallBack =
    choice.flexible && error instanceof CipherloomError && /^(memory|worker)\./.test(error.code);
  return mayFallBack ? `Threads did not start: ${error.message}.` : undefined;
}
