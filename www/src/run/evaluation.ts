/** The evaluation among the traces of a run. */
import type { TraceView } from 'cipherloom';

/** Undefined where there was none. */
export function evaluationOf(traces: readonly TraceView[]): TraceView | undefined {
  return traces.find(({ phase }) => phase === 'run');
}

/** What its operators took: from its first step to the end of its last operator, seconds. */
export function computeSeconds(traces: readonly TraceView[]): number | undefined {
  const run = evaluationOf(traces);
  return run && run.end.reduce((most, end) => Math.max(most, end), 0) / 1000;
}
