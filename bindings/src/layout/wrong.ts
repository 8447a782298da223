/** Errors of this room, said in one way: where, what was found, what was expected. */
import { describe } from '../arguments.js';
import { failure } from '../errors.js';
import type { CipherloomError } from '../errors.js';

/** Codes of this room. */
export type LayoutCode = Extract<Parameters<typeof failure>[0], `layout.${string}`>;

/** An error that says where, what was found, and what was expected. */
export function wrong(code: LayoutCode, where: string, found: string, expected: string): CipherloomError {
  const problem = `${where}: expected ${expected}, found ${found}`;
  return failure(code, problem, { where, found, expected });
}

/** An error of a name that is none of some. Errors: as of {@link wrong}, thrown. */
export function checkOneOf<T extends string>(
  code: LayoutCode,
  where: string,
  value: unknown,
  names: readonly T[],
): T {
  if (names.includes(value as T)) return value as T;
  throw wrong(code, where, describe(value), `one of ${names.join(', ')}`);
}

/** A whole number within bounds, both included. Errors: as of {@link wrong}, thrown. */
export function checkWhole(
  code: LayoutCode,
  where: string,
  value: unknown,
  least: number,
  most: number,
): number {
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most)
    return value as number;
  throw wrong(code, where, describe(value), `a whole number from ${least} to ${most}`);
}

/** An object that is not null, no array. Errors: as of {@link wrong}, thrown. */
export function checkObject(
  code: LayoutCode,
  where: string,
  value: unknown,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrong(code, where, describe(value), `an object with ${names.join(', ')}`);
  const other = Object.keys(value).find((name) => !names.includes(name));
  if (other !== undefined) throw wrong(code, where, `"${other}"`, `none but ${names.join(', ')}`);
  return value as Readonly<Record<string, unknown>>;
}

/** Two orders of the same dimensions. Errors: LayoutError `layout.plan`, thrown. */
export function checkDims(where: string, found: string, expected: string): void {
  const sorted = (dims: string): string => [...dims].sort().join('');
  if (sorted(found) !== sorted(expected))
    throw wrong('layout.plan', `${where}, dimensions`, describe(found), `those of ${expected}`);
}
