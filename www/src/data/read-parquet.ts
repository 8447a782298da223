/** Parquet: its columns as text, names first. Loaded with the first such file. */
import { parquetMetadata, parquetReadObjects, parquetSchema } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { UnreadableFile } from './read-table.js';

export async function readParquet(file: Uint8Array): Promise<string[][]> {
  const bytes = file.slice().buffer;
  try {
    const metadata = parquetMetadata(bytes);
    const fields = parquetSchema(metadata).children.map(({ element }) => element);
    const rows = await parquetReadObjects({ file: bytes, metadata, compressors });
    return [
      fields.map(({ name }) => name),
      ...rows.map((row) => fields.map(({ name, type }) => textOf(row[name], type === 'FLOAT'))),
    ];
  } catch (error) {
    throw new UnreadableFile('a Parquet file that is damaged or encrypted', 'Save it as CSV first', error);
  }
}

/** Of a single float the shortest decimal that is that float, as whoever wrote it had it. */
function textOf(cell: unknown, single: boolean): string {
  if (cell === null || cell === undefined) return '';
  if (single && typeof cell === 'number') return shortest(cell);
  if (cell instanceof Date) return cell.toISOString();
  return typeof cell === 'object'
    ? JSON.stringify(cell, (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one))
    : String(cell);
}

function shortest(value: number): string {
  for (let digits = 1; digits <= 9; digits++) {
    const text = String(Number(value.toPrecision(digits)));
    if (Math.fround(Number(text)) === value) return text;
  }
  return String(value);
}
