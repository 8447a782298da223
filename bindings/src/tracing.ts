/** Traces of what workers do, handed on. */
import type { TraceOptions, TraceView } from './types.js';
import type { Traced } from './worker/protocol.js';

/** What a worker's job gave; whoever asked for a trace gets it, with what it is of. */
export function told<T>(
  { result, trace }: Traced<T>,
  onTrace: TraceOptions['onTrace'],
  of: Pick<TraceView, 'phase' | 'item' | 'role'>,
): T {
  if (trace !== undefined) onTrace?.({ ...of, ...trace });
  return result;
}
