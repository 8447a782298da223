import { describe, expect, it } from 'vitest';
import { CipherloomError } from '../src/errors.js';
import { decodeChunk, encodeChunk } from '../src/job/chunk.js';
import { MemoryStore } from '../src/job/memory-store.js';
import {
  checkRow,
  FixValueVector,
  PVar,
  SparseMatrix,
  SparseTextVector,
  SparseValueVector,
  templateFor,
  Var,
  VariableLenVector,
} from '../src/job/templates.js';
import type { Data, GlobalTemplate, PartitionerFunction, Row, Template } from '../src/job/types.js';
import { type PlacedChunk, Vector, type VectorOptions } from '../src/job/vector.js';
import { codeOf, messageOf, thrownBy } from './code.js';
import { randomRows, TEMPLATES } from './job-rows.js';
import { random } from './random.js';

const TEMPLATE_OF = { FixValueVector, SparseValueVector, SparseTextVector, VariableLenVector, SparseMatrix };

interface Made {
  readonly vector: Vector;
  readonly store: MemoryStore;
}
function make(template: Template | GlobalTemplate, parts = 1, options: VectorOptions = {}): Made {
  const store = new MemoryStore();
  return { vector: new Vector('input "x"', template, store, parts, options), store };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** Rows of each sub-vector, by chunks. */
async function partsOf({ vector, store }: Made): Promise<Row[][][]> {
  const parts: Row[][][] = Array.from({ length: vector.parts() }, () => []);
  for await (const { part, ref } of vector.pieces()) parts[part]?.push(decodeChunk(await store.get(ref)));
  return parts;
}

async function failureOf(promise: PromiseLike<unknown> | undefined): Promise<CipherloomError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof CipherloomError) return error;
    throw error;
  }
  throw new Error('no error');
}

function counted(count: number): Row[] {
  return Array.from({ length: count }, (_, key): Row => [key, key]);
}

