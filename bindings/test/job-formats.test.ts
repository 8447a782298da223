import * as arrow from 'apache-arrow';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { CipherloomError } from '../src/errors.js';
import { toArrow, toCsv, toJson, toXml } from '../src/job/formats/index.js';
import type { AnyKey, Data, Row } from '../src/job/types.js';
import { randomRows, TEMPLATES } from './job-rows.js';
import { random } from './random.js';

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

async function failureOf(pieces: AsyncIterable<unknown>): Promise<CipherloomError> {
  try {
    for await (const piece of pieces) void piece;
  } catch (error) {
    if (error instanceof CipherloomError) return error;
    throw error;
  }
  throw new Error('no error');
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** As JSON has it. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return base64(value);
  if (ArrayBuffer.isView(value)) return Array.from(value as Float64Array, (number) => number + 0);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'number') return value + 0;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)]));
}

const MIXED: Row[] = [
  ['a', 1.5],
  [-2, 'two, "too"\r\n'],
  ['', null],
  ['b', Uint8Array.of(0, 255, 7)],
  ['c', new Float32Array([1, 2])],
  ['d', [true, { x: [], y: Uint8Array.of(1) }]],
];

describe('JSON', () => {
  it('is a list of keys and values', async () => {
    expect(JSON.parse(await textOf(toJson(MIXED)))).toEqual([
      { key: 'a', value: 1.5 },
      { key: -2, value: 'two, "too"\r\n' },
      { key: '', value: null },
      { key: 'b', value: 'AP8H' },
      { key: 'c', value: [1, 2] },
      { key: 'd', value: [true, { x: [], y: 'AQ==' }] },
    ]);
    expect(JSON.parse(await textOf(toJson([[[0, 3], 1]])))).toEqual([{ row: 0, column: 3, value: 1 }]);
    expect(JSON.parse(await textOf(toJson([])))).toEqual([]);
  });

  it('is read as it was written', async () => {
    for (let round = 0; round < 200; round++) {
      const rows = randomRows(random(600) * (round % 2), TEMPLATES[random(5)], true);
      const expected = rows.map(([key, value]) => ({ ...position(key), value: plain(value) }));
      expect(JSON.parse(await textOf(toJson(slowly(rows))))).toEqual(expected);
    }
  });

  it.each<[Data, string]>([
    [Number.NaN, 'NaN'],
    [{ a: [Number.POSITIVE_INFINITY] }, 'Infinity'],
    [Float64Array.of(Number.NEGATIVE_INFINITY), '-Infinity'],
  ])('has no %j', async (value, found) => {
    const error = await failureOf(toJson([...MIXED, ['k', value]]));
    expect(error.code).toBe('job.format');
    expect(error.message).toBe(`rows as JSON, row 6, key "k": expected finite numbers, found ${found}`);
    expect(error.details).toMatchObject({ row: 6, key: 'k' });
  });
});

function position(key: AnyKey): object {
  return typeof key === 'object' ? { row: key[0], column: key[1] } : { key };
}

describe('CSV', () => {
  const read = (text: string): string[][] => {
    const { data, errors } = Papa.parse<string[]>(text, { delimiter: ',', newline: '\r\n' });
    expect(errors).toEqual([]);
    expect(data.pop()).toEqual(['']);
    return data;
  };

  it('has a column for keys and one for values', async () => {
    expect(await textOf(toCsv(MIXED))).toBe(
      'key,value\r\na,1.5\r\n-2,"two, ""too""\r\n"\r\n,\r\nb,AP8H\r\nc,"[1,2]"\r\nd,"[true,{""x"":[],""y"":""AQ==""}]"\r\n',
    );
    expect(await textOf(toCsv([[[0, 3], -0]]))).toBe('row,column,value\r\n0,3,-0\r\n');
    expect(await textOf(toCsv([['a', Number.NaN]]))).toBe('key,value\r\na,NaN\r\n');
    expect(await textOf(toCsv([]))).toBe('key,value\r\n');
  });

  it('is read as it was written', async () => {
    for (let round = 0; round < 200; round++) {
      const template = TEMPLATES[random(5)]!;
      const rows = randomRows(1 + random(600), template, true);
      const [head, ...records] = read(await textOf(toCsv(slowly(rows))));
      expect(head).toEqual(template === 'SparseMatrix' ? ['row', 'column', 'value'] : ['key', 'value']);
      expect(records).toHaveLength(rows.length);
      for (const [index, [key, value]] of rows.entries()) {
        const record = records[index] as string[];
        const field = record.pop() as string;
        expect(record).toEqual([key].flat().map(String));
        if (typeof value === 'number') expect(Object.is(Number(field), value)).toBe(true);
        else if (value === null) expect(field).toBe('');
        else if (value instanceof Uint8Array) expect(field).toBe(base64(value));
        else if (typeof value === 'object') expect(JSON.parse(field)).toEqual(plain(value));
        else expect(field).toBe(String(value));
      }
    }
  });

  it('for spreadsheets has no formula', async () => {
    const texts = ['=1+1', '+1', '-1', '@a', '\t=1', '\r=1', '\n=1', '=1\n+2', '＝1', "'=1", 'a=1', '{}'];
    const rows = texts.map((text): Row => [text, text]);
    const fields = read(await textOf(toCsv([...rows, ['n', -5], ['b', true]], { spreadsheet: true }))).slice(1); // prettier-ignore
    const safe = texts.map((text, index) => (index < 9 ? `'${text}` : text));
    expect(fields).toEqual([...safe.map((text) => [text, text]), ['n', '-5'], ['b', 'true']]);
    // For programs it is what it was.
    expect(read(await textOf(toCsv(rows))).slice(1)).toEqual(texts.map((text) => [text, text]));
  });

  it('tells what it has not', async () => {
    expect((await failureOf(toCsv([['a', 1], [[0, 1], 1]]))).message).toBe(
      'rows as CSV, row 1, key [0, 1]: expected a key as before, found a position',
    ); // prettier-ignore
    expect((await failureOf(toCsv([[[0, 1], 1], ['a', 1]]))).code).toBe('job.format'); // prettier-ignore
    expect((await failureOf(toCsv([['a', [Number.NaN]]]))).code).toBe('job.format');
    expect((await failureOf(toCsv([], { spreadsheets: true } as never))).code).toBe('input.option');
    expect((await failureOf(toCsv([], { spreadsheet: 1 } as never))).code).toBe('input.type');
  });
});

