import { CipherloomError } from 'cipherloom';
import type { Context, LogLine, Row } from 'cipherloom/job';
import { describe, expect, test } from 'vitest';
import { exampleFiles } from '../src/vectors/examples.js';
import { jobFailure } from '../src/vectors/failure-words.js';
import { FileError, isTable, mergeFiles, pathOf } from '../src/vectors/files.js';
import { Journal, laneName, lanesOfCrew } from '../src/vectors/journal.js';
import { lineText } from '../src/vectors/log-view.js';
import * as groups from '../src/vectors/operators/groups.js';
import { words as wordsOfText, share } from '../src/vectors/operators/likeness.js';
import { band } from '../src/vectors/operators/mandelbrot.js';
import { cellsOf, delimiterOf, recordsOf } from '../src/vectors/operators/records.js';
import { countWords, wordsOf } from '../src/vectors/operators/texts.js';
import { join } from '../src/vectors/operators/word-index.js';
import { firstRows } from '../src/vectors/results.js';

async function* each<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

describe('the journal of a job', () => {
  const BEGAN = 1000;
  const line = (event: LogLine['event'], worker: number, task: string, time: number, more = {}): LogLine => {
    return {
      event,
      worker,
      task,
      time: BEGAN + time,
      kind: 'cpu',
      line: 0,
      round: 0,
      part: 7,
      does: 'map',
      text: '',
      ...more,
    };
  };
  const journalOf = (expected: number, lines: readonly LogLine[], keep?: number): Journal => {
    const journal = new Journal(lanesOfCrew({ workers: { cpu: 2, gpu: 1 } }), BEGAN, expected, keep);
    for (const one of lines) journal.take(one);
    return journal;
  };

  test('has a lane for each worker, also for those that have done nothing', () => {
    expect(journalOf(0, []).lanes.map(laneName)).toEqual(['CPU 0', 'CPU 1', 'GPU 0']);
  });

  test('knows who is at work, and how long a task took, finer than the clock', () => {
    const journal = journalOf(3, [
      line('begin', 1, 'a', 10),
      line('text', 1, 'a', 11, { text: 'hello' }),
      line('begin', 0, 'b', 12),
      line('end', 1, 'a', 14, { calls: 2, milliseconds: 3.25 }),
    ]);
    expect(journal.turns[0]).toMatchObject({
      lane: 1,
      start: 10,
      end: 13.25,
      state: 'done',
      calls: 2,
      said: 'hello',
    });
    expect(journal.working.map(({ task }) => task)).toEqual(['b']);
    expect(journal.length).toBe(14);
  });

  test('counts what only puts results together beside what is expected', () => {
    const journal = journalOf(3, [
      line('begin', 0, 'm', 1, { does: 'reduce' }),
      line('end', 0, 'm', 2, { does: 'reduce', calls: 0, milliseconds: 1 }),
    ]);
    expect(journal.tasks({ tasks: 1 })).toBe(4);
    expect(journal.tasks({ tasks: 9 })).toBe(9);
  });

  test('a task whose worker died is lost there, and done elsewhere; so is what never ended', () => {
    const journal = journalOf(1, [
      line('begin', 0, 'a', 1),
      line('begin', 1, 'a', 5),
      line('begin', 0, 'b', 6),
    ]);
    journal.take(line('end', 1, 'a', 8, { calls: 1, milliseconds: 3 }));
    journal.close(BEGAN + 9);
    expect(journal.turns.map(({ task, state, end }) => [task, state, end])).toEqual([
      ['a', 'lost', 5],
      ['a', 'done', 8],
      ['b', 'lost', 9],
    ]);
  });

  test('keeps the last lines, and counts them all', () => {
    const journal = journalOf(
      0,
      Array.from({ length: 50 }, (_, at) => line('text', 0, 'a', at)),
      10,
    );
    expect(journal.lineCount).toBe(50);
    expect(journal.tail.map(({ time }) => time - BEGAN)).toEqual(
      Array.from({ length: 10 }, (_, at) => 40 + at),
    );
    expect(journal.lines.length).toBeLessThanOrEqual(20);
  });

  test('a line in words', () => {
    const end = line('end', 1, '0-0-3', 1250, { calls: 1, milliseconds: 12.04 });
    expect(lineText(end, BEGAN)).toBe('   1.250 s  CPU 1  0-0-3 ends after 12.0 ms, 1 call');
  });
});

