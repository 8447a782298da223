/**
 * Rows as CSV, by Papa Parse (MIT, no dependencies of its own), as tables are read.
 */
import Papa from 'papaparse';
import { checkOptions, type Kinds } from '../../arguments.js';
import type { Data } from '../types.js';
import { forJson, formatError, groups, type Rows } from './text.js';

/** Options of {@link toCsv}. */
export interface CsvOptions {
  /**
   * For people who open the file with a spreadsheet: texts that one would take for a formula (they begin with =, +, - or @, or with what such programs skip before these) get an apostrophe in front.
   * False where it is not given, since the texts are others then: for programs that read the file.
   */
  readonly spreadsheet?: boolean;
}

const OPTIONS: Kinds<CsvOptions> = {
  spreadsheet: { expected: 'one of true, false', fits: (value) => typeof value === 'boolean' },
};
const FORMULA = /^(?!-0$)[=+\-@\t\r\n＝＋－＠]/u;

/**
 * CSV (RFC 4180, UTF-8), in pieces: columns `key,value`, or `row,column,value` for elements of a matrix. A null is an empty field, bytes are base64, numbers are as JavaScript
 * writes them (`NaN`, `Infinity` too), and what is nested is JSON text. Errors: JobError `job.format` for positions and other keys in one vector, for what is no row, and for NaN and infinities in what is
 * nested; InputError `input.type`, `input.option`; what reading the rows throws.
 */
export async function* toCsv(rows: Rows, options: CsvOptions = {}): AsyncGenerator<string, void, void> {
  checkOptions('toCsv', options, OPTIONS);
  const config = { header: false, newline: '\r\n', escapeFormulae: options.spreadsheet ? FORMULA : false };
  let arePositions: boolean | undefined;
  for await (const { first, group } of groups(rows, 'CSV')) {
    const isFirst = arePositions === undefined;
    const records = group.map(([key, data], index) => {
      const isPosition = typeof key === 'object';
      arePositions ??= isPosition;
      const error = (found: string, expected: string) =>
        formatError(first + index, key, 'CSV', found, expected);
      if (isPosition !== arePositions)
        throw error(
          isPosition ? 'a position' : 'a key',
          isPosition ? 'a key as before' : 'a position as before',
        );
      const value = fieldOf(data, (found) => error(found, 'finite numbers in nested data'));
      return isPosition ? [key[0], key[1], value] : [text(key), value];
    });
    yield `${isFirst ? header(arePositions) : ''}${Papa.unparse(records, config)}\r\n`;
  }
  if (arePositions === undefined) yield header(false);
}

function header(arePositions = false): string {
  return arePositions ? 'row,column,value\r\n' : 'key,value\r\n';
}

function fieldOf(data: Data, refuse: (found: string) => Error): string | number | boolean | null {
  if (typeof data !== 'object') return text(data);
  if (data === null) return null;
  const value = forJson(data, refuse);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** With its sign, where a number is -0. */
function text<T extends string | number | boolean>(value: T): T | string {
  return Object.is(value, -0) ? '-0' : value;
}