interface Node {
  readonly name: string;
  readonly attributes: Record<string, string>;
  readonly children: Node[];
  text: string;
}

interface Parser {
  on(event: 'error', heard: (error: Error) => void): void;
  on(event: 'opentag', heard: (tag: { name: string; attributes: Record<string, string> }) => void): void;
  on(event: 'text', heard: (text: string) => void): void;
  on(event: 'closetag', heard: () => void): void;
  write(text: string): { close(): void };
}
// By a variable: the types that it comes with do not fit the compiler that we have.
const saxes: string = 'saxes';
const { SaxesParser } = (await import(saxes)) as { SaxesParser: new () => Parser };

/** By a parser that ends at what is not well-formed. */
function readXml(text: string): Node {
  const parser = new SaxesParser();
  const root: Node = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const node: Node = { name, attributes, children: [], text: '' };
    open.at(-1)!.children.push(node);
    open.push(node);
  });
  parser.on('text', (text) => {
    open.at(-1)!.text += text;
  });
  parser.on('closetag', () => void open.pop());
  parser.write(text).close();
  return root.children[0]!;
}

function rowOfXml({ name, children: [first, second] }: Node): Row {
  expect(name).toBe('row');
  const { row, column } = first!.attributes;
  const key = first!.name === 'position' ? ([Number(row), Number(column)] as const) : valueOfXml(first!);
  return [key as AnyKey, valueOfXml(second!)];
}

function valueOfXml({ attributes, text, children }: Node): Data {
  const number = (word: string) => Number(word.replace('INF', 'Infinity'));
  switch (attributes.type) {
    case 'null':
      return null;
    case 'number':
      return number(text);
    case 'text':
      return text;
    case 'boolean':
      return text === 'true';
    case 'bytes':
      return new Uint8Array(Buffer.from(text, 'base64'));
    case 'numbers':
      return text === '' ? [] : text.split(' ').map(number);
    case 'list':
      return children.map(valueOfXml);
    case 'object':
      return Object.fromEntries(children.map((child) => [child.attributes.name, valueOfXml(child)]));
  }
  throw new Error(`type ${attributes.type}`);
}

/** Of typed arrays it says numbers alone. */
function untyped(value: Data): Data {
  if (value instanceof Uint8Array || typeof value !== 'object' || value === null) return value;
  if (ArrayBuffer.isView(value)) return Array.from(value as Float64Array);
  if (Array.isArray(value)) return (value as Data[]).map(untyped);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, untyped(item as Data)]));
}