describe('records of CSV', () => {
  test('cells, in quotes and without', () => {
    expect(cellsOf('a,"b,c",,"d ""e"" f"', ',')).toEqual(['a', 'b,c', '', 'd "e" f']);
    expect(cellsOf('', ',')).toEqual(['']);
    expect(cellsOf('1;2', ';')).toEqual(['1', '2']);
    expect(() => cellsOf('a,"b', ',')).toThrow('never closed');
  });

  test('a line end in quotes is part of a cell; empty lines are none', async () => {
    expect(await all(recordsOf(each(['a,"b', 'c"', '', 'd,e'])))).toEqual(['a,"b\nc"', 'd,e']);
    await expect(all(recordsOf(each(['a,"b'])))).rejects.toThrow('never closed');
  });

  test('what splits the header most', () => {
    expect(delimiterOf('a;b,c;d')).toBe(';');
    expect(delimiterOf('"a;b;c",d,e')).toBe(',');
  });
});

describe('operators', () => {
  const context = (globals: Record<string, [unknown, unknown][]> = {}) => {
    const rows: Row[] = [];
    const of = (name: string) => ({
      get: (key: unknown) => globals[name]!.find(([one]) => one === key)?.[1],
    });
    const given = {
      emit: (...row: [string, never]) => void rows.push(row),
      globals: Object.fromEntries(Object.keys(globals).map((name) => [name, of(name)])),
    } as unknown as Context;
    return { rows, given };
  };
  const fileWith = (lines: readonly string[]) => ({ lines: () => each(lines) }) as never;

  test('words are letters and digits of any language', async () => {
    expect(wordsOf('Don’t stop: naïve 12-year-old Ärger, 東京!')).toEqual([
      'don’t',
      'stop',
      'naïve',
      '12-year-old',
      'ärger',
      '東京',
    ]);
    expect([...(await countWords(fileWith(['a b', 'A'])))]).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
  });

  test('what is no text is said to be none, with its line', async () => {
    await expect(countWords(fileWith(['a', '\uFFFDPNG']))).rejects.toThrow(
      'line 2 has bytes that are no text',
    );
    await expect(countWords(fileWith(['\0']))).rejects.toThrow('line 1');
  });

  test('lists of paths are joined in order, each path once', () => {
    expect(join('w', ['a', 'c'], ['b', 'c'])).toEqual(['a', 'b', 'c']);
  });

  test('two texts share what both have of what either has', () => {
    const words = (text: string) => wordsOfText([0, text], {} as Context) as string[];
    expect(words('b a b')).toEqual(['a', 'b']);
    expect(share([0, words('a b c')], {} as Context, [1, words('b c d')])).toBe(0.5);
    expect(share([1, []], {} as Context, [0, []])).toBeUndefined();
  });

  test('sums of a group, and what has no value', () => {
    const columns: groups.Columns = { delimiter: ',', group: 0, value: 1 };
    const { rows, given } = context({ tables: [[0, columns]] });
    for (const record of ['x,2', 'x, 4', 'y,NA', '"y",-1.5']) void groups.read(['k', [0, record]], given);
    expect(rows).toEqual([
      ['x', [1, 2, 2, 2]],
      ['x', [1, 4, 4, 4]],
      ['y', [1, -1.5, -1.5, -1.5]],
    ]);
    const sums = groups.add('x', [1, 2, 2, 2], [1, 4, 4, 4]) as never;
    expect(groups.finish(['x', sums], given)).toEqual({ count: 2, sum: 6, mean: 3, least: 2, most: 4 });
    expect(() => groups.read(['k', [0, 'x,two']], given)).toThrow('“two” is no number');
  });

  test('dots of the Mandelbrot set', () => {
    const picture = { width: 3, rows: 1, left: -1, top: 0, step: 1.5, most: 100 };
    const { given } = context({ picture: [['all', picture]] });
    // -1 stays inside; 0.5 goes, slowly, and 2 soon.
    expect([...(band([0, 0], given) as Uint32Array)]).toEqual([100, 5, 2]);
  });
});

