import { describe, expect, it } from 'vitest';
import { CipherloomError } from '../src/errors.js';
import { decodeChunk, encodeChunk, sizeOf } from '../src/job/chunk.js';
import { MOST_DEPTH } from '../src/job/data.js';
import type { Data, Row } from '../src/job/types.js';
import { codeOf, messageOf } from './code.js';
import { random } from './random.js';
import { randomRows } from './job-rows.js';

describe('chunks', () => {
  it('give back the rows that they are made of', () => {
    for (let round = 0; round < 2000; round++) {
      const rows = randomRows(random(20));
      expect(decodeChunk(encodeChunk(rows))).toEqual(rows);
    }
  });

  it('give back what equality does not see', () => {
    const rows: Row[] = [
      ['-0', -0],
      ['in', { list: [-0, Number.NaN, Number.NEGATIVE_INFINITY], empty: '', none: null }],
      ['', new Float64Array([-0, Number.NaN])],
    ];
    const [zero, nested, array] = decodeChunk(encodeChunk(rows)) as [Row, Row, Row];
    expect(Object.is(zero[1], -0)).toBe(true);
    expect(Object.is((nested[1] as { list: number[] }).list[0], -0)).toBe(true);
    expect(nested).toEqual(rows[1]);
    expect(array[1]).toBeInstanceOf(Float64Array);
    expect(Object.is((array[1] as Float64Array)[0], -0)).toBe(true);
    expect(Object.is(decodeChunk(encodeChunk([[-0, 1]]))[0]?.[0], 0)).toBe(true);
    expect(
      Object.is(
        decodeChunk(
          encodeChunk([
            ['a', 1],
            [-0, 1],
          ]),
        )[1]?.[0],
        0,
      ),
    ).toBe(true);
  });

  it('are small and the same for the same rows', () => {
    const rows = Array.from({ length: 4096 }, (_, key): Row => [key, key / 3]);
    const bytes = encodeChunk(rows);
    expect(bytes.length).toBeLessThan(8 * 4096 + 64);
    expect(encodeChunk(rows)).toEqual(bytes);
    expect(encodeChunk(rows.map(([key, value]) => [2 * (key as number), value])).length).toBeLessThan(
      16 * 4096 + 64,
    );
  });

  it('say what is in them, byte by byte', () => {
    expect([...encodeChunk([])]).toEqual([
      1,
      0x95,
      0xcb,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      ...form(3),
      0x90,
      ...form(3),
      0x90,
    ]);
    expect([...encodeChunk([['a', Uint8Array.of(7)]])]).toEqual([
      1, 0x95, ...double(1), ...form(3), 0x91, 0xa1, 97, ...form(3), 0x91, 0xd4, 1, 7,
    ]); // prettier-ignore
    expect([...encodeChunk([[5, 1]])]).toEqual([
      1, 0x95, ...double(1), ...form(0), ...double(5), ...form(1), 0xd7, 2, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f,
    ]); // prettier-ignore
  });

  it('hold data as deep as vectors take them', () => {
    let data: Data = 1;
    for (let depth = 0; depth < MOST_DEPTH; depth++) data = depth % 2 === 0 ? [data] : { a: data };
    expect(decodeChunk(encodeChunk([['a', data]]))).toEqual([['a', data]]);
    // Deeper ones have not been through `checkRow`: they do not come back, but with an error.
    for (let depth = 0; depth < 20; depth++) {
      data = [data];
      expect(codeOf(() => decodeChunk(encodeChunk([['a', data]])))).toBe('job.chunk');
    }
  });

  it('share nothing with the values that they give', () => {
    const bytes = encodeChunk([['a', Uint8Array.of(1, 2, 3)]]);
    const before = bytes.slice();
    (decodeChunk(bytes)[0]?.[1] as Uint8Array).fill(9);
    expect(bytes).toEqual(before);
  });

  it('keep names that objects have by themselves', () => {
    const rows: Row[] = [
      ['__proto__', { constructor: 1, toString: 'x', hasOwnProperty: [], valueOf: null }],
      ['constructor', JSON.parse('{"a": {"prototype": {}}}') as Data],
    ];
    expect(decodeChunk(encodeChunk(rows))).toEqual(rows);
    // As another writer could have put it.
    const hostile = [1, 0x95, 1, 3, 0x91, 0xa1, 97, 3, 0x91, 0x81, 0xa9, ...new TextEncoder().encode('__proto__'), 0x81, 0xa1, 120, 1]; // prettier-ignore
    expect(codeOf(() => decodeChunk(Uint8Array.from(hostile)))).toBe('job.chunk');
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it('tell about how large they get', () => {
    for (let round = 0; round < 300; round++) {
      const rows = randomRows(50);
      const estimated = rows.reduce((sum, row) => sum + sizeOf(row), 0);
      const { length } = encodeChunk(rows);
      expect(length).toBeLessThan(4 * estimated + 100);
    }
  });

  it('take what others made', () => {
    // Whole numbers as MessagePack has them, and another order of forms, too.
    const bytes = Uint8Array.of(1, 0x95, 2, 3, 0x92, 0xa1, 97, 7, 3, 0x92, 0xc0, 0xd1, 0xff, 0xff);
    expect(decodeChunk(bytes)).toEqual([
      ['a', null],
      [7, -1],
    ]);
  });
});

describe('bytes that are no chunk', () => {
  /** Rows, or the error's code; anything else is thrown on. */
  const outcome = (bytes: Uint8Array): string => {
    try {
      decodeChunk(bytes);
      return 'rows';
    } catch (error) {
      if (error instanceof CipherloomError) return error.code;
      throw error;
    }
  };

  it.each<[string, unknown]>([
    ['nothing', []],
    ['another version', [2, 0x95]],
    ['no body', [1]],
    ['no array', [1, 0xc0]],
    ['a short array', [1, 0x93, 1, 2, 3]],
    ['a longer array', [1, 0x96, 0, 3, 0x90, 3, 0x90, 0]],
    ['bytes after it', [1, 0x95, 0, 3, 0x90, 3, 0x90, 0]],
    ['a wrong number of rows', [1, 0x95, 1, 3, 0x90, 3, 0x90]],
    ['too few keys', [1, 0x95, 1, 3, 0x90, 3, 0x91, 1]],
    ['a key that is none', [1, 0x95, 1, 3, 0x91, 0xc0, 3, 0x91, 1]],
    ['a NaN key', [1, 0x95, 1, 1, 0xd7, 2, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f, 3, 0x91, 1]],
    ['a half position', [1, 0x95, 1, 2, 0xd7, 2, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0x91, 1]],
    ['a negative count', [1, 0x95, 1, 0, 0xff, 3, 0x91, 1]],
    ['counting beyond 2^53', [1, 0x95, 1, 0, 0xcf, 0, 0x1f, 255, 255, 255, 255, 255, 255, 3, 0x91, 1]],
    ['a form that there is not', [1, 0x95, 1, 9, 0x91, 1, 3, 0x91, 1]],
    ['a timestamp', [1, 0x95, 1, 3, 0x91, 1, 3, 0x91, 0xd6, 0xff, 0, 0, 0, 0]],
    ['an unknown extension', [1, 0x95, 1, 3, 0x91, 1, 3, 0x91, 0xd4, 9, 0]],
    ['half a double', [1, 0x95, 1, 3, 0x91, 1, 3, 0x91, 0xd6, 2, 0, 0, 0, 0]],
    ['a reserved byte', [1, 0x95, 1, 3, 0x91, 1, 3, 0x91, 0xc1]],
    ['text that announces 4 GiB', [1, 0x95, 1, 3, 0x91, 0xdb, 255, 255, 255, 255]],
    ['an array that announces 2^32 elements', [1, 0xdd, 255, 255, 255, 255]],
    ['a map that announces 2^32 members', [1, 0xdf, 255, 255, 255, 255]],
  ])('are told: %s', (_, bytes) => {
    expect(outcome(Uint8Array.from(bytes as number[]))).toBe('job.chunk');
  });

  it('are told: no bytes at all', () => {
    expect(codeOf(() => decodeChunk('text' as unknown as Uint8Array))).toBe('job.chunk');
    expect(codeOf(() => decodeChunk(undefined as unknown as Uint8Array))).toBe('job.chunk');
  });

  it('take no memory that they do not have: lists in lists that each announce as many elements as there are bytes', () => {
    const size = 2 ** 20;
    const bytes = new Uint8Array(size).fill(0xc0);
    bytes[0] = 1;
    // Each announces 2^19 elements, which the library would reserve: 60 of them are 240 MB.
    for (let list = 0; list < 60; list++) bytes.set([0xdd, 0, 8, 0, 0], 1 + 5 * list);
    expect(messageOf(() => decodeChunk(bytes))).toContain('announce more than there is');
  });

  it('take no memory for depth: as many lists in each other as there are bytes', () => {
    const bytes = new Uint8Array(2 ** 20).fill(0x91);
    bytes.set([1, 0x95, 1, 3, 0x91, 1, 3]);
    bytes[bytes.length - 1] = 0xc0;
    expect(messageOf(() => decodeChunk(bytes))).toContain('nested too deep');
  });

  it('are told whatever they are: random, cut, changed', () => {
    const seen = new Map<string, number>();
    const count = (bytes: Uint8Array) => {
      const code = outcome(bytes);
      seen.set(code, (seen.get(code) ?? 0) + 1);
    };
    for (let round = 0; round < 20_000; round++) {
      const bytes = Uint8Array.from({ length: random(60) }, () => random(256));
      if (bytes.length > 1) bytes[0] = 1;
      if (round % 2 === 0 && bytes.length > 1) bytes[1] = 0x95;
      count(bytes);
    }
    for (let round = 0; round < 20_000; round++) {
      const bytes = encodeChunk(randomRows(1 + random(8)));
      for (let changes = 1 + random(3); changes > 0; changes--)
        bytes[1 + random(bytes.length - 1)] = random(256);
      count(bytes);
      count(bytes.subarray(0, random(bytes.length)));
    }
    expect([...seen.keys()].sort()).toEqual(['job.chunk', 'rows']);
    expect(seen.get('rows')).toBeGreaterThan(1000);
    expect(seen.get('job.chunk')).toBeGreaterThan(10_000);
  });
});

function double(value: number): number[] {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return [0xcb, ...new Uint8Array(view.buffer)];
}
const form = double;
