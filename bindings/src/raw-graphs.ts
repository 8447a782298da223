/** The only import of the glue of graphs, in the graph worker. */
import * as single from '../wasm/graphs/single/cipherloom.js';
import * as threaded from '../wasm/graphs/threads/cipherloom.js';
import { openNative } from './native.js';
import { openRaw, type RawGraphs, type RawInstance, type RawOptions } from './raw.js';

/** See {@link openRaw}. */
export function openGraphs(options: RawOptions): RawInstance<RawGraphs> {
  if (options.native !== undefined) return openNative(options.native, options.threads);
  return openRaw(options.variant === 'single' ? single : threaded, options);
}
