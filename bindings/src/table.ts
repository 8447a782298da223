/**
 * Tables: from CSV text to numeric columns with the facts that `Task.encrypted` asks for. Separate from the
 * main entry, so that only those who read files pay for the CSV reader.
 *
 * The reader is Papa Parse (MIT, no dependencies of its own): quoting, delimiter detection and line ends in
 * the wild are its business for over a decade, and it is fast enough for 100,000 rows in a fraction of a
 * second.
 */
import Papa from 'papaparse';
import { checkArgument, checkOptions, describe, FILE, type Kinds, TEXT, TEXTS } from './arguments.js';
import { failure } from './errors.js';
import { decimalsOf, powerOfTen, toUnits } from './exact.js';
import type { IntegerOptions } from './values/types.js';

/** Options of `parseTable`. */
export interface TableOptions {
  /**
   * Cells that mean "no value", compared without spaces around and without case. Default: empty, NA, N/A,
   * null, NaN.
   */
  missing?: readonly string[];
  /** Field separator. Default: comma, semicolon, tab or bar, whichever splits the header into most fields. */
  delimiter?: string;
}

/** A column of numbers. */
export interface NumericColumn {
  readonly kind: 'numeric';
  readonly name: string;
  /** One per row, NaN where missing: what `Client.encrypt` takes. */
  readonly values: Float64Array;
  /** Least and greatest value; NaN if all rows are missing. */
  readonly min: number;
  readonly max: number;
  /** Most decimal places of any value, trailing zeros not counted. */
  readonly decimals: number;
  /** How many rows are missing. */
  readonly missing: number;
}

/** A column that is not numeric: the first cell that says so. */
export interface TextColumn {
  readonly kind: 'text';
  readonly name: string;
  /** Row of the cell, counted from 0, and what it holds. */
  readonly row: number;
  readonly found: string;
  /** `text`: no number; `precision`: a number that a double cannot hold exactly. */
  readonly reason: 'text' | 'precision';
}

/** A parsed file. */
export interface Table {
  readonly rows: number;
  /** All columns in the file's order. */
  readonly columns: readonly (NumericColumn | TextColumn)[];
  /** The numeric ones; at least one. */
  readonly numeric: readonly NumericColumn[];
  /** A numeric column by name. Errors: TableError (not there, not numeric). */
  column(name: string): NumericColumn;
}

const OPTIONS: Kinds<TableOptions> = { missing: TEXTS, delimiter: TEXT };
const DEFAULT_MISSING = ['', 'na', 'n/a', 'null', 'nan'] as const;
const DELIMITERS = [',', ';', '\t', '|'] as const;
/** Said where a row is named. */
const COUNTED = '(rows are counted from 0, below the header)';
/** Why a column is not numeric; what stands in the cell is for `TextColumn.found`, not for errors, which reach logs. */
const REASONS = { text: 'no number', precision: 'a number that a double cannot hold' } as const;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * Reads a CSV file whose first row names the columns. Text or UTF-8 bytes, with or without byte order mark,
 * any line ends. Errors, naming the row (counted from 0, below the header): TableError.
 */
export function parseTable(file: string | ArrayBuffer | ArrayBufferView, options: TableOptions = {}): Table {
  checkArgument('parseTable, file', file, FILE);
  checkOptions('parseTable', options, OPTIONS);
  const [header = [], ...records] = readRecords(toText(file), options.delimiter);
  if (records.length === 0)
    throw failure('table.empty', 'The file has no rows of data', { found: 0, expected: 1 });
  const names = columnNames(header);
  checkWidths(records, names.length);
  const missing = new Set((options.missing ?? DEFAULT_MISSING).map(normal));
  const columns = names.map((name, index) =>
    readColumn(
      name,
      records.map((record) => record[index] as string),
      missing,
    ),
  );
  const numeric = columns.filter((column) => column.kind === 'numeric');
  if (numeric.length === 0)
    throw failure('table.no_numbers', 'The file has no numeric column', { columns: names });
  return { rows: records.length, columns, numeric, column: (name) => pick(columns, name) };
}

/**
 * What to declare for a column like this one: its shape, decimals, whether rows are missing, and bounds. All of that is
 * public, and bounds that were values would be somebody's values. So they are rounded outward, to the nearest multiples
 * of a power of ten that lie below the least and above the greatest value; neither is ever a value. The power is the
 * leading digit's of the value that is largest in size, and at least ten times the last decimal place, so that bounds
 * never leave a single value to guess: 6.98 to 28.11 gives 0 to 30, a lone 5 gives 0 to 10. A column without any value
 * gets what zeros would get.
 */
export function columnOptions(column: NumericColumn): IntegerOptions {
  checkArgument('columnOptions, column', column, {
    expected: 'a numeric column of a table',
    fits: (value) => (value as NumericColumn | undefined | null)?.kind === 'numeric',
  });
  const { values, decimals, missing } = column;
  return { shape: [values.length], ...outerBounds(column), decimals, missing: missing > 0 };
}

