// The native build, where it is installed (scripts/test-native.mjs makes it, and has it found): its kernels by the conformance suite, and the
// same bytes as WebAssembly, both ways. What all builds do is tested with it, too: builds.ts.
import { createTask, load, type Task } from 'cipherloom';
import { describe, expect, it } from 'vitest';
import { NATIVE } from './builds.js';
import { errorOf } from './error-of.js';
import { open } from './opened.js';

const ROWS = 50;
const VALUES = {
  x: Array.from({ length: ROWS }, (_, at) => (at * 7) % 19),
  y: Array.from({ length: ROWS }, (_, at) => (at * 5) % 11),
};

/** Exactly, with BGV, or approximately, with CKKS. */
function task(real: boolean): Task {
  const task = createTask();
  const [x, y] = ['x', 'y'].map((name) =>
    task.encrypted(name, { shape: [ROWS], min: 0, max: 19, ...(real ? { kind: 'real' } : {}) }),
  );
  if (x === undefined || y === undefined) throw new Error('no inputs');
  task.output('products', x.multiply(y).multiply(x));
  task.output('mean', y.mean());
  return task;
}

describe.runIf(NATIVE)('the native build', () => {
  it('is taken where it is installed, and left where it is not wanted', async () => {
    expect((await open({ threads: 1 })).mode).toMatchObject({ variant: 'native', threads: 1 });
    expect((await open({ threads: 2, native: true })).mode).toMatchObject({
      variant: 'native',
      threads: 2,
      reasons: [],
    });
    expect((await open({ native: false, threads: 1 })).mode.variant).not.toBe('native');
    expect((await open({ workers: false })).mode.variant).not.toBe('native');
  });

  it('has kernels that compute what they should', async () => {
    const { passed, cases } = await (
      await open({ native: true, threads: 1 })
    ).conformance({ platforms: ['simd'] });
    expect(passed).toBe(true);
    expect(cases).toBeGreaterThan(10_000);
  }, 120_000);

  it.each([
    ['BGV', false],
    ['CKKS', true],
  ] as const)('gives the bytes of WebAssembly, and takes them: %s', async (_, real) => {
    const native = await open({ native: true, threads: 2 });
    const wasm = await open({ native: false, threads: 1 });
    using here = await native.compile(task(real));
    using there = await wasm.compile(task(real));
    expect(Buffer.compare(here.toBytes(), there.toBytes())).toBe(0);
    expect(await here.toText('base')).toBe(await there.toText('base'));
    for (const [one, other] of [
      [here, there],
      [there, here],
    ] as const) {
      using client = await one.client();
      using again = await other.restoreClient(await client.save());
      const inputs = await client.encrypt(VALUES);
      const keys = client.evaluationKeys;
      const results = await one.run(inputs, keys);
      const same = await other.run(inputs, keys);
      expect(Object.keys(same)).toEqual(Object.keys(results));
      for (const [name, bytes] of Object.entries(results))
        expect(Buffer.compare(same[name] as Uint8Array, bytes), name).toBe(0);
      expect(await again.decrypt(results)).toEqual(await client.decrypt(same));
      const mine = await again.decrypt(await one.run(await again.encrypt(VALUES), keys));
      for (const [at, cell] of (mine['products'] as number[]).entries())
        expect(cell).toBeCloseTo(VALUES.x[at]! ** 2 * VALUES.y[at]!, 2);
    }
  });

  it('keeps looms apart, though they are threads of one process', async () => {
    const [one, other] = [await open({ native: true, threads: 1 }), await open({ native: true, threads: 2 })];
    expect(await errorOf(one.program(Uint8Array.of(1, 2, 3)))).toHaveProperty('code');
    using program = await other.compile(task(false));
    using client = await program.client();
    one.dispose();
    const results = await program.run(await client.encrypt(VALUES), client.evaluationKeys);
    expect((await client.decrypt(results))['mean']).toBeCloseTo(VALUES.y.reduce((a, b) => a + b) / ROWS, 9);
  });
});

describe.runIf(!NATIVE)('without the native build', () => {
  it('is refused by its name, and not missed', async () => {
    for (const options of [{ native: true }, { mode: 'native' }] as const)
      expect(await errorOf(load(options))).toMatchObject({
        code: 'parameters.mode',
        message: expect.stringContaining('npm install cipherloom-native') as string,
      });
  });
});
