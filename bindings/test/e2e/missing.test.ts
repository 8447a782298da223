// What operators make of missing cells, against the same on cells of which some are null: what is recorded is the same for all builds.
import { createTask, load, type Loom, ParameterError, type Value } from 'cipherloom';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { random } from '../random.js';
import { BUILDS, threadsOf } from './builds.js';
import { compute } from './compute.js';

const ROWS = 12;
type Cell = number | boolean | null;

/** A value of a task, and what its cells are. */
interface Modelled {
  readonly value: Value;
  readonly cells: readonly Cell[];
}

/** A result is missing where an operand is. */
function each(f: (...cells: number[]) => Cell, ...all: readonly (readonly Cell[])[]): Cell[] {
  const [first = []] = all;
  return first.map((_, at) => {
    const cells = all.map((one) => one[at] as Cell);
    if (cells.includes(null)) return null;
    const cell = f(...cells.map(Number));
    // 0 has no sign.
    return cell === 0 ? 0 : cell;
  });
}

/** Kleene's: in the order false, missing, true `and` is the least, `or` the largest. */
const ORDER: readonly Cell[] = [false, null, true];
function kleene(pick: (...of: number[]) => number, a: readonly Cell[], b: readonly Cell[]): Cell[] {
  return a.map((cell, at) => ORDER[pick(ORDER.indexOf(cell), ORDER.indexOf(b[at] as Cell))] as Cell);
}

function chosen(condition: readonly Cell[], a: readonly Cell[], b: readonly Cell[]): Cell[] {
  return condition.map((is, at) => (is === null ? null : ((is ? a[at] : b[at]) as Cell)));
}

const filled = (cells: readonly Cell[], fill: Cell): Cell[] => cells.map((cell) => cell ?? fill);
const total = (cells: readonly Cell[]): number => cells.reduce<number>((sum, cell) => sum + Number(cell), 0);
const there = (cells: readonly Cell[]): Cell[] => cells.filter((cell) => cell !== null);

function drawn(of: () => Cell, missing: boolean): Cell[] {
  return Array.from({ length: ROWS }, () => (missing && random(4) === 0 ? null : of()));
}

function pick<T>(all: readonly T[]): T {
  return all[random(all.length)] as T;
}

/** One more value made of some of these. */
function another(numbers: Modelled[], booleans: Modelled[]): void {
  const [x, y, b, c] = [pick(numbers), pick(numbers), pick(booleans), pick(booleans)];
  const limit = random(5) - 2;
  const number = (value: Value, cells: readonly Cell[]): number => numbers.push({ value, cells });
  const boolean = (value: Value, cells: readonly Cell[]): number => booleans.push({ value, cells });
  const ways = [
    () =>
      number(
        x.value.add(y.value),
        each((x, y) => x + y, x.cells, y.cells),
      ),
    () =>
      number(
        x.value.sub(y.value),
        each((x, y) => x - y, x.cells, y.cells),
      ),
    () =>
      number(
        x.value.multiply(y.value),
        each((x, y) => x * y, x.cells, y.cells),
      ),
    () =>
      number(
        x.value.add(limit),
        each((x) => x + limit, x.cells),
      ),
    () =>
      number(
        x.value.negate(),
        each((x) => 0 - x, x.cells),
      ),
    () =>
      number(
        x.value.square(),
        each((x) => x * x, x.cells),
      ),
    () =>
      number(
        x.value.multiply(b.value),
        each((x, b) => x * b, x.cells, b.cells),
      ),
    () => number(x.value.filled(limit), filled(x.cells, limit)),
    () => number(x.value.rotate(5), [...x.cells.slice(5), ...x.cells.slice(0, 5)]),
    () => number(x.value.slice(2, 6).concat(y.value.slice(4)), [...x.cells.slice(2, 6), ...y.cells.slice(4)]),
    () => number(b.value.select(x.value, y.value), chosen(b.cells, x.cells, y.cells)),
    () =>
      number(
        b.value.select(x.value, limit),
        chosen(
          b.cells,
          x.cells,
          x.cells.map(() => limit),
        ),
      ),
    () => boolean(b.value.and(c.value), kleene(Math.min, b.cells, c.cells)),
    () => boolean(b.value.and(c.value), kleene(Math.min, b.cells, c.cells)),
    () => boolean(b.value.or(c.value), kleene(Math.max, b.cells, c.cells)),
    () => boolean(b.value.or(c.value), kleene(Math.max, b.cells, c.cells)),
    () =>
      boolean(
        b.value.not(),
        each((b) => b === 0, b.cells),
      ),
    () => boolean(b.value.filled(limit > 0), filled(b.cells, limit > 0)),
    () =>
      boolean(
        x.value.lessThan(limit),
        each((x) => x < limit, x.cells),
      ),
    () =>
      boolean(
        x.value.equals(y.value),
        each((x, y) => x === y, x.cells, y.cells),
      ),
    () =>
      boolean(
        x.value.equals(0.5),
        each(() => false, x.cells),
      ),
    () =>
      boolean(
        x.value.present(),
        x.cells.map((cell) => cell !== null),
      ),
  ];
  pick(ways)();
}

