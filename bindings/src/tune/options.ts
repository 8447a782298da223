/** What the functions of this room may be given: names and types. Which values are possible is checked where they are used. */
import {
  CALL_OPTIONS,
  FUNCTION,
  type Kind,
  type Kinds,
  LOAD_OPTIONS,
  objectOf,
  oneOf,
  TEXT,
} from '../arguments.js';
import type { TuneClientOptions } from './client.js';
import type { ExplorerOptions } from './explore.js';
import type { BenchOptions } from './kernels/bench.js';
import type { ChooseOptions } from './kernels/choose.js';
import type { ExploreOptions, Exploring } from './kernels/explorer.js';
import type { OperatorKeyParts } from './key.js';
import type { CoOccurrenceOptions } from './predict/co-occurrence.js';
import type { SkipGramOptions } from './predict/skip-gram.js';
import type { TuneServiceParts } from './service/types.js';

/** Looked at where it is used, in errors of this room. */
const ANY: Kind = { expected: 'anything', fits: () => true };
const NUMBER: Kind = { expected: 'a number', fits: (value) => typeof value === 'number' };
/** Something with some methods. */
const withMethods = (...names: readonly string[]): Kind => ({
  expected: `an object with ${names.join(', ')}`,
  fits: (value) =>
    typeof value === 'object' &&
    value !== null &&
    names.every((name) => FUNCTION.fits((value as Record<string, unknown>)[name])),
});
const COUNT: Kind = {
  expected: 'a whole number, 1 or more',
  fits: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
};
const { signal: SIGNAL } = CALL_OPTIONS;

/** Options of `tuneClient`. */
export const CLIENT: Kinds<TuneClientOptions> = {
  url: ANY,
  device: ANY,
  explorers: ANY,
  token: TEXT,
  cache: withMethods('load', 'put', 'remove', 'close'),
  most: ANY,
  predictor: withMethods('observe', 'related'),
  share: FUNCTION,
  onHit: FUNCTION,
  timeout: ANY,
  quiet: ANY,
  fetch: FUNCTION,
  builtIn: FUNCTION,
  derive: FUNCTION,
  codes: withMethods('has'),
  fetchCode: FUNCTION,
  verify: FUNCTION,
};
/** Keys of an explorer. */
export const EXPLORER_KEYS: Kind = {
  expected: 'keys of newExplorerKeys or openExplorerKeys',
  fits: (value) => {
    const { publicKey, privateKey } = (value ?? {}) as Record<string, unknown>;
    return typeof publicKey === 'string' && typeof privateKey === 'object' && privateKey !== null;
  },
  secret: true,
};
/** Options of `runExplorer`. */
export const RUN_EXPLORER: Kinds<ExplorerOptions> = {
  url: ANY,
  keys: EXPLORER_KEYS,
  explorer: withMethods('explore'),
  version: TEXT,
  room: ANY,
  signal: SIGNAL,
  timeout: ANY,
  fetch: FUNCTION,
  onEvent: FUNCTION,
};
/** Parts of `operatorKey`. */
export const KEY_PARTS: Kinds<OperatorKeyParts> = {
  operator: ANY,
  attributes: objectOf('attributes by name'),
  inputs: ANY,
  outputs: ANY,
  device: ANY,
};
/** Options of `coOccurrence`. */
export const CO_OCCURRENCE: Kinds<CoOccurrenceOptions> = {
  window: COUNT,
  most: COUNT,
  known: COUNT,
  state: objectOf('what state() gave'),
};
/** Options of `skipGram`. */
export const SKIP_GRAM: Kinds<SkipGramOptions> = {
  dimensions: COUNT,
  window: COUNT,
  negatives: COUNT,
  rate: NUMBER,
  most: COUNT,
  least: NUMBER,
  known: COUNT,
  seed: NUMBER,
};
/** Parts of `createTuneService`. */
export const SERVICE_PARTS: Kinds<TuneServiceParts> = { policy: FUNCTION, now: FUNCTION, at: FUNCTION };
/** Options of `gpuTraits`. */
export const BENCH: Kinds<BenchOptions> = { wasm: LOAD_OPTIONS.wasm, worker: LOAD_OPTIONS.worker };
/** Options of `chooseKernels`. */
export const CHOOSE: Kinds<ChooseOptions> = { ...BENCH, signal: SIGNAL };
/** Options of `KernelExplorer`. */
export const EXPLORE: Kinds<ExploreOptions> = { ...BENCH, device: ANY, trials: ANY, techniques: FUNCTION };
/** Options of `KernelExplorer.explore`. */
export const EXPLORING: Kinds<Exploring> = { signal: SIGNAL, onTried: FUNCTION };
/** Options of `KernelExplorer.compare`. */
export const COMPARING: Kinds<Pick<Exploring, 'signal'>> = { signal: SIGNAL };
/** Options of `newExplorerKeys`. */
export const NEW_KEYS: Kinds<{ extractable?: boolean }> = { extractable: oneOf(true, false) };
