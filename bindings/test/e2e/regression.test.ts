// Planes of least squares and transposed values, against the same in the clear: what is recorded is the same for all builds.
import { createTask, load, type Loom, UndefinedStatisticError } from 'cipherloom';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { random } from '../random.js';
import { BUILDS, threadsOf } from './builds.js';
import { compute, expectNear } from './compute.js';
import { errorOf } from './error-of.js';

/** Weights that fit best, by gradient descent along conjugate directions on (A^T A) w = A^T y: no elimination. */
function fitted(rows: readonly (readonly number[])[], y: readonly number[]): number[] {
  const a = rows.map((row) => [...row, 1]);
  const times = (w: readonly number[]): number[] =>
    a.map((row) => row.reduce((sum, x, at) => sum + x * (w[at] as number), 0));
  const back = (v: readonly number[]): number[] =>
    (a[0] as number[]).map((_, at) =>
      a.reduce((sum, row, n) => sum + (row[at] as number) * (v[n] as number), 0),
    );
  const inner = (u: readonly number[], v: readonly number[]): number =>
    u.reduce((sum, x, at) => sum + x * (v[at] as number), 0);
  let w = (a[0] as number[]).map(() => 0);
  let rest = back(y);
  let way = rest;
  for (let turn = 0; turn < 200 && inner(rest, rest) > 1e-24; turn++) {
    const along = back(times(way));
    const step = inner(rest, rest) / inner(way, along);
    w = w.map((x, at) => x + step * (way[at] as number));
    const next = rest.map((x, at) => x - step * (along[at] as number));
    const turned = inner(next, next) / inner(rest, rest);
    way = next.map((x, at) => x + turned * (way[at] as number));
    rest = next;
  }
  return w;
}

const table = (rows: number, columns: number): number[][] =>
  Array.from({ length: rows }, () => Array.from({ length: columns }, () => random(21) - 10));

