/** What ran where and when, ordered for drawing and looking up. */
import type { TraceView } from 'cipherloom';

/** Spans, in columns: which operator or task, by whom, from when to when. */
export type Spans = Pick<TraceView, 'op' | 'thread' | 'start' | 'end'>;

/** The spans of one thread, by start; a thread does one thing at a time. */
export interface Lane {
  readonly thread: number;
  readonly op: Uint32Array;
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** Milliseconds at work. */
  readonly busy: number;
}

/** From when to when, milliseconds. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** What one type of operator took. */
export interface TypeTime {
  readonly type: string;
  readonly count: number;
  readonly milliseconds: number;
}

/** The lanes of a trace, by thread; of the first `threads` also those that did nothing. */
export function lanesOf(trace: Spans, threads = 0): Lane[] {
  const byThread = new Map<number, number[]>(Array.from({ length: threads }, (_, thread) => [thread, []]));
  for (const [index, thread] of trace.thread.entries()) {
    const list = byThread.get(thread);
    if (list === undefined) byThread.set(thread, [index]);
    else list.push(index);
  }
  return [...byThread]
    .sort(([a], [b]) => a - b)
    .map(([thread, indices]) => {
      indices.sort((a, b) => trace.start[a]! - trace.start[b]!);
      const start = Float64Array.from(indices, (index) => trace.start[index]!);
      const end = Float64Array.from(indices, (index) => trace.end[index]!);
      const busy = start.reduce((sum, from, index) => sum + end[index]! - from, 0);
      return { thread, op: Uint32Array.from(indices, (index) => trace.op[index]!), start, end, busy };
    });
}

/** When the last span ends. */
export function lengthOf(lanes: readonly Lane[]): number {
  return lanes.reduce((most, { end }) => end.reduce((a, b) => Math.max(a, b), most), 0);
}

/** Index of the first span that ends after `time`; the number of spans if none does. */
export function firstAfter({ end }: Lane, time: number): number {
  let [low, high] = [0, end.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (end[middle]! > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The span that contains `time`, or the nearest within `slack`. */
export function spanAt(lane: Lane, time: number, slack: number): number | undefined {
  const index = firstAfter(lane, time);
  const gap = (at: number): number =>
    at < 0 || at >= lane.op.length ? Infinity : Math.max(lane.start[at]! - time, time - lane.end[at]!, 0);
  const best = gap(index) <= gap(index - 1) ? index : index - 1;
  return gap(best) <= slack ? best : undefined;
}

/**
 * Time by type of operator, the longest first: of all spans, or of those that `counts` says yes to, and what of them lies in a range. A span without length lies in a range
 * that has its moment.
 */
export function timeByType(
  lanes: readonly Lane[],
  typeOf: (op: number) => string,
  { from, to }: Range = { from: -Infinity, to: Infinity },
  counts: (op: number) => boolean = () => true,
): TypeTime[] {
  const totals = new Map<string, { count: number; milliseconds: number }>();
  for (const { op, start, end } of lanes) {
    for (const [index, one] of op.entries()) {
      const [first, last] = [Math.max(start[index]!, from), Math.min(end[index]!, to)];
      const isIn = start[index]! === end[index]! ? first <= last : first < last;
      if (!isIn || !counts(one)) continue;
      const type = typeOf(one);
      const total = totals.get(type) ?? { count: 0, milliseconds: 0 };
      totals.set(type, total);
      total.count += 1;
      total.milliseconds += last - first;
    }
  }
  return [...totals]
    .map(([type, total]) => ({ type, ...total }))
    .sort((a, b) => b.milliseconds - a.milliseconds);
}
