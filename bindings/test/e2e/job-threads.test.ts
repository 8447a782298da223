/** Jobs over vectors, on threads of the built package. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { load } from '../../dist/index.js';
import { startScript } from '../../dist/worker/start.js';
import {
  type Crew,
  fromModule,
  fromProgram,
  inline,
  type JobDefinition,
  type JobResult,
  loadJob,
  PVar,
  type Row,
  SparseValueVector,
  TaskMap,
  threads,
  type ThreadsOptions,
  Var,
  VariableLenVector,
  VectorMap,
} from '../../dist/job/index.js';

const SCRIPTS = fileURLToPath(new URL('../../dist/job/crew', import.meta.url));
const FUNCTIONS = new URL('../fixtures/job-functions.mjs', import.meta.url);
const from = (name: string, more: object = {}) => fromModule(FUNCTIONS, { name, ...more });
const directory = mkdtempSync(join(tmpdir(), 'cipherloom-job-'));
afterAll(() => rmSync(directory, { recursive: true }));

let crew: Crew | undefined;
afterEach(() => crew?.close());

const start = (options: ThreadsOptions): Crew => (crew = threads(options));
const numbers = (count: number): Row[] => Array.from({ length: count }, (_, index) => [index, index]);

async function rowsOf(result: JobResult): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of result.getItr()) rows.push(row);
  return rows;
}

async function run(
  definition: JobDefinition,
  rows: Iterable<Row>,
  crew: Crew,
  settings: readonly Row<string>[] = [],
) {
  const job = await loadJob(definition, { crew });
  job.inputs['rows']?.read(rows);
  for (const [key, value] of settings) await job.globals['settings']?.emit(key, value);
  const result = await job.run();
  return { job, result, rows: await rowsOf(result) };
}

const inputs = { rows: SparseValueVector({ parts: 4 }) };

test('the same rows as one thread gives, and a reduction to the same bits', async () => {
  const rounds = [VectorMap(from('twice')), TaskMap(from('modulo'), { threads: 2, reduce: from('add') })];
  const definition: JobDefinition = { inputs, globals: { settings: Var() }, rounds };
  const rows = numbers(50_000).map(([key, value]): Row => [key, (value as number) / 7]);
  const settings: Row<string>[] = [['modulus', 13]];
  const alone = await run(definition, rows, inline({ workers: 4 }), settings);
  const together = await run(definition, rows, start({ cpu: 2 }), settings);
  expect(together.rows).toEqual(alone.rows);
  expect(together.job.statistics()).toMatchObject({ finished: true, rounds: 2 });
});

test('a worker that dies is replaced, and nothing is counted twice', async () => {
  const path = join(directory, 'died');
  const definition: JobDefinition = {
    inputs,
    globals: { settings: PVar() },
    rounds: [VectorMap(from('diesOnce'))],
  };
  const { rows, job } = await run(definition, numbers(10), start({ cpu: 2 }), [['path', path]]);
  expect(existsSync(path)).toBe(true);
  expect(rows).toEqual(numbers(10));
  expect(job.statistics()).toMatchObject({ tasks: 4, done: 4, calls: 10 });
});

describe('what goes wrong', () => {
  const next = async (): Promise<void> => {
    const { rows } = await run({ inputs, rounds: [VectorMap(from('twice'))] }, numbers(2), crew as Crew);
    expect(rows).toEqual([
      [0, 0],
      [1, 2],
    ]);
  };

  test('workers that die again and again', async () => {
    const dying = run({ inputs, rounds: [VectorMap(from('ends'))] }, numbers(1), start({ cpu: 1 }));
    await expect(dying).rejects.toMatchObject({
      code: 'job.worker',
      details: { round: 0, part: 0, attempts: 3 },
    });
    await next();
  });

  test('a part that never ends', async () => {
    const endless = run(
      { inputs, rounds: [VectorMap(from('forEver'))] },
      numbers(8),
      // What goes on by the same crew has to be done within that, too, on a machine that is slow.
      start({ cpu: 2, timeout: 3000 }),
    );
    await expect(endless).rejects.toMatchObject({ code: 'job.timeout', details: { expected: 3000 } });
    await next();
  });

  test('an abort of a part that never ends', async () => {
    const job = await loadJob({ inputs, rounds: [VectorMap(from('forEver'))] }, { crew: start({ cpu: 1 }) });
    await job.inputs['rows']?.emit(1, 1);
    await expect(job.run({ signal: AbortSignal.timeout(300) })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    await next();
  });

  test('an abort while a worker is started', async () => {
    const stop = new AbortController();
    const worker = () => {
      stop.abort(new Error('enough'));
      return startScript('job', SCRIPTS, 'job-worker.js', () => expect.unreachable());
    };
    const job = await loadJob(
      { inputs, rounds: [VectorMap(from('forEver'))] },
      { crew: start({ cpu: 1, worker }) },
    );
    await job.inputs['rows']?.emit(1, 1);
    await expect(job.run({ signal: stop.signal })).rejects.toThrow('enough');
    await next();
  });

  test('a function that throws', async () => {
    const failing = run({ inputs, rounds: [VectorMap(from('failsAtThree'))] }, numbers(8), start({ cpu: 2 }));
    await expect(failing).rejects.toMatchObject({
      name: 'JobError',
      code: 'job.operator',
      details: { key: 3 },
    });
    await next();
  });

  test('a crew that was closed', async () => {
    await start({ cpu: 1 }).close();
    const late = run({ inputs, rounds: [VectorMap(from('twice'))] }, numbers(1), crew as Crew);
    await expect(late).rejects.toMatchObject({ code: 'disposed' });
  });
});

describe('kinds of workers', () => {
  test('a table, a pin, and what a kind has of its own', async () => {
    const on = { gpu: { module: String(FUNCTIONS), name: 'onGpu' } };
    // Small floats go to the GPU, small integers to the CPU.
    for (const [traits, expected] of [
      [{}, 'gpu'],
      [{ on }, 'its own'],
      [{ type: 'int' }, 'cpu'],
      [{ type: 'int', processor: 'gpu' }, 'gpu'],
      [{ processor: 'cpu', on }, 'cpu'],
    ] as const) {
      const definition = { inputs, rounds: [VectorMap(from('onKind', traits))] };
      const { rows } = await run(definition, numbers(1), start({ cpu: 1, gpu: 1 }));
      expect(rows, JSON.stringify(traits)).toEqual([[0, expected]]);
      await crew?.close();
    }
  });

  test('another table, another threshold, no workers', async () => {
    const definition = { inputs, rounds: [VectorMap(from('onKind'))] };
    for (const [options, expected] of [
      [{ threshold: 0 }, 'cpu'],
      [
        {
          table: (type: string, need: number) => (type === 'float' && need > 0 ? 'gpu' : 'cpu'),
          threshold: 0,
        },
        'gpu',
      ],
    ] as const) {
      const job = await loadJob(definition, { crew: start({ cpu: 1, gpu: 1 }), ...options });
      await job.inputs['rows']?.emit(0, 0);
      expect(await rowsOf(await job.run())).toEqual([[0, expected]]);
      await crew?.close();
    }
    await expect(loadJob(definition, { crew: threads({ cpu: 0 }) })).rejects.toMatchObject({
      code: 'job.kind',
    });
  });

  test('both compute, and the faster one more', async () => {
    const on = { gpu: { module: String(FUNCTIONS), name: 'slowly' } };
    const rounds = [VectorMap(from('slowly', { on }))];
    const many = { rows: SparseValueVector({ parts: 64 }) };
    const both = start({ cpu: 1, gpu: 1 });
    // Several times: the machine may have held one of them up.
    let [cpu, gpu] = [0, 0];
    for (let time = 0; time < 20 && (cpu === 0 || gpu <= cpu); time++) {
      const { rows } = await run({ inputs: many, rounds }, numbers(128), both);
      const by = (kind: string) => rows.filter(([, value]) => (value as string).startsWith(kind)).length;
      [cpu, gpu] = [by('cpu'), by('gpu')];
      expect(cpu + gpu).toBe(128);
    }
    expect(cpu).toBeGreaterThan(0);
    expect(gpu).toBeGreaterThan(cpu);
  });
});

test('tables of several people, encrypted, by one program', async () => {
  const loom = await load({ threads: 1 });
  const task = loom.task();
  task.output('sum', task.encrypted('ages', { shape: [100], min: 0, max: 120 }).sum());
  const program = await task.compile();
  const client = await program.client();
  const tables = Array.from({ length: 6 }, (_, user) =>
    Array.from({ length: 100 }, (_, row) => (user * 31 + row * 7) % 121),
  );
  const definition: JobDefinition = {
    inputs: { rows: VariableLenVector({ parts: 3 }) },
    globals: { keys: PVar() },
    rounds: [VectorMap(fromProgram(program.toBytes(), 'keys'))],
  };
  const job = await loadJob(definition, { crew: start({ cpu: 2 }) });
  for (const [index, key] of client.evaluationKeys.entries()) await job.globals['keys']?.emit(index, key);
  job.inputs['rows']?.read(
    (async function* (): AsyncGenerator<Row> {
      for (const [user, ages] of tables.entries()) yield [user, await client.encrypt({ ages })];
    })(),
  );
  const result = await job.run();
  const sums: unknown[] = [];
  for await (const [, results] of result.getItr())
    sums.push((await client.decrypt(results as Record<string, Uint8Array>))['sum']);
  expect(sums).toEqual(tables.map((table) => table.reduce((a, b) => a + b)));
  loom.dispose();
});
