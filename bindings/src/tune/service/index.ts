/**
 * The service that remembers the best implementation of every operator: `cipherloom/tune/service`, in Node.
 *
 * @module cipherloom/tune/service
 */
export { createTuneService, nameOf } from './app.js';
export { defaultPolicy } from './policy.js';
export { readSettings } from './settings.js';
export type { KindStatistics, OperatorStatistics, Order, Statistics } from './statistics-types.js';
export type {
  Missed,
  Place,
  Policy,
  Priority,
  Resources,
  TuneService,
  TuneServiceOptions,
  TuneServiceParts,
} from './types.js';
