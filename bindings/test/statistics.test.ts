import { describe, expect, it } from 'vitest';
import { encodeColumn } from '../src/columns.js';
import { CipherloomError, UndefinedStatisticError } from '../src/errors.js';
import { plainStatistics } from '../src/plain.js';
import { finish } from '../src/statistics.js';
import { createTask } from '../src/task.js';
import type { OutputInfo, Statistic } from '../src/types.js';
import { codeOf } from './code.js';
import { random } from './random.js';

const output = (kind: OutputInfo['kind'], more: Partial<OutputInfo> = {}) => ({
  name: 'out',
  kind,
  population: false,
  decimals: 0,
  mostRows: 10,
  ...more,
});

describe('finish', () => {
  it('gives the values of small examples', () => {
    expect(finish(output('count'), { n: [7n] })).toBe(7);
    expect(String(finish(output('sum', { decimals: 2 }), { sum: [-1234n] }))).toBe('-12.34');
    expect(finish(output('mean', { decimals: 1 }), { n: [3n], sum: [10n] })).toBe(1 / 3);
    // 1, 2, 4: variance 7/3, population 14/9
    expect(finish(output('variance'), { n: [3n], sum: [7n], sumSquares: [21n] })).toBe(7 / 3);
    expect(finish(output('variance', { population: true }), { n: [3n], sum: [7n], sumSquares: [21n] })).toBe(
      14 / 9,
    );
    expect(finish(output('covariance'), { n: [2n], sumX: [1n], sumY: [5n], sumXY: [5n] })).toBe(2.5);
    expect(
      finish(output('correlation'), {
        n: [2n],
        sumX: [1n],
        sumY: [-1n],
        sumXX: [1n],
        sumYY: [1n],
        sumXY: [-1n],
      }),
    ).toBe(-1);
    expect(finish(output('column', { decimals: 1 }), { values: [1n, -5n] })).toMatchObject([
      { units: 1n },
      { units: -5n },
    ]);
  });

  it('refuses statistics without a value', () => {
    const attempt = (kind: OutputInfo['kind'], n: bigint, population = false) =>
      codeOf(() =>
        finish(output(kind, { population }), {
          n: [n],
          sum: [n],
          sumSquares: [n],
          sumX: [n],
          sumY: [n],
          sumXX: [n],
          sumYY: [n],
          sumXY: [n],
        }),
      );
    expect(attempt('mean', 0n)).toBe('statistic.empty');
    expect(attempt('variance', 0n)).toBe('statistic.empty');
    expect(attempt('variance', 0n, true)).toBe('statistic.empty');
    expect(attempt('variance', 1n)).toBe('statistic.too_few');
    expect(attempt('variance', 1n, true)).toBe('no error');
    expect(attempt('covariance', 1n)).toBe('statistic.too_few');
    expect(attempt('correlation', 1n)).toBe('statistic.too_few');
    expect(attempt('correlation', 3n)).toBe('statistic.zero_variance');
    expect(() => finish(output('mean'), { n: [0n], sum: [0n] })).toThrow(UndefinedStatisticError);
  });

  it('refuses sums that no column gives', () => {
    const attempt = (kind: OutputInfo['kind'], parts: Record<string, bigint[]>) =>
      codeOf(() => finish(output(kind), parts));
    expect(attempt('count', { n: [11n] })).toBe('format.result');
    expect(attempt('count', { n: [-1n] })).toBe('format.result');
    expect(attempt('mean', { n: [1n] })).toBe('format.result');
    expect(attempt('variance', { n: [2n], sum: [3n], sumSquares: [4n] })).toBe('format.result');
    const sums = { n: [2n], sumX: [1n], sumY: [1n], sumXX: [1n], sumYY: [1n], sumXY: [9n] };
    expect(attempt('correlation', sums)).toBe('format.result');
  });
});

describe('encodeColumn', () => {
  const rule = { name: 'age', rows: 3, decimals: 1, missing: false, min: 0n, max: 1000n };

  it('scales exactly and marks what is there', () => {
    expect(encodeColumn(rule, [1, 2.5, 100n]).units).toEqual(Float64Array.of(10, 25, 1000));
    expect(encodeColumn(rule, [1, 2, 3]).present).toBeUndefined();
    const { units, present } = encodeColumn({ ...rule, missing: true }, [null, 2, Number.NaN]);
    expect([units, present]).toEqual([Float64Array.of(0, 20, 0), Uint8Array.of(0, 1, 0)]);
    expect(encodeColumn(rule, Float32Array.of(0, 0.5, 2)).units).toEqual(Float64Array.of(0, 5, 20));
    // What doubles may not hold travels as 64-bit words.
    const wide = { ...rule, decimals: 3, max: 2n ** 60n };
    expect(encodeColumn(wide, [1, 2.125, 2n ** 50n]).units).toEqual(
      BigInt64Array.of(1000n, 2125n, 1000n * 2n ** 50n),
    );
  });

  it('names column and row of what it refuses', () => {
    const details = (values: unknown[], more = {}) => {
      try {
        encodeColumn({ ...rule, ...more }, values as number[]);
      } catch (error) {
        const {
          code,
          details: { column, row },
        } = error as CipherloomError;
        return [code, column, row];
      }
      return [];
    };
    expect(details([1, 2.55, 3])).toEqual(['input.decimals', 'age', 1]);
    expect(details([1, 2, 101])).toEqual(['range.value', 'age', 2]);
    expect(details([-0.1, 2, 1])).toEqual(['range.value', 'age', 0]);
    expect(details([1, null, 3])).toEqual(['input.missing_value', 'age', 1]);
    expect(details([1, 3, Number.NaN])).toEqual(['input.missing_value', 'age', 2]);
    expect(details([1, 3, Number.POSITIVE_INFINITY])).toEqual(['input.not_a_number', 'age', 2]);
    expect(details([1, '3', 2])).toEqual(['input.not_a_number', 'age', 1]);
    expect(details([1, 2])).toEqual(['input.length', 'age', undefined]);
    expect(codeOf(() => encodeColumn(rule, undefined as never))).toBe('input.type');
  });
});

