/**
 * Tables: from CSV text to numeric columns with the facts that `Task.encrypted` asks for. Separate from the
 * main entry, so that only those who read files pay for the CSV reader.
 *
 * The reader is Papa Parse (MIT, no dependencies of its own): quoting, delimiter detection and line ends in
 * the wild are its business for over a decade, and it is fast enough for 100,000 rows in a fraction of a
 * second.
 *
 * @module cipherloom/table
 */
import Papa from 'papaparse';
import {
  checkArgument,
  checkOptions,
  describe,
  FILE,
  type Kinds,
  oneOf,
  ROWS_OF_TEXTS,
  TEXTS,
  type Kind,
} from './arguments.js';
import { failure } from './errors.js';
import { decimalsOf, powerOfTen, toUnits } from './exact.js';
import type { CategoryOptions, IntegerOptions } from './values/types.js';

/** Encodings of text files, by their names in the WHATWG standard; `windows-1252` is what it calls Latin-1, too. */
export type TableEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** Options of `tableOf`, and of `parseTable`. */
export interface CellOptions {
  /**
   * Cells that mean "no value", compared without spaces around and without case. Default: empty, NA, N/A,
   * null, NaN.
   */
  missing?: readonly string[];
  /**
   * Whether the first row names the columns; those without a name are `column 1`, `column 2` and so on. `auto`: it does,
   * unless it has more numbers than words above numbers. Default: true.
   */
  header?: boolean | 'auto';
  /**
   * What stands before the decimals. `auto`: a comma, if some cell is a number with one, none is a number with a point, and
   * cells are not separated by commas. Digits are never grouped. Default: a point.
   */
  decimal?: '.' | ',' | 'auto';
  /**
   * What becomes of columns that have one name: an error, or numbers behind the names of all but the first, as in
   * `age (2)`. Default: `refuse`.
   */
  duplicates?: 'refuse' | 'number';
}

/** Options of `parseTable`. */
export interface TableOptions extends CellOptions {
  /**
   * Field separator. Default: the one that a first line like `sep=;` says, which is no row; else comma, semicolon, tab or bar: of those that split the first rows into equally many fields the
   * one that gives most numbers, then most fields; else whichever splits the header into most fields.
   */
  delimiter?: string;
  /**
   * Encoding of bytes, where no byte order mark says another one. `auto`: UTF-8 if it is that, UTF-16 if every other byte of
   * most is 0, else `windows-1252`, in which any bytes without control characters are text. Default: `utf-8`.
   */
  encoding?: TableEncoding | 'auto';
}

