/**
 * A recording as a file that Perfetto and chrome://tracing open: JSON of the Trace Event Format ("Trace Event Format", Google, 2016): complete events (`ph: "X"`, times in microseconds), and metadata
 * (`ph: "M"`) that name processes and threads.
 */
import { kindOf } from '../graph/kinds.js';
import { phaseOf, type Recording, type Row } from './recording.js';

/** Spans that are written before others get their turn. */
const BATCH = 4096;

/** Processes by side. */
const PIDS: Readonly<Record<Row['side'], number>> = { page: 1, client: 2, evaluator: 3 };
const NAMES: Readonly<Record<Row['side'], string>> = {
  page: 'page: phases',
  client: 'client worker',
  evaluator: 'evaluator worker',
};

/** The text, in pieces: a hundred thousand spans do not hold up the page. Names, numbers and times are in it, and no data. */
export async function chromeTrace(recording: Recording): Promise<string[]> {
  const sides = [...new Set(recording.rows.map(({ side }) => side))];
  const named = [
    ...sides.flatMap((side) => [
      metadata('process_name', PIDS[side], 0, { name: NAMES[side] }),
      metadata('process_sort_index', PIDS[side], 0, { sort_index: PIDS[side] }),
    ]),
    ...recording.rows.flatMap(({ side, name }, row) => [
      metadata('thread_name', PIDS[side], row + 1, { name }),
      metadata('thread_sort_index', PIDS[side], row + 1, { sort_index: row }),
    ]),
  ];
  const about = {
    source: 'cipherloom',
    began: new Date(recording.origin).toISOString(),
    clockResolutionMicroseconds: recording.resolution === undefined ? null : recording.resolution * 1000,
  };
  const head = `{"displayTimeUnit":"ns","otherData":${JSON.stringify(about)},"traceEvents":[\n`;
  const pieces = [head + named.map((event) => JSON.stringify(event)).join(',\n')];
  for (const [row, lane] of recording.lanes.entries())
    for (let from = 0; from < lane.op.length; from += BATCH) {
      let piece = '';
      for (const span of lane.op.subarray(from, from + BATCH))
        piece += `,\n${JSON.stringify(complete(recording, row, span))}`;
      pieces.push(piece);
      await new Promise((resolve) => setTimeout(resolve));
    }
  pieces.push('\n]}\n');
  return pieces;
}

function metadata(name: string, pid: number, tid: number, args: object): object {
  return { name, ph: 'M', pid, tid, args };
}

function complete(recording: Recording, row: number, span: number): object {
  const [start, end] = [recording.start(span), recording.end(span)];
  const times = {
    ph: 'X',
    ts: start * 1000,
    dur: (end - start) * 1000,
    pid: PIDS[recording.rows[row]!.side],
    tid: row + 1,
  };
  const name = recording.type(span);
  if (recording.isPhase(span)) return { name, cat: 'phase', ...times, args: {} };
  const trace = recording.trace(span);
  const args = {
    operator: recording.op(span),
    ...(recording.kernels(span) !== undefined && { kernel: recording.kernels(span) }),
    phase: phaseOf(trace),
    ...(trace.item !== undefined && { item: trace.item }),
    ...(recording.critical[span] === 1 && { critical: true }),
    ...(recording.isShort(span) && { shorterThanTheClock: true }),
  };
  return { name, cat: kindOf(name), ...times, args };
}
