// The built package in its real workers: dist/ and wasm/ must be there. Runs once per build of the wasm.
import {
  type CallOptions,
  type Client,
  type Ciphertexts,
  createTask,
  type DecryptedValue,
  type EncryptedColumn,
  load,
  type Loom,
  plainStatistics,
  type Program,
  type Progress,
  type Task,
  type Values,
} from 'cipherloom';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { random } from '../random.js';
import { BUILDS, threadsOf } from './builds.js';
import { errorOf } from './error-of.js';

const ROWS = 60;

/** A column of random numbers of `decimals` decimals, some missing if `holes`. */
function column(max: number, decimals = 0, holes = false): (number | null)[] {
  return Array.from({ length: ROWS }, () => {
    const value = Number((random(max * 10 ** decimals + 1) / 10 ** decimals).toFixed(decimals));
    return holes && random(5) === 0 ? null : value;
  });
}

/** Every statistic of two columns. */
function statistics(task: Task, a: EncryptedColumn, b: EncryptedColumn): void {
  task.output('count', a.count());
  task.output('sum', a.sum());
  task.output('mean', a.mean());
  task.output('variance', a.variance());
  task.output('population', a.variance({ population: true }));
  task.output('covariance', a.covariance(b));
  task.output('correlation', a.correlation(b));
}

/** Encrypts, computes and decrypts. */
async function compute(
  loom: Loom,
  task: Task,
  columns: Record<string, Values>,
): Promise<Record<string, DecryptedValue>> {
  using program = await loom.compile(task);
  using client = await program.client();
  const inputs = await client.encrypt(columns);
  return await client.decrypt(await program.run(inputs, client.evaluationKeys));
}

/** What the plain reference gives. */
function plain(task: Task, columns: Record<string, Values>): Record<string, DecryptedValue | undefined> {
  return Object.fromEntries(
    Object.entries(plainStatistics(task, columns)).map(([name, { value }]) => [name, value]),
  );
}

/**
 * Aborts a call at its first sign of progress: it must reject, and its worker, of one thread, answer before 200 ms of
 * work are done. Processor time is counted, so that other programs, which may hold this one up, do not matter.
 */
async function expectAbort(
  start: (options: CallOptions) => Promise<unknown>,
  ask: () => Promise<unknown>,
): Promise<void> {
  const controller = new AbortController();
  let aborted: NodeJS.CpuUsage | undefined;
  const onProgress = ({ done, total }: Progress): void => {
    if (controller.signal.aborted || done >= total) return;
    aborted = process.cpuUsage();
    controller.abort();
  };
  await expect(start({ signal: controller.signal, onProgress })).rejects.toMatchObject({
    name: 'AbortError',
  });
  await ask();
  expect(aborted).toBeDefined();
  const { user, system } = process.cpuUsage(aborted);
  expect((user + system) / 1000).toBeLessThan(200);
}