/** How a table was read, whatever the options left open. */
export interface TableFormat {
  /** Whether the first row named the columns. */
  readonly header: boolean;
  readonly decimal: '.' | ',';
  /** Of text; undefined where cells were given. */
  readonly delimiter: string | undefined;
  /** Of bytes; undefined where text or cells were given. */
  readonly encoding: TableEncoding | undefined;
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

/** A column that is not numeric: its texts, and the first cell that says so. */
export interface TextColumn {
  readonly kind: 'text';
  readonly name: string;
  /** One per row, without spaces around, null where missing: what `Client.encrypt` takes for categories that have names, and, where they are days such as 2024-02-29, for dates. */
  readonly values: readonly (string | null)[];
  /** Those that occur, sorted. Names of categories are for everybody to read: that a rare one occurs may tell of somebody. */
  readonly names: readonly string[];
  /** How many rows are missing. */
  readonly missing: number;
  /** Row of the cell, counted from 0, and what it holds. */
  readonly row: number;
  readonly found: string;
  /** `text`: no number; `precision`: a number that a double cannot hold exactly. */
  readonly reason: 'text' | 'precision';
}

/** A parsed file. */
export interface Table {
  readonly rows: number;
  readonly format: TableFormat;
  /** All columns in the file's order. */
  readonly columns: readonly (NumericColumn | TextColumn)[];
  /** The numeric ones; at least one. */
  readonly numeric: readonly NumericColumn[];
  /** A numeric column by name. Errors: TableError (not there, not numeric). */
  column(name: string): NumericColumn;
  /** Another column by name. Errors: TableError (not there, numeric). */
  text(name: string): TextColumn;
}

const CELL_OPTIONS: Kinds<CellOptions> = {
  missing: TEXTS,
  header: oneOf(true, false, 'auto'),
  decimal: oneOf('.', ',', 'auto'),
  duplicates: oneOf('refuse', 'number'),
};
const DELIMITER: Kind = {
  expected: 'a text without quotes, line ends and byte order mark',
  fits: (value) => typeof value === 'string' && /^[^"\r\n\uFEFF]+$/.test(value),
};
const OPTIONS: Kinds<TableOptions> = {
  ...CELL_OPTIONS,
  delimiter: DELIMITER,
  encoding: oneOf('utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'auto'),
};
const NAMES: Kind = {
  expected: 'names of categories, which are public: those that there may be, whether they occur or not',
  fits: TEXTS.fits,
};
const DEFAULT_MISSING = ['', 'na', 'n/a', 'null', 'nan'] as const;
const DELIMITERS = [',', ';', '\t', '|'] as const;
/** Said where a row is named. */
const counted = (named: boolean): string => `(rows are counted from 0${named ? ', below the header' : ''})`;
/** Why a column is not numeric; what stands in the cell is for `TextColumn.found`, not for errors, which reach logs. */
const REASONS = { text: 'no number', precision: 'a number that a double cannot hold' } as const;
const NUMBERS = {
  '.': /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i,
  ',': /^[+-]?(?:\d+,?\d*|,\d+)(?:e[+-]?\d+)?$/i,
} as const;
/** Numbers that have decimals. */
const WITH_POINT = /^[+-]?\d*\.\d+(?:e[+-]?\d+)?$/i;
const WITH_COMMA = /^[+-]?\d*,\d+(?:e[+-]?\d+)?$/i;
const IN_THOUSANDS = /^[+-]?\d{1,3}(?:\.\d{3})+$/;
const IN_THOUSANDS_WITH_COMMA = /^[+-]?\d{1,3}(?:\.\d{3})+,\d+$/;
/** Rows that are looked at to find out how a file is written. */
const SAMPLE = 50;
/** Columns of which it is told why they are not numeric, where none is. */
const TOLD = 3;
/** What spreadsheets write into the first line of a file, and take from there. */
const SEPARATOR_LINE = /^sep=([^"\r\n\uFEFF])(?:\r\n|\n|\r)/i;
/** Control characters that no text file has. */
// eslint-disable-next-line no-control-regex
const CONTROL = /[\0-\x08\x0e-\x1a\x1c-\x1f]/;

/**
 * Reads a CSV file: text or bytes, with or without byte order mark, any line ends. By its defaults the first row names the
 * columns and bytes are UTF-8, so that files of one kind are read alike; `auto` is for files of people. Errors, naming the
 * row (counted from 0, below the header): TableError.
 */
export function parseTable(file: string | ArrayBuffer | ArrayBufferView, options: TableOptions = {}): Table {
  checkArgument('parseTable, file', file, FILE);
  checkOptions('parseTable', options, OPTIONS);
  const { text: whole, encoding } = toText(file, options.encoding ?? 'utf-8');
  const said = options.delimiter === undefined ? SEPARATOR_LINE.exec(whole) : null;
  const text = ofOneKind(whole.slice(said?.[0].length ?? 0));
  const delimiter = options.delimiter ?? said?.[1] ?? detectDelimiter(text, options.decimal ?? '.');
  return build(readRecords(text, delimiter, options), options, { delimiter, encoding });
}

/**
 * The table of cells that were read elsewhere, such as those of a spreadsheet: rows of texts, the first of which may name the
 * columns. Errors: as of `parseTable`.
 */
export function tableOf(rows: readonly (readonly string[])[], options: CellOptions = {}): Table {
  checkArgument('tableOf, rows', rows, ROWS_OF_TEXTS);
  checkOptions('tableOf', options, CELL_OPTIONS);
  return build(withoutBlankLines(rows.slice()), options, { delimiter: undefined, encoding: undefined });
}

/** What the options leave open, by how the records are written. */
function howWritten(
  records: readonly (readonly string[])[],
  { missing: words = DEFAULT_MISSING, header = true, decimal = '.' }: CellOptions,
  delimiter: string | undefined,
): { missing: ReadonlySet<string>; mark: '.' | ','; named: boolean } {
  const missing = new Set(words.map(normal));
  const mark = decimal === 'auto' ? detectDecimal(records, delimiter) : decimal;
  return { missing, mark, named: header === 'auto' ? hasHeader(records, mark, missing) : header };
}

function build(
  records: readonly (readonly string[])[],
  options: CellOptions,
  { delimiter, encoding }: Pick<TableFormat, 'delimiter' | 'encoding'>,
): Table {
  const { missing, mark, named } = howWritten(records, options, delimiter);
  const rows = named ? records.slice(1) : records;
  if (rows.length === 0)
    throw failure('table.empty', 'The file has no rows of data', { found: 0, expected: 1 });
  const first = records[0] as readonly string[];
  const names = columnNames(named ? first : first.map(() => ''), options.duplicates ?? 'refuse');
  checkWidths(rows, names.length, named);
  const columns = names.map((name, index) =>
    readColumn(
      name,
      rows.map((row) => row[index] as string),
      missing,
      mark,
    ),
  );
  const numeric = columns.filter((column) => column.kind === 'numeric');
  if (numeric.length === 0) throw noNumbers(columns, named);
  const format = { header: named, decimal: mark, delimiter, encoding };
  const [column, text] = [
    (name: string) => pick(columns, name, named),
    (name: string) => pickText(columns, name),
  ];
  return { rows: rows.length, format, columns, numeric, column, text };
}

/**
 * What to declare for a column like this one: its shape, decimals, whether rows are missing, and bounds. All of that is
 * public, and bounds that were values would be somebody's values. So they are rounded outward, to the nearest multiples
 * of a power of ten that lie below the least and above the greatest value; neither is ever a value. The power is the
 * leading digit's of the value that is largest in size, and at least ten times the last decimal place, so that bounds
 * never leave a single value to guess: 6.98 to 28.11 gives 0 to 30, a lone 5 gives 0 to 10. A column without any value
 * gets what zeros would get.
 *
 * Of a column of texts it is one of categories, which is to be told their names: these are public as well, and which of them occur is not.
 */
export function columnOptions(column: NumericColumn): IntegerOptions;
export function columnOptions(column: TextColumn, names: readonly string[]): CategoryOptions;
export function columnOptions(
  column: NumericColumn | TextColumn,
  names?: readonly string[],
): IntegerOptions | CategoryOptions {
  checkArgument('columnOptions, column', column, {
    expected: 'a column of a table',
    fits: (value) => ['numeric', 'text'].includes((value as TextColumn | undefined | null)?.kind ?? ''),
  });
  const { values, missing } = column;
  const common = { shape: [values.length], missing: missing > 0 };
  if (column.kind === 'numeric') return { ...common, ...outerBounds(column), decimals: column.decimals };
  checkArgument(`columnOptions, names of ${describe(column.name)}`, names, NAMES);
  return { ...common, kind: 'category', categories: names as readonly string[] };
}

function outerBounds({ min, max, decimals }: NumericColumn): { min: number | bigint; max: number | bigint } {
  const hasValues = Number.isFinite(min) && Number.isFinite(max);
  const places = hasValues ? Math.max(decimals, decimalsOf(min), decimalsOf(max)) : 0;
  const units = (value: number): bigint => (hasValues ? (toUnits(value, places) as bigint) : 0n);
  const digits = (value: number): number => String(units(value)).replace('-', '').length;
  const exponent = Math.max(digits(min) - 1, digits(max) - 1, 1);
  const step = powerOfTen(exponent);
  const bound = (steps: bigint): number | bigint => {
    const number = Number(`${steps}e${exponent - places}`);
    // Those of the largest doubles lie beyond all doubles.
    return Number.isFinite(number) ? number : steps * powerOfTen(exponent - places);
  };
  return { min: bound(-stepsAbove(-units(min), step)), max: bound(stepsAbove(units(max), step)) };
}

/** The least whole number whose product with `step` is greater than `value`. */
function stepsAbove(value: bigint, step: bigint): bigint {
  const toZero = value / step;
  return value < 0n && value % step !== 0n ? toZero : toZero + 1n;
}

function toText(
  file: string | ArrayBuffer | ArrayBufferView,
  wanted: TableEncoding | 'auto',
): { text: string; encoding: TableEncoding | undefined } {
  if (typeof file === 'string') return { text: file.replace(/^\uFEFF/, ''), encoding: undefined };
  const bytes = ArrayBuffer.isView(file)
    ? new Uint8Array(file.buffer, file.byteOffset, file.byteLength)
    : new Uint8Array(file);
  const encoding = markedEncoding(bytes) ?? (wanted === 'auto' ? guessEncoding(bytes) : wanted);
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    if (wanted !== 'auto' || !CONTROL.test(text)) return { text, encoding };
  } catch (cause) {
    const name = encoding === 'windows-1252' ? 'Latin-1' : encoding.toUpperCase();
    throw failure('table.encoding', `The file is not ${name} text`, { expected: encoding }, cause);
  }
  throw failure('table.encoding', 'The file is no text: it has control characters', { expected: 'text' });
}

/** What a byte order mark says. */
function markedEncoding([a, b]: Uint8Array): TableEncoding | undefined {
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  return undefined; // that of UTF-8 changes nothing
}

function guessEncoding(bytes: Uint8Array): TableEncoding {
  // Digits, separators and line ends have a high half of 0 in UTF-16; there is no such byte in any other text.
  const zeros = [0, 0];
  const looked = Math.min(bytes.length, 4096);
  for (let at = 0; at < looked; at++) if (bytes[at] === 0) zeros[at % 2]! += 1;
  const [even, odd] = zeros as [number, number];
  if (odd > looked / 4 && even === 0) return 'utf-16le';
  if (even > looked / 4 && odd === 0) return 'utf-16be';
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}

/** With line ends of one kind, which is what the reader expects; those in quotes are as they were. */
function ofOneKind(text: string): string {
  const kinds = [/\r\n/, /(?:^|[^\r])\n/, /\r(?!\n)/].filter((kind) => kind.test(text));
  if (kinds.length < 2) return text;
  return text.replace(/"[^"]*(?:""[^"]*)*"|\r\n?/g, (found) => (found.startsWith('"') ? found : '\n'));
}

function readRecords(text: string, delimiter: string, options: CellOptions): string[][] {
  const { data, errors } = Papa.parse<string[]>(text, { delimiter });
  const quotes = errors.find(({ type }) => type === 'Quotes');
  if (quotes !== undefined) {
    // Counted as all rows are, of which this is the first that is wrong.
    const before = withoutBlankLines([...data.slice(0, quotes.row), ['wrong']]).slice(0, -1);
    const { named } = howWritten(before, options, delimiter);
    const row = before.length - (named ? 1 : 0);
    throw failure('table.quotes', `Row ${row}: ${quotes.message.toLowerCase()} ${counted(named)}`, { row });
  }
  return withoutBlankLines(data);
}

/** Of those that split the first rows evenly the one that makes most numbers; if none does, what splits the header most. */
function detectDelimiter(text: string, decimal: '.' | ',' | 'auto'): string {
  const samples = DELIMITERS.map((delimiter) => {
    const { data } = Papa.parse<string[]>(text, { delimiter, preview: SAMPLE, skipEmptyLines: true });
    const width = data[0]?.length ?? 0;
    const even = data.every(({ length }) => length === width);
    const cells = data.flat();
    const marks = decimal === 'auto' ? (['.', ','] as const) : [decimal];
    const numbers = cells.filter((cell) => marks.some((mark) => NUMBERS[mark].test(plain(cell)))).length;
    return { delimiter, width, even, numbers: cells.length === 0 ? 0 : numbers / cells.length };
  });
  const wide = samples.filter(({ even, width }) => even && width > 1);
  // Where nothing splits the header there is one column, whose numbers may have decimal commas.
  const alone =
    decimal === '.' || samples.some(({ width }) => width > 1) ? [] : samples.filter(({ even }) => even);
  const [best, ...others] = wide.length > 0 ? wide : alone.length > 0 ? alone : samples;
  const isBetter = (a: (typeof samples)[number], b: (typeof samples)[number]): boolean =>
    wide.length > 0 && a.numbers !== b.numbers ? a.numbers > b.numbers : a.width > b.width;
  return others.reduce((chosen, other) => (isBetter(other, chosen) ? other : chosen), best!).delimiter;
}

function detectDecimal(records: readonly (readonly string[])[], delimiter: string | undefined): '.' | ',' {
  if (delimiter === ',') return '.';
  let commas = false;
  for (const record of records) {
    for (const cell of record) {
      const text = plain(cell);
      // Points before three digits each may be those of thousands: that is for others to say.
      if (WITH_POINT.test(text) && !IN_THOUSANDS.test(text)) return '.';
      commas ||= WITH_COMMA.test(text) || IN_THOUSANDS_WITH_COMMA.test(text);
    }
  }
  return commas ? ',' : '.';
}

/** Whether at least as many words as numbers stand above columns of numbers; of one row alone, whether it has any word. */
function hasHeader(
  [first = [], ...rows]: readonly (readonly string[])[],
  decimal: '.' | ',',
  missing: ReadonlySet<string>,
): boolean {
  const isNumber = (cell = ''): boolean => NUMBERS[decimal].test(plain(cell));
  const isMissing = (cell = ''): boolean => missing.has(normal(cell));
  if (rows.length === 0) return !first.every((cell) => isNumber(cell) || isMissing(cell));
  const sample = rows.slice(0, SAMPLE);
  let [words, numbers] = [0, 0];
  for (const [index, cell] of first.entries()) {
    const below = sample.map((row) => row[index]);
    const isNumeric = below.some(isNumber) && below.every((one) => isNumber(one) || isMissing(one));
    if (!isNumeric) continue;
    if (isNumber(cell)) numbers += 1;
    else if (!isMissing(cell)) words += 1;
  }
  return words >= numbers;
}

/** Blank lines are no rows, except in a file of one column, where only those at the end are not; nor are rows of blank cells at the top. */
function withoutBlankLines<T extends readonly string[]>(records: T[]): T[] {
  const isBlank = (record: T | undefined): boolean => record?.length === 1 && record[0]?.trim() === '';
  while (isBlank(records.at(-1))) records.pop();
  const first = records.findIndex((record) => record.some((cell) => cell.trim() !== ''));
  const body = records.slice(Math.max(first, 0));
  return (body[0]?.length ?? 0) > 1 ? body.filter((record) => !isBlank(record)) : body;
}

function columnNames(header: readonly string[], duplicates: 'refuse' | 'number'): string[] {
  const names = header.map((cell, index) => cell.trim() || `column ${index + 1}`);
  const taken = new Set<string>(duplicates === 'number' ? names : []);
  const seen = new Set<string>();
  return names.map((name) => {
    if (!seen.has(name)) {
      seen.add(name);
      return name;
    }
    if (duplicates === 'refuse')
      throw failure('table.duplicate', `Two columns are named ${describe(name)}`, { column: name });
    let number = 2;
    while (taken.has(`${name} (${number})`)) number += 1;
    taken.add(`${name} (${number})`);
    return `${name} (${number})`;
  });
}

function checkWidths(records: readonly (readonly string[])[], expected: number, hasHeader: boolean): void {
  const row = records.findIndex(({ length }) => length !== expected);
  if (row < 0) return;
  const found = records[row]?.length;
  const whose = hasHeader ? 'the header' : 'the first one';
  const problem = `Row ${row} has ${found} fields, ${whose} has ${expected} ${counted(hasHeader)}`;
  throw failure('table.ragged', problem, { row, found, expected });
}

function readColumn(
  name: string,
  cells: readonly string[],
  missing: ReadonlySet<string>,
  decimal: '.' | ',',
): NumericColumn | TextColumn {
  const values = new Float64Array(cells.length);
  const facts = { min: Number.NaN, max: Number.NaN, decimals: 0, missing: 0 };
  for (const [row, cell] of cells.entries()) {
    const written = plain(cell);
    if (missing.has(normal(written))) {
      values[row] = Number.NaN;
      facts.missing += 1;
      continue;
    }
    const text = decimal === ',' ? written.replace(',', '.') : written;
    const value = NUMBERS[decimal].test(written) ? Number(text) : Number.NaN;
    if (Number.isNaN(value) || !isExact(text, value)) {
      const first = { row, found: cell, reason: Number.isNaN(value) ? 'text' : 'precision' } as const;
      return { kind: 'text', name, ...texts(cells, missing), ...first };
    }
    values[row] = value;
    if (!(value >= facts.min)) facts.min = value;
    if (!(value <= facts.max)) facts.max = value;
    facts.decimals = Math.max(facts.decimals, decimalsOf(value));
  }
  return { kind: 'numeric', name, values, ...facts };
}

/** Cells as they are, and which there are. */
function texts(
  cells: readonly string[],
  missing: ReadonlySet<string>,
): Pick<TextColumn, 'values' | 'names' | 'missing'> {
  const values = cells.map((cell) => (missing.has(normal(cell)) ? null : cell.trim()));
  const there = values.filter((value) => value !== null);
  return { values, names: [...new Set(there)].sort(), missing: values.length - there.length };
}

/** Whether the number's shortest decimal form is the decimal that was written. */
function isExact(text: string, value: number): boolean {
  // Any decimal of 15 digits is, but for very large and very small ones; only others need a look.
  return (text.length <= 15 && !/e/i.test(text)) || digits(text) === digits(String(value));
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

/** A cell without spaces around, and with the minus of keyboards in place of the typographic one. */
function plain(cell: string): string {
  return cell.trim().replace(/^\u2212/, '-');
}

/** Says why, of the first few columns. */
function noNumbers(columns: readonly (NumericColumn | TextColumn)[], named: boolean): Error {
  const texts = columns.filter((column) => column.kind === 'text');
  const of = ({ name, row, reason }: TextColumn): string =>
    `row ${row} of ${describe(name)} is ${REASONS[reason]}`;
  const told = texts.slice(0, TOLD).map(of).join(', ');
  const others = texts.length > TOLD ? `, and so on for ${texts.length - TOLD} more` : '';
  const problem = `The file has no numeric column: ${told}${others} ${counted(named)}`;
  return failure('table.no_numbers', problem, { columns: columns.map(({ name }) => name) });
}

function pick(columns: readonly (NumericColumn | TextColumn)[], name: string, named: boolean): NumericColumn {
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
        `Column "${name}" is not numeric: row ${found.row} is ${REASONS[found.reason]} ${counted(named)}`,
        { ...details, row: found.row, reason: found.reason },
      );
}

function pickText(columns: readonly (NumericColumn | TextColumn)[], name: string): TextColumn {
  const found = columns.find((column) => column.name === name);
  if (found?.kind === 'text') return found;
  const expected = columns.filter(({ kind }) => kind === 'text').map((column) => column.name);
  if (found === undefined) {
    const problem = `The file has no column ${describe(name)}; of text are: ${expected.join(', ') || 'none'}`;
    throw failure('table.column', problem, { column: name, expected });
  }
  throw failure('table.numeric', `Column "${name}" is one of numbers`, { column: name, expected });
}
