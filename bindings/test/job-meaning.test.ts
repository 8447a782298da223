/** What rounds of a job mean together: which rows the next one sees, whose arrays are whose, what ends when. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import {
  CrossMap,
  DirMap,
  FixValueVector,
  GlobalMap,
  inline,
  type JobDefinition,
  loadJob,
  loop,
  MatrixMap,
  type Row,
  sequence,
  SparseTextVector,
  SparseValueVector,
  type Template,
  toCsv,
  VariableLenVector,
  VectorMap,
  when,
} from '../src/job/index.js';
import { linesOf } from '../src/job/files.js';
import { MemoryStore } from '../src/job/memory-store.js';
import { from, rowsOf } from './job-functions.js';

const ten: Row[] = Array.from({ length: 10 }, (_, key) => [key, key]);

async function run(definition: JobDefinition, given: readonly Row[] = [], workers = 2) {
  const store = new MemoryStore();
  const job = await loadJob(definition, { crew: inline({ workers, store }) });
  for (const [key, value] of given) await job.inputs['rows']?.emit(key, value);
  const result = await job.run();
  const rows = await rowsOf(result);
  const told: string[] = [];
  for await (const { event, text } of job.log.getItr()) if (event === 'text') told.push(text);
  return { job, result, rows, told, store };
}

const sparse = (parts: number) => ({ inputs: { rows: SparseValueVector({ parts }) } });
const dense = (parts: number) => ({ inputs: { rows: FixValueVector({ parts }) } });
/** The template of a result, its keys and its values. */
const shown = ({ result, rows }: { result: { template: Template }; rows: readonly Row[] }) => [
  result.template.template,
  rows.map(([key]) => key),
  rows.map(([, value]) => value),
];

describe('arrays that operators and reducers use again', () => {
  const rows: Row[] = [
    ['a', 1],
    ['a', 2],
    ['b', 3],
    ['b', 4],
    ['c', 5],
    ['c', 6],
  ];
  test.each([1, 2, 3])('of a reducer, in %d parts', async (parts) => {
    const result = VariableLenVector();
    const rounds = [VectorMap(from('inArray'), { reduce: from('addInPlace'), result })];
    const found = await run({ ...sparse(parts), rounds }, rows);
    expect(found.rows.map(([key, value]) => [key, ...(value as Float64Array)])).toEqual([
      ['a', 3],
      ['b', 7],
      ['c', 11],
    ]);
  });

  test('of an operator, which a reducer gives back', async () => {
    const rounds = [VectorMap(from('reused'), { reduce: from('largest') })];
    const given = [1, 5, 3, 2].map((value): Row => ['k', value]);
    const [row] = (await run({ ...sparse(1), rounds }, given)).rows;
    expect([...(row?.[1] as Float64Array)]).toEqual([5]);
  });

  test('of an operator, while a reducer takes its time', async () => {
    const rounds = [VectorMap(from('threeTimes'), { reduce: from('addLater') })];
    const [row] = (await run({ ...sparse(1), rounds }, [['k', 1]])).rows;
    expect([...(row?.[1] as Float64Array)]).toEqual([6]);
  });

  test('in the body of a condition', async () => {
    const body = when(from('always'), sequence([from('objects'), from('same')]));
    const rounds = [VectorMap(body, { result: VariableLenVector() })];
    const found = await run({ ...sparse(1), rounds }, [[0, 1]]);
    expect(found.rows).toEqual([
      ['a0', { x: 1 }],
      ['b0', { x: 2 }],
    ]);
    const bad = when(from('always'), sequence([from('badKey'), from('same')]));
    const failing = run({ ...sparse(1), rounds: [VectorMap(bad)] }, [[0, 1]]);
    await expect(failing).rejects.toMatchObject({ code: 'job.key' });
  });
});

test('a reducer that takes its time, and many rows of one call', async () => {
  const rounds = [VectorMap(from('many'), { reduce: from('addLater') })];
  const { rows } = await run({ ...sparse(1), rounds }, [[0, 20_000]]);
  expect(rows).toEqual(Array.from({ length: 100 }, (_, key) => [key, 200]));
});

