// Maps and operators of the vectors tab without a page: what is offered for which files, what each operator does with a row, and functions of one's own as scripts.
import type { Context, Data, Row } from 'cipherloom/job';
import { describe, expect, test } from 'vitest';
import { readTable } from '../src/data/read-table.js';
import {
  type Choice,
  elsewhere,
  filesFor,
  mapProblem,
  problemOf,
  withMap,
  worksBy,
} from '../src/vectors/choice.js';
import { Journal, laneName, lanesOfCrew } from '../src/vectors/journal.js';
import { linesIn } from '../src/vectors/lines.js';
import { MAP_NAMES, roundBy } from '../src/vectors/maps.js';
import { Numbers } from '../src/vectors/numbers.js';
import * as columns from '../src/vectors/operators/columns.js';
import { scriptOf } from '../src/vectors/operators/own-code.js';
import * as resample from '../src/vectors/operators/resample.js';
import { shareOf } from '../src/vectors/operators/texts.js';
import * as count from '../src/vectors/operators/word-count.js';
import * as index from '../src/vectors/operators/word-index.js';
import { rowsOfTables } from '../src/vectors/table-rows.js';
import type { Work } from '../src/vectors/work.js';

const data = { read: (bytes: ArrayBuffer) => readTable(new Uint8Array(bytes)) };
const text = new File(['a b\nb\n'], 'a.txt');
const table = new File(['name,x,y\nann,1,\nben,2.5,7\n'], 'b.csv');

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const row of rows) list.push(row);
  return list;
}

/** What an operator emits, and returns under the row's key. */
function called(
  operator: (row: Row, context: Context, other?: Row) => unknown,
  row: readonly [unknown, unknown],
  globals: Record<string, Record<string | number, unknown>> = {},
  { part = 0, other }: { part?: number; other?: readonly [unknown, unknown] } = {},
): { emitted: unknown[]; value: unknown } {
  const emitted: unknown[] = [];
  const context = {
    part,
    emit: (...given: unknown[]) => void emitted.push(given),
    globals: Object.fromEntries(
      Object.entries(globals).map(([name, of]) => [name, { get: (key: string | number) => of[key] }]),
    ),
  } as unknown as Context;
  const value = operator(row as unknown as Row, context, other as unknown as Row);
  return { emitted, value };
}

/** An operator for texts alone by some maps. */
const workOf = (id: string, maps: readonly string[], takes: (file: File) => boolean): Work => ({
  ...{ id, title: id, about: '' },
  ways: Object.fromEntries(maps.map((map) => [map, ''])),
  takes,
  problem: (files) => (files.length === 0 ? `${id} needs files` : undefined),
  prepare: () => Promise.reject(new Error('not here')),
});

describe('what goes together', () => {
  const words = workOf('words', ['DirMap', 'VectorMap'], ({ name }) => name.endsWith('.txt'));
  const cells = workOf('cells', ['MatrixMap'], ({ name }) => name.endsWith('.csv'));
  const sums = workOf('sums', ['VectorMap'], ({ name }) => name.endsWith('.csv'));
  const works = [words, cells, sums];

  test('operators are offered by maps, and the others are told with theirs', () => {
    expect(worksBy('VectorMap', works)).toEqual([words, sums]);
    expect(elsewhere('VectorMap', works)).toEqual([{ title: 'cells', maps: ['MatrixMap'] }]);
    expect(worksBy('GlobalMap', works)).toEqual([]);
  });

  test('files that an operator does not take are not counted', () => {
    const choice: Choice = { work: words, map: 'DirMap' };
    expect(filesFor(choice, [text, table])).toEqual([text]);
    expect(problemOf(choice, [table])).toBe('words needs files');
    expect(problemOf(choice, [text])).toBeUndefined();
  });

  test('a map with nothing to do says why', () => {
    expect(mapProblem('MatrixMap', works, [text])).toBe('cells needs files');
    expect(mapProblem('VectorMap', works, [table])).toBeUndefined();
  });

  test('another map keeps the operator where it can, and takes one that can be done where not', () => {
    const at: Choice = { work: words, map: 'DirMap' };
    expect(withMap(at, 'VectorMap', works, [text])).toEqual({ work: words, map: 'VectorMap' });
    expect(withMap(at, 'VectorMap', works, [table])).toEqual({ work: sums, map: 'VectorMap' });
    expect(withMap(at, 'MatrixMap', works, [text])).toEqual({ work: cells, map: 'MatrixMap' });
  });

  test('each map makes a round of its own', () => {
    const operator = { kind: 'function', module: 'file:///a.js' } as const;
    for (const map of MAP_NAMES.filter((name) => name !== 'DirMap'))
      expect(roundBy({ map, threads: 3 }, operator).map).toBe(map);
    expect(roundBy({ map: 'TaskMap', threads: 3 }, operator).threads).toBe(3);
    expect(roundBy({ map: 'VectorMap', threads: 3 }, operator).threads).toBeUndefined();
  });
});

