/** From a file's bytes to a table: text as people write it, spreadsheets and Parquet, by what the first bytes say. */
import { CipherloomError } from 'cipherloom';
import {
  columnOptions,
  parseTable,
  type Table,
  tableOf,
  type TableFormat,
  type TextColumn,
} from 'cipherloom/table';
import { foreign } from '../format.js';
import type { DataTable, ReadOptions } from './messages.js';

/** Longer names are cut: the engine takes 256 bytes, of two names and a word. */
const MOST_LETTERS = 40;
const MOST_CELL = 40;
const COUNTED_FROM_ZERO = /\(rows are counted from 0/;
/** Rows in a message of the reader: at its beginning, or behind a colon or a comma. */
const ROWS = /((?:^R|[:,] r)ow )(\d+)(?=:| has | of | is )/g;
const OPTIONS = { decimal: 'auto', duplicates: 'number' } as const;

/** Reads a file. Errors: TableError; those of what reads spreadsheets and Parquet, as `UnreadableFile`. */
export async function readTable(file: Uint8Array, options: ReadOptions = {}): Promise<DataTable> {
  try {
    return await readAny(file, options);
  } catch (error) {
    throw countedFromOne(error);
  }
}

/** The page counts rows from 1, as everybody who looks at a table does; the package, as indexes, from 0. */
function countedFromOne(error: unknown): unknown {
  if (!(error instanceof CipherloomError) || !COUNTED_FROM_ZERO.test(error.message)) return error;
  const message = error.message
    .replace(ROWS, (_, before: string, row: string) => `${before}${Number(row) + 1}`)
    .replace(COUNTED_FROM_ZERO, '(rows are counted from 1');
  const { row } = error.details;
  const details = typeof row === 'number' ? { ...error.details, row: row + 1 } : error.details;
  return new CipherloomError(error.code, message, details);
}

async function readAny(file: Uint8Array, { header = 'auto' }: ReadOptions): Promise<DataTable> {
  const options = { ...OPTIONS, header };
  const kind = kindOf(file);
  switch (kind) {
    case 'xlsx': {
      const { readXlsx } = await import('./read-xlsx.js');
      return described(tableOf(await readXlsx(file), options), 'a spreadsheet (XLSX), its first sheet');
    }
    case 'parquet': {
      const { readParquet } = await import('./read-parquet.js');
      // Its schema names the columns.
      return described(
        tableOf(await readParquet(file), { ...options, decimal: '.', header: true }),
        'Parquet',
      );
    }
    case 'xls':
      throw new UnreadableFile('an old Excel file (XLS)', 'Save it as XLSX or CSV first');
    case 'cut':
      throw new UnreadableFile(
        'a spreadsheet (XLSX) or ZIP file that is cut short',
        'Download or save it again',
      );
    case 'zip':
      throw new UnreadableFile('a ZIP file', 'Unpack it first');
    case 'text': {
      const table = parseTable(file, { ...options, encoding: 'auto' });
      return described(table, textOf(table.format, table.columns.length));
    }
  }
}

/** What can not be read, and what to do instead. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
  readonly code = 'file.unreadable';
  constructor(what: string, instead: string, cause?: unknown) {
    super(`This is ${what}, which cannot be read. ${instead}.`, { cause });
  }
}

/** What the bytes at the beginning say, and of a ZIP file the name of its first file. */
export function kindOf(file: Uint8Array): 'xlsx' | 'xls' | 'zip' | 'cut' | 'parquet' | 'text' {
  const starts = (...bytes: readonly number[]): boolean => bytes.every((byte, at) => file[at] === byte);
  if (starts(0x50, 0x41, 0x52, 0x31)) return 'parquet';
  if (starts(0xd0, 0xcf, 0x11, 0xe0)) return 'xls';
  if (!starts(0x50, 0x4b, 3, 4)) return 'text';
  // The directory of a ZIP file is at its end; all names stand there, and behind them the mark of the end.
  const end = new TextDecoder('windows-1252').decode(file.subarray(Math.max(0, file.length - 131_072)));
  if (!end.includes('PK\x05\x06')) return 'cut';
  return end.includes('xl/workbook.xml') ? 'xlsx' : 'zip';
}

function described(table: Table, read: string): DataTable {
  const name = shortNames(table.columns.map((column) => column.name));
  return {
    rows: table.rows,
    read,
    header: table.format.header,
    numeric: table.columns.flatMap((column, at) => {
      if (column.kind !== 'numeric') return [];
      const { values, min, max, decimals, missing } = column;
      const named = { name: name[at]!, fullName: column.name };
      return [
        {
          ...named,
          values,
          min,
          max,
          decimals,
          missing,
          declared: { name: name[at]!, ...columnOptions(column) },
        },
      ];
    }),
    others: table.columns.flatMap((column, at) => {
      if (column.kind === 'numeric') return [];
      return [
        {
          name: name[at]!,
          why: `row ${column.row + 1}, “${cut(column.found, MOST_CELL)}”, ${whatIsWrong(column)}`,
        },
      ];
    }),
  };
}

function textOf({ delimiter, decimal, encoding }: TableFormat, columns: number): string {
  const separators: Record<string, string> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' };
  const encodings = {
    'utf-8': 'UTF-8',
    'utf-16le': 'UTF-16',
    'utf-16be': 'UTF-16',
    'windows-1252': 'Latin-1',
  } as const;
  const parts = [
    `${encodings[encoding ?? 'utf-8']} text`,
    columns > 1 ? `separated by ${separators[delimiter ?? ','] ?? 'a sign'}` : '',
    decimal === ',' ? 'decimals after a comma' : '',
  ];
  return parts.filter(Boolean).join(', ');
}

/** Names that any program takes: short, well formed, each once, and none that an object has of its own. */
export function shortNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name, at) => {
    let short = cut(name.replace(/\p{Surrogate}/gu, '\ufffd'), MOST_LETTERS);
    if (short === '__proto__') short = `column ${at + 1}`;
    const base = short;
    for (let number = 2; taken.has(short); number++) short = `${base} (${number})`;
    taken.add(short);
    return short;
  });
}

/** By letters, not by halves of them. */
function cut(text: string, most: number): string {
  const letters = [...foreign(text)];
  return letters.length <= most ? letters.join('') : `${letters.slice(0, most - 1).join('')}…`;
}

function whatIsWrong({ reason, found }: TextColumn): string {
  if (reason === 'text') return 'is no number';
  const isLarge = Math.abs(Number(found.replace('\u2212', '-').replace(',', '.'))) === Infinity;
  return isLarge ? 'is too large' : 'has more digits than a double holds';
}
