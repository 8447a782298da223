// Calls that are given up: they reject at once, their worker stops within 200 ms, and goes on with the next one.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type CallOptions, f32, load, type Loom, type Progress, type Task } from 'cipherloom';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { random } from '../random.js';
import { BUILDS, threadsOf } from './builds.js';
import { errorOf } from './error-of.js';

let loom: Loom;

/** Sums by turns, which take keys, and time. */
const TURNS = { passes: { extract: false } };

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

describe('a long call', () => {
  const ROWS = 50_000;
  const digits = Array.from({ length: ROWS }, () => random(10));
  beforeAll(async () => {
    loom = await load({ mode: 'single' });
  });
  afterAll(() => loom?.dispose());

  it('that makes keys or computes stops within 200 ms when aborted, and its worker goes on', async () => {
    const task = loom.task();
    const [a, b] = ['a', 'b'].map((name) => task.encrypted(name, { shape: [ROWS], min: 0, max: 9 }));
    if (a === undefined || b === undefined) throw new Error('no inputs');
    task.output('covariance', a.covariance(b));
    task.output('products', a.multiply(b).sum());
    using program = await task.compile({ n: 16384, ...TURNS });
    using client = await program.client();
    const inputs = await client.encrypt({ a: digits, b: digits });
    const askClient = () => program.toText('server');
    const broken = { ...inputs, a: Uint8Array.of(1) };
    const askEvaluator = () => errorOf(program.run(broken, client.evaluationKeys));
    expect(await askEvaluator()).toMatchObject({ name: 'FormatError' });
    await expectAbort((options) => program.client(options), askClient);
    await expectAbort((options) => program.run(inputs, client.evaluationKeys, options), askEvaluator);
    const results = await program.run(inputs, client.evaluationKeys);
    const { products } = await client.decrypt(results);
    expect(products).toBe(digits.reduce((sum, digit) => sum + digit * digit, 0));
  });

  it('that encrypts stops within 200 ms when aborted, and its worker goes on', async () => {
    // Encryption is fast: it takes many columns to take several jobs.
    const task = loom.task();
    const names = Array.from({ length: 24 }, (_, index) => `column ${index}`);
    const columns = names.map((name) => task.encrypted(name, { shape: [ROWS], min: 0, max: 9 }));
    task.output(
      'total',
      columns.reduce((sum, column) => sum.add(column)),
    );
    using program = await task.compile({ n: 16384 });
    using client = await program.client();
    const cells = Object.fromEntries(names.map((name) => [name, digits]));
    await expectAbort(
      (options) => client.encrypt(cells, options),
      () => program.toText('server'),
    );
    expect(await client.encrypt({ 'column 0': digits })).toHaveProperty('column 0');
  });

  it('that compiles, checks or decrypts is given up, too', async () => {
    const task = loom.task();
    const x = task.encrypted('x', { shape: [300], min: 0, max: 1000 });
    task.output('out', x.power(4).sum());
    await expectAbort(
      (options) => task.compile(options),
      async () => {},
    );
    using program = await task.compile();
    await expectAbort(
      (options) => program.verify({ ...options, trials: 10_000 }),
      () => program.toText('server'),
    );
    using client = await program.client();
    const results = await program.run(
      await client.encrypt({ x: digits.slice(0, 300) }),
      client.evaluationKeys,
    );
    const reason = new Error('enough');
    await expect(client.decrypt(results, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const late = new AbortController();
    const decrypting = client.decrypt(results, { signal: late.signal });
    late.abort(reason);
    await expect(decrypting).rejects.toBe(reason);
    expect(await client.decrypt(results)).toEqual({
      out: digits.slice(0, 300).reduce((sum, digit) => sum + digit ** 4, 0),
    });
  });
});

/** What a process prints: it ends with 1 where nobody catches what fails behind an abort. */
async function printed(script: string): Promise<string> {
  const lines = `import { load } from 'cipherloom'; const stop = new AbortController(); ${script}`;
  return (await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', lines])).stdout;
}

describe('a process', () => {
  it('outlives a start that is given up while its threads start', async () => {
    const script = `const loom = load({ threads: 2, native: false, signal: stop.signal });
      stop.abort('stopped');
      await loom.catch(console.log);`;
    expect(await printed(script)).toBe('stopped\n');
  });

  it('outlives a key that is given up, and whose passphrase is wrong', async () => {
    const script = `const loom = await load({ mode: 'single' });
      const task = loom.task();
      task.output('o', task.encrypted('x', { min: 0, max: 9 }));
      const program = await task.compile();
      const sealed = await (await program.client()).exportKey('right');
      stop.abort('stopped');
      await program.restoreClient(sealed, { passphrase: 'wrong', signal: stop.signal }).catch(console.log);
      // It takes no shorter than the one that was given up.
      await program.restoreClient(sealed, { passphrase: 'wrong' }).catch(({ code }) => console.log(code));
      loom.dispose();`;
    expect(await printed(script)).toBe('stopped\nkey.passphrase\n');
  });
});

it('calls that are made often leave nothing behind with the signals that they end with', async () => {
  using loom = await load({ mode: 'single' });
  const task = loom.task();
  task.output('o', task.encrypted('x', { min: 0, max: 9 }));
  using program = await task.compile({ publicKey: true });
  using client = await program.client();
  using owner = await program.owner(await client.publicKey());
  const keys = client.evaluationKeys;
  using held = await program.hold(await client.encrypt({ x: 1 }), keys);
  const g = loom.graph();
  g.output('y', g.input('x', f32(1)));
  using circuit = await g.build();
  const data = { x: Float32Array.of(1) };
  await circuit.run(data);
  const { signal } = new AbortController();
  // In Node 20 a signal remembers for ever what this makes of it.
  const any = vi.spyOn(AbortSignal, 'any');
  try {
    for (const options of [{ signal }, {}]) {
      const inputs = await client.encrypt({ x: 1 }, options);
      await owner.encrypt({ x: 1 }, options);
      await client.decrypt(await program.run(inputs, keys, options), options);
      await held.run({}, options);
    }
    expect(any).not.toHaveBeenCalled();
    for (const options of [{ signal }, {}]) await circuit.run(data, options);
    const sources = any.mock.calls.flatMap(([all]) => [...all]);
    // Of each run its own.
    expect(sources).toHaveLength(new Set(sources).size);
    expect(sources).not.toContain(signal);
  } finally {
    any.mockRestore();
  }
});

/** Gives up each call of a way through the package at its first sign of progress; the phases that were told of. */
async function phasesOf(task: Task): Promise<(string | undefined)[]> {
  const phases: (string | undefined)[] = [];
  const aborted = async (start: (options: CallOptions) => Promise<unknown>): Promise<void> => {
    const controller = new AbortController();
    const told: Progress[] = [];
    const onProgress = (progress: Progress): void => {
      told.push(progress);
      controller.abort();
    };
    const call = start({ signal: controller.signal, onProgress });
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    phases.push(told[0]?.phase);
  };
  await aborted((options) => loom.compile(task, { ...options, ...TURNS }));
  using program = await loom.compile(task, TURNS);
  await aborted((options) => program.client(options));
  using client = await program.client();
  const cells = { x: Array.from({ length: 200_000 }, (_, i) => i % 100) };
  const signal = AbortSignal.abort('no');
  await expect(client.encrypt(cells, { signal })).rejects.toBe('no');
  const inputs = await client.encrypt(cells);
  await aborted((options) => program.run(inputs, client.evaluationKeys, options));
  const results = await program.run(inputs, client.evaluationKeys);
  expect(await client.decrypt(results)).toEqual({ out: cells.x.reduce((sum, x) => sum + x ** 4, 0) });
  return phases;
}

describe.each(BUILDS)('the %s build', (mode) => {
  it('gives up each call, and then does it', async () => {
    loom = await load({ mode, threads: threadsOf(mode) });
    const task = loom.task();
    task.output(
      'out',
      task
        .encrypted('x', { shape: [200_000], min: 0, max: 100 })
        .power(4)
        .sum(),
    );
    expect(await phasesOf(task)).toEqual(['compile', 'keys', 'run']);
    loom.dispose();
  });
});
