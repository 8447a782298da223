/** Spreadsheets: the cells of the first sheet as text. Loaded with the first such file. */
import { readSheet } from 'read-excel-file/universal';
import { UnreadableFile } from './read-table.js';

/** Digits that spreadsheets write of a double: enough to tell it from all others. */
const MOST_DIGITS = 17;

export async function readXlsx(file: Uint8Array): Promise<string[][]> {
  const rows = await readSheet(file.slice().buffer, 1, { parseNumber: shortest }).catch((error: unknown) => {
    throw new UnreadableFile('a spreadsheet that is damaged or locked', 'Save it as CSV first', error);
  });
  // Of several sheets it is the first that is read, which nobody sees who looks at another one.
  if (rows.every((row) => row.every((cell) => textOf(cell).trim() === '')))
    throw new UnreadableFile('a spreadsheet with an empty first sheet', 'Move the table there first');
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  return rows.map((row) => Array.from({ length: width }, (_, at) => textOf(row[at])));
}

function textOf(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  return cell instanceof Date ? cell.toISOString() : String(cell);
}

/** Of a double that is written as spreadsheets do the shortest decimal; other numbers have digits that would be lost, and stay. */
export function shortest(text: string): string {
  const value = Number(text);
  const digits = significantOf(text);
  if (!Number.isFinite(value) || digits.length > MOST_DIGITS) return text;
  if (digits === '') return value === 0 ? '0' : text;
  return significantOf(value.toExponential(digits.length - 1)) === digits ? String(value) : text;
}

function significantOf(text: string): string {
  return text
    .replace(/e.*$/i, '')
    .replaceAll(/\D/g, '')
    .replaceAll(/^0+|0+$/g, '');
}
