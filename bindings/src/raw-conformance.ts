/** The only import of the glue of the conformance suite, in its worker. */
import * as single from '../wasm/conformance/single/cipherloom.js';
import * as threaded from '../wasm/conformance/threads/cipherloom.js';
import { openNative } from './native.js';
import { openRaw, type RawConformances, type RawInstance, type RawOptions } from './raw.js';

/** See {@link openRaw}. */
export function openConformance(options: RawOptions): RawInstance<RawConformances> {
  if (options.native !== undefined) return openNative(options.native, options.threads);
  return openRaw(options.variant === 'single' ? single : threaded, options);
}
