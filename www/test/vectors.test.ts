import { CipherloomError } from 'cipherloom';
import type { Context, Data, LogLine, Row } from 'cipherloom/job';
import { parseTable } from 'cipherloom/table';
import { describe, expect, test } from 'vitest';
import { readTable } from '../src/data/read-table.js';
import { allDigits } from '../src/vectors/digits.js';
import { exampleFiles } from '../src/vectors/examples.js';
import { jobFailure } from '../src/vectors/failure-words.js';
import { FileError, isTable, mergeFiles, pathOf } from '../src/vectors/files.js';
import { Journal, laneName, lanesOfCrew } from '../src/vectors/journal.js';
import { lineText } from '../src/vectors/log-view.js';
import { exactly, meanOf, numberOf, sumOf } from '../src/vectors/operators/decimals.js';
import * as groups from '../src/vectors/operators/groups.js';
import { words as wordsOfText, share } from '../src/vectors/operators/likeness.js';
import { band } from '../src/vectors/operators/mandelbrot.js';
import { cellsOf, recordsOf } from '../src/vectors/operators/records.js';
import { countWords, wordsOf } from '../src/vectors/operators/texts.js';
import { join } from '../src/vectors/operators/word-index.js';
import { firstRows } from '../src/vectors/results.js';
import { columnsOf, HEAD, layoutOf, recordsIn } from '../src/vectors/tables.js';

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

  test('what stands between quotes and the next cell is refused', () => {
    expect(cellsOf('"a" ,b', ',')).toEqual(['a', 'b']);
    expect(() => cellsOf('"a"b,c', ',')).toThrow('closed before');
  });

  test('a line end in quotes is part of a cell; empty lines are none', async () => {
    const records = (...lines: string[]) => all(recordsOf(each(lines), ','));
    expect(await records('a,"b', 'c"', '', 'd,e')).toEqual(['a,"b\nc"', 'd,e']);
    expect(await records('"a', '', '""",""', 'b",c')).toEqual(['"a\n\n""",""', 'b",c']);
    await expect(records('a,"b')).rejects.toThrow('never closed');
  });

  test('a quote in the middle of a cell is a letter', async () => {
    const lines = ['pipe 5",1', 'pipe 6",2', 'a "b,3'];
    expect(await all(recordsOf(each(lines), ','))).toEqual(lines);
    expect(cellsOf(lines[0]!, ',')).toEqual(['pipe 5"', '1']);
  });
});

describe('numbers in cells', () => {
  test.each(['.', ','] as const)('are those of the page’s tables, with a %s', (mark) => {
    const numbers = '1|-1.5|+2|.5|5.|1,5|-,5|7,|1e3|1E-3|1,5e2|0.000|-0|00012| 4 |−1.5|−1,5|0e999999999|1e22';
    const long = '12345678901234567890|9007199254740993|123456789012345.60|0.12345678901234567|1e999|1e-400';
    const none = '0x10|0b1|1_000|1 000|1.000,5|--1|+|.|e5|Infinity|٣|NA|n/a|NaN|null| ';
    const cells = [numbers, long, none].flatMap((all) => all.split('|'));
    for (const cell of cells) {
      const of = (): number | undefined => numberOf(cell, mark);
      const { columns } = parseTable(`a;b\n1;${cell}\n`, { delimiter: ';', decimal: mark });
      const [, column] = columns;
      if (column!.kind === 'text')
        expect(of, cell).toThrow(column!.reason === 'text' ? 'is no number' : 'more digits than a double');
      else expect(of() ?? Number.NaN, cell).toBe(column!.values[0]);
    }
  });

  test('are summed exactly', () => {
    const sum = (...all: string[]) => exactly(all.reduce(sumOf));
    expect(sum('0.1', '0.2')).toBe(0.3);
    expect(sum('1e21', '-1e21', '0.5')).toBe(0.5);
    expect(sum('1e300', '1e-5', '-1e300')).toBe(1e-5);
    expect(sum('-0.25', '0.25')).toBe(0);
    // No double: all digits, as text.
    expect(sum('9007199254740992', '1')).toBe('9007199254740993');
    expect(sum('-9007199254740992', '-0.01')).toBe('-9007199254740992.01');
    expect(sum('1e16', '-1e-17')).toBe('9999999999999999.99999999999999999');
    expect(sum('1e308', '1e308')).toBe(`2${'0'.repeat(308)}`);
    expect(meanOf('0.3', 3)).toBe(0.1);
    expect(meanOf('-1', 3)).toBe(-1 / 3);
    expect(meanOf('1e-300', 7)).toBe(1e-300 / 7);
  });

  test('are shown with all digits', () => {
    const texts = [1234567.89, 123456789012, -1234.5, -123456, 0.1 + 0.2, 1e21, 5e-7, '-9007199254740993.25'];
    expect(texts.map(allDigits)).toEqual([
      '1,234,567.89',
      '123,456,789,012',
      '-1,234.5',
      '-123,456',
      '0.30000000000000004',
      '1e+21',
      '5e-7',
      '-9,007,199,254,740,993.25',
    ]);
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
    const columns: groups.Columns = { delimiter: ',', mark: '.', width: 2, group: 0, value: 1 };
    const { rows, given } = context({ tables: [[0, columns]] });
    for (const record of ['x,2', 'x, 4', 'y,NA', '"y",-1.5']) void groups.read(['k', [0, record]], given);
    expect(rows).toEqual([
      ['x', [1, '2', 2, 2]],
      ['x', [1, '4', 4, 4]],
      ['y', [1, '-1.5', -1.5, -1.5]],
    ]);
    const sums = groups.add('x', [1, '2', 2, 2], [1, '4', 4, 4]) as never;
    expect(groups.finish(['x', sums], given)).toEqual({ count: 2, sum: 6, mean: 3, least: 2, most: 4 });
    for (const [record, what] of [
      ['x,two', '“two” is no number'],
      ['x,0x10', '“0x10” is no number'],
      ['x,2,3', 'it has 3 fields, the table has 2 columns'],
      ['x', 'it has 1 fields'],
    ] as const)
      expect(() => groups.read(['k', [0, record]], given)).toThrow(what);
  });

  test('dots of the Mandelbrot set', () => {
    const picture = { width: 3, rows: 1, left: -1, top: 0, step: 1.5, most: 100 };
    const { given } = context({ picture: [['all', picture]] });
    // -1 stays inside; 0.5 goes, slowly, and 2 soon.
    expect([...(band([0, 0], given) as Uint32Array)]).toEqual([100, 5, 2]);
  });
});