describe.each(BUILDS.filter((build) => build === 'threads' || build === 'native'))('the %s build', (mode) => {
  let loom: Loom;
  beforeAll(async () => {
    loom = await load({ mode, threads: threadsOf(mode) });
  });
  afterAll(() => loom?.dispose());

  it('random tasks, of numbers and booleans', async () => {
    let [done, gaps] = [0, 0];
    for (let turn = 0; turn < 30; turn++) {
      const task = createTask();
      const inputs = {
        a: drawn(() => random(7) - 3, true),
        b: drawn(() => random(7) - 3, true),
        c: drawn(() => random(7) - 3, false),
        t: drawn(() => random(2) === 1, true),
        u: drawn(() => random(2) === 1, false),
      };
      const plain = { p: drawn(() => random(7) - 3, true), q: drawn(() => random(2) === 1, true) };
      const numbers = { shape: [ROWS], min: -3, max: 3 };
      const flags = { kind: 'boolean', shape: [ROWS] } as const;
      const all: Modelled[] = [
        { value: task.encrypted('a', { ...numbers, missing: true }), cells: inputs.a },
        { value: task.encrypted('b', { ...numbers, missing: true }), cells: inputs.b },
        { value: task.encrypted('c', numbers), cells: inputs.c },
        { value: task.plain('p', { ...numbers, missing: true }), cells: plain.p },
      ];
      const booleans: Modelled[] = [
        { value: task.encrypted('t', { ...flags, missing: true }), cells: inputs.t },
        { value: task.encrypted('u', flags), cells: inputs.u },
        { value: task.plain('q', { ...flags, missing: true }), cells: plain.q },
      ];
      for (let operator = 0; operator < 2 + random(5); operator++) another(all, booleans);
      const expected: Record<string, unknown> = {};
      const output = (name: string, value: Value, cells: unknown): void => {
        // The server's own is no result.
        if (value.place === 'plain') return;
        expected[name] = cells;
        task.output(name, value);
      };
      for (const [name, made] of [all, booleans].entries()) {
        const { value, cells } = made.at(-1) as Modelled;
        output(`sum ${name}`, value.sum(), total(cells));
        output(`count ${name}`, value.present().count(), there(cells).length);
        if (value.kind === 'boolean') output(`true ${name}`, value.count(), total(cells));
        // Of which cells the server's own are missing is its own.
        const mask = value.present().place === value.place;
        if (mask) output(`cells ${name}`, value, cells);
        if (mask && there(cells).length > 0)
          output(`mean ${name}`, value.mean(), total(cells) / there(cells).length);
        gaps += Number(value.missing);
      }
      if (Object.keys(expected).length === 0) continue;
      const found = await compute(loom, task, { encrypted: inputs, plain }).catch((error: unknown) => {
        if (error instanceof ParameterError) return undefined;
        throw error;
      });
      if (found === undefined) continue;
      expect(found, JSON.stringify({ inputs, plain, task: task.literal() })).toEqual(expected);
      done++;
    }
    expect(done).toBeGreaterThan(15);
    expect(gaps).toBeGreaterThan(20);
  });

  it('what is known of booleans, whatever is missing', async () => {
    const values: readonly Cell[] = [true, false, null];
    const [a, b] = [values.flatMap((x) => values.map(() => x)), values.flatMap(() => values)];
    const task = createTask();
    const flags = { kind: 'boolean', shape: [9], missing: true } as const;
    const [x, y] = [task.encrypted('a', flags), task.encrypted('b', flags)];
    task.output('and', x.and(y));
    task.output('or', x.or(y));
    task.output('not', x.not());
    task.output('both', x.and(y).count());
    task.output('not both', x.and(y).not().count());
    task.output('with a known one', x.or([true, true, true, false, false, false, true, true, false]));
    expect(await compute(loom, task, { encrypted: { a, b } })).toEqual({
      and: kleene(Math.min, a, b),
      or: kleene(Math.max, a, b),
      not: [false, false, false, true, true, true, null, null, null],
      both: 1,
      'not both': 5,
      'with a known one': [true, true, true, false, false, false, true, true, null],
    });
  });

  it('statistics of what is made of them', async () => {
    const a = [1, null, 3, 4, 5, null, 7];
    const b = [2, 2, null, 1, -4, null, 0];
    const task = createTask();
    const options = { shape: [7], min: -4, max: 7, missing: true };
    const [x, y] = [task.encrypted('a', options), task.encrypted('b', options)];
    const both = x.add(y);
    const high = x.greaterThan(2);
    task.output('mean', both.mean());
    task.output('variance', x.multiply(y).variance({ of: 'population' }));
    task.output('covariance', both.covariance(x));
    task.output('regression', x.regression(both));
    task.output('count', both.count());
    task.output('high', high.count());
    task.output('of high', high.select(y, 0).sum().divide(high.count()));
    task.output('larger', x.max(y));
    task.output('mean of a few', both.slice(2, 5).mean());
    task.output('bins', both.histogram([-2, 1, 5, 10]));
    task.output('quotient', x.at(0).finish().divide(y.at(0)));
    task.output('no quotient', x.at(2).finish().divide(y.at(2)));
    task.output('dot', x.dot(y));
    task.output('in a shape', x.at(1).divide(y.at(0)).add([1, 2]));
    task.output('by 0', x.at(5).finish().divide(y.at(6)));
    const sums = [3, 5, 1, 7];
    const xs = [1, 4, 5, 7];
    const mean = (of: readonly number[]): number => of.reduce((s, one) => s + one, 0) / of.length;
    const moment = (u: readonly number[], v: readonly number[]): number =>
      u.reduce((s, one, at) => s + (one - mean(u)) * ((v[at] as number) - mean(v)), 0);
    const products = [2, 4, -20, 0];
    const slope = moment(xs, sums) / moment(xs, xs);
    const found = await compute(loom, task, { encrypted: { a, b } });
    const { regression, variance, covariance, ...exact } = found;
    expect(exact).toEqual({
      mean: 4,
      count: 4,
      high: 4,
      // Of rows 2 to 6, as far as b is there.
      'of high': -3 / 4,
      larger: [2, null, null, 4, 5, null, 7],
      'mean of a few': 3,
      bins: [0, 2, 2],
      quotient: 0.5,
      'no quotient': null,
      dot: -14,
      'in a shape': [null, null],
      'by 0': null,
    });
    expect(variance).toBeCloseTo(moment(products, products) / 4, 9);
    expect(covariance).toBeCloseTo(moment(sums, xs) / 3, 9);
    expect((regression as number[])[0]).toBeCloseTo(slope, 9);
    expect((regression as number[])[1]).toBeCloseTo(mean(sums) - slope * mean(xs), 9);
  });

  it('statistics along a dimension', async () => {
    const task = createTask();
    const x = task.encrypted('x', { shape: [3, 4], min: -9, max: 9, decimals: 1, missing: true });
    const y = task.encrypted('y', { shape: [2, 3, 2], min: 0, max: 9 });
    const p = task.public('p', { shape: [2, 3], min: 0, max: 9 });
    const b = task.encrypted('b', { kind: 'boolean', shape: [2, 3], missing: true });
    task.output('columns', x.mean(0));
    task.output('rows', x.mean(1));
    task.output('counts', x.count(0));
    task.output('variances', x.variance({ axis: 1 }));
    task.output('cube', y.mean(1));
    task.output('of a population', y.variance({ axis: 2, of: 'population' }));
    task.output('public', p.mean(0));
    task.output('true', b.count(1));
    task.output('vector', y.at(0, 0).mean(0));
    const xs = [
      [1.5, null, 2, 4],
      [2.5, 3, null, -4],
      [-1, 4, 5, 6],
    ];
    const ys = [
      [
        [1, 2],
        [3, 4],
        [5, 9],
      ],
      [
        [0, 0],
        [9, 1],
        [2, 2],
      ],
    ];
    const [ps, bs] = [
      [
        [1, 2, 3],
        [2, 5, 9],
      ],
      [
        [true, null, true],
        [false, true, null],
      ],
    ];
    const found = await compute(loom, task, { encrypted: { x: xs, y: ys, b: bs }, public: { p: ps } });
    expect(found).toEqual({
      columns: [1, 3.5, 3.5, 2],
      rows: [2.5, 0.5, 3.5],
      counts: [3, 2, 2, 3],
      variances: [(1 + 0.25 + 2.25) / 2, (4 + 6.25 + 20.25) / 2, (20.25 + 0.25 + 2.25 + 6.25) / 3],
      cube: [
        [3, 5],
        [11 / 3, 1],
      ],
      'of a population': [
        [0.25, 0.25, 4],
        [0, 16, 0],
      ],
      public: [1.5, 3.5, 6],
      true: [2, 1],
      vector: 1.5,
    });
  });

  it('days, categories, look-ups, and records', async () => {
    const task = createTask();
    const day = task.encrypted('day', {
      kind: 'date',
      shape: [3],
      min: '2020-01-01',
      max: '2020-12-31',
      missing: true,
    });
    const region = task.encrypted('region', {
      kind: 'category',
      categories: ['north', 'south'],
      shape: [3],
      missing: true,
    });
    const group = task.encrypted('group', { shape: [3], min: 0, max: 2, missing: true });
    const weight = task.encrypted('weight', { shape: [3], min: 0, max: 9, missing: true });
    task.output('later', day.add(7));
    task.output('days', day.sub('2020-01-01'));
    task.output('a day', day.filled('2020-02-29'));
    task.output('any day', day.add(1).filled('2020-02-29'));
    task.output('summer', day.atLeast('2020-06-01'));
    task.output('north', region.equals('north'));
    task.output('regions', region.filled('south'));
    task.output('turned', region.rotate(1).filled('south'));
    task.output('chosen', region.equals('north').select(region, 'south'));
    task.output('found', group.lookup([5, 7, 11]));
    task.output(
      'rows',
      group.lookup([
        [5, 1],
        [7, 2],
        [11, 3],
      ]),
    );
    task.output('one', group.at(2).lookup([5, 7, 11]));
    const { product, whole } = task.forEach({ group, weight: weight.add(1) }, (record) => ({
      product: record.group.multiply(record.weight),
      whole: record.group.filled(5).add(record.weight.filled()),
    }));
    task.output('product', product);
    task.output('whole', whole);
    const encrypted = {
      day: ['2020-05-31', null, '2020-12-31'],
      region: ['north', null, 'south'],
      group: [2, 1, null],
      weight: [4, null, 6],
    };
    const date = (text: string): Date => new Date(`${text}T00:00:00Z`);
    expect(await compute(loom, task, { encrypted })).toEqual({
      later: [date('2020-06-07'), null, date('2021-01-07')],
      days: [151, null, 365],
      'a day': [date('2020-05-31'), date('2020-02-29'), date('2020-12-31')],
      'any day': [date('2020-06-01'), date('2020-02-29'), date('2021-01-01')],
      summer: [false, null, true],
      north: [true, null, false],
      regions: ['north', 'south', 'south'],
      turned: ['south', 'south', 'north'],
      chosen: ['north', null, 'south'],
      found: [11, 7, null],
      rows: [
        [11, 3],
        [7, 2],
        [null, null],
      ],
      one: null,
      product: [10, null, null],
      whole: [7, 1, 12],
    });
  });

  it('what is missing outside of records is so in each', async () => {
    const task = createTask();
    const [x, g] = [
      task.encrypted('x', { shape: [3], min: 0, max: 9 }),
      task.encrypted('g', { shape: [3], min: 0, max: 9, missing: true }),
    ];
    const s = task.encrypted('s', { min: 0, max: 9, missing: true });
    const t = task.encrypted('t', { min: 0, max: 9, missing: true });
    const outer = task.encrypted('outer', { shape: [2], min: 0, max: 9, missing: true });
    const rows = task.encrypted('rows', { shape: [3, 2], min: 0, max: 9 });
    const { sum, less, both, most } = task.forEach({ x, g, rows }, (record) => ({
      sum: record.x.add(s),
      less: record.x.lessThan(t),
      both: record.g.add(s),
      most: record.rows.max(outer),
    }));
    task.output('sum', sum);
    task.output('less', less);
    task.output('count', less.present().count());
    task.output('both', both);
    task.output('most', most);
    task.output('columns', most.count(0));
    task.output(
      'alone',
      task.forEach({ x }, () => s),
    );
    const encrypted = {
      x: [1, 2, 3],
      g: [1, null, 3],
      s: 4,
      t: null,
      outer: [null, 5],
      rows: [
        [1, 2],
        [9, 9],
        [5, 5],
      ],
    };
    expect(await compute(loom, task, { encrypted })).toEqual({
      sum: [5, 6, 7],
      less: [null, null, null],
      count: 0,
      both: [5, null, 7],
      most: [
        [null, 5],
        [null, 9],
        [null, 5],
      ],
      columns: [0, 3],
      alone: [4, 4, 4],
    });
  });

  it('what everybody knows to be missing is so beside what is encrypted', async () => {
    const task = createTask();
    const x = task.encrypted('x', { shape: [4], min: 0, max: 9 });
    const day = task.encrypted('day', { kind: 'date', shape: [4], min: '2020-01-01', max: '2020-12-31' });
    const p = task.public('p', { shape: [4], min: 0, max: 9, missing: true });
    const sum = x.add(p);
    task.output('sum', sum);
    task.output('mean', sum.mean());
    task.output('variance', sum.variance({ of: 'population' }));
    task.output('later', day.add(p));
    const ps = [1, null, 3, 4];
    const given = {
      encrypted: { x: [1, 2, 3, 4], day: ['2020-01-01', '2020-02-02', '2020-03-03', '2020-04-04'] },
    };
    expect(await compute(loom, task, { ...given, public: { p: ps } })).toEqual({
      sum: [2, null, 6, 8],
      mean: 16 / 3,
      variance: (3 * (4 + 36 + 64) - 16 * 16) / 9,
      later: ['2020-01-02', null, '2020-03-06', '2020-04-08'].map(
        (day) => day && new Date(`${day}T00:00:00Z`),
      ),
    });
  });

  it('reals, and functions of a part of them alone', async () => {
    const task = createTask();
    const reals = { kind: 'real', shape: [4], missing: true } as const;
    const x = task.encrypted('x', { ...reals, min: 10, max: 20 });
    const y = task.encrypted('y', { ...reals, min: -1, max: 1 });
    task.output(
      'inverse',
      x.approximate((x) => 1 / x, { from: 10, to: 20 }),
    );
    task.output(
      'moved',
      x
        .slice(1)
        .approximate((x) => 1 / x, { from: 10, to: 20 })
        .mean(),
    );
    task.output('scaled', y.multiply(3).add(x).filled(-1));
    task.output('halves', x.filled(10.5));
    task.output('mean', x.multiply(y).mean());
    task.output('bounded', x.multiply(y).within(-20, 20).sum());
    const encrypted = { x: [10, null, 16, 20], y: [0.5, 1, null, -1] };
    const found = await compute(loom, task, { encrypted });
    const near = (found: unknown, expected: readonly (number | null)[]): void => {
      const cells = [found].flat() as (number | null)[];
      expect(cells.map((cell) => cell === null)).toEqual(expected.map((cell) => cell === null));
      for (const [at, cell] of cells.entries()) expect(cell ?? 0).toBeCloseTo(expected[at] ?? 0, 4);
    };
    near(found['inverse'], [0.1, null, 1 / 16, 0.05]);
    near(found['moved'], [(1 / 16 + 0.05) / 2]);
    near(found['scaled'], [11.5, -1, -1, 17]);
    near(found['halves'], [10, 10.5, 16, 20]);
    near(found['mean'], [-7.5]);
    near(found['bounded'], [-15]);
  });

  it('of what may be missing or not nothing is known', async () => {
    const errors = async (recorded: boolean): Promise<unknown> => {
      const task = createTask();
      const x = task.encrypted('x', { kind: 'real', min: -1, max: 1 });
      const b = task.encrypted('b', { kind: 'boolean', missing: true });
      const s = x.finish().lessThan(0).and(b.finish()).select(3, 5);
      if (recorded) task.output('s', s);
      task.output('count', s.count());
      using program = await loom.compile(task);
      using client = await program.client();
      const inputs = await client.encrypt({ x: 1e-12, b: null });
      const { count } = await client.decryptDetails(await program.run(inputs, client.evaluationKeys));
      return count?.error;
    };
    expect(await errors(false)).toBe(1);
    expect(await errors(true)).toBe(1);
  });

  it('wide numbers by their digits', async () => {
    const task = createTask();
    const income = task.encrypted('income', { shape: [5], min: 0, max: 100_000, missing: true });
    const region = task.encrypted('region', {
      kind: 'category',
      categories: ['north', 'south'],
      shape: [5],
      missing: true,
    });
    task.output('count', income.greaterThan(30_000).and(region.equals('north')).count());
    task.output('or', income.add(5).atMost(30_000).or(region.equals('north')));
    const born = task.encrypted('born', {
      kind: 'date',
      shape: [5],
      min: '1900-01-01',
      max: '2020-01-01',
      missing: true,
    });
    task.output('filled', income.filled(50_000).greaterThan(30_000));
    task.output('filled below', income.slice(1, 4).filled(5).multiply(2).lessThan(29_000));
    task.output('born', born.within('1980-01-01', '2020-01-01').atLeast('1999-12-31'));
    task.output('or then', born.filled('2000-01-01').lessThan('2000-01-02'));
    const encrypted = {
      born: ['1999-12-30', '1999-12-31', null, '1980-01-01', '2000-01-02'],
      income: [30_001, null, 29_995, 29_996, 100_000],
      region: ['north', 'north', null, 'south', null],
    };
    expect(await compute(loom, task, { encrypted })).toEqual({
      count: 1,
      or: [true, true, true, false, null],
      filled: [true, true, false, false, true],
      'filled below': [true, false, false],
      born: [false, true, null, false, true],
      'or then': [true, true, true, true, false],
    });
  });
});
