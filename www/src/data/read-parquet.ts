/** Parquet: its columns as text, names first. Loaded with the first such file. */
import {
  type FileMetaData,
  parquetMetadata,
  parquetReadObjects,
  parquetSchema,
  type SchemaElement,
  type SchemaTree,
} from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { UnreadableFile } from './read-table.js';

/** A column, as it is to be shown. */
interface Field {
  readonly name: string;
  readonly type: SchemaElement['type'];
  /** Decimal places of whole numbers that stand for decimals. */
  readonly scale: number | undefined;
}

export async function readParquet(file: Uint8Array): Promise<string[][]> {
  const bytes = file.slice().buffer;
  try {
    const metadata = parquetMetadata(bytes);
    const fields = fieldsOf(metadata);
    // Without `utf8` bytes stay bytes, which decimals may be. Numbers of JSON would become doubles.
    const parsers = { jsonFromBytes: lettersOf };
    const rows = await parquetReadObjects({ file: bytes, metadata, compressors, parsers, utf8: false });
    return [
      fields.map(({ name }) => name),
      ...rows.map((row) => fields.map((field, at) => textOf(row[String(at)], field))),
    ];
  } catch (error) {
    throw new UnreadableFile('a Parquet file that is damaged or encrypted', 'Save it as CSV first', error);
  }
}

/**
 * The columns. Changes the metadata: each column has its number for a name there, since two may have one name, and decimals
 * are whole numbers, since the reader makes doubles of them.
 */
function fieldsOf(metadata: FileMetaData): Field[] {
  const { children } = parquetSchema(metadata);
  const owners = children.flatMap((child, at) => Array<string>(leavesOf(child)).fill(String(at)));
  for (const { columns } of metadata.row_groups) {
    if (columns.length !== owners.length) throw new Error('a row group has other columns than the schema');
    for (const [at, { meta_data: column }] of columns.entries())
      if (column !== undefined) column.path_in_schema[0] = owners[at]!;
  }
  return children.map(({ element }, at) => {
    const { name, type } = element;
    element.name = String(at);
    const scale = scaleOf(element);
    if (scale !== undefined) delete element.converted_type;
    return { name, type, scale };
  });
}

function leavesOf({ children }: SchemaTree): number {
  return children.length === 0 ? 1 : children.reduce((sum, child) => sum + leavesOf(child), 0);
}

function scaleOf({ type, repetition_type, converted_type, logical_type, scale }: SchemaElement) {
  const logical = logical_type?.type === 'DECIMAL' ? logical_type : undefined;
  const isDecimal = converted_type === 'DECIMAL' || logical !== undefined;
  // A list, or what has parts, is no number anyway.
  if (!isDecimal || type === undefined || repetition_type === 'REPEATED') return undefined;
  return scale ?? logical?.scale ?? 0;
}

function textOf(cell: unknown, { type, scale }: Field): string {
  if (cell === null || cell === undefined) return '';
  if (scale !== undefined) return decimalOf(cell as number | bigint | Uint8Array, scale);
  if (typeof cell === 'number' && type === 'FLOAT') return shortest(cell);
  if (cell instanceof Date) return cell.toISOString();
  if (cell instanceof Uint8Array && type === 'BYTE_ARRAY') return lettersOf(cell);
  return typeof cell === 'object' ? JSON.stringify(cell, jsonOf) : String(cell);
}

function jsonOf(_: string, one: unknown): unknown {
  if (typeof one === 'bigint') return String(one);
  return one instanceof Uint8Array ? lettersOf(one) : one;
}

function lettersOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** All digits of a decimal that is stored as a whole number, or as the bytes of one, the highest first. */
function decimalOf(cell: number | bigint | Uint8Array, scale: number): string {
  const units =
    cell instanceof Uint8Array
      ? BigInt.asIntN(
          8 * cell.length,
          cell.reduce((sum, byte) => 256n * sum + BigInt(byte), 0n),
        )
      : BigInt(cell);
  if (scale === 0) return String(units);
  const digits = String(units)
    .replace('-', '')
    .padStart(scale + 1, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** Of a single float the shortest decimal that is that float, as whoever wrote it had it. */
function shortest(value: number): string {
  for (let digits = 1; digits <= 9; digits++) {
    const text = String(Number(value.toPrecision(digits)));
    if (Math.fround(Number(text)) === value) return text;
  }
  return String(value);
}
