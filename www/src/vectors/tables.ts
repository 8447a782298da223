/** Tables as they come, of any size: how one is written is what the page's reading of tables says of its beginning. */
import { linesOf } from 'cipherloom/job';
import { parseTable, type Table, type TableEncoding } from 'cipherloom/table';
import type { DataClient } from '../data/data-client.js';
import { FileError, piecesOf } from './files.js';
import { isNumber } from './operators/decimals.js';
import type { Columns } from './operators/groups.js';
import { cellsOf, recordsOf } from './operators/records.js';

/** Bytes that are looked at: all of nearly any table. */
export const HEAD = 2 ** 20;
const OPTIONS = { decimal: 'auto', duplicates: 'number', encoding: 'auto', header: 'auto' } as const;

const QUOTE = 0x22;

type Bytes = Uint8Array<ArrayBuffer>;

/** How its text is to be read. */
interface Writing {
  readonly header: boolean;
  readonly delimiter: string;
  readonly mark: '.' | ',';
  readonly encoding: TableEncoding;
  /** Lines end as those of very old files do. */
  readonly returnsOnly: boolean;
}

/** How a table is written, and what is in it. */
export interface Layout extends Writing {
  /** `numbers`: it may be a column of numbers, by its first one. */
  readonly columns: readonly { readonly name: string; readonly numbers: boolean }[];
  /** Rows, where all of the file was looked at. */
  readonly rows: number | undefined;
}

/** How a table is written. Errors: FileError, with what the page says of such a table elsewhere. */
export async function layoutOf(file: File, data: Pick<DataClient, 'read'>): Promise<Layout> {
  try {
    const isCut = file.size > HEAD;
    const start = new Uint8Array(await file.slice(0, HEAD).arrayBuffer());
    const { table, head } = await parsed(isCut ? [untilLine(start), untilRow(start)] : [start], data);
    const { header, delimiter, decimal: mark, encoding } = table.format;
    const unquoted = new TextDecoder(encoding).decode(head).replaceAll(/"[^"]*"/g, '');
    const returnsOnly = unquoted.includes('\r') && !unquoted.includes('\n');
    const writing = { header, delimiter: delimiter!, mark, encoding: encoding!, returnsOnly };
    const first = await firstCells(new Blob([head]), writing);
    const columns = table.columns.map((column, at) => {
      const isFull = column.kind === 'numeric' && column.missing < table.rows;
      // One that only begins with numbers has a cell that is none: which one is said when it is read.
      return { name: column.name, numbers: isFull || isNumber(first[at] ?? '', mark) };
    });
    return { ...writing, columns, rows: isCut ? undefined : table.rows };
  } catch (error) {
    throw new FileError(file, error);
  }
}

/** What operators know of a table. Errors: FileError, if it has no such columns. */
export function columnsOf(
  file: File,
  { columns, delimiter, mark }: Layout,
  group: string,
  value: string,
): Columns {
  const at = (name: string): number => {
    const index = columns.findIndex((column) => column.name === name);
    if (index < 0) throw new FileError(file, new Error(`it has no column “${name}”`));
    return index;
  };
  return { delimiter, mark, width: columns.length, group: at(group), value: at(value) };
}

/** Records of a table, below its header. Errors: FileError. */
export async function* recordsIn(file: File, layout: Layout): AsyncGenerator<string> {
  const { columns, rows, encoding } = layout;
  let count = 0;
  try {
    // Where only a beginning was looked at, it may have had no letters that tell.
    const isOther = rows === undefined && encoding === 'utf-8' && !(await isUtf8(file));
    for await (const record of below(file, isOther ? { ...layout, encoding: 'windows-1252' } : layout)) {
      count += 1;
      yield record;
    }
    // A table of one column may have empty rows, which are no records.
    if (rows !== undefined && columns.length > 1 && count !== rows)
      throw new Error(`it has ${rows} rows, or ${count}: its lines end in different ways`);
  } catch (error) {
    throw new FileError(file, error);
  }
}

async function firstCells(head: Blob, writing: Writing): Promise<readonly string[]> {
  for await (const record of below(head, writing)) return cellsOf(record, writing.delimiter);
  return [];
}

/** Records below the header, if there is one, and below what no table has above it. */
async function* below(file: Blob, writing: Writing): AsyncGenerator<string> {
  const { header, delimiter } = writing;
  let [isTop, isHeader] = [true, header];
  for await (const record of recordsOf(linesOf(recoded(file, writing)), delimiter)) {
    isTop &&= isSeparatorLine(record, delimiter) || cellsOf(record, delimiter).every(isBlank);
    if (isTop) continue;
    if (!isHeader) yield record;
    isHeader = false;
  }
}

/** What spreadsheets write into the first line of a file. */
function isSeparatorLine(record: string, delimiter: string): boolean {
  return record.toLowerCase() === `sep=${delimiter}`;
}

function isBlank(cell: string): boolean {
  return cell.trim() === '';
}

/** The first that is a table. */
async function parsed(
  heads: readonly Bytes[],
  data: Pick<DataClient, 'read'>,
): Promise<{ readonly table: Table; readonly head: Bytes }> {
  let problem: unknown;
  for (const head of heads) {
    try {
      return { table: parseTable(head, OPTIONS), head };
    } catch (error) {
      problem ??= error;
    }
  }
  // In the page's words, which count rows from 1.
  await data.read(heads[0]!.slice().buffer);
  throw problem;
}

/** Without the line that is cut off at the end. */
function untilLine(start: Bytes): Bytes {
  return start.subarray(0, lineEnds(start).at(-1));
}

/** Without the row that is cut off at the end: line ends in quotes end none. */
function untilRow(start: Bytes): Bytes {
  const ends = lineEnds(start);
  let isQuoted = false;
  let [end, at] = [0, 0];
  for (const next of ends) {
    for (; at < next; at++) if (start[at] === QUOTE) isQuoted = !isQuoted;
    if (!isQuoted) end = next;
  }
  return start.subarray(0, end);
}

/** Where lines are over, in any encoding: in UTF-16 half of a line end is 0. */
function lineEnds(start: Bytes): number[] {
  const isWide = start.includes(0);
  const ends: number[] = [];
  for (const [at, byte] of start.entries()) {
    if (byte !== 0x0a && byte !== 0x0d) continue;
    if (!isWide) ends.push(at + 1);
    else if (start[at ^ 1] === 0) ends.push((at | 1) + 1);
  }
  return ends;
}

/** Whether all of it is. */
async function isUtf8(file: Blob): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const piece of piecesOf(file)) decoder.decode(piece, { stream: true });
    decoder.decode();
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

/** As UTF-8, with ends of lines that `linesOf` knows. */
async function* recoded(file: Blob, { encoding, returnsOnly }: Writing): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const encoder = new TextEncoder();
  const encoded = (text: string): Uint8Array =>
    encoder.encode(returnsOnly ? text.replaceAll('\r', '\n') : text);
  for await (const piece of piecesOf(file)) yield encoded(decoder.decode(piece, { stream: true }));
  yield encoded(decoder.decode());
}
