/** What computed an operator of a trace: a thread of the pool, functions of one's own behind these, a GPU behind these, or copies to it and back behind all. */
import type { TraceView } from 'cipherloom';

export type LaneKind = 'thread' | 'own' | 'GPU' | 'copies';

/** Of a number in `TraceView.thread`. */
export function laneOf({ threads }: TraceView, thread: number): LaneKind {
  if (thread === threads) return 'own';
  if (thread === threads + 1) return 'GPU';
  return thread > threads ? 'copies' : 'thread';
}
