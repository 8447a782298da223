/** What a worker calls once an operator is open, and the errors of such calls. */
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

/** Whatever was thrown may have no text of its own. */
function told(cause: unknown): string {
  try {
    return String(cause);
  } catch {
    return 'something that is not an error';
  }
}