describe('files', () => {
  test('tables are told by their names', () => {
    expect(['a.csv', 'b.TSV', 'c.txt', 'csv'].map((name) => isTable(new File([], name)))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test('of one path the last file stays, all in order', () => {
    const [old, other, young] = [new File(['1'], 'b'), new File([], 'a'), new File(['12'], 'b')];
    expect(mergeFiles([old!], [other!, young!])).toEqual([other, young]);
  });

  test('examples are the same each time, and differ from each other', async () => {
    const [some, others] = [exampleFiles(), exampleFiles()];
    expect(new Set(some.map(pathOf)).size).toBe(some.length);
    expect(await some[3]!.text()).toBe(await others[3]!.text());
    expect(await some[3]!.text()).not.toBe(await some[4]!.text());
  });
});

test('the first rows, by an order or as they come', async () => {
  const rows = Array.from({ length: 1000 }, (_, at): Row => [at, (at * 7919) % 1000]);
  const before = (a: Row, b: Row) => (b[1] as number) - (a[1] as number);
  const best = await firstRows(each(rows), 3, before);
  expect(best.count).toBe(1000);
  expect(best.first.map(([, value]) => value)).toEqual([999, 998, 997]);
  expect((await firstRows(each(rows), 2, undefined)).first.map(([key]) => key)).toEqual([0, 1]);
});

describe('failures in words', () => {
  const error = (message: string, more = {}) =>
    new CipherloomError(
      'job.operator',
      'Round 0, part 1, key "a.png": function "count" of http://x/y.js: …',
      {
        ...{ key: 'a.png', round: 0, part: 1, cause: { message } },
        ...more,
      },
    );

  test('the file, and what its operator said', () => {
    expect(jobFailure(error('Error: line 1 has bytes that are no text (UTF-8)'))).toMatchObject({
      sentence: 'a.png: line 1 has bytes that are no text (UTF-8).',
      place: 'while the job ran, round 0, part 1',
      key: 'a.png',
      code: 'job.operator',
    });
  });

  test('a file that is gone', () => {
    expect(jobFailure(error('NotReadableError: The requested file could not be read')).sentence).toMatch(
      /^a\.png: the browser can no longer read this file/,
    );
  });

  test('a file that the page itself reads', () => {
    const of = (cause: Error) => jobFailure(new FileError(new File([], 'x.csv'), cause), 'reading it');
    expect(of(new Error('it is empty'))).toMatchObject({
      sentence: 'x.csv: it is empty.',
      key: 'x.csv',
      place: 'while reading it',
    });
    expect(of(new DOMException('gone', 'NotFoundError')).sentence).toMatch(
      /^x\.csv: the browser can no longer/,
    );
    expect(of(new CipherloomError('table.empty', 'The file has no rows')).code).toBe('table.empty');
  });

  test('what has no key stays as it is', () => {
    expect(jobFailure(new Error('it is empty')).sentence).toBe('it is empty.');
  });
});

test('operators import nothing of the page: a worker would start it', () => {
  const texts = Object.entries(
    import.meta.glob<string>('../src/vectors/operators/*.ts', {
      query: '?raw',
      import: 'default',
      eager: true,
    }),
  );
  expect(texts.length).toBeGreaterThan(5);
  for (const [name, text] of texts)
    for (const [, type, from] of text.matchAll(/^import (type )?.* from '(.*)';$/gm))
      expect(type !== undefined || /^\.\/[\w-]+\.js$/.test(from!), `${name}: ${from}`).toBe(true);
});
