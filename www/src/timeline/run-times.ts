/** Times of repeated runs, and why a run took another time than was planned. */
import type { TraceView } from 'cipherloom';
import { duration } from './axis.js';

/** Times of the same run, seconds. */
export interface RunTimes {
  readonly first: number;
  /** Least of those after the first. */
  readonly warm: number | undefined;
  /** Of those after the first: of an even number, the mean of the two in the middle. */
  readonly median: number | undefined;
  readonly runs: number;
}

/** Errors: RangeError for none. */
export function runTimes(seconds: readonly number[]): RunTimes {
  const [first, ...later] = seconds;
  if (first === undefined) throw new RangeError('There is no run');
  const sorted = later.sort((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return {
    first,
    warm: sorted[0],
    median: low === undefined || high === undefined ? undefined : (low + high) / 2,
    runs: seconds.length,
  };
}

/** One part of an evaluation's time, seconds. */
export interface Part {
  readonly name: string;
  readonly planned: number;
  readonly measured: number;
}

/** What an evaluation was planned to take, and took, part by part, and which part makes the most of the difference. */
export interface Comparison {
  readonly parts: readonly Part[];
  readonly planned: number;
  readonly measured: number;
  readonly reason: string;
}

/** Differences that are no more than this of the plan need no reason. */
const SMALL = 0.1;

/**
 * Planned is the compiler's estimate: products modulo a prime, at 1 ns each, on all threads alike. Measured, `seconds` of it in all, is
 * the work (times of all operators, by thread), what threads waited for between the first operator and the last, and what is around these: a worker that starts, bytes to it and
 * back, and keys that are read there.
 */
export function compare(planned: number, seconds: number, trace: TraceView): Comparison {
  const sum = trace.end.reduce((all, end, span) => all + end - trace.start[span]!, 0) / 1000;
  const threads = Math.max(trace.threads, 1);
  const length = trace.end.reduce((most, end) => Math.max(most, end), 0) / 1000;
  const work = sum / threads;
  const parts = [
    { name: 'Operators, by thread', planned, measured: work },
    { name: 'Threads that wait', planned: 0, measured: Math.max(length - work, 0) },
    { name: 'Around the operators', planned: 0, measured: Math.max(seconds - length, 0) },
  ];
  return { parts, planned, measured: seconds, reason: reasonOf(parts, planned, seconds) };
}

function reasonOf(parts: readonly Part[], planned: number, measured: number): string {
  const off = measured - planned;
  if (Math.abs(off) <= SMALL * planned) return 'Measured is within a tenth of the plan.';
  const [work, wait, around] = parts.map((part) =>
    Math.max((part.measured - part.planned) * Math.sign(off), 0),
  );
  const more = duration(Math.abs(off) * 1000);
  const how = off > 0 ? `${more} more than planned` : `${more} less than planned`;
  const most = Math.max(work!, wait!, around!);
  if (most === around)
    return `${how}, most of it around the operators: a worker that has to start, ciphertexts and keys on their way to it, results on their way back.`;
  if (most === wait)
    return `${how}, most of it because threads wait: for operators that others are at, or for their turn on a busy machine.`;
  const factor = parts[0]!.measured / planned;
  return (
    `${how}, most of it in the operators themselves: they took ${Number(factor.toPrecision(2))} times what the plan ` +
    'takes for them, 1 ns a product modulo a prime, which another processor, or a busy one, does not keep.'
  );
}
