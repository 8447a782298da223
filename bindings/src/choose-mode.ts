/** Which build runs, and why: a pure function of what the machine can do and what was asked for. */
import { describe } from './arguments.js';
import { type CipherloomError, failure } from './errors.js';
import type { Native } from './native.js';
import type { LoadOptions, Variant } from './types.js';

/** What the machine can do. */
export interface Features {
  /** The page is cross-origin isolated; undefined where there are no pages (Node). */
  readonly crossOriginIsolated: boolean | undefined;
  /** WebAssembly has shared memory, though not every page may send it to another worker. */
  readonly sharedMemory: boolean;
  /** WebAssembly has relaxed SIMD, and multiplies and adds with it in one rounding, as the relaxed build wants. */
  readonly relaxedSimd: boolean;
  readonly processors: number;
  /** The native build, where it was looked for. */
  readonly native?: Native | undefined;
}

/** The choice. */
export interface Choice {
  readonly variant: Variant;
  readonly threads: number;
  /** Why not more; empty if nothing was given up. */
  readonly reasons: readonly string[];
  /** The addon of the native build. */
  readonly native?: string;
  /** Less will do, should this not start. */
  readonly flexible: boolean;
}

type Request = Pick<LoadOptions, 'mode' | 'threads' | 'workers' | 'native'>;

const MODES = ['auto', 'native', 'relaxed', 'threads', 'single'];
const MAX_THREADS = 256;
const MAX_DEFAULT_THREADS = 16;

const NOT_ISOLATED =
  'The page is not cross-origin isolated: serve it with Cross-Origin-Opener-Policy: same-origin ' +
  'and Cross-Origin-Embedder-Policy: require-corp.';

const NO_WORKERS = 'Without workers there is one thread.';

/** `(module (memory 1 1 shared))`: "\0asm", version 1, section 5 of 4 bytes: one memory, shared, of 1 to 1 pages. */
const SHARED_MEMORY = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 5, 4, 1, 3, 1, 1);

/**
 * `x * x + y` by relaxed SIMD: `(module (func (export "f") (param f64 f64) (result f64) (f64x2.extract_lane 0
 * (f64x2.relaxed_madd (f64x2.splat (local.get 0)) (f64x2.splat (local.get 0)) (f64x2.splat (local.get 1))))))`:
 * "\0asm" and version 1; section 1, types; section 3, functions; section 7, exports; section 10, code, where vector
 * instructions are 0xfd and their number: splat 0x14, relaxed_madd 0x107, extract_lane 0x21.
 */
const RELAXED_SIMD = Uint8Array.of(
  ...[0, 97, 115, 109, 1, 0, 0, 0],
  ...[1, 7, 1, 0x60, 2, 0x7c, 0x7c, 1, 0x7c],
  ...[3, 2, 1, 0],
  ...[7, 5, 1, 1, 0x66, 0, 0],
  ...[10, 22, 1, 20, 0, 0x20, 0, 0xfd, 0x14, 0x20, 0, 0xfd, 0x14, 0x20, 1, 0xfd, 0x14],
  ...[0xfd, 0x87, 0x02, 0xfd, 0x21, 0, 0x0b],
);

/** Errors: ParameterError if an explicit request cannot be met. */
export function chooseMode(features: Features, request: Request): Choice {
  const { mode = 'auto' } = request;
  const inline = request.workers === false;
  const most = inline ? 1 : Math.min(Math.max(features.processors, 1), MAX_DEFAULT_THREADS);
  const wanted = request.threads ?? most;
  checkRequest(mode, wanted);
  const native = chooseNative(features.native ?? {}, request, wanted);
  if (typeof native === 'object') return native;

  const noShared = features.sharedMemory ? undefined : 'This engine has no shared memory.';
  const noRelaxed = features.relaxedSimd
    ? undefined
    : 'This engine has no relaxed SIMD, or one that rounds twice.';
  const notIsolated = features.crossOriginIsolated === false ? NOT_ISOLATED : undefined;
  const single = mode === 'single' ? 'The single build has one thread.' : undefined;
  const noThreads = (inline ? NO_WORKERS : single) ?? noShared ?? notIsolated;
  const threads = noThreads === undefined ? wanted : 1;
  const missing = { relaxed: noShared ?? noRelaxed, threads: noShared, single: undefined };

  if (mode !== 'auto' && mode !== 'native') {
    const obstacle = missing[mode] ?? (request.threads !== undefined && wanted > threads && noThreads);
    if (obstacle)
      throw failure('parameters.mode', `mode "${mode}" cannot run here as asked: ${obstacle}`, {
        mode,
        threads: wanted,
        obstacle,
      });
  }
  const best = missing.relaxed === undefined ? 'relaxed' : threads > 1 ? 'threads' : 'single';
  const variant = mode === 'auto' || mode === 'native' ? best : mode;
  const oneThread = inline
    ? NO_WORKERS
    : mode === 'single' || request.threads === 1
      ? 'One thread was asked for.'
      : wanted === 1
        ? 'There is one processor.'
        : noThreads;
  const notBest = mode === 'auto' ? missing.relaxed : undefined;
  const reasons = [...new Set([native, oneThread, notBest])].filter((reason) => reason !== undefined);
  return { variant, threads, reasons, flexible: mode === 'auto' && variant !== 'single' };
}

