/** Which build runs, and why: a pure function of what the machine can do and what was asked for. */
import { failure } from './errors.js';
import type { LoadOptions, Variant } from './types.js';

/** What the machine can do. */
export interface Features {
  /** The page is cross-origin isolated; undefined where there are no pages (Node). */
  readonly crossOriginIsolated: boolean | undefined;
  /** Shared memory and atomics exist. */
  readonly sharedMemory: boolean;
  readonly processors: number;
}

/** The choice. */
export interface Choice {
  readonly variant: Variant;
  readonly threads: number;
  /** Why not more; empty if nothing was given up. */
  readonly reasons: readonly string[];
  /** May fall back to `single` if shared memory cannot be allocated. */
  readonly flexible: boolean;
}

const MAX_THREADS = 256;
const MAX_DEFAULT_THREADS = 16;

/** Errors: ParameterError if an explicit request cannot be met. */
export function chooseMode(features: Features, request: Pick<LoadOptions, 'mode' | 'threads'>): Choice {
  const mode = request.mode ?? 'auto';
  const threads = request.threads ?? Math.min(Math.max(features.processors, 1), MAX_DEFAULT_THREADS);
  if (!['auto', 'threads', 'single'].includes(mode)) {
    throw failure(
      'parameters.mode',
      `mode must be "auto", "threads" or "single", found ${JSON.stringify(mode)}`,
      { found: mode },
    );
  }
  if (!Number.isInteger(threads) || threads < 1 || threads > MAX_THREADS) {
    throw failure('parameters.threads', `threads must be 1 to ${MAX_THREADS}, found ${threads}`, {
      found: threads,
      expected: { min: 1, max: MAX_THREADS },
    });
  }
  if (mode === 'single') {
    if ((request.threads ?? 1) > 1) {
      throw failure('parameters.mode', `mode "single" has one thread, but ${threads} were asked for`, {
        mode,
        threads,
      });
    }
    return { variant: 'single', threads: 1, reasons: ['One thread was asked for.'], flexible: false };
  }
  const obstacle = threadObstacle(features);
  if (mode === 'threads') {
    if (obstacle !== undefined)
      throw failure('parameters.mode', `mode "threads" cannot run here: ${obstacle}`, { mode, obstacle });
    return { variant: 'threads', threads, reasons: [], flexible: false };
  }
  const reason = obstacle ?? (threads === 1 ? oneThread(request) : undefined);
  return reason === undefined
    ? { variant: 'threads', threads, reasons: [], flexible: true }
    : { variant: 'single', threads: 1, reasons: [reason], flexible: false };
}

function threadObstacle(features: Features): string | undefined {
  if (features.crossOriginIsolated === false) {
    return (
      'The page is not cross-origin isolated: serve it with Cross-Origin-Opener-Policy: same-origin ' +
      'and Cross-Origin-Embedder-Policy: require-corp.'
    );
  }
  return features.sharedMemory ? undefined : 'This engine has no shared memory.';
}

function oneThread(request: Pick<LoadOptions, 'threads'>): string {
  return request.threads === 1 ? 'One thread was asked for.' : 'There is one processor.';
}

/** Looks at the machine. */
export function detectFeatures(): Features {
  return {
    crossOriginIsolated: globalThis.crossOriginIsolated as boolean | undefined,
    sharedMemory: typeof SharedArrayBuffer === 'function' && typeof Atomics === 'object',
    processors: globalThis.navigator?.hardwareConcurrency ?? nodeProcessors(),
  };
}

/** Node before 21 has no navigator. */
function nodeProcessors(): number {
  return globalThis.process?.getBuiltinModule?.('node:os')?.availableParallelism() ?? 1;
}