describe('rows', () => {
  test('lines of texts know their text', async () => {
    expect(await all(linesIn([text]))).toEqual([
      ['a.txt, line 1', ['a.txt', 'a b']],
      ['a.txt, line 2', ['a.txt', 'b']],
    ]);
    const none = new File([Uint8Array.of(0x61, 0x0a, 0xff)], 'c.txt');
    await expect(all(linesIn([none]))).rejects.toMatchObject({ path: 'c.txt', message: /^line 2 has bytes/ });
  });

  test('rows of tables are objects of their cells', async () => {
    expect(await all(rowsOfTables([table], data))).toEqual([
      ['b.csv, row 1', { name: 'ann', x: 1, y: null }],
      ['b.csv, row 2', { name: 'ben', x: 2.5, y: 7 }],
    ]);
  });

  test('numbers of tables have a row and a column over all tables, and names', async () => {
    const other = new File(['y,x\n4,3\n'], 'c.csv');
    const numbers = await Numbers.of([table, other], data, new AbortController().signal);
    expect(numbers.names).toEqual(['x', 'y']);
    expect(await all(numbers.points())).toEqual([
      [0, [1, null]],
      [1, [2.5, 7]],
      [2, [3, 4]],
    ]);
    expect(await all(numbers.cells())).toEqual([
      [[0, 0], 1],
      [[1, 0], 2.5],
      [[1, 1], 7],
      [[2, 0], 3],
      [[2, 1], 4],
    ]);
    expect([0, 1, 2].map((row) => numbers.nameOf(row))).toEqual([
      'b.csv, row 1',
      'b.csv, row 2',
      'c.csv, row 1',
    ]);
    const lacking = new File(['x\n1\n'], 'd.csv');
    await expect(Numbers.of([table, lacking], data, new AbortController().signal)).rejects.toMatchObject({
      path: 'd.csv',
      message: 'it has no column “y”',
    });
    const wrong = new File(['x,y\n1,2\n3,dear\n'], 'e.csv');
    const broken = await Numbers.of([wrong], data, new AbortController().signal);
    await expect(all(broken.points())).rejects.toThrow('row 2: “dear” is no number');
  });
});