describe('plainStatistics', () => {
  it('agrees with floating point on random columns', () => {
    const rows = 200;
    const x = Array.from({ length: rows }, () => (random(10) === 0 ? null : (random(20_001) - 10_000) / 100));
    const y = Array.from({ length: rows }, () => random(1000));
    const task = createTask();
    const a = task.encrypted('x', { rows, min: -100, max: 100, decimals: 2, missing: true });
    const b = task.encrypted('y', { rows, min: 0, max: 1000 });
    const outputs: Record<string, Statistic> = {
      count: a.count(),
      sum: a.sum(),
      mean: a.mean(),
      variance: a.variance(),
      population: a.variance({ population: true }),
      covariance: a.covariance(b),
      correlation: a.correlation(b),
      shifted: b.add(0.25).multiply(b).sub(b).negate().covariance(a),
    };
    for (const [name, expression] of Object.entries(outputs)) task.output(name, expression);
    const found = plainStatistics(task, { x, y });

    const pairs = x
      .map((v, row) => [v, y[row] as number])
      .filter((pair): pair is [number, number] => pair[0] !== null);
    const mean = (values: number[]) => values.reduce((sum, v) => sum + v, 0) / values.length;
    const [meanX, meanY] = [mean(pairs.map(([v]) => v)), mean(pairs.map(([, v]) => v))];
    const joint = (f: (pair: [number, number]) => number) => pairs.reduce((sum, pair) => sum + f(pair), 0);
    const xx = joint(([v]) => (v - meanX) ** 2);
    const yy = joint(([, w]) => (w - meanY) ** 2);
    const xy = joint(([v, w]) => (v - meanX) * (w - meanY));
    const n = pairs.length;
    expect(found['count']?.value).toBe(n);
    expect(Number(found['sum']?.value)).toBeCloseTo(
      joint(([v]) => v),
      6,
    );
    expect(found['mean']?.value).toBeCloseTo(meanX, 9);
    expect(found['variance']?.value).toBeCloseTo(xx / (n - 1), 6);
    expect(found['population']?.value).toBeCloseTo(xx / n, 6);
    expect(found['covariance']?.value).toBeCloseTo(xy / (n - 1), 6);
    expect(found['correlation']?.value).toBeCloseTo(xy / Math.sqrt(xx * yy), 9);
    const shifted = pairs.map(([v, w]): [number, number] => [v, w - (w + 0.25) * w]);
    const meanS = mean(shifted.map(([, s]) => s));
    expect(found['shifted']?.value).toBeCloseTo(
      shifted.reduce((sum, [v, s]) => sum + (v - meanX) * (s - meanS), 0) / (n - 1),
      3,
    );
  });

  it('keeps a statistic without a value beside the others', () => {
    const task = createTask();
    const a = task.encrypted('x', { rows: 3, min: 0, max: 9 });
    task.output('mean', a.mean());
    task.output('r', a.correlation(a));
    const found = plainStatistics(task, { x: [5, 5, 5] });
    expect(found['mean']).toMatchObject({ value: 5, problem: undefined });
    expect(found['r']?.value).toBeUndefined();
    expect(found['r']?.problem).toMatchObject({ code: 'statistic.zero_variance' });
  });

  it('needs all inputs', () => {
    const task = createTask();
    task.output('out', task.encrypted('x', { rows: 2, min: 0, max: 9 }));
    expect(codeOf(() => plainStatistics(task, {}))).toBe('input.missing');
  });

  it('turns rings, and adds to the rows wherever they are', () => {
    const task = createTask();
    const ring = task.encrypted('ring', { rows: 3, min: 0, max: 9, layout: 'slots' });
    const pair = task.encrypted('pair', { rows: 6, min: 0, max: 9, layout: 'slots', rings: 2 });
    task.output('variance', ring.rotateRows(1).add(5).variance({ population: true }));
    task.output('turned', pair.rotateRows(-4));
    task.output('swapped', pair.rotateColumns().add([10, 20, 30, 40, 50, 60]));
    const found = plainStatistics(task, { ring: [1, 9, 0], pair: [1, 2, 3, 4, 5, 6] });
    expect(found['variance']?.value).toBeCloseTo(16.2222, 4);
    expect(found['turned']?.parts['values']).toEqual([3n, 1n, 2n, 6n, 4n, 5n]);
    expect(found['swapped']?.parts['values']).toEqual([14n, 25n, 36n, 41n, 52n, 63n]);
  });
});
