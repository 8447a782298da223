/** What a worker calls once an operator is open, and the errors of such calls. */
import { sortOf } from '../../arguments.js';
import { CipherloomError, failure } from '../../errors.js';
import type { AnyKey, Context, Data, Row } from '../types.js';

/** Now or later. */
export type Soon<T> = T | Promise<T>;

/** Where in a job a call is made: what errors tell. A reducer knows nothing else. */
export type CallPlace = Pick<Context, 'round' | 'part'>;

/** An open operator: its module is imported, or its circuit or program read. */
export interface Computing {
  /**
   * The row's new value; undefined for no row. `other`: the other row of `CrossMap`. Errors: JobError `job.operator`, which names what was called, round, part
   * and key, and has the cause; those that `context.emit` threw as they are.
   */
  call(row: Row, context: Context, other?: Row): Soon<Data | undefined>;
  /** One value of two that have the same key. Errors: JobError `job.operator`, as of `call`, also where the operator is none that reduces. */
  reduce(key: AnyKey, a: Data, b: Data, place: CallPlace): Soon<Data>;
}

/** What was called, for errors: in words, and as details. */
export interface Named {
  readonly words: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** An error of a call of an operator. Errors of a job's own rules, which `emit` throws, stay what they are. */
export function callFailed(named: Named, key: AnyKey, place: CallPlace, cause: unknown): CipherloomError {
  if (cause instanceof CipherloomError && cause.code.startsWith('job.')) return cause;
  return broken(named, key, place, told(cause), { cause: causeOf(cause) }, cause);
}

/** An error of a call whose result, or whose row, is not what it has to be. */
export function broken(
  { words, details }: Named,
  key: AnyKey,
  { round, part }: CallPlace,
  problem: string,
  more: Readonly<Record<string, unknown>> = {},
  cause?: unknown,
): CipherloomError {
  const message = `Round ${round}, part ${part}, key ${JSON.stringify(key)}: ${words}: ${problem}`;
  return failure('job.operator', message, { ...details, ...more, round, part, key }, cause);
}

/** An error of an operator that cannot be opened. Errors of a job's own rules, such as `job.refused`, stay what they are. */
export function notOpened({ words, details }: Named, problem: string, cause: unknown): CipherloomError {
  if (cause instanceof CipherloomError && cause.code.startsWith('job.')) return cause;
  const message = `${words}: ${problem}: ${told(cause)}`;
  return failure('job.operator', message, { ...details, cause: causeOf(cause) }, cause);
}

/** What is no operator of a reducer. */
export function noReducer(named: Named, key: AnyKey, place: CallPlace, why: string): CipherloomError {
  const expected = 'a function (key, a, b), or a circuit with inputs a and b';
  return broken(named, key, place, `reduces nothing: ${why}; expected ${expected}`, { expected });
}

/** What was thrown, as plain data: errors do not keep their causes through a worker's messages. */
function causeOf(cause: unknown): { readonly code?: string; readonly message: string } {
  const message = told(cause);
  return cause instanceof CipherloomError ? { code: cause.code, message } : { message };
}

/** What was thrown, in words. An object that is no error may be, or hold, a row: all that is said of it is a message, if it has one, and what it is. */
function told(cause: unknown): string {
  try {
    if (typeof cause === 'function') return noError('a function');
    if (typeof cause !== 'object' || cause === null || cause instanceof Error) return String(cause);
    // Of another realm, or one that only looks like an error.
    const { name, message } = cause as Partial<Error>;
    if (typeof message === 'string') return typeof name === 'string' ? `${name}: ${message}` : message;
    const of = Object.getPrototypeOf(cause)?.constructor?.name as unknown;
    if (Array.isArray(cause) || typeof of !== 'string') return noError(sortOf(cause));
    return noError(`an object of ${of}`);
  } catch {
    return noError('something');
  }
}

function noError(what: string): string {
  return `it threw ${what}, which is no Error and has no message: throw an Error that says what was wrong`;
}
