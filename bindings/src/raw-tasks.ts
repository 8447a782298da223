/** The only import of the glue of tasks over values, in the workers of their clients and evaluators. */
import * as single from '../wasm/tasks/single/cipherloom.js';
import * as threaded from '../wasm/tasks/threads/cipherloom.js';
import { openRaw, type RawInstance, type RawOptions, type RawTasks } from './raw.js';

/** See {@link openRaw}. */
export function openTasks(options: RawOptions): RawInstance<RawTasks> {
  return openRaw({ single, threaded }, options);
}
