/** What computed an operator of a trace: a thread of the pool, functions of one's own behind these, or a GPU behind all. */
import type { TraceView } from 'cipherloom';

export type LaneKind = 'thread' | 'own' | 'GPU';

/** Of a number in `TraceView.thread`. */
export function laneOf({ threads }: TraceView, thread: number): LaneKind {
  if (thread === threads) return 'own';
  return thread > threads ? 'GPU' : 'thread';
}