describe('sub-vectors', () => {
  test('of reduced rows are as many as before', async () => {
    const rounds = [VectorMap(from('same'), { reduce: from('add') }), CrossMap(from('minus'))];
    for (const [parts, pairs] of [
      [1, 0],
      [2, 50],
      [10, 90],
      [16, 90],
    ] as const) {
      const { rows, job, store } = await run({ ...sparse(parts), rounds }, ten);
      expect(rows.length).toBe(pairs);
      job.dispose();
      await expect.poll(() => store.count).toBe(0);
    }
  });

  describe('of files', () => {
    const directory = mkdtempSync(join(tmpdir(), 'cipherloom-job-'));
    writeFileSync(join(directory, 'five'), 'five\n');
    afterAll(() => rmSync(directory, { recursive: true }));
    const files = DirMap(from('size'), { directory });
    const all = GlobalMap(from('same'), { reduce: from('add') });

    test.each([1, 4])('are as many as workers, whatever came before: %d parts', async (parts) => {
      for (const rounds of [
        [files, all],
        [VectorMap(from('same')), files, all],
        [VectorMap(from('same'), { as: 'named' }), files, all],
      ]) {
        const { rows, job, store } = await run({ ...sparse(parts), rounds }, ten, 3);
        expect(rows.map(([, value]) => value)).toEqual([15]);
        job.dispose();
        await expect.poll(() => store.count).toBe(0);
      }
    });
  });

  test('of a matrix that is none', async () => {
    const rounds = [VectorMap(from('text')), MatrixMap(from('same'))];
    await expect(run({ ...sparse(1), rounds }, ten)).rejects.toMatchObject({ code: 'job.definition' });
  });
});

describe('dense numbers', () => {
  const four = ten.slice(0, 4);
  const keys = [0, 1, 2, 3];

  test('are dense no longer where a loop visits some twice, and others never', async () => {
    const round = GlobalMap(loop({ from: 0, to: 1, body: from('same') }));
    const found = shown(await run({ ...dense(2), rounds: [round] }, four));
    expect(found).toEqual(['SparseValueVector', [0, 2, 0, 2], [0, 2, 0, 2]]);
  });

  test('may go to other keys, also in the middle of a sequence', async () => {
    const even = ['SparseValueVector', ['even', 'odd'], [20, 25]];
    const once = VectorMap(from('parity'), { reduce: from('add') });
    expect(shown(await run({ ...dense(2), rounds: [once] }, ten))).toEqual(even);
    const twice = VectorMap(sequence([from('parity'), from('same')]), { reduce: from('add') });
    expect(shown(await run({ ...dense(2), rounds: [twice] }, ten))).toEqual(even);
  });

  test('that a round says, and that are none', async () => {
    for (const name of ['toFive', 'keepsEven'])
      for (const result of [FixValueVector(), FixValueVector({ parts: 2 })]) {
        const running = run({ ...dense(2), rounds: [VectorMap(from(name), { result })] }, four);
        await expect(running).rejects.toMatchObject({ code: 'job.key' });
      }
    const reduced = VectorMap(from('same'), { reduce: from('add'), result: FixValueVector() });
    expect(shown(await run({ ...sparse(2), rounds: [reduced] }, four))).toEqual([
      'FixValueVector',
      keys,
      keys,
    ]);
  });

  test('of a partitioner are read by key', async () => {
    const inputs = { rows: FixValueVector({ parts: 3, partitioner: from('ofParts') }) };
    const doubled = ten.map((_, key) => 2 * key);
    const expected = ['FixValueVector', ten.map(([key]) => key), doubled];
    const mapped = VectorMap(from('twice'));
    expect(shown(await run({ inputs, rounds: [mapped] }, ten))).toEqual(expected);
    for (const split of [{}, { parts: 2 }, { parts: 2, partitioner: from('ofParts') }]) {
      const cut = VectorMap(from('twice'), { result: FixValueVector(split) });
      expect(shown(await run({ inputs, rounds: [cut] }, ten))).toEqual(expected);
      const again = VectorMap(from('same'), { result: FixValueVector({ parts: 4 }) });
      expect(shown(await run({ inputs, rounds: [cut, again] }, ten))).toEqual(expected);
    }
  });
});

test('a text is not a position, whatever it says', async () => {
  const rounds = [VectorMap(from('textThenPosition'), { reduce: from('add') })];
  await expect(run({ ...sparse(1), rounds }, [[0, 1]])).rejects.toMatchObject({ code: 'job.result' });
});

