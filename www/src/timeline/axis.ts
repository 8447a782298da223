/** Times for reading, and the ticks of an axis that tells neighbours apart however close one looks. */
import * as format from '../format.js';

/** A tick: when, in milliseconds, and what is written there. */
export interface Tick {
  readonly at: number;
  readonly text: string;
}

/** The ticks of what is in view. */
export interface Axis {
  /** What all ticks add to; undefined where they are counted from 0. */
  readonly base: string | undefined;
  readonly ticks: readonly Tick[];
}

/** Nanoseconds in each unit, the largest first. */
const UNITS = [
  ['s', 1e9],
  ['ms', 1e6],
  ['µs', 1e3],
  ['ns', 1],
] as const;

/** Ticks are counted from a base where they would have more digits than this in front of the point. */
const MOST_DIGITS = 1e4;

/**
 * Ticks from `from` to `to`, milliseconds, `step` of 1, 2 or 5 times a power of ten apart, at most `most` of them and
 * at least nanoseconds. They are counted in whole nanoseconds and written in one unit, the largest in which the step is whole: two
 * that differ are never written alike. Far from 0 they add to a base, which is whole in the unit above, and say so by a sign.
 */
export function axisOf(from: number, to: number, most: number): Axis {
  const step = stepOf(((to - from) * 1e6) / Math.max(most, 1));
  const [unit, size] = UNITS.find(([, nanoseconds]) => step >= nanoseconds)!;
  const above = 1000 * size;
  const base = (to * 1e6) / size < MOST_DIGITS ? 0 : Math.floor((from * 1e6) / above) * above;
  const ticks: Tick[] = [];
  for (let count = Math.ceil((from * 1e6 - base) / step); base + count * step <= to * 1e6; count++) {
    const text = `${Math.round((count * step) / size)} ${unit}`;
    ticks.push({ at: (base + count * step) / 1e6, text: base === 0 ? text : `+${text}` });
  }
  return { base: base === 0 ? undefined : exactly(base), ticks };
}

/** The step of 1, 2 or 5 times a power of ten that is at least so many nanoseconds. */
function stepOf(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least)!;
}

/** A base, with all its digits, in the largest unit in which it is whole. */
function exactly(nanoseconds: number): string {
  const [unit, size] = UNITS.find(([, size]) => nanoseconds % size === 0)!;
  return `${format.count(nanoseconds / size)} ${unit}`;
}

/** A duration in milliseconds, three digits, from nanoseconds on: 250 ns, 1.5 µs, 12 ms. */
export function duration(milliseconds: number): string {
  if (milliseconds === 0 || milliseconds >= 0.9995) return format.seconds(milliseconds / 1000);
  const nanoseconds = milliseconds * 1e6;
  if (nanoseconds >= 999.5) return `${Number((nanoseconds / 1000).toPrecision(3))} µs`;
  return `${Number(nanoseconds.toPrecision(3))} ns`;
}

/** A moment in milliseconds, to the microsecond. */
export function moment(milliseconds: number): string {
  if (milliseconds < 1000) return `${milliseconds.toFixed(3)} ms`;
  return `${(milliseconds / 1000).toFixed(6)} s`;
}