describe.each(BUILDS.filter((build) => build === 'threads' || build === 'native'))('the %s build', (mode) => {
  let loom: Loom;
  beforeAll(async () => {
    loom = await load({ mode, threads: threadsOf(mode) });
  });
  afterAll(() => loom?.dispose());

  it.each([1, 2, 3, 4, 5])('fits a plane through %s predictors', async (predictors) => {
    const rows = 14;
    const [xs, noise] = [table(rows, predictors), table(rows, 1)];
    const ys = xs.map(
      (row, at) => row.reduce((sum, x, k) => sum + (k - 2) * x, 7) + (noise[at]?.[0] as number),
    );
    const task = createTask();
    const x = task.encrypted('x', { shape: [rows, predictors], min: -10, max: 10 });
    const y = task.encrypted('y', { shape: [rows], min: -500, max: 500 });
    task.output('plane', x.regression(y));
    if (predictors === 1) task.output('line', x.reshape([rows]).regression(y));
    const found = await compute(loom, task, { encrypted: { x: xs, y: ys } });
    expectNear(found['plane'], fitted(xs, ys), 1e-9);
    if (predictors === 1) expect(found['plane']).toEqual(found['line']);
  });

  it('is exact where all points lie on one, and leaves out rows with missing cells', async () => {
    const task = createTask();
    const x = task.encrypted('x', { shape: [6, 2], min: -9, max: 9, missing: true });
    const y = task.encrypted('y', { shape: [6], min: -50, max: 50, decimals: 1, missing: true });
    const whole = task.encrypted('whole', { shape: [4, 2], min: 0, max: 9 });
    task.output('plane', x.regression(y));
    task.output('public', whole.regression([1, 3, 5, 8]));
    const xs = [
      [1, 2],
      [0, 3],
      [null, 4],
      [5, -1],
      [9, 9],
      [-3, null],
    ];
    const ys = [4.5, 0.5, 50, 19, null, -50];
    const wholes = [
      [0, 1],
      [1, 1],
      [2, 1],
      [3, 2],
    ];
    const found = await compute(loom, task, { encrypted: { x: xs, y: ys, whole: wholes } });
    // 2.5 x - 1.5 y + 5
    expect(found).toEqual({ plane: [2.5, -1.5, 5], public: [2, 1, 0] });
  });

  it('has no value where predictors say the same twice', async () => {
    const task = createTask();
    const x = task.encrypted('x', { shape: [4, 2], min: 0, max: 9 });
    task.output('plane', x.regression([1, 2, 3, 5]));
    const given = {
      encrypted: {
        x: [
          [1, 2],
          [2, 4],
          [3, 6],
          [4, 8],
        ],
      },
    };
    expect(await errorOf(compute(loom, task, given))).toBeInstanceOf(UndefinedStatisticError);
  });

  it('fits one through 32 predictors, with decimals', async () => {
    const [rows, predictors] = [64, 32];
    const [xs, noise] = [table(rows, predictors), table(rows, 1)];
    const cells = xs.map((row) => row.map((cell) => cell / 10_000));
    const ys = cells.map(
      (row, at) => row.reduce((sum, x, k) => sum + (k - 9) * x, 0.5) + (noise[at]?.[0] as number) / 1000,
    );
    const rounded = ys.map((y) => Math.round(y * 10_000) / 10_000);
    const task = createTask();
    const options = { min: -10, max: 10, decimals: 4 };
    const x = task.public('x', { ...options, shape: [rows, predictors] });
    const y = task.public('y', { ...options, shape: [rows] });
    task.output('plane', x.regression(y));
    task.output('own', task.encrypted('own', { min: 0, max: 1 }));
    const found = await compute(loom, task, { encrypted: { own: 1 }, public: { x: cells, y: rounded } });
    const expected = fitted(xs, rounded).map((w, at) => (at < predictors ? w * 10_000 : w));
    expectNear(found['plane'], expected, 1e-6);
  });

  it('fits one through reals', async () => {
    const [xs, ys] = [table(30, 3), table(30, 1).flat()];
    const task = createTask();
    const x = task.encrypted('x', { kind: 'real', shape: [30, 3], min: -10, max: 10 });
    const y = task.encrypted('y', { kind: 'real', shape: [30], min: -10, max: 10 });
    task.output('plane', x.regression(y));
    const found = await compute(loom, task, { encrypted: { x: xs, y: ys } }, { precision: 30 });
    expectNear(found['plane'], fitted(xs, ys), 1e-4);
  });

  it('turns matrices round', async () => {
    const task = createTask();
    const x = task.encrypted('x', { shape: [3, 4], min: -9, max: 9 });
    const p = task.plain('p', { shape: [3, 4], min: -9, max: 9 });
    const b = task.encrypted('b', { shape: [2, 3, 4], min: 0, max: 100_000 });
    task.output('turned', x.transpose());
    task.output('own product', x.transpose().matmul(x));
    task.output('product', x.matmul(p.transpose()));
    task.output('column sums', x.transpose().sum(1));
    task.output('row', x.transpose().at(1));
    task.output('cube', b.transpose([2, 0, 1]));
    task.output('compared', b.transpose([1, 2, 0]).greaterThan(50_000));
    const each = task.forEach({ b }, ({ b: matrix }) => matrix.transpose());
    task.output('each', each);
    task.output(
      'with known ones',
      x
        .transpose()
        .sub([[1], [2], [3], [4]])
        .sum(0),
    );
    const xs = table(3, 4);
    const ps = table(3, 4).map((row) => row.map((cell) => Math.sign(cell) * 9));
    const bs = Array.from({ length: 2 }, () =>
      table(3, 4).map((row) => row.map((cell) => (cell + 10) * 5000)),
    );
    const at = (rows: readonly (readonly number[])[], i: number, j: number): number => rows[i]?.[j] as number;
    const grid = <T>(rows: number, columns: number, of: (i: number, j: number) => T): T[][] =>
      Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (_, j) => of(i, j)));
    const sum = (count: number, of: (k: number) => number): number =>
      Array.from({ length: count }, (_, k) => of(k)).reduce((a, b) => a + b);
    const cube = (i: number, j: number, k: number): number => bs[i]?.[j]?.[k] as number;
    const x10 = xs.map((row) => row.map((cell) => Math.max(-9, Math.min(9, cell))));
    expect(await compute(loom, task, { encrypted: { x: x10, b: bs }, plain: { p: ps } })).toEqual({
      turned: grid(4, 3, (i, j) => at(x10, j, i)),
      'own product': grid(4, 4, (i, j) => sum(3, (k) => at(x10, k, i) * at(x10, k, j))),
      product: grid(3, 3, (i, j) => sum(4, (k) => at(x10, i, k) * at(ps, j, k))),
      'column sums': Array.from({ length: 4 }, (_, j) => sum(3, (i) => at(x10, i, j))),
      row: Array.from({ length: 3 }, (_, i) => at(x10, i, 1)),
      cube: Array.from({ length: 4 }, (_, k) => grid(2, 3, (i, j) => cube(i, j, k))),
      compared: Array.from({ length: 3 }, (_, j) => grid(4, 2, (k, i) => cube(i, j, k) > 50_000)),
      each: Array.from({ length: 2 }, (_, i) => grid(4, 3, (k, j) => cube(i, j, k))),
      'with known ones': Array.from({ length: 3 }, (_, i) => sum(4, (j) => at(x10, i, j) - (j + 1))),
    });
  });
});