function outerBounds({ min, max, decimals }: NumericColumn): { min: number; max: number } {
  const hasValues = Number.isFinite(min) && Number.isFinite(max);
  const places = hasValues ? Math.max(decimals, decimalsOf(min), decimalsOf(max)) : 0;
  const units = (value: number): bigint => (hasValues ? (toUnits(value, places) as bigint) : 0n);
  const digits = (value: number): number => String(units(value)).replace('-', '').length;
  const exponent = Math.max(digits(min) - 1, digits(max) - 1, 1);
  const step = powerOfTen(exponent);
  const bound = (steps: bigint): number => Number(`${steps}e${exponent - places}`);
  return { min: bound(-stepsAbove(-units(min), step)), max: bound(stepsAbove(units(max), step)) };
}

/** The least whole number whose product with `step` is greater than `value`. */
function stepsAbove(value: bigint, step: bigint): bigint {
  const toZero = value / step;
  return value < 0n && value % step !== 0n ? toZero : toZero + 1n;
}

function toText(file: string | ArrayBuffer | ArrayBufferView): string {
  if (typeof file === 'string') return file.replace(/^\uFEFF/, '');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(file);
  } catch (cause) {
    throw failure('table.encoding', 'The file is not UTF-8 text', {}, cause);
  }
}

function readRecords(text: string, delimiter = detectDelimiter(text)): string[][] {
  const { data, errors } = Papa.parse<string[]>(text, { delimiter });
  const quotes = errors.find(({ type }) => type === 'Quotes');
  if (quotes !== undefined) {
    const row = (quotes.row ?? 0) - 1;
    throw failure('table.quotes', `Row ${row}: ${quotes.message.toLowerCase()} ${COUNTED}`, { row });
  }
  return withoutBlankLines(data);
}

/** The delimiter that splits the header into most fields. */
function detectDelimiter(text: string): string {
  const fields = (delimiter: string): number =>
    Papa.parse<string[]>(text, { delimiter, preview: 1, skipEmptyLines: true }).data[0]?.length ?? 0;
  return DELIMITERS.reduce((best, delimiter) => (fields(delimiter) > fields(best) ? delimiter : best), ',');
}

/** Blank lines are no rows, except in a file of one column, where only those at the end are not. */
function withoutBlankLines(records: string[][]): string[][] {
  const isBlank = (record: string[] | undefined): boolean => record?.length === 1 && record[0]?.trim() === '';
  while (isBlank(records.at(-1))) records.pop();
  const first = records.findIndex((record) => !isBlank(record));
  const body = records.slice(Math.max(first, 0));
  return (body[0]?.length ?? 0) > 1 ? body.filter((record) => !isBlank(record)) : body;
}

function columnNames(header: readonly string[]): string[] {
  const names = header.map((cell, index) => cell.trim() || `column ${index + 1}`);
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate === undefined) return names;
  throw failure('table.duplicate', `Two columns are named "${duplicate}"`, { column: duplicate });
}

function checkWidths(records: readonly string[][], expected: number): void {
  const row = records.findIndex(({ length }) => length !== expected);
  if (row < 0) return;
  const found = records[row]?.length;
  throw failure('table.ragged', `Row ${row} has ${found} fields, the header has ${expected} ${COUNTED}`, {
    row,
    found,
    expected,
  });
}

function readColumn(
  name: string,
  cells: readonly string[],
  missing: ReadonlySet<string>,
): NumericColumn | TextColumn {
  const values = new Float64Array(cells.length);
  const facts = { min: Number.NaN, max: Number.NaN, decimals: 0, missing: 0 };
  for (const [row, cell] of cells.entries()) {
    const text = cell.trim();
    if (missing.has(normal(text))) {
      values[row] = Number.NaN;
      facts.missing += 1;
      continue;
    }
    const value = NUMBER.test(text) ? Number(text) : Number.NaN;
    if (!Number.isFinite(value)) return { kind: 'text', name, row, found: cell, reason: 'text' };
    if (!isExact(text, value)) return { kind: 'text', name, row, found: cell, reason: 'precision' };
    values[row] = value;
    if (!(value >= facts.min)) facts.min = value;
    if (!(value <= facts.max)) facts.max = value;
    facts.decimals = Math.max(facts.decimals, decimalsOf(value));
  }
  return { kind: 'numeric', name, values, ...facts };
}

/** Whether the number's shortest decimal form is the decimal that was written. */
function isExact(text: string, value: number): boolean {
  // Any decimal of 15 digits is; only longer ones need a look.
  return text.length <= 15 || digits(text) === digits(String(value));
}

/** A decimal in one form: digits without zeros at either end, and the exponent of the last one. */
function digits(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().replace(/^[+-]/, '').split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = (whole + fraction).replace(/^0+/, '');
  const kept = all.replace(/0+$/, '');
  return kept === '' ? '0' : `${kept}e${Number(exponent) - fraction.length + all.length - kept.length}`;
}

function normal(cell: string): string {
  return cell.trim().toLowerCase();
}

function pick(columns: readonly (NumericColumn | TextColumn)[], name: string): NumericColumn {
  const found = columns.find((column) => column.name === name);
  if (found?.kind === 'numeric') return found;
  const details = {
    column: name,
    expected: columns.filter(({ kind }) => kind === 'numeric').map((column) => column.name),
  };
  throw found === undefined
    ? failure(
        'table.column',
        `The file has no column ${describe(name)}; numeric are: ${details.expected.join(', ')}`,
        details,
      )
    : failure(
        'table.not_numeric',
        `Column "${name}" is not numeric: row ${found.row} is ${REASONS[found.reason]} ${COUNTED}`,
        { ...details, row: found.row, reason: found.reason },
      );
}
