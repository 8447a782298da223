/** Spreadsheets: the cells of the first sheet as text. Loaded with the first such file. */
import { readSheet } from 'read-excel-file/universal';
import { UnreadableFile } from './read-table.js';

export async function readXlsx(file: Uint8Array): Promise<string[][]> {
  const rows = await readSheet(file.slice().buffer, 1, { parseNumber: Number }).catch((error: unknown) => {
    throw new UnreadableFile('a spreadsheet that is damaged or locked', 'Save it as CSV first', error);
  });
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  return rows.map((row) => Array.from({ length: width }, (_, at) => textOf(row[at])));
}

function textOf(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  return cell instanceof Date ? cell.toISOString() : String(cell);
}
