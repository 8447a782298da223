/** Jobs over vectors, in this thread: the known answers K-V4 to K-V7, and what errors say. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import {
  type Crew,
  CrossMap,
  DirMap,
  FixValueVector,
  fromModule,
  GlobalMap,
  inline,
  type JobDefinition,
  loadJob,
  loop,
  MatrixMap,
  type Round,
  type Row,
  sequence,
  SparseMatrix,
  SparseTextVector,
  SparseValueVector,
  TaskMap,
  Var,
  VectorMap,
} from '../src/job/index.js';
import { decodeChunk } from '../src/job/chunk.js';
import { MemoryStore } from '../src/job/memory-store.js';
import { from, FUNCTIONS, rowsOf } from './job-functions.js';

/** Runs a job over the rows r0, r1, ... of a vector, and gives calls by part as well. */
async function run(definition: JobDefinition, rows: readonly Row[], workers = 2) {
  const store = new MemoryStore();
  const crew = inline({ workers, store });
  const job = await loadJob(definition, { crew });
  for (const [key, value] of rows) await job.inputs['rows']?.emit(key, value);
  const result = await job.run();
  const calls: string[][] = [];
  for await (const { event, part, text } of job.log.getItr())
    if (event === 'text') (calls[part] ??= []).push(text);
  return { job, result, rows: await rowsOf(result), calls, store };
}

const R: readonly Row[] = [
  ['r0', 0],
  ['r1', 1],
  ['r2', 2],
];
const over = (round: Round): JobDefinition => ({
  inputs: { rows: SparseValueVector({ parts: 2 }) },
  rounds: [round],
});

describe('K-V5: maps over w0: r0, r1; w1: r2', () => {
  test('VectorMap', async () => {
    const { calls, rows } = await run(over(VectorMap(from('same'))), R);
    expect(calls).toEqual([['r0', 'r1'], ['r2']]);
    expect(rows).toEqual(R);
  });

  test('GlobalMap', async () => {
    const { calls, rows } = await run(over(GlobalMap(from('same'))), R);
    expect(calls.map((some) => some.toSorted())).toEqual([
      ['r0', 'r1', 'r2'],
      ['r0', 'r1', 'r2'],
    ]);
    expect(rows).toEqual([...R, ...R]);
  });

  test('CrossMap', async () => {
    const crossed = CrossMap(from('same'), { result: SparseValueVector() });
    await expect(run(over(crossed), R)).rejects.toMatchObject({ code: 'job.result' });
    const numbered = R.map(([, value], index): Row => [index, value]);
    const { calls, rows, result } = await run(over(CrossMap(from('minus'))), numbered);
    expect(calls).toEqual([]);
    expect(result.template.template).toBe('SparseMatrix');
    expect(rows).toEqual([
      [[0, 2], -2],
      [[1, 2], -1],
      [[2, 0], 2],
      [[2, 1], 1],
    ]);
    const said = await run(over(CrossMap(from('same'))), numbered);
    expect(said.calls).toEqual([
      ['0,2', '1,2'],
      ['2,0', '2,1'],
    ]);
  });

  test('TaskMap', async () => {
    const { calls, rows, result } = await run(over(TaskMap(from('same'), { threads: 2 })), R);
    expect(calls).toEqual([['r0', 'r1'], ['r2']]);
    expect(rows).toEqual(R);
    expect(result.rows).toBe(3);
  });

  test('MatrixMap', async () => {
    const elements: Row[] = [
      [[0, 0], 1],
      [[0, 1], 2],
      [[2, 0], 3],
    ];
    const inputs = { rows: SparseMatrix({ parts: 2 }) };
    const { calls, result, rows } = await run({ inputs, rounds: [MatrixMap(from('same'))] }, elements);
    expect(calls).toEqual([['0,0', '0,1'], ['2,0']]);
    expect(result.template.template).toBe('SparseMatrix');
    expect(rows).toEqual(elements);
  });

  describe('DirMap', () => {
    const directory = mkdtempSync(join(tmpdir(), 'cipherloom-job-'));
    const files = ['a', 'b', 'c'].map((name, index) => {
      const path = `${directory}/${name}`;
      writeFileSync(path, 'line\n'.repeat(index));
      return path;
    });
    afterAll(() => rmSync(directory, { recursive: true }));
    const reduce = from('add');

    test('shared: each file goes to one worker', async () => {
      const dirMap = DirMap(from('countLines'), { directory, threads: 2, reduce });
      const { calls, rows } = await run({ rounds: [dirMap] }, []);
      expect(calls.flat().toSorted()).toEqual(files);
      expect(rows).toEqual([['lines', 3]]);
    });

    test('not shared: each worker has its own', async () => {
      const dirMap = DirMap(from('countLines'), { directory, shared: false, reduce });
      const { calls, rows } = await run({ rounds: [dirMap] }, []);
      expect(calls).toEqual([files, files]);
      expect(rows).toEqual([['lines', 6]]);
    });

    test('files of a page', async () => {
      const given = [new File(['x\ny'], 'x.txt'), new File([''], 'y.txt')];
      const dirMap = DirMap(from('countLines'), { directory: given, reduce });
      const { calls, rows } = await run({ rounds: [dirMap] }, []);
      expect(calls).toEqual([['x.txt'], ['y.txt']]);
      expect(rows).toEqual([['lines', 2]]);
    });

    test('a directory that is not there', async () => {
      const dirMap = DirMap(from('countLines'), { directory: `${directory}/none` });
      await expect(run({ rounds: [dirMap] }, [])).rejects.toMatchObject({ code: 'job.operator' });
    });
  });
});