describe('a vector that is cut by count', () => {
  it('with N = 3 is three sub-vectors (K-V4)', async () => {
    const made = make(SparseTextVector(), 3);
    for (const [key, value] of [
      ['a', 'A'],
      ['b', 'B'],
      ['c', 'C'],
    ] as const)
      // prettier-ignore
      expect(made.vector.emit(key, value)).toBeUndefined();
    const [VectorA, VectorB, VectorC] = await partsOf(made);
    expect(VectorA).toEqual([[['a', 'A']]]);
    expect(VectorB).toEqual([[['b', 'B']]]);
    expect(VectorC).toEqual([[['c', 'C']]]);
  });

  it('with three rows and two parts has r0, r1 in one and r2 in the other (K-V5)', async () => {
    const made = make(SparseTextVector(), 2);
    for (const key of ['r0', 'r1', 'r2']) void made.vector.emit(key, '');
    expect(await partsOf(made)).toEqual([[[['r0', ''], ['r1', '']]], [[['r2', '']]]]); // prettier-ignore
  });

  it.each([
    [0, 3, [0, 0, 0]],
    [1, 3, [1, 0, 0]],
    [4, 3, [2, 2, 0]],
    [5, 4, [2, 2, 1, 0]],
    [10, 3, [4, 4, 2]],
  ])('%d rows in %d parts: %j', async (rows, parts, expected) => {
    const made = make(FixValueVector(), parts);
    for (const [key, value] of counted(rows)) void made.vector.emit(key as number, value);
    const found = await partsOf(made);
    expect(found.map((part) => part.flat().length)).toEqual(expected);
    expect(found.flat(2)).toEqual(counted(rows));
  });

  it('deals what is more than all parts hold to them in turn, a chunk at a time', async () => {
    const made = make(FixValueVector(), 2, { rows: 2 });
    made.vector.read(counted(11));
    const parts = await partsOf(made);
    const keys = parts.map((part) => part.map((chunk) => chunk.map(([key]) => key)));
    expect(keys).toEqual([[[0, 1], [4, 5], [8, 9]], [[2, 3], [6, 7], [10]]]); // prettier-ignore
    expect(await all(made.vector.getItr())).toEqual(counted(11));
    const chunks = await all(made.vector.pieces());
    expect(chunks.map(({ number, part, first, rows }) => [number, part, first, rows])).toEqual([
      [0, 0, 0, 2],
      [1, 1, 0, 2],
      [2, 0, 2, 2],
      [3, 1, 2, 2],
      [4, 0, 4, 2],
      [5, 1, 4, 1],
    ]);
  });

  it('cuts a run that is too large for a chunk into several', async () => {
    const made = make(SparseTextVector(), 2, { bytes: 1000 });
    const rows = Array.from({ length: 4 }, (_, key): Row => [key, 'x'.repeat(key === 3 ? 10 : 600)]);
    made.vector.read(rows);
    expect((await partsOf(made)).map((part) => part.map((chunk) => chunk.length))).toEqual([[2], [2]]);
    expect(await all(made.vector.getItr())).toEqual(rows);
  });

  it('makes chunks of about a megabyte, whatever rows are', async () => {
    const { vector, store } = make(VariableLenVector(), 2);
    vector.read(
      (function* () {
        for (let key = 0; key < 40; key++) yield [key, new Float64Array(32_768)] as const;
      })(),
    );
    for await (const { ref } of vector.pieces()) {
      expect(ref.bytes).toBeLessThan(1.3 * 2 ** 20);
      await store.drop([ref]);
    }
  });

  it('gives the same rows as went in, whatever the limits are', async () => {
    for (let round = 0; round < 400; round++) {
      const template = TEMPLATES[random(TEMPLATES.length)]!;
      const rows = randomRows(random(60), template);
      const parts = 1 + random(8);
      const made = make(TEMPLATE_OF[template](), parts, { rows: 1 + random(8), bytes: 50 + random(2000) });
      const emitted = random(rows.length + 1);
      for (const [key, value] of rows.slice(0, emitted)) await made.vector.emit(key, value);
      const middle = emitted + random(rows.length + 1 - emitted);
      made.vector.read(rows.slice(emitted, middle));
      made.vector.read(slowly(rows.slice(middle)));
      expect(await all(made.vector.getItr())).toEqual(rows);
      expect(made.vector.rows).toBe(rows.length);
      await checkPlaces(made);
    }
  });

  it('has many parts, too', async () => {
    const made = make(FixValueVector(), 65_536);
    made.vector.read(counted(3));
    expect((await all(made.vector.pieces())).map(({ part }) => part)).toEqual([0, 1, 2]);
  });

  it('fills all of many parts with what 64 would hold', async () => {
    const { vector } = make(FixValueVector(), 1000, { bytes: 10_000 });
    let read = 0;
    function* source(): Generator<Row> {
      for (; read < 50_000; read++) yield [read, 1];
    }
    vector.read(source());
    const pieces = vector.pieces();
    await pieces.next();
    expect(read * 16).toBeLessThan(64 * 10_000);
    await pieces.return();
    expect(new Set((await all(vector.pieces())).map(({ part }) => part)).size).toBe(1000);
  });
});

/** Places of chunks tell where rows are: numbers and positions have no gaps. */
async function checkPlaces({ vector, store }: Made): Promise<void> {
  const next = new Map<number, number>();
  for (const [index, chunk] of (await all(vector.pieces())).entries()) {
    expect(chunk.number).toBe(index);
    expect(chunk.first).toBe(next.get(chunk.part) ?? 0);
    expect(decodeChunk(await store.get(chunk.ref))).toHaveLength(chunk.rows);
    expect(chunk.rows).toBeGreaterThan(0);
    expect(chunk.part).toBeLessThan(vector.parts());
    next.set(chunk.part, chunk.first + chunk.rows);
  }
}