describe.each(BUILDS)('the %s build', (mode) => {
  let loom: Loom;
  beforeAll(async () => {
    loom = await load({ mode, threads: threadsOf(mode) });
  });
  afterAll(() => loom?.dispose());

  it('tells what it is', () => {
    expect(loom.mode).toMatchObject({ variant: mode, threads: threadsOf(mode) });
    expect(loom.mode.memoryBytes).toBeGreaterThanOrEqual(2 ** 30);
    expect(loom.version).toMatch(/^\d+\.\d+\.\d+/);
  });

  it('computes all statistics bit for bit as the plain reference', async () => {
    const task = createTask();
    statistics(
      task,
      task.encrypted('age', { rows: ROWS, min: 0, max: 120 }),
      task.encrypted('bp', { rows: ROWS, min: 0, max: 300, decimals: 1 }),
    );
    const columns = { age: column(120), bp: column(300, 1) };
    expect(await compute(loom, task, columns)).toEqual(plain(task, columns));
  });

  it('leaves out missing cells, without telling which', async () => {
    const task = createTask();
    statistics(
      task,
      task.encrypted('age', { rows: ROWS, min: 0, max: 120, missing: true }),
      task.encrypted('bp', { rows: ROWS, min: -50, max: 300, missing: true }),
    );
    const columns = { age: column(120, 0, true), bp: column(300, 0, true) };
    expect(await compute(loom, task, columns)).toEqual(plain(task, columns));
  });

  it('computes columns', async () => {
    const task = createTask();
    const a = task.encrypted('a', { rows: ROWS, min: 0, max: 50, decimals: 1 });
    const b = task.encrypted('b', { rows: ROWS, min: 0, max: 50 });
    task.output('sum', a.add(b));
    task.output('difference', a.sub(b).negate());
    task.output('product', a.multiply(b).add(0.25));
    task.output('weighted', a.multiply(column(9) as number[]).sum());
    const columns = { a: column(50, 1), b: column(50) };
    expect(await compute(loom, task, columns)).toEqual(plain(task, columns));
  });

  it('turns rings of any length, and sees their rows only', async () => {
    const task = createTask();
    const ring = task.encrypted('ring', { rows: 3, min: 0, max: 9, layout: 'slots' });
    const pair = task.encrypted('pair', { rows: 16, min: 0, max: 9, layout: 'slots', rings: 2 });
    task.output('variance', ring.rotateRows(1).add(5).variance({ population: true }));
    task.output('ring', ring.rotateRows(1).add(5));
    task.output('left', pair.rotateRows(3));
    task.output('swapped', pair.rotateColumns().multiply(pair));
    task.output('sum', pair.rotateRows(-1).add(0.5).sum());
    const columns = { ring: [1, 9, 0], pair: Array.from({ length: 16 }, () => random(10)) };
    const found = await compute(loom, task, columns);
    expect(found).toEqual(plain(task, columns));
    // (14^2 + 5^2 + 6^2) / 3 - (25 / 3)^2, by hand.
    expect(found['variance']).toBeCloseTo(16.2222222, 6);
    expect(String(found['ring'])).toBe('14,5,6');
  });

  it('takes integers that doubles do not hold', async () => {
    const task = createTask();
    const limit = 2n ** 62n - 1n;
    const a = task.encrypted('a', { rows: 3, min: -limit, max: limit });
    task.output('a', a);
    task.output('sum', a.sum());
    const columns = { a: [limit, 1n - limit, 2n ** 53n + 1n] };
    const found = await compute(loom, task, columns);
    expect(found).toEqual(plain(task, columns));
    expect(String(found['sum'])).toBe(`${2n ** 53n + 2n}`);
  });

  it('fills a ciphertext with two rings', async () => {
    const n = 4096;
    const task = createTask();
    const a = task.encrypted('a', { rows: n, min: 0, max: 9, layout: 'slots', rings: 2 });
    task.output('out', a.rotateRows(n / 4).rotateColumns());
    const values = Array.from({ length: n }, () => random(10));
    using program = await loom.compile(task, { n });
    using client = await program.client();
    const { out } = await client.decrypt(
      await program.run(await client.encrypt({ a: values }), client.evaluationKeys),
    );
    const [top, bottom] = [values.slice(0, n / 2), values.slice(n / 2)];
    const left = (row: number[]) => [...row.slice(n / 4), ...row.slice(0, n / 4)];
    expect((out as { units: bigint }[]).map(({ units }) => Number(units))).toEqual([
      ...left(bottom),
      ...left(top),
    ]);
  });

  it('takes nothing of a program that means something else', async () => {
    const [whole, cents] = [0, 2].map((decimals) => {
      const task = createTask();
      task.output('sum', task.encrypted('a', { rows: 3, min: 0, max: 300 / 10 ** decimals, decimals }).sum());
      return task;
    }) as [Task, Task];
    using program = await loom.compile(whole);
    using other = await loom.compile(cents);
    using client = await program.client();
    using reader = await other.restoreClient(await client.save());
    const inputs = await client.encrypt({ a: [100, 200, 300] });
    const result = await program.run(inputs, client.evaluationKeys);
    expect(String((await client.decrypt(result)).sum)).toBe('600');
    await expect(reader.decrypt(result)).rejects.toMatchObject({ code: 'key.foreign' });
    await expect(other.run(inputs, client.evaluationKeys)).rejects.toMatchObject({ code: 'key.foreign' });
  });

  it('does not encrypt what was given up before', async () => {
    const task = createTask();
    task.output('sum', task.encrypted('a', { rows: 4, min: 0, max: 9 }).sum());
    using program = await loom.compile(task);
    using client = await program.client();
    await expect(client.encrypt({ a: [1, 2, 3, 4] }, { signal: AbortSignal.abort('no') })).rejects.toBe('no');
  });
});

