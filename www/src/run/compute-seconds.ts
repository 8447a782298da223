/** What an evaluation's operators took. */
import type { TraceView } from 'cipherloom';

/** From its first step to the end of its last operator, seconds; undefined where there was no evaluation. */
export function computeSeconds(traces: readonly TraceView[]): number | undefined {
  const run = traces.find(({ phase }) => phase === 'run');
  return run && run.end.reduce((most, end) => Math.max(most, end), 0) / 1000;
}