describe('a vector with a partitioner', () => {
  const byKey: PartitionerFunction = (key, parts) => (key as number) % parts;

  it('puts each row where the function says', async () => {
    const made = make(SparseValueVector(), 3, { partitioner: byKey, rows: 2 });
    made.vector.read(counted(10));
    const keys = (await partsOf(made)).map((part) => part.flat().map(([key]) => key));
    expect(keys).toEqual([[0, 3, 6, 9], [1, 4, 7], [2, 5, 8]]); // prettier-ignore
  });

  it('loses no row and doubles none', async () => {
    for (let round = 0; round < 300; round++) {
      const rows = randomRows(random(80), 'VariableLenVector');
      const parts = 1 + random(6);
      const chosen = rows.map(() => random(parts));
      let next = 0;
      const partitioner: PartitionerFunction = () => chosen[next++]!;
      const made = make(VariableLenVector(), parts, { partitioner, rows: 1 + random(5) });
      made.vector.read(rows);
      const found = await partsOf(made);
      for (let part = 0; part < parts; part++)
        expect(found[part]?.flat()).toEqual(rows.filter((_, row) => chosen[row] === part));
      await checkPlaces(made);
    }
  });

  it.each<[string, unknown, string]>([
    ['a part that there is not', 3, '3'],
    ['a negative one', -1, '-1'],
    ['half a part', 0.5, '0.5'],
    ['NaN', Number.NaN, 'NaN'],
    ['nothing', undefined, 'undefined'],
    ['text', '0', '"0"'],
    ['a promise', Promise.resolve(0), 'a Promise: an await is missing'],
  ])('is told of %s', async (_, part, found) => {
    const { vector } = make(SparseValueVector(), 3, { partitioner: () => part as number });
    const error = thrownBy(() => vector.emit('k', 1))!;
    expect(error.code).toBe('job.partitioner');
    expect(error.message).toBe(
      `input "x", row 0, key "k": expected from the partitioner a whole number from 0 to 2, found ${found}`,
    );
    expect(error.details).toMatchObject({ where: 'input "x"', row: 0, key: 'k' });
    vector.read([['k', 1]]);
    expect((await failureOf(all(vector.pieces()))).code).toBe('job.partitioner');
  });

  it('is told of a function that throws, with what it threw', () => {
    const cause = new Error('no such city');
    const partitioner = () => {
      throw cause;
    };
    const { vector } = make(SparseValueVector(), 3, { partitioner });
    const error = thrownBy(() => vector.emit('k', 1))!;
    expect(error).toMatchObject({ code: 'job.partitioner', cause });
    expect(error.message).toContain('no such city');
  });
});

