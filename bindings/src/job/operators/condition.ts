/** Conditions of `while` and `if`. */
import { sortOf } from '../../arguments.js';
import type { Context, Row } from '../types.js';
import { broken, type Computing } from './computing.js';

/** Whether it holds for a row. Errors: JobError `job.operator` where it gives no boolean; those of the call. */
export async function holds(
  of: 'while' | 'if',
  condition: Computing,
  row: Row,
  context: Context,
  other?: Row,
): Promise<boolean> {
  const value: unknown = await condition.call(row, context, other);
  if (typeof value === 'boolean') return value;
  const [found, expected] = [sortOf(value), 'true or false'];
  const named = { words: `the condition of "${of}"`, details: {} };
  throw broken(named, row[0], context, `expected ${expected}, found ${found}`, { found, expected });
}