describe('a compiled program', () => {
  const columns = { age: column(120), bp: column(300) };
  let loom: Loom;
  let task: Task;
  let program: Program;
  let client: Client;
  let inputs: Ciphertexts;
  let outputs: Ciphertexts;

  beforeAll(async () => {
    loom = await load({ mode: 'single' });
    task = createTask();
    statistics(
      task,
      task.encrypted('age', { rows: ROWS, min: 0, max: 120 }),
      task.encrypted('bp', { rows: ROWS, min: 0, max: 300 }),
    );
    program = await loom.compile(task);
    client = await program.client();
    inputs = await client.encrypt(columns);
    outputs = await program.run(inputs, client.evaluationKeys);
  });
  afterAll(() => loom?.dispose());

  it('tells parameters, costs and sizes that are true', () => {
    const { params, keys, inputs: described } = program.info;
    expect(params.totalBits).toBeLessThanOrEqual(params.maxTotalBits);
    expect(params.securityBits).toBe(128);
    const sizes = [...keys, ...described].map(({ bytes }) => bytes);
    const files = [...client.evaluationKeys, ...described.map(({ name }) => inputs[name] as Uint8Array)];
    // A file has a short header.
    files.forEach(({ length }, i) => expect(length - (sizes[i] as number)).toBeLessThan(512));
    files.forEach(({ length }, i) => expect(length).toBeGreaterThanOrEqual(sizes[i] as number));
    expect(String(described[0]?.max)).toBe('120');
  });

  it('is text and graph at every stage', async () => {
    for (const { stage, operators } of program.stats()) {
      expect((await program.toText(stage)).length).toBeGreaterThan(0);
      const graph = await program.graph(stage);
      expect(graph.type.length).toBe(operators);
      expect(graph.inputsStart.length).toBe(operators + 1);
      const computed = program.info.outputs.filter(({ ciphertexts }) => ciphertexts > 0);
      expect(graph.outputs.map(({ name }) => name).sort()).toEqual(computed.map(({ name }) => name).sort());
    }
  });

  it('is the same bytes for the same task', async () => {
    using again = await loom.compile(task);
    expect(again.toBytes()).toEqual(program.toBytes());
  });

  it('reports progress and a trace', async () => {
    const phases: string[] = [];
    let operators = 0;
    using other = await program.client({
      onProgress: ({ phase, done, total }) => {
        phases.push(phase);
        expect(done).toBeLessThanOrEqual(total);
      },
    });
    const sent = await other.encrypt(columns, { onProgress: ({ phase }) => phases.push(phase) });
    const back = await program.run(sent, other.evaluationKeys, {
      onProgress: ({ phase }) => phases.push(phase),
      onTrace: ({ op, start, end }) => {
        operators = op.length;
        expect(start.every((time, i) => time <= (end[i] as number))).toBe(true);
      },
    });
    await other.decrypt(back, { onProgress: ({ phase }) => phases.push(phase) });
    expect(new Set(phases)).toEqual(new Set(['keys', 'encrypt', 'run', 'decrypt']));
    expect(operators).toBeGreaterThan(0);
  });

  it('measures noise within its stated bound', async () => {
    for (const { noiseBudgetBits } of Object.values(await client.decryptDetails(outputs))) {
      expect(noiseBudgetBits).toBeGreaterThanOrEqual(program.info.params.noiseBudgetBits);
    }
  });

  it('goes through bytes: program, client and results work in another loom', async () => {
    using other = await load({ mode: 'single' });
    using opened = await other.program(program.toBytes());
    expect(opened.info).toEqual(program.info);
    using restored = await opened.restoreClient(await client.save(), { evaluationKeys: [] });
    expect(await restored.decrypt(outputs)).toEqual(await client.decrypt(outputs));
    const exported = await client.exportKey('a passphrase');
    const imported = { evaluationKeys: [], passphrase: 'a passphrase' };
    using unlocked = await opened.restoreClient(exported, imported);
    expect(await unlocked.decrypt(outputs)).toEqual(await client.decrypt(outputs));
    expect(await errorOf(opened.restoreClient(exported))).toMatchObject({ code: 'key.sealed' });
    const again = await opened.run(await restored.encrypt(columns), client.evaluationKeys);
    expect(await client.decrypt(again)).toEqual(plain(task, columns));
    using renewed = await opened.restoreClient(await client.save());
    expect(await client.decrypt(await opened.run(inputs, renewed.evaluationKeys))).toEqual(
      plain(task, columns),
    );
  });

  it('stops within 200 ms when aborted, and goes on working', async () => {
    const rows = 50_000;
    const long = createTask();
    const [a, b] = [
      long.encrypted('a', { rows, min: 0, max: 9 }),
      long.encrypted('b', { rows, min: 0, max: 9 }),
    ];
    long.output('covariance', a.covariance(b));
    const digits = Array.from({ length: rows }, () => random(10));
    using slow = await loom.compile(long, { n: 16384 });
    using keyed = await slow.client();
    const sent = await keyed.encrypt({ a: digits, b: digits });
    const broken = { ...sent, a: Uint8Array.of(1) };

    const askClient = () => slow.toText('task');
    const askEvaluator = () => errorOf(slow.run(broken, keyed.evaluationKeys));
    expect(await askEvaluator()).toMatchObject({ name: 'FormatError' });
    await expectAbort((options) => slow.client(options), askClient);
    // Encryption is fast: it takes many columns to take several jobs.
    const wide = createTask();
    const names = Array.from({ length: 24 }, (_, index) => `column ${index}`);
    const all = names.map((name) => wide.encrypted(name, { rows, min: 0, max: 9 }));
    wide.output(
      'total',
      all.map((column) => column.multiply(column)).reduce((sum, square) => sum.add(square)),
    );
    using many = await loom.compile(wide, { n: 16384 });
    using encrypting = await many.client();
    const tables = Object.fromEntries(names.map((name) => [name, digits]));
    await expectAbort((options) => encrypting.encrypt(tables, options), askClient);
    await expectAbort((options) => slow.run(sent, keyed.evaluationKeys, options), askEvaluator);
    expect(await client.decrypt(await program.run(inputs, client.evaluationKeys))).toEqual(
      plain(task, columns),
    );
  });

  it('refuses bytes that are not its own', async () => {
    const age = inputs['age'] as Uint8Array;
    const { evaluationKeys } = client;
    const run = (bytes: Uint8Array) => errorOf(program.run({ ...inputs, age: bytes }, evaluationKeys));
    for (const bytes of [
      new Uint8Array(),
      age.slice(0, 10),
      age.slice(0, -1),
      Uint8Array.of(...age.slice(0, 64), 1),
      inputs['bp'] as Uint8Array,
    ]) {
      expect(['FormatError', 'KeyError', 'InputError']).toContain((await run(bytes)).name);
    }
    expect((await errorOf(client.decrypt({ mean: age }))).name).toBe('FormatError');
    expect((await errorOf(loom.program(age))).name).toBe('FormatError');
    expect((await errorOf(program.restoreClient(age))).name).toBe('FormatError');
    expect(await errorOf(program.run(inputs, evaluationKeys.slice(1)))).toMatchObject({
      name: 'KeyError',
      code: 'key.missing',
    });
    expect((await errorOf(program.run(inputs, [age]))).name).toBe('FormatError');
  });

  it('refuses keys and results of another client', async () => {
    using other = await program.client();
    expect((await errorOf(program.run(inputs, other.evaluationKeys))).name).toBe('KeyError');
    expect((await errorOf(other.decrypt(outputs))).name).toBe('KeyError');
  });

  it('refuses wrong values, naming column and row', async () => {
    const wrong = (age: Values) => errorOf(client.encrypt({ age }));
    expect(await wrong(columns.age.with(7, 121))).toMatchObject({
      code: 'range.value',
      details: { column: 'age', row: 7 },
    });
    expect(await wrong(columns.age.with(7, 1.5))).toMatchObject({
      code: 'input.decimals',
      details: { column: 'age', row: 7 },
    });
    expect(await wrong(columns.age.with(7, null))).toMatchObject({ code: 'input.missing_value' });
    expect(await wrong([1, 2, 3])).toMatchObject({ code: 'input.length' });
    expect(await errorOf(client.encrypt({ weight: [1] }))).toMatchObject({ code: 'input.unknown' });
    expect(await errorOf(client.decrypt({ median: new Uint8Array() }))).toMatchObject({
      code: 'input.unknown',
    });
    expect(await errorOf(client.decrypt({ mean: 'bytes' as never }))).toMatchObject({ code: 'input.type' });
    expect(await errorOf(program.run(inputs, ['bytes' as never]))).toMatchObject({ code: 'input.type' });
    const { age, ...rest } = inputs;
    expect(age).toBeDefined();
    expect(await errorOf(program.run(rest, client.evaluationKeys))).toMatchObject({ code: 'input.missing' });
    expect(
      await errorOf(program.run({ ...inputs, weight: age as Uint8Array }, client.evaluationKeys)),
    ).toMatchObject({ code: 'input.unknown' });
  });

  it('gives the other outputs where one has no value', async () => {
    const same = { age: Array<number>(ROWS).fill(40), bp: columns.bp };
    const results = await program.run(await client.encrypt(same), client.evaluationKeys);
    expect(await errorOf(client.decrypt(results))).toMatchObject({
      name: 'UndefinedStatisticError',
      code: 'statistic.zero_variance',
    });
    const details = await client.decryptDetails(results);
    expect(details['correlation']).toMatchObject({
      value: undefined,
      problem: { code: 'statistic.zero_variance' },
    });
    expect(details['mean']?.value).toBe(40);
  });

  it('refuses tasks that cannot be compiled', async () => {
    const deep = createTask();
    let product = deep.encrypted('a', { rows: 4, min: 0, max: 1_000_000 });
    for (let i = 0; i < 12; i++) product = product.multiply(product);
    deep.output('out', product);
    expect(['NoiseError', 'ParameterError', 'OutOfRangeError']).toContain(
      (await errorOf(loom.compile(deep))).name,
    );
    expect((await errorOf(loom.compile(task, { memoryLimit: 1000 }))).name).toBe('MemoryError');
    expect((await errorOf(loom.compile(task, { n: 1000 }))).name).toBe('ParameterError');
  });
});