describe('what templates take', () => {
  const good: [Template | GlobalTemplate, Row[]][] = [
    [FixValueVector(), [[0, 1], [-0, Number.NaN]]], // prettier-ignore
    [SparseValueVector(), [['a', 1], [-1.5, Number.POSITIVE_INFINITY], ['', -0]]], // prettier-ignore
    [SparseTextVector(), [['a', ''], [1e300, '😀']]], // prettier-ignore
    [SparseMatrix(), [[[0, 2 ** 53 - 1], 1]]],
    [VariableLenVector(), [['a', null], ['b', { a: [1, [true, Uint8Array.of(1)]] }], ['c', 1], ['d', Object.create(null) as Data]]], // prettier-ignore
    [Var(), [['a', 1], [1, 'a']]], // prettier-ignore
    [PVar(), [['a', new Float64Array(3)]]],
  ];
  it.each(good)('%j', (template, rows) => {
    for (const row of rows) expect(() => checkRow(template, row, 'test')).not.toThrow();
  });

  const half = '\ud83d';
  let deep: unknown = 1;
  for (let depth = 0; depth < 65; depth++) deep = [deep];
  const cycle: { a?: unknown } = {};
  cycle.a = cycle;
  it.each<[string, Template | GlobalTemplate, unknown, string, string]>([
    ['NaN as key', SparseValueVector(), [Number.NaN, 1], 'job.key', 'found NaN'],
    ['infinity as key', Var(), [Number.NEGATIVE_INFINITY, 1], 'job.key', 'found -Infinity'],
    ['no key', SparseTextVector(), [undefined, ''], 'job.key', 'found undefined'],
    ['a BigInt as key', VariableLenVector(), [1n, 1], 'job.key', 'found 1n'],
    ['half a pair as key', VariableLenVector(), [half, 1], 'job.key', 'half a surrogate pair'],
    ['a position in no matrix', SparseValueVector(), [[0, 1], 1], 'job.key', 'found an array of 2'],
    [
      'a number in a matrix',
      SparseMatrix(),
      [0, 1],
      'job.key',
      'expected as key of a SparseMatrix a position',
    ],
    ['a negative row', SparseMatrix(), [[-1, 0], 1], 'job.key', 'found -1'],
    ['half a column', SparseMatrix(), [[0, 0.5], 1], 'job.key', 'at [1]'],
    ['2^53 as column', SparseMatrix(), [[0, 2 ** 53], 1], 'job.key', 'found 9007199254740992'],
    ['three indices', SparseMatrix(), [[0, 1, 2], 1], 'job.key', 'found an array of 3'],
    [
      'a key of a dense vector',
      FixValueVector(),
      ['0', 1],
      'job.key',
      'expected as key of a FixValueVector a whole number from 0, found "0"',
    ],
    ['half an index', FixValueVector(), [0.5, 1], 'job.key', 'found 0.5'],
    ['a negative index', FixValueVector(), [-1, 1], 'job.key', 'found -1'],
    [
      'text for a number',
      FixValueVector(),
      [0, '1'],
      'job.template',
      'key 0: expected in a FixValueVector a number, found a string',
    ],
    ['null for a number', SparseValueVector(), ['a', null], 'job.template', 'found null'],
    [
      'a BigInt for a number',
      SparseMatrix(),
      [[0, 0], 1n],
      'job.template',
      'key [0, 0]: expected in a SparseMatrix a number, found a bigint',
    ],
    ['a number for text', SparseTextVector(), ['a', 1], 'job.template', 'found a number'],
    ['half a pair', SparseTextVector(), ['a', half], 'job.template', 'half a surrogate pair'],
    ['undefined', VariableLenVector(), ['a', undefined], 'job.template', 'found undefined'],
    ['a function', VariableLenVector(), ['a', () => 1], 'job.template', 'found a function'],
    ['a hole', VariableLenVector(), ['a', { b: [1, , 2] }], 'job.template', 'at ["b"][1]'], // prettier-ignore
    ['a date', VariableLenVector(), ['a', new Date()], 'job.template', 'found an object (Date)'],
    ['a map', Var(), ['a', new Map()], 'job.template', 'found an object (Map)'],
    [
      'an object of a class',
      VariableLenVector(),
      ['a', new (class A {})()],
      'job.template',
      'found an object',
    ],
    [
      'an ArrayBuffer',
      VariableLenVector(),
      ['a', new ArrayBuffer(1)],
      'job.template',
      'found an object (ArrayBuffer)',
    ],
    [
      'another typed array',
      VariableLenVector(),
      ['a', [new BigInt64Array(1)]],
      'job.template',
      'at [0]: expected',
    ],
    ['__proto__', VariableLenVector(), ['a', JSON.parse('{"__proto__": 1}')], 'job.template', '__proto__'],
    ['too deep', VariableLenVector(), ['a', deep], 'job.template', 'nested deeper than 64'],
    ['a cycle', VariableLenVector(), ['a', cycle], 'job.template', 'nested deeper than 64'],
    ['no row', SparseValueVector(), 1, 'job.template', 'expected a row: [key, value], found 1'],
    ['a longer row', SparseValueVector(), [1, 2, 3], 'job.template', 'found an array of 3'],
  ])('is not %s', (_, template, row, code, part) => {
    const where = { vector: 'input "x"', row: 7 };
    expect(codeOf(() => checkRow(template, row, where))).toBe(code);
    const message = messageOf(() => checkRow(template, row, where));
    expect(message).toContain('input "x", row 7');
    expect(message).toContain(part);
  });

  it('no error tells a value', () => {
    for (const value of ['secret', { secret: 'secret' }, ['secret']]) {
      const error = thrownBy(() => checkRow(SparseValueVector(), ['k', value], 'x'))!;
      expect(error.message + JSON.stringify(error.details)).not.toContain('secret');
    }
  });

  it('is known by a row', () => {
    expect(templateFor(['a', 1])).toEqual(SparseValueVector());
    expect(templateFor([1, 'a'])).toEqual(SparseTextVector());
    expect(templateFor([[0, 1], 1])).toEqual(SparseMatrix());
    for (const value of [null, true, [], {}, new Uint8Array(1)])
      expect(templateFor(['a', value])).toEqual(VariableLenVector());
    expect(codeOf(() => templateFor(undefined as unknown as Row))).toBe('job.template');
  });

  it('is split as it may be', () => {
    const partitioner = { kind: 'function', module: 'https://example.org/by-city.js' } as const;
    expect(SparseValueVector({ parts: 3, partitioner })).toEqual({
      template: 'SparseValueVector',
      parts: 3,
      partitioner,
    });
    for (const parts of [0, -1, 1.5, 65_537, Number.NaN, '3'])
      expect(codeOf(() => SparseMatrix({ parts: parts as number }))).toBe('input.type');
    expect(codeOf(() => SparseMatrix({ partitioner: (() => 0) as never }))).toBe('input.type');
    expect(codeOf(() => SparseMatrix({ part: 3 } as never))).toBe('input.option');
    expect(codeOf(() => SparseMatrix(3 as never))).toBe('input.type');
  });
});