describe('operators', () => {
  test('words of a line, and each of them on one worker alone', () => {
    const row = ['k', ['a.txt', 'A rose is a rose']] as const;
    expect(called(count.countLine, row).emitted).toEqual(
      ['a', 'rose', 'is', 'a', 'rose'].map((word) => [word, 1]),
    );
    expect(called(index.findInLine, row).emitted).toEqual(
      ['a', 'rose', 'is'].map((word) => [word, ['a.txt']]),
    );
    const shares = [0, 1, 2].map(
      (part) =>
        called(count.countShare, row, { shares: { count: 3 } }, { part }).emitted as [string, number][],
    );
    expect(shares.flat().sort()).toEqual(called(count.countLine, row).emitted.sort());
    for (const [part, words] of shares.entries())
      for (const [word] of words) expect(shareOf(word, 3)).toBe(part);
  });

  test('columns: moments of cells put together, in any order, are those of all', () => {
    const numbers = [3, 1, 4, 1, 5, 9, 2, 6];
    const moments = numbers.map(
      (number) => (called(columns.cell, [[0, 2], number]).emitted as [number, Data][])[0]![1],
    );
    const put = (some: readonly Data[]): Data => some.reduce((a, b) => columns.merge(2, a, b) as Data);
    const mean = numbers.reduce((a, b) => a + b) / 8;
    const deviation = Math.sqrt(numbers.reduce((sum, one) => sum + (one - mean) ** 2, 0) / 7);
    for (const both of [put(moments), put([put(moments.slice(0, 3)), put(moments.slice(3))])]) {
      const found = called(columns.finish, [2, both]).value as Record<string, number>;
      expect([found['count'], found['least'], found['most']]).toEqual([8, 1, 9]);
      expect(found['mean']).toBeCloseTo(mean, 12);
      expect(found['deviation']).toBeCloseTo(deviation, 12);
    }
    const of = { columns: { 2: put(moments) }, limit: { deviations: 1.5 } };
    expect(called(columns.far, [[5, 2], 9], of).value).toBeCloseTo((9 - mean) / deviation, 12);
    expect(called(columns.far, [[4, 2], 5], of).value).toBeUndefined();
    // A column of one value is far from nothing.
    const alike = { columns: { 2: [3, 7, 0, 7, 7] }, limit: { deviations: 1.5 } };
    expect(called(columns.far, [[0, 2], 7], alike).value).toBeUndefined();
  });

  test('columns: rows give the same as cells, and what is missing is no 0', () => {
    expect(called(columns.spread, [4, [1, null]]).emitted).toEqual([[0, [1, 1, 0, 1, 1]]]);
    // Deviations of 2 and 1.
    const of = { columns: { 0: [3, 0, 8, -2, 2], 1: [3, 0, 2, -1, 1] } };
    const apart = (a: unknown, b: unknown) => called(columns.distance, [0, a], of, { other: [1, b] }).value;
    expect(apart([2, 4], [8, 8])).toBeCloseTo(5, 12);
    expect(apart([2, null], [8, 8])).toBeCloseTo(3, 12);
    expect(apart([2, null], [null, 8])).toBeUndefined();
    expect(called(columns.distance, [1, [2, 4]], of, { other: [0, [8, 8]] }).value).toBeUndefined();
  });

  test('samples have each row once on average, some not at all, and are the same whoever draws them', () => {
    const times = Array.from({ length: 20_000 }, (_, row) => resample.timesOf(7, row));
    const share = (wanted: number) => times.filter((one) => one === wanted).length / times.length;
    expect(times.reduce((a, b) => a + b) / times.length).toBeCloseTo(1, 1);
    for (const [wanted, expected] of [1 / Math.E, 1 / Math.E, 1 / (2 * Math.E), 1 / (6 * Math.E)].entries())
      expect(Math.abs(share(wanted) - expected)).toBeLessThan(0.015);
    expect(times).not.toEqual(times.map((_, row) => resample.timesOf(8, row)));

    const samples = { samples: { count: 5, shares: 2 } };
    const drawn = (part: number) =>
      Array.from(
        { length: 50 },
        (_, row) => called(resample.take, [row, 10], samples, { part }).emitted,
      ).flat();
    const keys = (part: number) => [...new Set(drawn(part).map((row) => (row as [number])[0]))].sort();
    expect([keys(0), keys(1)]).toEqual([
      [0, 2, 4],
      [1, 3],
    ]);
    const sums = drawn(0)
      .filter((row) => (row as [number])[0] === 2)
      .map((row) => (row as [number, Data])[1])
      .reduce((a, b) => resample.add(2, a, b) as Data);
    expect(called(resample.mean, [2, sums]).value).toBe(10);
  });
});

describe('a function of one’s own', () => {
  test('is a script, with each letter where it was', () => {
    const text =
      'export function map([k, v]) {\n  return v;\n}\n  export const reduce = (k, a, b) => a + b;\nconst exported = 1;';
    const script = scriptOf(text);
    const lines = script.split('\n');
    for (const [at, line] of text.split('\n').entries()) {
      const own = at === 0 ? lines[0]!.replace("'use strict';", '') : lines[at]!;
      expect(own).toBe(line.replace(/^( *)export /, '$1       '));
    }
    // eslint-disable-next-line @typescript-eslint/no-implied-eval
    expect(() => new Function('self', script)).not.toThrow();
  });
});

describe('threads of a worker', () => {
  test('have lanes of their own, and tasks go on the first that is free', () => {
    const lanes = lanesOfCrew({ workers: { cpu: 2 } }, 2);
    expect(lanes.map(laneName)).toEqual(['CPU 0.0', 'CPU 0.1', 'CPU 1.0', 'CPU 1.1']);
    const journal = new Journal(lanes, 0, 4);
    expect(journal.workers.map(laneName)).toEqual(['CPU 0', 'CPU 1']);
    const line = (event: 'begin' | 'end', task: string, worker: number, time: number) =>
      journal.take({
        ...{ event, task, worker, time, kind: 'cpu', line: 0, round: 0, part: worker, does: 'map', text: '' },
        ...(event === 'end' && { calls: 1, milliseconds: 1 }),
      });
    line('begin', 'a', 0, 1);
    line('begin', 'b', 0, 2);
    line('begin', 'c', 1, 3);
    line('end', 'a', 0, 4);
    line('begin', 'd', 0, 5);
    expect(journal.turns.map(({ task, lane }) => [task, lane])).toEqual([
      ['a', 0],
      ['b', 1],
      ['c', 2],
      ['d', 0],
    ]);
  });
});
