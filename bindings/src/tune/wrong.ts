/** Errors of this room, said in one way: where, what was found, what was expected. */
import { describe } from '../arguments.js';
import { failure } from '../errors.js';
import type { CipherloomError } from '../errors.js';

/** Codes of this room. */
export type TuneCode = Extract<Parameters<typeof failure>[0], `tune.${string}`>;

/** An error that says where, what was found, and what was expected. */
export function wrong(
  code: TuneCode,
  where: string,
  found: string,
  expected: string,
  cause?: unknown,
): CipherloomError {
  return failure(code, `${where}: expected ${expected}, found ${found}`, { where, found, expected }, cause);
}

/** An object with none but these members, of which none but the optional ones may be missing. Errors: as of {@link wrong}, thrown. */
export function checkObject(
  code: TuneCode,
  where: string,
  value: unknown,
  required: readonly string[],
  optional: readonly string[] = [],
): Readonly<Record<string, unknown>> {
  const names = [...required, ...optional];
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrong(code, where, describe(value), `an object with ${names.join(', ')}`);
  const other = Object.keys(value).find((name) => !names.includes(name));
  if (other !== undefined)
    throw wrong(code, where, `"${other.slice(0, 100)}"`, `none but ${names.join(', ')}`);
  const missing = required.find((name) => (value as Record<string, unknown>)[name] === undefined);
  if (missing !== undefined) throw wrong(code, where, 'none', `"${missing}"`);
  return value as Readonly<Record<string, unknown>>;
}

/** A text of 1 to so many UTF-16 units. Errors: as of {@link wrong}, thrown. */
export function checkText(code: TuneCode, where: string, value: unknown, most: number): string {
  if (typeof value === 'string' && value !== '' && value.length <= most && !/\p{Surrogate}/u.test(value))
    return value;
  const found = typeof value === 'string' ? `a text of ${value.length} characters` : describe(value);
  throw wrong(code, where, found, `a text of 1 to ${most} characters`);
}

/** A finite number within bounds, both included. Errors: as of {@link wrong}, thrown. */
export function checkNumber(
  code: TuneCode,
  where: string,
  value: unknown,
  least: number,
  most: number,
  whole = false,
): number {
  const fits = typeof value === 'number' && value >= least && value <= most;
  if (fits && (!whole || Number.isSafeInteger(value))) return value;
  throw wrong(code, where, describe(value), `a ${whole ? 'whole ' : ''}number from ${least} to ${most}`);
}