describe('XML', () => {
  it('is a document that says types', async () => {
    expect(await textOf(toXml(MIXED))).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<rows>
<row><key type="text">a</key><value type="number">1.5</value></row>
<row><key type="number">-2</key><value type="text">two, &quot;too&quot;&#13;&#10;</value></row>
<row><key type="text"/><value type="null"/></row>
<row><key type="text">b</key><value type="bytes">AP8H</value></row>
<row><key type="text">c</key><value type="numbers">1 2</value></row>
<row><key type="text">d</key><value type="list"><item type="boolean">true</item><item type="object"><entry name="x" type="list"/><entry name="y" type="bytes">AQ==</entry></item></value></row>
</rows>
`);
    const matrix = await textOf(toXml([[[0, 3], Number.NEGATIVE_INFINITY]]));
    expect(matrix).toContain('<row><position row="0" column="3"/><value type="number">-INF</value></row>');
    expect(readXml(await textOf(toXml([])))).toMatchObject({ name: 'rows', children: [] });
  });

  it('is read as it was written', async () => {
    for (let round = 0; round < 300; round++) {
      const rows = randomRows(random(50), TEMPLATES[random(5)]);
      const { name, children } = readXml(await textOf(toXml(slowly(rows))));
      expect(name).toBe('rows');
      expect(children.map(rowOfXml)).toEqual(rows.map(([key, value]) => [key, untyped(value)]));
    }
  });

  it('takes names that mean something to what builds it', async () => {
    const names = ['@type', '#text', '?xml', '__proto', 'true', '', 'constructor', '@name', '<a>', '\n"'];
    const rows: Row[] = [['a', Object.fromEntries(names.map((name) => [name, 1]))]];
    expect(readXml(await textOf(toXml(rows))).children.map(rowOfXml)).toEqual(rows);
  });

  it('takes data as deep as vectors do', async () => {
    let data: Data = 1;
    for (let depth = 0; depth < 64; depth++) data = depth % 2 ? [data] : { a: data };
    expect(readXml(await textOf(toXml([['a', data]]))).children.map(rowOfXml)).toEqual([['a', data]]);
  });

  it.each<[string, Row, string]>([
    ['in a value', ['k', 'a\u0000b'], 'U+0000'],
    ['in a key', ['k\u001f', 1], 'U+001F'],
    ['in a name', ['k', [{ '\ufffe': 1 }]], 'U+FFFE'],
  ])('has no control characters: %s', async (_, row, found) => {
    const error = await failureOf(toXml([...MIXED, row]));
    expect(error.code).toBe('job.format');
    expect(error.message).toContain('rows as XML, row 6');
    expect(error.message).toContain(`expected characters of XML 1.0, found text with ${found}`);
  });
});

describe('Arrow', () => {
  const read = async (rows: AsyncIterable<Row> | Row[]) => arrow.tableFromIPC(await bytesOf(toArrow(rows)));
  const types = (table: arrow.Table): string[] =>
    table.schema.fields.map(({ name, type }) => `${name} ${String(type)}`);

  it.each<[Row[], string[]]>([
    [[['a', 1], ['b', Number.NaN]], ['key Utf8', 'value Float64']], // prettier-ignore
    [[[1, 'x'], [2, '']], ['key Float64', 'value Utf8']], // prettier-ignore
    [[[[0, 2 ** 53 - 1], -0]], ['row Int64', 'column Int64', 'value Float64']],
    [[['a', null], ['b', true], ['c', null], ['d', false]], ['key Utf8', 'value Bool']], // prettier-ignore
    [[['a', Uint8Array.of(1, 2)], ['b', Uint8Array.of()]], ['key Utf8', 'value Binary']], // prettier-ignore
    [[['a', Float64Array.of(1.5)], ['b', Float64Array.of()]], ['key Utf8', 'value List<Float64>']], // prettier-ignore
    [[['a', Float32Array.of(1, 2)]], ['key Utf8', 'value List<Float32>']],
    [[['a', Int32Array.of(-1, 2)]], ['key Utf8', 'value List<Int32>']],
    [[['a', Uint32Array.of(2 ** 32 - 1)], ['b', null]], ['key Utf8', 'value List<Uint32>']], // prettier-ignore
    [[['a', null]], ['key Utf8', 'value Null']],
    [[], ['key Utf8', 'value Null']],
  ])('has columns: %j', async (rows, expected) => {
    const table = await read(rows);
    expect(types(table)).toEqual(expected);
    expect(table.numRows).toBe(rows.length);
    for (const [index, [key, value]] of rows.entries()) {
      const row = table.get(index)!;
      expect(typeof key === 'object' ? [row['row'], row['column']] : row['key']).toEqual(
        typeof key === 'object' ? key.map(BigInt) : key,
      );
      const found: unknown = row['value'];
      expect(found instanceof arrow.Vector ? found.toArray() : found).toEqual(value);
    }
  });

  it('has nested data as JSON text, which it says', async () => {
    const rows: Row[] = [
      ['a', { x: [1, Uint8Array.of(1)] }],
      ['b', null],
      ['c', [null]],
    ];
    const table = await read(rows);
    expect(types(table)).toEqual(['key Utf8', 'value Utf8']);
    expect(table.schema.fields[1]?.metadata.get('ARROW:extension:name')).toBe('arrow.json');
    expect(table.toArray().map((row) => row!['value'] as string | null)).toEqual([
      '{"x":[1,"AQ=="]}',
      null,
      '[null]',
    ]);
  });

  it('is written a batch at a time, as rows are read', async () => {
    let read = 0;
    async function* source(): AsyncGenerator<Row> {
      for (; read < 20_000; read++) yield [read, `text ${read}`];
    }
    const pieces: Uint8Array[] = [];
    const ahead: number[] = [];
    for await (const piece of toArrow(source())) {
      pieces.push(piece);
      ahead.push(read - 4096 * (pieces.length - 1));
    }
    expect(pieces.length).toBe(6);
    expect(Math.max(...ahead)).toBeLessThanOrEqual(4096);
    const table = arrow.tableFromIPC(Buffer.concat(pieces));
    expect(table.batches).toHaveLength(5);
    expect(table.numRows).toBe(20_000);
    expect(table.getChild('value')?.get(19_999)).toBe('text 19999');
    expect(table.getChild('key')?.get(4096)).toBe(4096);
  });

  it('is read as it was written', async () => {
    for (const template of ['FixValueVector', 'SparseMatrix'] as const) {
      const rows = randomRows(9000, template);
      const table = await read(slowly(rows));
      const values = table.getChild('value')!.toArray() as Float64Array;
      expect([...values]).toEqual(rows.map(([, value]) => value));
      const keys = template === 'FixValueVector' ? ['key'] : ['row', 'column'];
      for (const [index, name] of keys.entries()) {
        const found = Array.from(table.getChild(name)!.toArray() as Iterable<number | bigint>, Number);
        expect(found).toEqual(rows.map(([key]) => [key].flat()[index]));
      }
    }
  });

  it('tells what it has not', async () => {
    expect((await failureOf(toArrow([['a', 1], ['b', 'x']]))).message).toBe(
      'rows as Arrow, row 1, key "b": expected values as before: number, found text',
    ); // prettier-ignore
    expect((await failureOf(toArrow([['a', 1], [1, 1]]))).message).toBe(
      'rows as Arrow, row 1, key 1: expected a key as before: text, found a key: number',
    ); // prettier-ignore
    expect((await failureOf(toArrow([['a', [Number.NaN]]]))).code).toBe('job.format');
    expect((await failureOf(toArrow([], { arrow: {} }))).code).toBe('input.type');
    expect((await failureOf(toArrow([], { arrows: arrow } as never))).code).toBe('input.option');
  });

  it('takes the library from who has it', async () => {
    const bytes = await bytesOf(toArrow([['a', 1]], { arrow }));
    expect(arrow.tableFromIPC(bytes).numRows).toBe(1);
  });
});

it('errors count rows from the first one', async () => {
  const rows = Array.from({ length: 5000 }, (_, row): Row => ['k', row]);
  const bad: Row[] = [...rows, ['k', [Number.NaN, '\u0000']]];
  for (const format of [toJson, toCsv, toXml, toArrow])
    expect((await failureOf(format(bad))).details).toMatchObject({ row: 5000 });
});

it('formats read no faster than what they write is taken', async () => {
  for (const format of [toJson, toCsv, toXml]) {
    let read = 0;
    async function* source(): AsyncGenerator<Row> {
      for (; ; read++) yield ['key', read];
    }
    const pieces = format(source());
    for (let piece = 0; piece < 3; piece++) await pieces.next();
    expect(read).toBeLessThanOrEqual(3 * 256);
    await pieces.return();
  }
});

async function* slowly(rows: readonly Row[]): AsyncGenerator<Row> {
  for (const row of rows) yield row;
}

describe('what is no rows', () => {
  const formats = { JSON: toJson, CSV: toCsv, XML: toXml, Arrow: toArrow };
  for (const [name, format] of Object.entries(formats))
    it(`is refused by ${name}, and nothing is left out`, async () => {
      const refused = async (rows: unknown): Promise<CipherloomError> =>
        await failureOf((format as (rows: unknown) => AsyncIterable<unknown>)(rows));
      for (const rows of [undefined, null, 5, 'rows', { rows: 1, getItr: () => [] }]) {
        const { code, message } = await refused(rows);
        expect([code, message]).toEqual(['input.type', expect.stringContaining(`rows as ${name}`)]);
      }
      const values = [1n, () => 1, Symbol('s'), undefined, [1n], { a: new Map() }];
      const rows = [5, ['a'], [Symbol('s'), 1], [Number.NaN, 1], [[0, -1], 1]];
      for (const row of [...rows, ...values.map((value) => ['b', value])]) {
        const { code, details } = await refused([['a', 1], row]);
        expect([code, details['row']]).toEqual(['job.format', 1]);
      }
    });
});
