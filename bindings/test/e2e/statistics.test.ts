// Statistics of encrypted columns, as arithmetic on integers without limit gives them. Runs once per build of the wasm.
import { createTask, type Decrypted, load, type Loom, type Value, type Task } from 'cipherloom';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { random } from '../random.js';
import { BUILDS, threadsOf } from './builds.js';
import { compute } from './compute.js';
import { errorOf } from './error-of.js';
import { type Column, ofOne, ofTwo } from './reference.js';

const ROWS = 60;

/** Of a column: the least units of 10^-decimals and the most, and whether cells may be missing. */
type Kind = readonly [least: number, most: number, decimals: number, missing: boolean];

/** Random cells, some of them missing where they may be. */
function column([least, most, decimals, missing]: Kind): Column {
  const units = Array.from({ length: ROWS }, () =>
    missing && random(5) === 0 ? null : BigInt(least + random(most - least + 1)),
  );
  return { decimals, units };
}

/** As people have it. */
function cellsOf({ decimals, units }: Column): (number | null)[] {
  return units.map((value) => (value === null ? null : Number(`${value}e-${decimals}`)));
}

/** Every statistic of two columns. */
function statistics(a: Value, b: Value): Record<string, Value> {
  return {
    count: a.count(),
    sum: a.sum(),
    mean: a.mean(),
    variance: a.variance(),
    population: a.variance({ of: 'population' }),
    covariance: a.covariance(b),
    correlation: a.correlation(b),
    line: a.regression(b),
  };
}

function declare(task: Task, name: string, [least, most, decimals, missing]: Kind): Value {
  const [min, max] = [Number(`${least}e-${decimals}`), Number(`${most}e-${decimals}`)];
  return task.encrypted(name, { shape: [ROWS], min, max, decimals, missing });
}

/** Everything to the last bit. */
function expectStatistics(found: Record<string, Decrypted>, x: Column, y: Column): void {
  expect(found).toEqual({ ...ofOne(x), ...ofTwo(x, y) });
}

describe.each(BUILDS)('the %s build', (mode) => {
  let loom: Loom;
  beforeAll(async () => {
    loom = await load({ mode, threads: threadsOf(mode) });
  });
  afterAll(() => loom?.dispose());

  it.each<[string, Kind, Kind]>([
    ['of all cells', [0, 120, 0, false], [0, 3000, 1, false]],
    ['of what is there, where cells are missing', [0, 120, 0, true], [-50, 300, 0, true]],
    ['where one column is complete', [-10_000, 10_000, 2, true], [0, 1000, 0, false]],
    // Squares of these are no doubles, and their differences are small.
    ['of numbers near each other', [19_999_000, 20_000_000, 3, false], [-2, 2, 0, false]],
  ])('gives statistics exactly: %s', async (_, first, second) => {
    const task = createTask();
    const [a, b] = [declare(task, 'a', first), declare(task, 'b', second)];
    for (const [name, value] of Object.entries(statistics(a, b))) task.output(name, value);
    const [x, y] = [column(first), column(second)];
    const found = await compute(loom, task, { encrypted: { a: cellsOf(x), b: cellsOf(y) } });
    expectStatistics(found, x, y);
  });
});

describe('statistics', () => {
  let loom: Loom;
  beforeAll(async () => {
    loom = await load({ mode: 'single' });
  });
  afterAll(() => loom?.dispose());

  it('are had of what is computed from columns', async () => {
    const task = createTask();
    const [first, second] = [
      [-100, 100, 2, true],
      [0, 200, 0, false],
    ] as const;
    const [a, b] = [declare(task, 'a', first), declare(task, 'b', second)];
    const made = b.add(0.25).multiply(b).sub(b).negate();
    for (const [name, value] of Object.entries(statistics(made, a))) task.output(name, value);
    const [x, y] = [column(first), column(second)];
    const units = y.units.map((value) => value && -(value * (100n * value + 25n) - 100n * value));
    const expected: Column = { decimals: 2, units: units as bigint[] };
    const found = await compute(loom, task, { encrypted: { a: cellsOf(x), b: cellsOf(y) } });
    expectStatistics(found, expected, x);
  });

  it('have no value where they have none, while the other outputs have theirs', async () => {
    const task = createTask();
    const options = { shape: [4], min: 0, max: 9, missing: true };
    const [none, one, same] = ['none', 'one', 'same'].map((name) => task.encrypted(name, options)) as [
      Value,
      Value,
      Value,
    ];
    const undefinedOnes = {
      'mean of nothing': none.mean(),
      'variance of nothing': none.variance({ of: 'population' }),
      'variance of one': one.variance(),
      'covariance of one': one.covariance(same),
      'correlation of what does not vary': same.correlation(same),
      'line through one place': same.regression(same).at(0),
      'quotient by zero': same.sum().divide(none.count()),
      'root of a negative number': none.count().sub(same.sum()).sqrt(),
    };
    const others = {
      count: none.count(),
      'sum of nothing': none.sum(),
      'mean of one': one.mean(),
      'population of one': one.variance({ of: 'population' }),
      'mean of the same': same.mean(),
    };
    for (const [name, value] of Object.entries({ ...undefinedOnes, ...others })) task.output(name, value);
    using program = await loom.compile(task);
    using client = await program.client();
    const cells = { none: Array(4).fill(null), one: [null, 7, null, null], same: [5, 5, 5, 5] };
    const results = await program.run(await client.encrypt(cells), client.evaluationKeys);
    const problem = { name: 'UndefinedStatisticError', code: 'statistic.undefined' };
    const [first] = Object.keys(undefinedOnes);
    expect(await errorOf(client.decrypt(results))).toMatchObject({ ...problem, details: { output: first } });
    expect(await errorOf(client.decryptExact(results))).toMatchObject(problem);
    expect(await errorOf(client.plain(cells))).toMatchObject(problem);
    const details = await client.decryptDetails(results);
    for (const name of Object.keys(undefinedOnes)) {
      expect(details[name], name).toMatchObject({ value: undefined, problem });
      expect(details[name]?.problem?.message).toContain(name);
    }
    const found = Object.keys(others).map((name) => [name, String(details[name]?.value)]);
    expect(Object.fromEntries(found)).toEqual({
      count: '0',
      'sum of nothing': '0',
      'mean of one': '7',
      'population of one': '0',
      'mean of the same': '5',
    });
    for (const name of Object.keys(others)) expect(details[name]?.problem).toBeUndefined();
  });
});