describe('emit', () => {
  it('takes keys of a dense vector in order, each once', () => {
    const { vector } = make(FixValueVector());
    void vector.emit(0, 1);
    expect(messageOf(() => vector.emit(0, 1))).toBe(
      'input "x", row 1: expected 1: keys are 0, 1, 2, ..., found 0',
    );
    expect(codeOf(() => vector.emit(2, 1))).toBe('job.key');
    expect(vector.emit(1, 1)).toBeUndefined();
  });

  it('copies what it is given', async () => {
    const { vector } = make(VariableLenVector());
    const bytes = Uint8Array.of(1, 2, 3);
    const nested = { list: [1, 2], bytes };
    void vector.emit('bytes', bytes);
    void vector.emit('nested', nested);
    bytes.fill(9);
    nested.list.push(3);
    expect(await all(vector.getItr())).toEqual([
      ['bytes', Uint8Array.of(1, 2, 3)],
      ['nested', { list: [1, 2], bytes: Uint8Array.of(1, 2, 3) }],
    ]);
  });

  it('copies positions, and gives bytes of a Buffer as Uint8Array', async () => {
    const { vector } = make(SparseMatrix());
    const position: [number, number] = [-0, 1];
    void vector.emit(position, 1);
    position[1] = 5;
    expect(await all(vector.getItr())).toEqual([[[0, 1], 1]]);
    const { vector: other } = make(VariableLenVector());
    void other.emit('a', Buffer.from('abc'));
    const [[, value]] = (await all(other.getItr())) as [Row];
    expect(Object.getPrototypeOf(value)).toBe(Uint8Array.prototype);
  });

  it('gives a promise when a chunk goes to the store, and only then', async () => {
    const { vector, store } = make(FixValueVector(), 2, { rows: 3 });
    const promises = counted(9).map(([key, value]) => vector.emit(key as number, value));
    expect(promises.map((promise) => promise !== undefined)).toEqual([
      false, false, false, false, false, true, false, false, true,
    ]); // prettier-ignore
    await promises[8];
    expect(store.count).toBe(3);
  });

  it('after the vector was read is an error, as is another source', async () => {
    const { vector } = make(SparseValueVector());
    void vector.emit('a', 1);
    await all(vector.pieces());
    expect(codeOf(() => vector.emit('b', 1))).toBe('job.definition');
    expect(messageOf(() => vector.emit('b', 1))).toContain('input "x": it is being read, and takes no row');
    expect(codeOf(() => vector.read([]))).toBe('job.definition');
    expect(await all(vector.getItr())).toEqual([['a', 1]]);
  });

  it('of what is no source is an error', () => {
    const { vector } = make(SparseValueVector());
    for (const source of [undefined, null, 'rows', 1, {}, new Promise(() => {})])
      expect(codeOf(() => vector.read(source as never))).toBe('input.type');
  });

  it('tells of a store that takes nothing, once by the promise, and by each call after', async () => {
    const failing = new CipherloomError('job.store', 'full');
    const store = Object.assign(new MemoryStore(), { put: () => Promise.reject(failing) });
    const vector = new Vector('x', SparseValueVector(), store, 1, { rows: 1 });
    expect(await failureOf(vector.emit('a', 1))).toBe(failing);
    expect(thrownBy(() => vector.emit('b', 1))).toBe(failing);
    expect(await failureOf(all(vector.pieces()))).toBe(failing);
    // Nobody awaits this one: the process lives on.
    const other = new Vector('x', SparseValueVector(), store, 1, { rows: 1 });
    void other.emit('a', 1);
    expect(await failureOf(all(other.pieces()))).toBe(failing);
  });
});