describe('K-V4: vectors and rounds', () => {
  const dense: Row[] = Array.from({ length: 10 }, (_, key) => [key, key]);

  test('a result of the same type goes to the same template, others to that of their type', async () => {
    const inputs = { rows: FixValueVector({ parts: 3 }) };
    const kept = await run({ inputs, rounds: [VectorMap(from('twice'))] }, dense, 3);
    expect(kept.result.template.template).toBe('FixValueVector');
    expect(kept.rows).toEqual(dense.map(([key, value]) => [key, (value as number) * 2]));
    const changed = await run({ inputs, rounds: [VectorMap(from('text'))] }, dense, 3);
    expect(changed.result.template.template).toBe('SparseTextVector');
    const said = await run(
      { inputs, rounds: [VectorMap(from('twice'), { result: SparseValueVector() })] },
      dense,
      3,
    );
    expect(said.result.template.template).toBe('SparseValueVector');
  });

  test('dense numbers are dense no longer if some rows give none', async () => {
    const inputs = { rows: FixValueVector({ parts: 3 }) };
    const definition = {
      inputs,
      rounds: [VectorMap(loop({ from: 2, to: 3, independent: true, body: from('twice') }))],
    };
    const { result, rows } = await run(definition, dense, 3);
    expect(result.template.template).toBe('SparseValueVector');
    expect(rows).toEqual([
      [2, 4],
      [6, 12],
    ]);
  });

  test('rounds A, B, C: what one gives is what the next one takes', async () => {
    const inputs = { rows: SparseValueVector({ parts: 2 }) };
    const rounds = [
      VectorMap(from('twice'), { as: 'a' }),
      VectorMap(from('text'), { as: 'b' }),
      VectorMap(from('same')),
    ];
    const { job, rows } = await run({ inputs, rounds }, R);
    expect(rows).toEqual([
      ['r0', '<0>'],
      ['r1', '<2>'],
      ['r2', '<4>'],
    ]);
    expect((await rowsOf(job.result('a'))).map(([, value]) => value)).toEqual([0, 2, 4]);
    expect((await rowsOf(job.result('b'))).map(([, value]) => value)).toEqual(['<0>', '<2>', '<4>']);
    expect(() => job.result('rows')).toThrow(/no result "rows"/);
  });

  test('a sequence does in one round what rounds do one after the other', async () => {
    const steps = sequence([from('twice'), from('text')]);
    const { rows } = await run(over(VectorMap(steps)), R);
    expect(rows.map(([, value]) => value)).toEqual(['<0>', '<2>', '<4>']);
  });

  test('a loop in the middle counts the rows that came before it', async () => {
    const middle = loop({ from: 1, to: 2, parts: 2, independent: true, body: from('twice') });
    const steps = sequence([from('twice'), middle, from('text')]);
    const { rows } = await run(over(VectorMap(steps)), R);
    expect(rows).toEqual([['r1', '<4>']]);
  });

  test('globals are copied, and a round may give one', async () => {
    const definition: JobDefinition = {
      inputs: { rows: SparseValueVector({ parts: 3 }) },
      globals: { settings: Var() },
      rounds: [VectorMap(from('modulo'), { reduce: from('add') })],
    };
    const job = await loadJob(definition, { crew: inline({ workers: 3 }) });
    for (let key = 0; key < 10; key++) await job.inputs['rows']?.emit(key, 1);
    await job.globals['settings']?.emit('modulus', 3);
    expect(await rowsOf(await job.run())).toEqual([
      [0, 4],
      [1, 3],
      [2, 3],
    ]);
  });

  test('a result is cut anew where its template says how', async () => {
    const ten: Row[] = Array.from({ length: 10 }, (_, key) => [key, key]);
    const inputs = { rows: SparseValueVector({ parts: 1 }) };
    for (const [result, pairs] of [
      [SparseValueVector(), 0],
      [SparseValueVector({ parts: 10 }), 90],
      [SparseValueVector({ parts: 2, partitioner: from('ofParts') }), 50],
    ] as const) {
      const rounds = [VectorMap(from('twice'), { result }), CrossMap(from('minus'))];
      const { rows, calls, job, store } = await run({ inputs, rounds }, ten);
      expect(rows.length).toBe(pairs);
      expect(calls).toEqual([]);
      job.dispose();
      await expect.poll(() => store.count, { timeout: 60_000 }).toBe(0);
    }
  });

  test('no rows give no rows', async () => {
    for (const round of [
      VectorMap(from('same')),
      VectorMap(from('same'), { reduce: from('add') }),
      CrossMap(from('same')),
    ]) {
      const { rows, result } = await run(over(round), []);
      expect(rows).toEqual([]);
      expect(result.rows).toBe(0);
    }
  });
});