describe('dispose', () => {
  it('may be repeated, ends what is under way, and everything after it is DisposedError', async () => {
    const loom = await load({ mode: 'single' });
    const task = loom.task();
    statistics(
      task,
      task.encrypted('age', { rows: ROWS, min: 0, max: 120 }),
      task.encrypted('bp', { rows: ROWS, min: 0, max: 300 }),
    );
    const program = await task.compile();
    const client = await program.client();
    const inputs = await client.encrypt({ age: column(120), bp: column(300) });

    const encrypting = client.encrypt({ age: column(120) });
    client.dispose();
    client.dispose();
    await expect(encrypting).rejects.toMatchObject({ name: 'DisposedError' });
    expect(await errorOf(client.save())).toMatchObject({ code: 'disposed' });

    const running = program.run(inputs, client.evaluationKeys);
    program.dispose();
    program.dispose();
    await expect(running).rejects.toMatchObject({ name: 'DisposedError' });
    expect(await errorOf(program.toText('task'))).toMatchObject({ code: 'disposed' });

    const compiling = task.compile();
    loom.dispose();
    loom.dispose();
    await expect(compiling).rejects.toMatchObject({ name: 'DisposedError' });
    expect(await errorOf(task.compile())).toMatchObject({ code: 'disposed' });
    expect(await errorOf(loom.restart())).toMatchObject({ code: 'disposed' });
  });
});
