// Files as people have them: spreadsheets and Parquet that other programs wrote, text of any kind, and what is none of these.
import { expect, test } from 'vitest';
import digitsParquet from './files/digits.parquet?inline';
import digitsXlsx from './files/digits.xlsx?inline';
import gzip from './files/people-gzip.parquet?inline';
import snappy from './files/people-snappy.parquet?inline';
import zstd from './files/people-zstd.parquet?inline';
import spreadsheet from './files/people.xlsx?inline';
import second from './files/second.xlsx?inline';
import type { DataTable } from '../src/data/messages.js';
import { kindOf, readTable, shortNames } from '../src/data/read-table.js';
import { shortest } from '../src/data/read-xlsx.js';

/** The bytes of a data address. */
const file = async (address: string): Promise<Uint8Array> =>
  new Uint8Array(await (await fetch(address)).arrayBuffer());
const text = (content: string): Uint8Array => new TextEncoder().encode(content);
const numbersOf = ({ numeric }: DataTable): Record<string, number[]> =>
  Object.fromEntries(numeric.map(({ name, values }) => [name, [...values]]));

test('a spreadsheet: its first sheet, names that come twice, empty cells', async () => {
  const table = await readTable(await file(spreadsheet));
  expect(numbersOf(table)).toEqual({
    height: [1.62, 1.8, 1.75],
    weight: [58, Number.NaN, 81.5],
    'weight (2)': [1, 2, 3],
    far: [Number.NaN, 0.1, Number.NaN],
  });
  expect(table.others.map(({ name }) => name)).toEqual(['name', 'born']);
  expect(table.read).toMatch(/XLSX/);
});

test.each([
  ['snappy', snappy],
  ['zstd', zstd],
  ['gzip', gzip],
])('Parquet with %s: floats as they were written', async (_, address) => {
  const table = await readTable(await file(address));
  expect(numbersOf(table)).toEqual({
    height: [1.62, 1.8, 1.75],
    weight: [58, Number.NaN, 81.5],
    id: [1, 2, 2 ** 50],
    price: [1.1, 2.25, 3],
  });
});

test('Parquet: each of two columns of one name, and decimals with all their digits', async () => {
  const table = await readTable(await file(digitsParquet));
  expect(numbersOf(table)).toEqual({
    x: [1, 2],
    'x (2)': [3, 4],
    bytes: [-0.05, 12.5],
    int64: [-123456789012.3456, Number.NaN],
    int32: [7, -8],
    varied: [-12.3, 6553.6],
  });
  expect(table.others).toEqual([
    { name: 'parts', why: 'row 1, “{"a":"1","b":"2"}”, is no number' },
    { name: 'long', why: 'row 1, “12345678901234567890.12”, has more digits than a double holds' },
    { name: 'letters', why: 'row 2, “x”, is no number' },
    { name: 'json', why: 'row 1, “9007199254740993”, has more digits than a double holds' },
  ]);
});

test('a spreadsheet: a table further down, and numbers with more digits than a double', async () => {
  const table = await readTable(await file(digitsXlsx));
  expect(numbersOf(table)).toEqual({ short: [2.5, 4], bits: [1.62, 5] });
  expect(table.others).toEqual([
    { name: 'long', why: 'row 1, “12345678901234567890”, has more digits than a double holds' },
  ]);
});

test.each([
  // As spreadsheets write doubles.
  ['0.10000000000000001', '0.1'],
  ['-1.6200000000000001', '-1.62'],
  ['0.30000000000000004', '0.30000000000000004'],
  ['1.2345678901234567E+20', '123456789012345670000'],
  ['100', '100'],
  ['2.50', '2.5'],
  ['0', '0'],
  ['-0.0', '0'],
  // No double, and no number.
  ['12345678901234567890', '12345678901234567890'],
  ['9007199254740993', '9007199254740993'],
  ['0.100000000000000005551', '0.100000000000000005551'],
  ['1E999', '1E999'],
  ['one', 'one'],
])('of a spreadsheet, %s is read as %s', (written, read) => {
  expect(shortest(written)).toBe(read);
});

test('what is damaged, or none of these, is refused with its name', async () => {
  const code = (bytes: Uint8Array): Promise<unknown> =>
    readTable(bytes).then(
      () => 'read',
      (error: { code?: string }) => error.code,
    );
  expect(await code((await file(spreadsheet)).fill(0, 60, 1500))).toBe('file.unreadable');
  expect(await code((await file(snappy)).slice(0, 700))).toBe('file.unreadable');
  expect(await code(Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1))).toBe('file.unreadable');
  expect(await code(Uint8Array.of(0x50, 0x4b, 3, 4, 20, 0))).toBe('file.unreadable');
  expect(await code(Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13))).toBe(
    'table.encoding',
  );
  expect(await code(Uint8Array.of())).toBe('table.empty');
  expect(kindOf(text('PARK,1'))).toBe('text');
});

test('of a spreadsheet whose first sheet is empty it is said so', async () => {
  await expect(readTable(await file(second))).rejects.toThrow(
    'This is a spreadsheet with an empty first sheet, which cannot be read. Move the table there first.',
  );
});

test('a spreadsheet that is cut short is not called a ZIP file', async () => {
  const bytes = await file(spreadsheet);
  for (const length of [bytes.length - 22, 4000, 1000, 30])
    await expect(readTable(bytes.slice(0, length))).rejects.toThrow('cut short');
  expect(kindOf(bytes)).toBe('xlsx');
  // The directory of a ZIP file without anything in it.
  expect(kindOf(Uint8Array.from([80, 75, 3, 4, ...Array<number>(26).fill(0), 80, 75, 5, 6]))).toBe('zip');
});

test('the first row is what one says it is', async () => {
  const bytes = text('2019;2020\n1,5;2\n');
  expect(await readTable(bytes)).toMatchObject({ header: false, rows: 2 });
  const table = await readTable(bytes, { header: true });
  expect([table.header, numbersOf(table)]).toEqual([true, { '2019': [1.5], '2020': [2] }]);
  expect(table.read).toBe('UTF-8 text, separated by semicolons, decimals after a comma');
});

test('rows are counted from 1, and long cells are cut', async () => {
  const { others } = await readTable(text(`a,b\n1,2\n3,${'12345678'.repeat(5)}\n`));
  expect(others).toEqual([
    {
      name: 'b',
      why: 'row 2, “1234567812345678123456781234567812345678”, has more digits than a double holds',
    },
  ]);
});

test('errors count rows from 1, too', async () => {
  const error = await readTable(text('a,b\n1,2\n3\n')).catch((one: unknown) => one);
  expect(error).toMatchObject({
    code: 'table.ragged',
    message: 'Row 2 has 1 fields, the header has 2 (rows are counted from 1, below the header)',
    details: { row: 2 },
  });
});

test('names are short, well formed, and each there once', () => {
  const long = 'n'.repeat(3000);
  const names = shortNames([long, `${long}x`, 'b', '__proto__', 'c\ud800', '😀'.repeat(50), '\u202ed']);
  expect(names[0]).toBe(`${'n'.repeat(39)}…`);
  expect(names[1]).toBe(`${'n'.repeat(39)}… (2)`);
  expect(names.slice(2, 5)).toEqual(['b', 'column 4', 'c\ufffd']);
  expect(names[5]).toBe(`${'😀'.repeat(39)}…`);
  expect(names[6]).toBe('\ufffdd');
  expect(new Set(names).size).toBe(names.length);
});
