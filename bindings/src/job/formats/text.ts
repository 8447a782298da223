/** What the text formats have in common. */
import { checkArgument, type Kind } from '../../arguments.js';
import { dataProblem, isSequence, isTypedArray, keyProblem, positionProblem, rowProblem } from '../data.js';
import { rowError } from '../templates.js';
import type { AnyKey, Data, Row } from '../types.js';

/** Rows, as `getItr` gives them, or a list of them. */
export type Rows = AsyncIterable<Row> | Iterable<Row>;

/** What the format cannot say. `found` is a sort of thing, never a value. */
export function formatError(
  row: number,
  key: AnyKey,
  format: string,
  found: string,
  expected: string,
): Error {
  const where = { vector: `rows as ${format}`, row };
  return rowError('job.format', where, { found, expected, inside: '' }, key);
}

/** Bytes as base64 (RFC 4648, with padding). */
export function base64(bytes: Uint8Array): string {
  let text = '';
  // As many at once as a call may have arguments, everywhere.
  for (let at = 0; at < bytes.length; at += 4096)
    text += String.fromCharCode(...bytes.subarray(at, at + 4096));
  return btoa(text);
}

/** What JSON text is made of: bytes as base64, other typed arrays as lists. `refuse` makes the error for a number that JSON has not. */
export function forJson(value: Data, refuse: (found: string) => Error): unknown {
  if (typeof value === 'number') return finite(value, refuse);
  if (typeof value !== 'object' || value === null) return value;
  if (isTypedArray(value)) {
    if (value.BYTES_PER_ELEMENT === 1) return base64(value as Uint8Array);
    return Array.from(value as Iterable<number>, (number) => finite(number, refuse));
  }
  if (Array.isArray(value)) return (value as readonly Data[]).map((item) => forJson(item, refuse));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, forJson(item as Data, refuse)] as const),
  );
}

function finite(number: number, refuse: (found: string) => Error): number {
  if (Number.isFinite(number)) return number;
  throw refuse(String(number));
}

const ROWS_KIND: Kind = {
  expected: 'rows: a list of them, or what getItr() gives',
  fits: isSequence,
};

/** Rows that somebody gives, looked at: InputError `input.type`; JobError `job.format` for what is no row, key or data. */
export async function* checkedRows(rows: Rows, format: string): AsyncGenerator<Row, void, void> {
  checkArgument(`rows as ${format}`, rows, ROWS_KIND);
  let number = 0;
  for await (const row of rows as AsyncIterable<unknown>) {
    const where = { vector: `rows as ${format}`, row: number++ };
    const wrongRow = rowProblem(row);
    if (wrongRow !== undefined) throw rowError('job.format', where, wrongRow);
    const [key, value] = row as readonly unknown[];
    const wrongKey = Array.isArray(key) ? positionProblem(key) : keyProblem(key);
    if (wrongKey !== undefined) throw rowError('job.format', where, wrongKey, undefined, 'as key ');
    const wrong = dataProblem(value);
    if (wrong !== undefined) throw rowError('job.format', where, wrong, key);
    yield row as unknown as Row;
  }
}

/** How many rows become text at once. */
const ROWS = 256;

/** Rows in groups, with the number of each group's first one. */
export async function* groups(
  rows: Rows,
  format: string,
  most = ROWS,
): AsyncGenerator<{ first: number; group: readonly Row[] }> {
  let first = 0;
  let group: Row[] = [];
  for await (const row of checkedRows(rows, format)) {
    group.push(row);
    if (group.length < most) continue;
    yield { first, group };
    first += group.length;
    group = [];
  }
  if (group.length > 0) yield { first, group };
}
