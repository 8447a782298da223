/** The only import of the glue of tasks, in the workers of clients and evaluators. */
import * as single from '../wasm/single/cipherloom.js';
import * as threaded from '../wasm/threads/cipherloom.js';
import { openNative } from './native.js';
import { openRaw, type RawInstance, type RawOptions, type RawTasks } from './raw.js';

/** See {@link openRaw}. */
export function openTasks(options: RawOptions): RawInstance<RawTasks> {
  if (options.native !== undefined) return openNative(options.native, options.threads);
  return openRaw(options.variant === 'single' ? single : threaded, options);
}