/** The native build, if it is to be taken and can be; else, where one is there all the same, why not. Errors: ParameterError if it was insisted on. */
function chooseNative(
  { path, problem }: Native,
  { mode = 'auto', native, workers, threads }: Request,
  wanted: number,
): Choice | string | undefined {
  const insisted = mode === 'native' || native === true;
  const other = mode !== 'auto' && mode !== 'native' ? `the build "${mode}" was asked for, too` : undefined;
  const off = native === false ? 'it was switched off, too' : undefined;
  const inline = workers === false ? 'it needs workers' : undefined;
  const none = problem ?? 'the package cipherloom-native is not installed: npm install cipherloom-native';
  const obstacle = other ?? off ?? inline ?? (path === undefined ? none : undefined);
  if (obstacle === undefined && path !== undefined) {
    const one =
      threads === 1 ? 'One thread was asked for.' : wanted === 1 ? 'There is one processor.' : undefined;
    const reasons = one === undefined ? [] : [one];
    return { variant: 'native', native: path, threads: wanted, reasons, flexible: !insisted };
  }
  if (insisted)
    throw failure('parameters.mode', `The native build cannot run here as asked: ${obstacle}`, {
      mode: 'native',
      threads: wanted,
      obstacle,
    });
  return problem === undefined ? undefined : `The native build was not taken: ${problem}.`;
}

function checkRequest(mode: string, threads: number): void {
  if (!MODES.includes(mode)) {
    throw failure('parameters.mode', `mode must be one of ${MODES.join(', ')}, found ${describe(mode)}`, {
      found: mode,
      expected: MODES,
    });
  }
  checkThreads(threads);
}

/** Errors: ParameterError `parameters.threads`. */
function checkThreads(threads: number): void {
  if (!Number.isInteger(threads) || threads < 1 || threads > MAX_THREADS) {
    throw failure('parameters.threads', `threads must be 1 to ${MAX_THREADS}, found ${describe(threads)}`, {
      found: threads,
      expected: { min: 1, max: MAX_THREADS },
    });
  }
}

/** What to try where a choice did not start; undefined where nothing less will do. */
export function chooseLess(choice: Choice, error: CipherloomError, features: Features): Choice | undefined {
  if (!choice.flexible || !/^(memory|worker)\./.test(error.code)) return undefined;
  const reasons = [...choice.reasons, `The ${choice.variant} build did not start: ${error.message}.`];
  if (choice.variant === 'native') {
    const threads = choice.threads;
    const less = chooseMode({ ...features, native: {} }, { threads });
    return { ...less, reasons: [...new Set([...reasons, ...less.reasons])] };
  }
  // Where the pool's workers do not start, the fast kernels still run without them.
  return choice.variant === 'relaxed' && choice.threads > 1 && error.code === 'worker.failed'
    ? { ...choice, threads: 1, reasons }
    : { variant: 'single', threads: 1, reasons, flexible: false };
}

/** Looks at the machine. */
export function detectFeatures(): Features {
  return {
    crossOriginIsolated: globalThis.crossOriginIsolated as boolean | undefined,
    sharedMemory: WebAssembly.validate(SHARED_MEMORY),
    relaxedSimd: fuses(),
    processors: processors(),
  };
}

/**
 * Whether `x * x + y` is rounded once: `(1 + 2^-30)^2 - (1 + 2^-29)` is 2^-60, or 0 where the square is rounded first. The
 * instruction leaves it to the engine, for all of a run.
 */
function fuses(): boolean {
  if (!WebAssembly.validate(RELAXED_SIMD)) return false;
  try {
    const { f } = new WebAssembly.Instance(new WebAssembly.Module(RELAXED_SIMD)).exports;
    return (f as (x: number, y: number) => number)(1 + 2 ** -30, -1 - 2 ** -29) === 2 ** -60;
  } catch {
    // The page's policy forbids all WebAssembly: whoever loads the real one tells.
    return false;
  }
}

/** How many processors the machine has. Node before 21 has no navigator. */
export function processors(): number {
  const node = () => globalThis.process?.getBuiltinModule?.('node:os')?.availableParallelism();
  return globalThis.navigator?.hardwareConcurrency ?? node() ?? 1;
}