test('the first operator alone is called with the other row', async () => {
  for (const steps of [
    sequence([from('otherOrNone'), from('otherOrNone')]),
    when(from('always'), sequence([from('otherOrNone'), from('otherOrNone')])),
  ]) {
    const { told } = await run({ ...sparse(2), rounds: [CrossMap(steps)] }, ten.slice(0, 2));
    expect(told.toSorted()).toEqual(['alone', 'alone', 'beside another', 'beside another']);
  }
});

describe('a source that does not go on', () => {
  const hanging = async (ends: (job: { dispose(): void }) => void) => {
    let closed = false;
    const source: AsyncIterable<Row> = {
      [Symbol.asyncIterator]: () => {
        let first = true;
        return {
          next: () => {
            if (!first) return new Promise(() => undefined);
            first = false;
            return Promise.resolve({ done: false, value: [0, 1] });
          },
          return: () => {
            closed = true;
            return Promise.resolve({ done: true, value: undefined });
          },
        };
      },
    };
    const store = new MemoryStore();
    const crew = inline({ store });
    const job = await loadJob({ ...sparse(2), rounds: [VectorMap(from('same'))] }, { crew });
    job.inputs['rows']?.read(source);
    const stop = new AbortController();
    const running = job.run({ signal: stop.signal });
    running.catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (ends.length === 0) stop.abort(new Error('enough'));
    else ends(job);
    return { running, closed: () => closed, store };
  };

  test('ends with an abort', async () => {
    const { running, closed, store } = await hanging(() => undefined);
    await expect(running).rejects.toThrow('enough');
    await expect.poll(closed).toBe(true);
    expect(store.count).toBe(0);
  });

  test('ends with its job', async () => {
    const { running, closed } = await hanging((job) => job.dispose());
    await expect(running).rejects.toMatchObject({ code: 'disposed' });
    await expect.poll(closed).toBe(true);
  });
});

test('a reducer that fails at the end leaves nothing at work, and nothing in the store', async () => {
  const store = new MemoryStore();
  const rounds = [VectorMap(from('same'), { reduce: from('failsForBad') })];
  const job = await loadJob({ ...sparse(2), rounds }, { crew: inline({ workers: 2, store }) });
  // Chunks of one row, so that all reducing is done at the end.
  const rows = Array.from({ length: 9000 }, (_, at): Row => [
    at === 0 || at === 8999 ? 'bad' : `k${at % 5000}`,
    1,
  ]);
  job.inputs['rows']?.read(rows);
  await expect(job.run()).rejects.toMatchObject({ code: 'job.operator' });
  const lines = job.statistics().tasks;
  job.dispose();
  await expect.poll(() => store.count).toBe(0);
  expect(job.statistics().tasks).toBe(lines);
});

test('errors tell no value', async () => {
  const rounds = [VectorMap(from('same'), { result: SparseValueVector() })];
  const inputs = { rows: SparseTextVector() };
  const error: unknown = await run({ inputs, rounds }, [['k', 'a secret']]).catch((error: unknown) => error);
  expect(error).toMatchObject({ code: 'job.result' });
  expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain('secret');
});

test('lines are the same whatever the pieces, and a long one costs its length', async () => {
  const text = `\uFEFFa\r\n\n${'ä'.repeat(9)}\nlast`;
  const bytes = new TextEncoder().encode(text);
  for (let size = 1; size <= bytes.length; size++) {
    const pieces = async function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    };
    const lines: string[] = [];
    for await (const line of linesOf(pieces())) lines.push(line);
    expect(lines).toEqual(['a', '', 'ä'.repeat(9), 'last']);
  }
  const piece = new Uint8Array(1000).fill(97);
  const long = async function* () {
    for (let at = 0; at < 60_000; at++) yield piece;
  };
  const lengths: number[] = [];
  for await (const line of linesOf(long())) lengths.push(line.length);
  expect(lengths).toEqual([60_000_000]);
});

test('numbers stay numbers in a sheet', async () => {
  const rows: Row[] = [
    ['zero', -0],
    ['less', -1],
    ['formula', '-1+1'],
  ];
  let csv = '';
  for await (const piece of toCsv(rows, { spreadsheet: true })) csv += piece;
  expect(csv).toBe(`key,value\r\nzero,-0\r\nless,-1\r\nformula,"'-1+1"\r\n`);
});