describe('sources', () => {
  it('are read one after the other, after what was emitted', async () => {
    const { vector } = make(SparseValueVector());
    vector.read([['b', 2]]);
    vector.read(slowly([['c', 3]]));
    void vector.emit('a', 1);
    expect(await all(vector.getItr())).toEqual([['a', 1], ['b', 2], ['c', 3]]); // prettier-ignore
  });

  it('are read no faster than chunks are asked for, and nothing of them stays', async () => {
    const { vector, store } = make(FixValueVector(), 2);
    let read = 0;
    const rows = 2_000_000;
    function* source(): Generator<Row> {
      for (; read < rows; read++) yield [read, 1];
    }
    vector.read(source());
    expect(read).toBe(0);
    let consumed = 0;
    let ahead = 0;
    let most = 0;
    for await (const chunk of vector.pieces()) {
      ahead = Math.max(ahead, read - consumed);
      most = Math.max(most, store.bytes);
      consumed += chunk.rows;
      await store.drop([chunk.ref]);
    }
    expect(consumed).toBe(rows);
    // Two parts' chunks at first, then a chunk at a time.
    expect(ahead).toBeLessThanOrEqual(2 * 4096);
    expect(most).toBeLessThan(2 * 4096 * 8 + 200);
    expect(store.count).toBe(0);
  });

  it('that nobody goes on reading stay where they are', async () => {
    const { vector } = make(FixValueVector(), 1, { rows: 10 });
    let read = 0;
    async function* source(): AsyncGenerator<Row> {
      for (; ; read++) yield [read, 1];
    }
    vector.read(source());
    const pieces = vector.pieces();
    await pieces.next();
    await pieces.next();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(read).toBeLessThanOrEqual(20);
    await vector.drop();
  });

  it('give the same chunks to all who ask, also at once', async () => {
    const { vector } = make(FixValueVector(), 3, { rows: 5 });
    vector.read(slowly(counted(77)));
    const [a, b] = await Promise.all([all(vector.pieces()), all(vector.pieces())]);
    expect(b).toEqual(a);
    expect(await all(vector.pieces())).toEqual(a);
    expect(a.reduce((sum, { rows }) => sum + rows, 0)).toBe(77);
  });

  it('wait for what was emitted', async () => {
    const store = new MemoryStore();
    const put = store.put.bind(store);
    store.put = async (bytes) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return put(bytes);
    };
    const vector = new Vector('x', SparseValueVector(), store, 1, { rows: 1 });
    let read = 0;
    vector.read({
      [Symbol.iterator]: () => ({ next: () => ({ done: false, value: ['b', read++] as const }) }),
    });
    void vector.emit('a', 1);
    const pieces = vector.pieces();
    expect(await pieces.next()).toMatchObject({ value: { number: 0 } });
    expect(read).toBe(0);
    expect(await pieces.next()).toMatchObject({ value: { number: 1 } });
    expect(read).toBe(1);
    await vector.drop();
  });

  it('are asked for one row after the other, whoever waits', async () => {
    const { vector } = make(FixValueVector(), 1, { rows: 3 });
    let isAsked = false;
    let row = 0;
    vector.read({
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          expect(isAsked).toBe(false);
          isAsked = true;
          await new Promise((resolve) => setTimeout(resolve, 1));
          isAsked = false;
          return row < 20 ? { done: false, value: [row++, 1] } : { done: true, value: undefined };
        },
      }),
    });
    const [a, b] = await Promise.all([all(vector.pieces()), all(vector.getItr())]);
    expect([a.length, b.length]).toEqual([7, 20]);
  });

  it('give nothing to the store once the vector was dropped', async () => {
    const { vector, store } = make(FixValueVector(), 1, { rows: 1 });
    let give = (): void => undefined;
    vector.read({
      [Symbol.asyncIterator]: () => ({
        next: () =>
          new Promise((resolve) => {
            give = () => resolve({ done: false, value: [0, 1] });
          }),
      }),
    });
    const next = vector.pieces().next();
    await new Promise((resolve) => setTimeout(resolve, 1));
    await vector.drop();
    give();
    expect((await failureOf(next)).code).toBe('job.store');
    expect(store.count).toBe(0);
  });

  it('and what was emitted leave nothing in the store when the vector is dropped on the way', async () => {
    const store = new MemoryStore();
    const put = store.put.bind(store);
    store.put = async (bytes) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return put(bytes);
    };
    const vector = new Vector('x', SparseValueVector(), store, 1, { rows: 1 });
    void vector.emit('a', 1);
    void vector.emit('b', 1);
    await vector.drop();
    expect(store.count).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(store.count).toBe(0);
  });

  it('with a bad row are closed, and the error tells which: by each call', async () => {
    const { vector } = make(SparseValueVector(), 1, { rows: 2 });
    let isClosed = false;
    function* source(): Generator<Row> {
      try {
        yield* [['a', 1], ['b', 2], ['c', 3], ['d', '4']] as const; // prettier-ignore
      } finally {
        isClosed = true;
      }
    }
    vector.read(source());
    const error = await failureOf(all(vector.pieces()));
    expect(error.message).toBe(
      'input "x", row 3, key "d": expected in a SparseValueVector a number, found a string',
    );
    expect(isClosed).toBe(true);
    expect(await failureOf(all(vector.getItr()))).toBe(error);
    expect(thrownBy(() => vector.emit('e', 1))).toBe(error);
  });

  it('that throw are heard as they are', async () => {
    const { vector } = make(SparseValueVector());
    const error = new RangeError('disk gone');
    vector.read(
      (async function* (): AsyncGenerator<Row> {
        yield ['a', 1];
        throw error;
      })(),
    );
    await expect(all(vector.pieces())).rejects.toBe(error);
    await expect(all(vector.pieces())).rejects.toBe(error);
  });

  it('are closed when the vector is dropped, and its chunks are freed', async () => {
    const { vector, store } = make(FixValueVector(), 1, { rows: 2 });
    let isClosed = false;
    vector.read(
      (async function* (): AsyncGenerator<Row> {
        try {
          for (const row of counted(100)) yield row;
        } finally {
          isClosed = true;
        }
      })(),
    );
    const pieces = vector.pieces();
    await pieces.next();
    await pieces.next();
    expect(store.count).toBe(2);
    await vector.drop();
    await vector.drop();
    expect(store.count).toBe(0);
    expect(store.bytes).toBe(0);
    expect(isClosed).toBe(true);
    expect((await failureOf(pieces.next())).code).toBe('job.store');
    expect(codeOf(() => vector.emit(1, 1))).toBe('job.store');
  });

  it('that give nothing are an empty vector', async () => {
    const { vector } = make(SparseMatrix(), 4);
    vector.read([]);
    vector.read(slowly([]));
    expect(await all(vector.pieces())).toEqual([]);
    expect(await all(vector.getItr())).toEqual([]);
    expect(await all(make(SparseMatrix()).vector.getItr())).toEqual([]);
  });
});

