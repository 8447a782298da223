/**
 * One text for equal JSON values: members sorted by name (UTF-16 units), no blanks, numbers as ECMAScript prints them, which is what RFC 8785 says. So a signature
 * is over what was meant, and not over how somebody printed it.
 */
import { describe } from '../arguments.js';
import { wrong } from './wrong.js';

/** A value of JSON. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** How deep values may be. */
const DEEPEST = 32;

/** The canonical text. Members that are undefined are left out. Errors: TuneError `tune.record` of anything that JSON has not, or that is nested deeper than 32. */
export function canonicalJson(value: unknown, depth = 0): string {
  if (depth > DEEPEST) throw wrong('tune.record', 'JSON', 'deeper ones', `at most ${DEEPEST} levels`);
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value);
  // A lone surrogate has no UTF-8, in which texts are signed.
  if (typeof value === 'string' && !/\p{Surrogate}/u.test(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, depth + 1)).join(',')}]`;
  if (typeof value === 'object') {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, member]) => `${canonicalJson(name)}:${canonicalJson(member, depth + 1)}`);
    return `{${members.join(',')}}`;
  }
  throw wrong(
    'tune.record',
    'JSON',
    describe(value),
    'null, a boolean, a finite number, a text, an array or an object',
  );
}
