// Looms without workers: all on the caller's thread. The same calls, values and errors as with workers, beside which they run.
import { load, type Loom, f32, u32 } from 'cipherloom';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTask } from '../../dist/index.js';
import { random } from '../random.js';
import { WASM_BUILDS } from './builds.js';
import { errorOf } from './error-of.js';

const VALUES = { x: [1.5, -2, 99, 0], y: [3, 2, 1, 0] };
const EXPECTED = { mean: 98.5 / 4, products: [4.5, -4, 99, 0] };

/** A sum and a product, of two columns. */
function task() {
  const task = createTask();
  const x = task.encrypted('x', { shape: [4], min: -99, max: 99, decimals: 1 });
  const y = task.encrypted('y', { shape: [4], min: 0, max: 9 });
  task.output('mean', x.mean());
  task.output('products', x.multiply(y));
  return task;
}

describe.each(WASM_BUILDS)('the %s build without workers', (mode) => {
  let loom: Loom;
  let made: number;
  const { getBuiltinModule } = process;
  beforeAll(async () => {
    // Whoever starts a worker all the same is caught.
    made = 0;
    process.getBuiltinModule = ((name: string) => {
      if (name === 'node:worker_threads') made++;
      return getBuiltinModule(name);
    }) as typeof getBuiltinModule;
    loom = await load({ workers: false, mode });
  });
  afterAll(() => {
    loom?.dispose();
    process.getBuiltinModule = getBuiltinModule;
  });

  it('has one thread, says why, and computes', async () => {
    expect(loom.mode).toMatchObject({ variant: mode, threads: 1 });
    expect(loom.mode.reasons).toContain('Without workers there is one thread.');
    using program = await loom.compile(task());
    using client = await program.client();
    const results = await program.run(await client.encrypt(VALUES), client.evaluationKeys);
    expect(await client.decrypt(results)).toEqual(EXPECTED);
    expect(made).toBe(0);
  });

  it('has a memory for each client, evaluator and loom', async () => {
    const { Instance } = WebAssembly;
    const memories: unknown[] = [];
    WebAssembly.Instance = class extends Instance {
      constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
        super(module, imports);
        memories.push(this.exports['memory'] ?? imports?.['./cipherloom_bg.js']?.['memory']);
      }
    };
    using other = await load({ workers: false, mode });
    WebAssembly.Instance = Instance;
    expect(memories).toHaveLength(2);
    expect(new Set(memories).size).toBe(2);
    using program = await loom.compile(task());
    using second = await other.program(await program.toBytes());
    using client = await program.client();
    using foreign = await second.client();
    const inputs = await client.encrypt(VALUES);
    const results = await second.run(inputs, client.evaluationKeys);
    expect(await client.decrypt(results)).toEqual(EXPECTED);
    expect(await errorOf(foreign.decrypt(results))).toMatchObject({ code: 'key.foreign' });
    using restored = await second.restoreClient(await client.save());
    expect(await restored.decrypt(results)).toEqual(EXPECTED);
  });

  it('shares programs, keys, ciphertexts and results with looms that have workers', async () => {
    using threaded = await load({ mode: 'single' });
    using program = await threaded.compile(task());
    using here = await loom.program(await program.toBytes());
    using client = await program.client();
    const results = await here.run(await client.encrypt(VALUES), client.evaluationKeys);
    expect(await client.decrypt(results)).toEqual(EXPECTED);
  });

  it('tells the same errors, and goes on', async () => {
    using program = await loom.compile(task());
    using client = await program.client();
    expect(await errorOf(client.encrypt({ ...VALUES, y: [1, 2, 3, 10] }))).toMatchObject({
      name: 'OutOfRangeError',
      code: 'range.value',
    });
    const broken = { x: Uint8Array.of(1), y: Uint8Array.of(2) };
    expect(await errorOf(program.run(broken, client.evaluationKeys))).toMatchObject({ name: 'FormatError' });
    const results = await program.run(await client.encrypt(VALUES), client.evaluationKeys);
    expect(await client.decrypt(results)).toEqual(EXPECTED);
  });

  it('takes nothing that its caller has, and is given nothing of it', async () => {
    using program = await loom.compile(task());
    using client = await program.client();
    const values = { x: Float64Array.from(VALUES.x), y: Float64Array.from(VALUES.y) };
    const inputs = await client.encrypt(values);
    expect(Array.from(values.x)).toEqual(VALUES.x);
    const copies = Object.entries(inputs).map(([name, bytes]) => [name, bytes.slice()] as const);
    expect(await client.decrypt(await program.run(inputs, client.evaluationKeys))).toEqual(EXPECTED);
    // Neither moved nor overwritten.
    expect(inputs).toEqual(Object.fromEntries(copies));
  });

  it('runs graphs of users, with operators that functions of theirs compute, and verifies them', async () => {
    const g = loom.graph();
    const x = g.input('x', f32(3));
    g.output('sum', g.op('f32.add', [x, x]));
    using circuit = await g.build();
    const { sum } = await circuit.run({ x: Float32Array.of(1, 2, 3.5) });
    expect(sum).toEqual(Float32Array.of(2, 4, 7));
    const module = new URL('../fixtures/own-functions.mjs', import.meta.url).href;
    loom.operator({ name: 'my.reverse', output: ({ types: [type] }) => type as never, module });
    const h = loom.graph();
    h.output('y', h.op('my.reverse', [h.input('x', u32(2))]));
    using own = await h.build();
    expect((await own.run({ x: Uint32Array.of(4, 5) }))['y']).toEqual(Uint32Array.of(5, 4));
    expect((await circuit.verify({ trials: 2 })).passed).toBe(true);
  });

  it('lets others have their turn while it computes, and stops when it is told to', async () => {
    const rows = 40_000;
    const long = createTask();
    const [a, b] = ['a', 'b'].map((name) => long.encrypted(name, { shape: [rows], min: 0, max: 9 }));
    long.output('dot', a!.dot(b!));
    using program = await loom.compile(long, { n: 8192 });
    using client = await program.client();
    const digits = Array.from({ length: rows }, () => random(10));
    const inputs = await client.encrypt({ a: digits, b: digits });
    const controller = new AbortController();
    let turns = 0;
    const timer = setInterval(() => {
      turns++;
      controller.abort();
    });
    const run = program.run(inputs, client.evaluationKeys, { signal: controller.signal });
    await expect(run).rejects.toMatchObject({ name: 'AbortError' });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
    const results = await program.run(inputs, client.evaluationKeys);
    expect(await client.decrypt(results)).toEqual({
      dot: digits.reduce((sum, digit) => sum + digit ** 2, 0),
    });
  });

  it('is ended by dispose', async () => {
    const own = await load({ workers: false, mode });
    const program = await own.compile(task());
    const client = await program.client();
    const encrypting = client.encrypt(VALUES);
    own.dispose();
    expect(await errorOf(encrypting)).toMatchObject({ name: 'DisposedError' });
    expect(await errorOf(program.client())).toMatchObject({ name: 'DisposedError' });
  });
});

it('takes no worker of the caller', async () => {
  const worker = () => {
    throw new Error('never called');
  };
  expect(await errorOf(load({ workers: false, worker }))).toMatchObject({
    name: 'ParameterError',
    code: 'parameters.mode',
  });
});

it('tries the kernels, as far as it is let', async () => {
  using loom = await load({ workers: false });
  const controller = new AbortController();
  const tried = loom.conformance({
    platforms: ['scalar'],
    signal: controller.signal,
    onProgress: ({ done, total }) => {
      if (done > 0 && done < total) controller.abort();
    },
  });
  await expect(tried).rejects.toMatchObject({ name: 'AbortError' });
});