describe('globals', () => {
  it('are one chunk of one part, also without rows', async () => {
    const { vector } = make(Var(), 3, { rows: 2 });
    expect(vector.parts()).toBe(1);
    for (const [key, value] of counted(100)) expect(vector.emit(key, value)).toBeUndefined();
    const chunks = await all(vector.pieces());
    expect(chunks).toMatchObject([{ part: 0, number: 0, first: 0, rows: 100 }]);
    const empty = make(PVar());
    expect(await partsOf(empty)).toEqual([[[]]]);
  });

  it('have each key once', () => {
    const { vector } = make(PVar());
    void vector.emit('1', 1);
    void vector.emit(1, 1);
    void vector.emit(0, 1);
    expect(messageOf(() => vector.emit('1', 2))).toBe(
      'input "x", row 3: expected a key that is not there yet, found "1"',
    );
    expect(codeOf(() => vector.emit(-0, 2))).toBe('job.key');
  });
});

describe('a vector of chunks that are there', () => {
  it('gives their rows in order, and takes none', async () => {
    const store = new MemoryStore();
    const place = async (part: number, number: number, first: number, rows: Row[]): Promise<PlacedChunk> => {
      return { ref: await store.put(encodeChunk(rows)), part, number, first, rows: rows.length };
    };
    const chunks = [await place(0, 0, 0, [['a', 1]]), await place(1, 1, 0, [['b', 2], ['c', 3]])]; // prettier-ignore
    const vector = Vector.of('result of round 0', SparseValueVector(), store, 2, chunks);
    expect(vector.parts()).toBe(2);
    expect(vector.rows).toBe(3);
    expect(await all(vector.getItr())).toEqual([['a', 1], ['b', 2], ['c', 3]]); // prettier-ignore
    expect(await all(vector.pieces())).toEqual(chunks);
    expect(codeOf(() => vector.emit('d', 4))).toBe('job.definition');
    await vector.drop();
    expect(store.count).toBe(0);
  });

  it('is refused with no number of parts', () => {
    for (const parts of [0, 1.5, 65_537, Number.NaN, '1'])
      expect(codeOf(() => Vector.of('x', Var(), new MemoryStore(), parts as number, []))).toBe('input.type');
    expect(codeOf(() => make(Var(), 1, { rows: 0 }))).toBe('input.type');
    expect(codeOf(() => make(Var(), 1, { partitioner: 'f' as never }))).toBe('input.type');
  });
});

describe('MemoryStore', () => {
  it('keeps bytes until they are dropped', async () => {
    const store = new MemoryStore();
    const [a, b] = [await store.put(Uint8Array.of(1)), await store.put(Uint8Array.of(2, 3))];
    expect([store.count, store.bytes]).toEqual([2, 3]);
    expect(await store.get(b)).toEqual(Uint8Array.of(2, 3));
    await store.drop([a, a]);
    expect([store.count, store.bytes]).toEqual([1, 2]);
    expect((await failureOf(store.get(a))).code).toBe('job.store');
    expect((await failureOf(store.get({ ...b, bytes: 7 }))).code).toBe('job.chunk');
    expect((await failureOf(store.put('bytes' as never))).code).toBe('input.type');
    expect((await store.put(Uint8Array.of(1))).name).not.toBe(a.name);
  });
});

async function* slowly(rows: readonly Row[]): AsyncGenerator<Row> {
  for (const row of rows) {
    await Promise.resolve();
    yield row;
  }
}