test('K-V6: a reducer, on each worker and at gathering', async () => {
  const store = new MemoryStore();
  const crew = inline({ workers: 2, store });
  const byPart: Row[][] = [];
  const watched: Crew = {
    ...{ store, workers: crew.workers, close: () => crew.close() },
    async run(task, hearing) {
      const result = await crew.run(task, hearing);
      if (task.work.do === 'map')
        for (const { ref } of result.chunks)
          (byPart[task.part] ??= []).push(...decodeChunk(await store.get(ref)));
      return result;
    },
  };
  const inputs = { rows: SparseTextVector({ parts: 2 }) };
  const rounds = [VectorMap(from('pairs'), { reduce: from('add') })];
  const job = await loadJob({ inputs, rounds }, { crew: watched });
  await job.inputs['rows']?.emit('w0', 'a 1 b 2 a 3');
  await job.inputs['rows']?.emit('w1', 'a 10');
  const result = await job.run();
  expect(byPart).toEqual([
    [
      ['a', 4],
      ['b', 2],
    ],
    [['a', 10]],
  ]);
  expect(await rowsOf(result)).toEqual([
    ['a', 14],
    ['b', 2],
  ]);
});

test('the order of a reduction is that of the rows, however they were cut', async () => {
  const given = Array.from({ length: 20_000 }, (_, index): Row => [index, `${index % 7}`]);
  const inputs = { rows: SparseTextVector({ parts: 1 }) };
  const definition: JobDefinition = { inputs, globals: {}, rounds: [VectorMap(from('same'))] };
  const { result } = await run(definition, given, 1);
  expect(result.rows).toBe(20_000);
  const joined: JobDefinition = {
    inputs: { rows: SparseTextVector({ parts: 1 }) },
    globals: { settings: Var() },
    rounds: [VectorMap(from('modulo'), { reduce: from('join') })],
  };
  for (const workers of [1, 3]) {
    const job = await loadJob(joined, { crew: inline({ workers }) });
    job.inputs['rows']?.read(given);
    await job.globals['settings']?.emit('modulus', 1);
    const [row] = await rowsOf(await job.run());
    expect(row).toEqual([0, given.map(([, value]) => value).join('')]);
  }
});

