/** The only import of the glue of columns, in the workers of clients and evaluators. */
import * as single from '../wasm/single/cipherloom.js';
import * as threaded from '../wasm/threads/cipherloom.js';
import { openRaw, type RawColumns, type RawInstance, type RawOptions } from './raw.js';

/** See {@link openRaw}. */
export function openColumns(options: RawOptions): RawInstance<RawColumns> {
  return openRaw({ single, threaded }, options);
}
