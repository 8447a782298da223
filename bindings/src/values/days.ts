/** Days, as people have them and as the core counts them: since 1970-01-01. */
import type { Day } from './types.js';

const DAY_MS = 86_400_000;

/** The number of a day; undefined for what is none, such as a time within one. */
export function dayNumber(day: Day): number | undefined {
  const time = typeof day === 'string' ? timeOf(day) : day.getTime();
  const days = time / DAY_MS;
  return Number.isInteger(days) ? days : undefined;
}

/** Midnight UTC of a day. */
export function dayDate(days: number): Date {
  return new Date(days * DAY_MS);
}

/** `Date` takes the 31st of February for one of March. */
function timeOf(text: string): number {
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(text) : undefined;
  const valid = date !== undefined && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
  return valid ? date.getTime() : Number.NaN;
}

/** Of other realms, such as a frame's, too. */
export function isDate(value: unknown): value is Date {
  return Object.prototype.toString.call(value) === '[object Date]';
}