describe('what goes wrong', () => {
  const numbers = Array.from({ length: 10 }, (_, index): Row => [index, index]);
  const failing = async (round: Round, rows: readonly Row[] = numbers) => {
    const store = new MemoryStore();
    const crew = inline({ workers: 2, store });
    const job = await loadJob(over(round), { crew });
    for (const [key, value] of rows) await job.inputs['rows']?.emit(key, value);
    const error: unknown = await job.run().then(
      () => undefined,
      (error: unknown) => error,
    );
    job.dispose();
    // The crew is as before.
    const again = await loadJob(over(VectorMap(from('twice'))), { crew });
    await again.inputs['rows']?.emit(1, 2);
    expect(await rowsOf(await again.run())).toEqual([[1, 4]]);
    return error;
  };

  test('a function that throws', async () => {
    const error = await failing(VectorMap(from('failsAtThree')));
    expect(error).toMatchObject({
      code: 'job.operator',
      details: { round: 0, part: 0, key: 3, name: 'failsAtThree' },
    });
  });

  test('a result of another type', async () => {
    const error = await failing(VectorMap(from('changesType')));
    expect(error).toMatchObject({ code: 'job.result', details: { key: 7, expected: 'SparseValueVector' } });
  });

  test('a key of NaN', async () => {
    expect(await failing(VectorMap(from('badKey')))).toMatchObject({ code: 'job.key' });
  });

  test('a module or a function that is not there', async () => {
    expect(await failing(VectorMap(from('unknown')))).toMatchObject({ code: 'job.operator' });
    const gone = fromModule(new URL('./gone.mjs', FUNCTIONS));
    expect(await failing(VectorMap(gone))).toMatchObject({ code: 'job.operator' });
  });

  test('a Partitioner that gives no sub-vector', async () => {
    const inputs = { rows: SparseValueVector({ parts: 2, partitioner: from('tooFar') }) };
    const job = await loadJob({ inputs, rounds: [VectorMap(from('same'))] }, { crew: inline() });
    expect(() => job.inputs['rows']?.emit(1, 1)).toThrow(
      expect.objectContaining({ code: 'job.partitioner' }) as Error,
    );
  });

  test('a template fed the wrong type', async () => {
    const job = await loadJob(over(VectorMap(from('same'))), { crew: inline() });
    expect(() => job.inputs['rows']?.emit('a', 'b')).toThrow(
      expect.objectContaining({ code: 'job.template' }) as Error,
    );
    expect(() => job.inputs['rows']?.emit(NaN, 1)).toThrow(
      expect.objectContaining({ code: 'job.key' }) as Error,
    );
  });

  test('a source that throws', async () => {
    const job = await loadJob(over(VectorMap(from('same'))), { crew: inline() });
    job.inputs['rows']?.read(
      (function* (): Generator<Row> {
        yield [1, 1];
        throw new Error('no more');
      })(),
    );
    await expect(job.run()).rejects.toThrow('no more');
  });

  test('a pin to a kind that the crew has not', async () => {
    const pinned = fromModule(FUNCTIONS, { name: 'same', processor: 'gpu' });
    expect(await failing(VectorMap(pinned))).toMatchObject({ code: 'job.kind' });
  });

  test('an abort', async () => {
    const job = await loadJob(over(VectorMap(from('same'))), { crew: inline() });
    const stop = new AbortController();
    job.inputs['rows']?.read(
      (function* (): Generator<Row> {
        for (let key = 0; ; key++) {
          if (key === 50_000) stop.abort(new Error('enough'));
          yield [key, key];
        }
      })(),
    );
    await expect(job.run({ signal: stop.signal })).rejects.toThrow('enough');
  });
});

test('nothing is left in the store, also of a result that became a global', async () => {
  const settings = VectorMap(from('settings'), { reduce: from('add'), global: 'settings' });
  const rows = Array.from({ length: 10 }, (_, index): Row => [index, 1]);
  const inputs = { rows: SparseValueVector({ parts: 2 }) };
  const rounds = [settings, VectorMap(from('modulo'), { over: 'rows', reduce: from('add') })];
  const { job, store, rows: found } = await run({ inputs, rounds }, rows);
  expect(found).toEqual([
    [0, 4],
    [1, 3],
    [2, 3],
  ]);
  job.dispose();
  await expect.poll(() => store.count, { timeout: 60_000 }).toBe(0);
});

test('a function may use the same array again and again', async () => {
  const { rows } = await run(
    { inputs: { rows: SparseValueVector({ parts: 1 }) }, rounds: [VectorMap(from('reused'))] },
    R,
  );
  expect(rows.map(([, value]) => [...(value as Float64Array)])).toEqual([[0], [1], [2]]);
});

test('K-V7: each line once, those of a worker in their order, done when the last one is', async () => {
  const rows = Array.from({ length: 9 }, (_, index): Row => [index, index]);
  const inputs = { rows: SparseValueVector({ parts: 3 }) };
  const job = await loadJob({ inputs, rounds: [VectorMap(from('same'))] }, { crew: inline({ workers: 3 }) });
  for (const [key, value] of rows) await job.inputs['rows']?.emit(key, value);
  const lines: string[] = [];
  const last = new Map<number, number>();
  const watching = (async () => {
    for await (const { worker, line, event, text } of job.log.getItr()) {
      expect(line).toBe((last.get(worker) ?? -1) + 1);
      last.set(worker, line);
      if (event === 'text') lines.push(text);
      if (last.size < 3) expect(job.statistics().finished).toBe(false);
    }
  })();
  expect(job.statistics().finished).toBe(false);
  await job.run();
  await watching;
  expect(lines.toSorted()).toEqual(rows.map(([key]) => `${key as number}`));
  expect(job.statistics()).toMatchObject({
    tasks: 3,
    done: 3,
    calls: 9,
    rounds: 1,
    roundsDone: 1,
    finished: true,
  });
  expect(job.statistics().workers.map(({ worker, calls }) => [worker, calls])).toEqual([
    [0, 3],
    [1, 3],
    [2, 3],
  ]);
});
