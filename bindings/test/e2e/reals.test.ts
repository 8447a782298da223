// Tasks over reals, whose results are off by a little. Runs once per build of the wasm.
import { approximation, createTask, load, type Loom, type Value } from 'cipherloom';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILDS, threadsOf } from './builds.js';
import { compute, expectNear, sum } from './compute.js';

describe.each(BUILDS)('the %s build', (mode) => {
  let loom: Loom;
  beforeAll(async () => {
    loom = await load({ mode, threads: threadsOf(mode) });
  });
  afterAll(() => loom?.dispose());

  it('approximates functions of reals', async () => {
    const task = createTask();
    const x = task.encrypted('x', { kind: 'real', shape: [6, 2], min: -1, max: 1 });
    const sums = x.sum(1);
    const root = approximation(Math.sqrt, { from: 0.5, to: 4, degree: 15 });
    task.output('sigmoid', sums.multiply(4).sigmoid({ from: -8, to: 8, error: 1e-3 }));
    task.output(
      'nothing',
      sums.approximate(() => 0, { from: -2, to: 2, degree: 3 }),
    );
    // Nobody but the author knows that.
    task.output('root', sums.add(2).within(0.5, 4).approximate(root));
    const cells = [
      [0.5, 0.25],
      [-1, 0.75],
      [0, 0],
      [1, 0.875],
      [-0.25, -0.5],
      [0.3, 0.1],
    ];
    const found = await compute(loom, task, { encrypted: { x: cells } });
    const expected = cells.map(([a, b]) => (a as number) + (b as number));
    expect(root.error).toBeLessThan(1e-5);
    expect(root.at(2)).toBeCloseTo(Math.SQRT2, 5);
    for (const [at, sum] of expected.entries()) {
      expect(Math.abs((found['nothing'] as number[])[at]!)).toBeLessThan(1e-6);
      expect(Math.abs((found['sigmoid'] as number[])[at]! - 1 / (1 + Math.exp(-4 * sum)))).toBeLessThan(2e-3);
      expect(Math.abs((found['root'] as number[])[at]! - Math.sqrt(2 + sum))).toBeLessThan(1e-5);
    }
  });

  it('compares reals from a gap on', async () => {
    const task = createTask();
    const x = task.encrypted('x', { kind: 'real', shape: [6], min: 0, max: 1 });
    task.output('above', x.greaterThan(0.5, { gap: 0.1 }));
    task.output('count', x.greaterThan(0.5, { gap: 0.1 }).sum());
    task.output('most', x.max([0.6, 0.6, 0.6, 0.6, 0.6, 0.6], { gap: 0.1 }));
    const cells = [0.1, 0.4, 0.75, 1, 0, 0.9];
    const found = await compute(loom, task, { encrypted: { x: cells } }, { precision: 12 });
    expect(found['above']).toEqual([false, false, true, true, false, true]);
    expect(found['count']).toBe(3);
    for (const [at, cell] of cells.entries())
      expect(Math.abs((found['most'] as number[])[at]! - Math.max(cell, 0.6))).toBeLessThan(1e-3);
  });

  it('computes on reals, to the precision asked for', async () => {
    const task = createTask();
    const x = task.encrypted('x', { kind: 'real', shape: [8], min: -2, max: 2 });
    const n = task.encrypted('n', { shape: [8], min: 0, max: 10, decimals: 1 });
    const w = task.plain('w', { kind: 'real', shape: [2, 8], min: -1, max: 1 });
    task.output('polynomial', x.polynomial([0.5, 0.25, 0, -1 / 48]));
    task.output('product', w.matmul(x).add([0.125, -1]));
    task.output('mixed', x.multiply(n).divide(4).sum());
    task.output('mean', x.mean());
    task.output('power', x.power(3));
    const given = {
      x: [0.5, -0.5, 2, -2, 1.25, 0, 1e-3, -1.75],
      n: [0.1, 10, 3.5, 0, 1, 2, 3, 4],
    };
    const weights = [1, -1, 0.5, 0.25, 0, 0, 1, 1, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];
    const found = await compute(
      loom,
      task,
      { encrypted: given, plain: { w: Float64Array.from(weights) } },
      { precision: 22 },
    );
    const { x: xs } = given;
    expectNear(
      found['polynomial'],
      xs.map((v) => 0.5 + v / 4 - v ** 3 / 48),
    );
    const rows = [0, 1].map((row) => sum(xs.map((v, i) => v * (weights[8 * row + i] as number))));
    expectNear(found['product'], [(rows[0] as number) + 0.125, (rows[1] as number) - 1]);
    expectNear(found['mixed'], [sum(xs.map((v, i) => v * (given.n[i] as number))) / 4]);
    expectNear(found['mean'], [sum(xs) / 8]);
    expectNear(
      found['power'],
      xs.map((v) => v ** 3),
    );
  });

  it('says what a result may be off by, and of noise nothing else', async () => {
    const task = loom.task();
    const x = task.encrypted('x', { kind: 'real', shape: [8], min: -2, max: 2 });
    task.output('square', x.square());
    using program = await task.compile();
    using client = await program.client();
    const given = { x: [0.5, -0.5, 2, -2, 1.25, 0, 1e-3, -1.75] };
    const results = await program.run(await client.encrypt(given), client.evaluationKeys);
    const { square } = await client.decryptDetails(results);
    expect(square).toMatchObject({ problem: undefined, budgetBits: undefined });
    const [ciphertext] = program.info.ciphertexts;
    expect(program.info.scheme).toBe('CKKS');
    const most = 2 ** (ciphertext?.errorBits as number);
    expect(most).toBeLessThan(2 ** -18);
    expect(square?.error).toBeCloseTo(most, 12);
    for (const [at, cell] of (square?.value as number[]).entries())
      expect(Math.abs(cell - (given.x[at] as number) ** 2)).toBeLessThan(most);
    // Without encryption nothing is off but by rounding.
    expectNear(
      (await client.plain(given))['square'] as number[],
      given.x.map((v) => v * v),
      2 ** -50,
    );
  });

  it('tells no statistic that noise alone would give', async () => {
    const task = loom.task();
    const [x, y] = ['x', 'y'].map((name) =>
      task.encrypted(name, { kind: 'real', shape: [8], min: 0, max: 10, missing: true }),
    ) as [Value, Value];
    task.output('n', x.count());
    task.output('mean', x.mean());
    task.output('r', x.correlation(y));
    task.output('line', x.regression(y));
    task.output('deviation', x.variance().sqrt());
    using program = await task.compile();
    using client = await program.client();
    const details = async (x: (number | null)[]) => {
      const given = await client.encrypt({ x, y: [1, 2, 3, 4, 5, 6, 7, 8] });
      return client.decryptDetails(await program.run(given, client.evaluationKeys));
    };
    for (const cells of [
      Array<null>(8).fill(null),
      [null, 3.5, ...Array<null>(6).fill(null)],
      Array<number>(8).fill(7.25),
    ]) {
      const { r, line } = await details(cells);
      for (const one of [r, line]) {
        expect(one?.problem).toMatchObject({ code: 'statistic.undefined' });
        expect(one?.value).toBeUndefined();
      }
    }
    const equal = (await details(Array<number>(8).fill(7.25)))['deviation']!;
    expect(equal.value).toBeGreaterThanOrEqual(0);
    expect(equal.value).toBeLessThanOrEqual(equal.error as number);
    const spread = await details([3, 1, 4, 1, 5, 9, 2, 6]);
    expect(spread['r']!.error).toBeLessThan(1e-3);
    expect(spread['n']!.error).toBeUndefined();
  });
});