describe('tables of a job', () => {
  const data = { read: (bytes: ArrayBuffer) => readTable(new Uint8Array(bytes)) };
  /** What the job gives: of each group how many, the sum, and so on. */
  const sumsOf = async (content: BlobPart, group = 'kind', value = 'price') => {
    const file = new File([content], 'a.csv');
    const layout = await layoutOf(file, data);
    const columns = columnsOf(file, layout, group, value);
    const sums = new Map<string, Data>();
    const context = {
      globals: { tables: { get: () => columns } },
      emit: (key: string, row: Data) => {
        const before = sums.get(key);
        sums.set(key, before === undefined ? row : (groups.add(key, before, row) as Data));
      },
    } as unknown as Context;
    for await (const record of recordsIn(file, layout)) void groups.read(['k', [0, record]], context);
    return [...sums].map(([key, row]) => {
      const { count, sum } = groups.finish([key, row], context) as { count: number; sum: number };
      return [key, count, sum];
    });
  };
  const BEARS = 'kind,price\nBär,1\nBör,2\nBar,5\nBär,3\n';
  const SUMS = [
    ['Bär', 2, 4],
    ['Bör', 1, 2],
    ['Bar', 1, 5],
  ];
  const latin1 = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const utf16 = (text: string, littleEndian: boolean) => {
    const view = new DataView(new ArrayBuffer(2 * text.length));
    for (let at = 0; at < text.length; at++) view.setUint16(2 * at, text.charCodeAt(at), littleEndian);
    return new Uint8Array(view.buffer);
  };

  test.each([
    ['UTF-8', BEARS],
    ['UTF-8 with a mark', `\uFEFF${BEARS}`],
    ['Latin-1', latin1(BEARS)],
    ['UTF-16', utf16(BEARS, true)],
    ['UTF-16 with a mark', utf16(`\uFEFF${BEARS}`, true)],
    ['UTF-16, high halves first', utf16(BEARS, false)],
    ['UTF-16, high halves first, with a mark', utf16(`\uFEFF${BEARS}`, false)],
    ['line ends of Windows', BEARS.replaceAll('\n', '\r\n')],
    ['line ends of old files', BEARS.replaceAll('\n', '\r')],
    ['semicolons and decimal commas', BEARS.replaceAll(',', ';').replaceAll(/\d/g, '$&,0')],
    ['tabs', BEARS.replaceAll(',', '\t')],
    ['a line that says the separator', `sep=;\n${BEARS.replaceAll(',', ';')}`],
    ['blank lines, and blank cells on top', `\n,\n , \n${BEARS.replace('\n', '\n\n')}`],
  ])('are read as the page reads them: %s', async (_, content) => {
    expect(await sumsOf(content)).toEqual(SUMS);
  });

  /** More than what is looked at beforehand. */
  const PLAIN = 'plain'.repeat(20);
  const MANY = Math.ceil(HEAD / PLAIN.length);
  const LONG = `kind,price\n${`${PLAIN},1\n`.repeat(MANY)}`;

  test.each([
    ['Latin-1', latin1],
    ['UTF-8', (text: string) => new TextEncoder().encode(text)],
    ['UTF-16', (text: string) => utf16(text, true)],
    ['UTF-16, high halves first', (text: string) => utf16(text, false)],
  ])('that are large, with letters that tell the encoding far down: %s', async (_, encoded) => {
    expect(await sumsOf(encoded(`${LONG}Bär,1\n`))).toEqual([
      [PLAIN, MANY, MANY],
      ['Bär', 1, 1],
    ]);
  });

  test('that are large, wherever their beginning is cut off', async () => {
    const row = `"${PLAIN}\nlines",1\n`;
    const rows = row.repeat(Math.ceil(HEAD / row.length) + 5);
    // Before, in and behind the line end in quotes, and at the end.
    for (let at = PLAIN.length - 2; at < row.length + 3; at++) {
      const start = 'x'.repeat((HEAD - 'kind,price\n,0\n'.length - at) % row.length);
      const layout = await layoutOf(new File([`kind,price\n${start},0\n${rows}`], 'a.csv'), data);
      expect(layout.columns.map(({ numbers }) => numbers)).toEqual([false, true]);
    }
    const inches = LONG.replace('\n', '\n5",0\n');
    expect((await sumsOf(inches)).at(-1)).toEqual([PLAIN, MANY, MANY]);
    // Many files, which a busy machine takes its time over.
  }, 60_000);

  test('without names, and with one name twice', async () => {
    expect(await sumsOf('x,1\nx,2\n', 'column 1', 'column 2')).toEqual([['x', 2, 3]]);
    const twice = 'kind,price,price\nx,1,10\nx,2,20\n';
    expect(await sumsOf(twice)).toEqual([['x', 2, 3]]);
    expect(await sumsOf(twice, 'kind', 'price (2)')).toEqual([['x', 2, 30]]);
  });

  test('columns that may be numbers begin with one, or have nothing else', async () => {
    const numbers = async (content: string) =>
      (await layoutOf(new File([content], 'a.csv'), data)).columns.map(({ numbers }) => numbers);
    expect(await numbers('n,kind,price,note,none\nNA,x,1,,\n2,x,dear,good,\n')).toEqual([
      true,
      false,
      true,
      false,
      false,
    ]);
    expect(await numbers('kind;price\nx;−1,5\n')).toEqual([false, true]);
  });

  test('sums have no noise, and lose no digits', async () => {
    const cents = 'kind,price\nx,0.1\nx,0.2\nz,9007199254740992\nz,1\n';
    expect(await sumsOf(cents)).toEqual([
      ['x', 2, 0.3],
      ['z', 2, '9007199254740993'],
    ]);
  });

  test('what the page refuses is refused with the row', async () => {
    const ofFile = (message: string) => expect.objectContaining({ name: 'FileError', message });
    await expect(sumsOf('kind,price\nx,1\ny,2,3\n')).rejects.toEqual(
      ofFile('Row 2 has 3 fields, the header has 2 (rows are counted from 1, below the header)'),
    );
    await expect(sumsOf('kind,price\nx,1\ny\n')).rejects.toEqual(
      ofFile('Row 2 has 1 fields, the header has 2 (rows are counted from 1, below the header)'),
    );
    await expect(sumsOf('kind,price\n')).rejects.toEqual(ofFile('The file has no rows of data'));
    await expect(sumsOf('')).rejects.toEqual(ofFile('The file has no rows of data'));
    await expect(sumsOf('kind,number\nx,1\n')).rejects.toEqual(ofFile('it has no column “price”'));
    await expect(sumsOf('n,kind,price\n1,x,2\n2,x,0x10\n')).rejects.toThrow('“0x10” is no number');
    await expect(sumsOf('n,kind,price\n1,x,9007199254740993\n')).rejects.toThrow('more digits');
    // Beyond what is looked at beforehand.
    await expect(sumsOf(`${LONG}y,2,3\n`)).rejects.toThrow('it has 3 fields, the table has 2 columns');
    await expect(sumsOf(`${LONG}y,0x10\n`)).rejects.toThrow('“0x10” is no number');
  });

  test('rows that nobody would see are missed', async () => {
    await expect(sumsOf('kind,price\rx,1\ry,2\n')).rejects.toThrow('its lines end in different ways');
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
