// Tasks over values, from the builder to what is decrypted, in the package's real workers. Runs once per build of the wasm.
import { createTask, load, type Loom, type Value } from 'cipherloom';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { random } from '../random.js';
import { BUILDS, threadsOf } from './builds.js';
import { compute, expectNear, sum } from './compute.js';
import { errorOf } from './error-of.js';

describe.each(BUILDS)('the %s build', (mode) => {
  let loom: Loom;
  beforeAll(async () => {
    loom = await load({ mode, threads: threadsOf(mode) });
  });
  afterAll(() => loom?.dispose());

  it('takes numbers beside reals for the decimals that they are written as', async () => {
    const task = createTask();
    const x = task.encrypted('x', { shape: [2], min: 0, max: 9, decimals: 1 });
    const [y, z] = ['y', 'z'].map((name) =>
      task.plain(name, { kind: 'real', shape: [2], min: 0, max: 9 }),
    ) as [Value, Value];
    const mean = x.mean();
    const all: Record<string, Value> = {
      least: mean.atLeast(0.3),
      most: mean.atMost(0.3),
      same: mean.equals(0.3),
      more: mean.greaterThan(0.3),
      none: mean.sub(0.3),
      within: mean.within(0, 0.3),
      'within, from': mean.within(0.3, 1),
      share: x.at(0).divide(x.sum()).equals(0.5),
      ratio: mean.divide(0.3),
      either: mean.equals(0.3).select(mean, 0.7),
      'half or more': y.atLeast(0.5).select(x, 0),
      'one or more': y.multiply(0.5).atLeast(1).select(x, 0),
      // What was given as a real is a double, and so is what is written beside it.
      'a tenth at most': z.atMost(0.1).select(x, 0),
      'what it is': z
        .equals([0.1, 0.7])
        .and(z.atLeast([0.1, 0.7]))
        .select(x, 0),
      // Of more digits than people write, the double that it is.
      huge: mean.lessThan(1e300),
    };
    for (const [name, value] of Object.entries(all)) task.output(name, value);
    const program = await loom.compile(task);
    const client = await program.client();
    const [encrypted, plain] = [{ x: [0.3, 0.3] }, { y: [0.5, 2], z: [0.1, 0.7] }];
    const truth = {
      ...{ least: true, most: true, same: true, more: false, none: 0, within: 0.3, 'within, from': 0.3 },
      ...{
        share: true,
        ratio: 1,
        either: 0.3,
        'half or more': [0.3, 0.3],
        'one or more': [0, 0.3],
        huge: true,
      },
      'a tenth at most': [0.3, 0],
      'what it is': [0.3, 0.3],
    };
    const result = await program.run(await client.encrypt(encrypted), client.evaluationKeys, { plain });
    expect(await client.decrypt(result)).toEqual(truth);
    expect(await client.plain(encrypted, { plain })).toEqual(await client.decryptExact(result));
    client.dispose();
    program.dispose();
  });

  it('tells what has no value, where bounds would say what comes of it, and keeps the rest', async () => {
    const task = createTask();
    const x = task.encrypted('x', { shape: [3], min: 0, max: 9 });
    const y = task.plain('y', { min: -9, max: 9 });
    task.output('chosen', y.sqrt().lessThan(100).select(x, 0));
    const program = await loom.compile(task);
    const client = await program.client();
    const inputs = await client.encrypt({ x: [1, 2, 3] });
    const chosen = async (y: number) =>
      await client.decrypt(await program.run(inputs, client.evaluationKeys, { plain: { y } }));
    expect(await chosen(4)).toEqual({ chosen: [1, 2, 3] });
    expect((await errorOf(chosen(-4))).message).toContain('value.root: operand: found a number below 0');
    // Nor where an encrypted value is compared with it.
    const near = createTask();
    const e = near.encrypted('x', { shape: [3], min: 0, max: 9 });
    const p = near.plain('y', { min: -99, max: 99 });
    near.output('less', e.lessThan(p.within(10, 20)).select(e, 0));
    const compared = await loom.compile(near);
    const asker = await compared.client();
    const sealed = await asker.encrypt({ x: [1, 2, 3] });
    const less = async (y: number) =>
      await asker.decrypt(await compared.run(sealed, asker.evaluationKeys, { plain: { y } }));
    expect(await less(15)).toEqual({ less: [1, 2, 3] });
    expect((await errorOf(less(-9))).message).toContain('value.within: operand: found a number outside');
    const large = createTask();
    const mean = large.encrypted('x', { shape: [7], min: 0, max: 1, decimals: 3 }).mean();
    large.output('mean', mean);
    large.output('power', mean.add(1).power(360));
    const other = await loom.compile(large);
    const owner = await other.client();
    const given = { x: [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.501] };
    const details = await owner.decryptDetails(
      await other.run(await owner.encrypt(given), owner.evaluationKeys),
    );
    expect(details['mean']?.value).toBeCloseTo(0.500142857, 9);
    expect(details['power']?.problem?.message).toMatch(/no value: .*bits of an exact number, at most 8192/);
  });

  it('computes on integers, decimals, booleans, days and categories, exactly', async () => {
    const task = createTask();
    const age = task.encrypted('age', { shape: [5], min: 0, max: 120 });
    const income = task.encrypted('income', { shape: [5], min: 0, max: 10_000, decimals: 2 });
    const member = task.encrypted('member', { kind: 'boolean', shape: [5] });
    const since = task.encrypted('since', { kind: 'date', shape: [2], min: '2000-01-01', max: '2039-12-31' });
    const sort = task.encrypted('sort', { kind: 'category', categories: 3, shape: [2] });
    const total = task.encrypted('total', { min: -(10n ** 18n), max: 10n ** 18n });
    task.output('sum', income.sum());
    task.output('with bonus', member.select(income.add(0.5), income).multiply(2));
    task.output('members', member.sum());
    task.output('mean age of members', age.multiply(member).sum().divide(member.sum()));
    task.output('variance', income.variance());
    task.output('deviation', age.variance({ of: 'population' }).sqrt());
    task.output('either', member.or([true, false, false, false, false]).not());
    task.output('due', since.add(30));
    task.output('days', since.sub(new Date('2020-01-01')));
    task.output('sorts', sort.concat(sort.at(0).reshape([1])));
    task.output('total', total.add(1));
    task.output('line', age.regression(income));
    task.output('count', income.count());
    task.output('those who are', member.count());
    const given = {
      age: [20, 30, 40, 50, 60],
      income: [10.25, 9999.99, 0, 3, 4.5],
      member: [true, false, false, true, true],
      since: ['2024-02-29', new Date('2000-01-01')],
      sort: [2, 0],
      total: 10n ** 17n,
    };
    const found = await compute(loom, task, { encrypted: given });
    const { variance, deviation, line, ...exact } = found;
    expect(exact).toEqual({
      sum: 10017.74,
      'with bonus': [21.5, 19999.98, 0, 7, 10],
      members: 3,
      'mean age of members': 130 / 3,
      either: [false, true, true, false, false],
      due: [new Date('2024-03-30'), new Date('2000-01-31')],
      days: [1520, -7305],
      sorts: [2, 0, 2],
      total: Number(10n ** 17n + 1n),
      count: 5,
      'those who are': 3,
    });
    const mean = 10017.74 / 5;
    expectNear(variance, [sum(given.income.map((x) => (x - mean) ** 2)) / 4], 1e-12);
    expectNear(deviation, [Math.sqrt(200)], 1e-12);
    const slope = sum(given.income.map((y, i) => y * ((given.age[i] as number) - 40))) / 1000;
    expectNear(line, [slope, mean - slope * 40], 1e-12);
  });

  // Independent of how forEach is made: the same function of every record's own values.
  it('computes for each record what its function says of one', async () => {
    const bodies: Record<string, (of: Record<'x' | 'v' | 'm' | 'w' | 'b', Value>) => Value> = {
      cells: ({ x, v, b }) => b.and(x.greaterThan(1)).select(v.add(x), v.negate()).multiply([2, 1, 3]),
      sums: ({ v, m }) =>
        m
          .sum()
          .sub(v.dot([1, 2, 3]))
          .add(m.sum(0).at(1)),
      products: ({ v, m, w }) => m.matmul(v).sum().add(w.matmul(m).sum(1).at(0)).add(v.matmul(v)),
      moves: ({ v, m, w }) => m.reshape([3, 2]).slice([1], [3]).sum(0).concat(v.rotate(1)).add(w.at(1, 0)),
      spread: ({ x, v }) => v.reshape([3, 1]).add(v).square().sum(1).sub(x.power(3)),
      constant: ({ w }) => w.sum(1),
    };
    const rows = 4;
    const task = loom.task();
    const columns = {
      x: task.encrypted('x', { shape: [rows], min: -3, max: 3 }),
      v: task.encrypted('v', { shape: [rows, 3], min: -3, max: 3 }),
      m: task.encrypted('m', { shape: [rows, 2, 3], min: -3, max: 3 }),
      b: task.encrypted('b', { kind: 'boolean', shape: [rows] }),
    };
    const w = task.plain('w', { shape: [2, 2], min: 0, max: 5 });
    for (const [name, body] of Object.entries(bodies)) {
      // What is the server's own alone is no result.
      const hidden = (of: typeof columns): Value => body({ ...of, w }).add(of.x.multiply(0));
      task.output(name, task.forEach(columns, hidden));
      const each = Array.from({ length: rows }, (_, row) => {
        const { x, v, m, b } = columns;
        const one = hidden({ x: x.at(row), v: v.at(row), m: m.at(row), b: b.at(row) });
        return one.reshape([1, ...one.shape]);
      });
      task.output(`${name}, one by one`, (each[0] as Value).concat(each.slice(1)));
    }
    using program = await task.compile();
    using client = await program.client();
    const some = (count: number): number[] => Array.from({ length: count }, () => random(7) - 3);
    const given = {
      x: some(rows),
      v: Int32Array.from(some(rows * 3)),
      m: Int32Array.from(some(rows * 6)),
      b: some(rows).map((cell) => cell > 0),
    };
    const inputs = await client.encrypt(given);
    const results = await program.run(inputs, client.evaluationKeys, {
      plain: {
        w: [
          [1, 5],
          [2, 0],
        ],
      },
    });
    const found = await client.decrypt(results);
    for (const name of Object.keys(bodies)) expect(found[name]).toEqual(found[`${name}, one by one`]);
    expect(found['spread']).toEqual(
      given.x.map((x, row) => {
        const v = given.v.slice(3 * row, 3 * row + 3);
        return [...v].map((a) => [...v].reduce((all, b) => all + (a + b) ** 2, 0) - x ** 3);
      }),
    );
  });

  it('gives integers as exact decimals', async () => {
    const task = loom.task();
    const x = task.encrypted('x', { shape: [2], min: 0, max: 10n ** 5n, decimals: 4 });
    task.output('square', x.square());
    task.output('mean', x.mean());
    using program = await task.compile();
    using client = await program.client();
    const inputs = await client.encrypt({ x: [99999.9999, 0.0001] });
    const results = await program.run(inputs, client.evaluationKeys);
    const { square, mean } = await client.decryptExact(results);
    expect(String(square)).toBe('9999999980.00000001,0.00000001');
    expect(mean).toBe((await client.decrypt(results))['mean']);
    expect(program.info).toMatchObject({ scheme: 'BGV', inputs: [{ name: 'x', kind: 'integer' }] });
    expect(String(program.info.inputs[0]?.max)).toBe('100000.0000');
  });

  it('leaves out missing cells, without telling which', async () => {
    const task = createTask();
    const x = task.encrypted('x', { shape: [4], min: -5, max: 100, missing: true });
    const y = task.encrypted('y', { shape: [4], min: 0, max: 10, decimals: 1, missing: true });
    const z = task.encrypted('z', { shape: [4], min: 0, max: 10 });
    task.output('x', x);
    task.output('count', x.count());
    task.output('mean', x.mean());
    task.output('filled', x.filled().add(z));
    task.output('present', y.present());
    task.output('covariance', x.covariance(y));
    task.output('sum', x.sum());
    const grid = task.encrypted('grid', { shape: [2, 2], min: 0, max: 10, decimals: 1, missing: true });
    task.output('sums', grid.sum(1));
    const encrypted = {
      x: [3, null, 5, 100],
      y: [1.5, 2, NaN, 3.5],
      z: [1, 2, 3, 4],
      grid: [
        [1.5, 2],
        [null, 0.5],
      ],
    };
    expect(await compute(loom, task, { encrypted })).toEqual({
      x: [3, null, 5, 100],
      count: 3,
      mean: 36,
      filled: [4, 2, 8, 104],
      present: [true, true, false, true],
      covariance: 97,
      sum: 108,
      sums: [3.5, 0.5],
    });
  });

  it('computes with values of the server and with public ones', async () => {
    const task = createTask();
    const x = task.encrypted('x', { shape: [3], min: 0, max: 9 });
    const weights = task.plain('weights', { shape: [2, 3], min: -9, max: 9, decimals: 1 });
    const known = task.public('known', { shape: [3], min: 0, max: 9 });
    task.output('product', weights.matmul(x));
    task.output('known', known.sum());
    task.output('both', known.multiply(x).add(weights.at(1)));
    task.output('share', x.sum().divide(known.sum()));
    const found = await compute(loom, task, {
      encrypted: { x: [1, 2, 3] },
      plain: {
        weights: [
          [0.5, 1, 0],
          [-1, 2.5, 9],
        ],
      },
      public: { known: Uint8Array.of(4, 0, 5) },
    });
    expect(found).toEqual({ product: [2.5, 31], known: 9, both: [3, 2.5, 24], share: 6 / 9 });
  });

  it('moves cells', async () => {
    const task = createTask();
    const x = task.encrypted('x', { shape: [2, 3], min: 0, max: 9 });
    task.output('row', x.at(1));
    task.output('cell', x.at(-1, -1));
    task.output('box', x.slice([0, 1]));
    task.output('columns', x.sum(0));
    task.output('long', x.reshape([6]).rotate(2));
    task.output('below', x.concat([[7, 8, 9]]));
    task.output('turned', x.rotate(-1, 1));
    task.output('wide', x.at(0, 0).broadcast([2, 2]));
    expect(
      await compute(loom, task, {
        encrypted: {
          x: [
            [1, 2, 3],
            [4, 5, 6],
          ],
        },
      }),
    ).toEqual({
      row: [4, 5, 6],
      cell: 6,
      box: [
        [2, 3],
        [5, 6],
      ],
      columns: [5, 7, 9],
      long: [3, 4, 5, 6, 1, 2],
      below: [
        [1, 2, 3],
        [4, 5, 6],
        [7, 8, 9],
      ],
      turned: [
        [3, 1, 2],
        [6, 4, 5],
      ],
      wide: [
        [1, 1],
        [1, 1],
      ],
    });
  });

  it('compares', async () => {
    const task = createTask();
    const x = task.encrypted('x', { shape: [4], min: 0, max: 10 });
    const y = task.encrypted('y', { shape: [4], min: 0, max: 10 });
    const c = task.encrypted('c', { kind: 'category', categories: 3, shape: [4] });
    task.output('below', x.lessThan(y));
    task.output('at most', x.atMost(5));
    task.output('above', x.greaterThan(4.5));
    task.output('at least', x.atLeast(y));
    task.output('same', x.equals(y));
    task.output('of 2', c.equals(2).count());
    const encrypted = { x: [0, 5, 10, 4], y: [10, 5, 9, 5], c: [2, 0, 2, 1] };
    expect(await compute(loom, task, { encrypted })).toEqual({
      below: [true, false, false, true],
      'at most': [true, true, false, true],
      above: [false, true, true, false],
      'at least': [false, true, true, false],
      same: [false, true, false, false],
      'of 2': 2,
    });
  });

  it('answers several questions about what was encrypted once', async () => {
    const [first, second] = [createTask(), createTask()];
    const options = { shape: [4], min: 0, max: 9 };
    first.output('squares', first.encrypted('x', options).square().sum());
    const x = second.encrypted('x', options);
    second.output('weighted', x.dot([1, 2, 3, 4]));
    second.output('turned', x.rotate(1));
    // The second one needs keys, of which the first one alone would have none.
    using asked = await loom.compile(first, { passes: { openResults: false } });
    using again = await loom.compile(second, { parameters: asked.info });
    expect(again.info.moduli).toEqual(asked.info.moduli);
    using client = await asked.client();
    using holder = await again.restoreClient(await client.save());
    const encrypted = await client.encrypt({ x: [1, 5, 0, 9] });
    const run = await asked.run(encrypted, client.evaluationKeys);
    expect(await client.decrypt(run)).toEqual({ squares: 107 });
    const other = await again.run(encrypted, holder.evaluationKeys);
    expect(await holder.decrypt(other)).toEqual({ weighted: 47, turned: [5, 0, 9, 1] });
  });

  it('makes the same with and without passes', async () => {
    const cells = [3, -1, 4, 1, -5, 2];
    const task = createTask();
    const x = task.encrypted('x', { shape: [6], min: -5, max: 5 });
    const weights = task.plain('weights', { shape: [6], min: -5, max: 5 });
    const row = x.multiply(x).multiply(x.add(1)).multiply(x.sub(1)).multiply(weights);
    task.output('sum', row.sum());
    task.output('spread', row.sum().finish().square().add(x.sum().finish()));
    task.output('mean', x.mean());
    const factors = [1, 2, 3, 4, 5, -5];
    const given = { encrypted: { x: cells }, plain: { weights: factors } };
    const products = cells.map((c, at) => c * c * (c + 1) * (c - 1) * (factors[at] as number));
    const expected = { sum: sum(products), spread: sum(products) ** 2 + sum(cells), mean: sum(cells) / 6 };
    expect(await compute(loom, task, given)).toEqual(expected);
    const off = { square: false, balance: false, dedup: false, hoist: false, fuse: false };
    const passes = { ...off, giantSteps: false, lazyRelinearization: false, earlySwitching: false };
    expect(await compute(loom, task, given, { passes })).toEqual(expected);
    expect(await errorOf(loom.compile(task, { passes: { hoisting: true } as never }))).toMatchObject({
      code: 'input.option',
    });
  });

  it('turns rows of any length, and sees their own cells only', async () => {
    const task = createTask();
    const row = task.encrypted('row', { shape: [3], min: 0, max: 9 });
    const pair = task.encrypted('pair', { shape: [2, 8], min: 0, max: 9 });
    task.output('variance', row.rotate(1).add(5).variance({ of: 'population' }));
    task.output('row', row.rotate(1).add(5));
    task.output('left', pair.rotate(3, 1));
    task.output('swapped', pair.rotate(1, 0).multiply(pair));
    task.output('sum', pair.rotate(-1, 1).add(0.5).sum());
    const rows = [0, 1].map(() => Array.from({ length: 8 }, () => random(10)));
    const found = await compute(loom, task, { encrypted: { row: [1, 9, 0], pair: rows } });
    const product = (rows[0] as number[]).map((cell, at) => cell * (rows[1]?.[at] as number));
    expect(found).toEqual({
      // (14^2 + 5^2 + 6^2) / 3 - (25 / 3)^2
      variance: 146 / 9,
      row: [14, 5, 6],
      left: rows.map((cells) => [...cells.slice(3), ...cells.slice(0, 3)]),
      swapped: [product, product],
      sum: sum(rows.flat()) + 8,
    });
  });

  it('fills a ciphertext to its last slot', async () => {
    const n = 4096;
    const task = createTask();
    const a = task.encrypted('a', { shape: [2, n / 2], min: 0, max: 9 });
    task.output('out', a.rotate(n / 4, 1).rotate(1, 0));
    const [top, bottom] = [0, 1].map(() => Array.from({ length: n / 2 }, () => random(10))) as [
      number[],
      number[],
    ];
    using program = await loom.compile(task, { n });
    using client = await program.client();
    expect(program.info.inputs[0]?.ciphertexts).toBe(1);
    const results = await program.run(await client.encrypt({ a: [top, bottom] }), client.evaluationKeys);
    const turned = (cells: number[]) => [...cells.slice(n / 4), ...cells.slice(0, n / 4)];
    expect(await client.decrypt(results)).toEqual({ out: [turned(bottom), turned(top)] });
  });

  it('takes integers that doubles do not hold', async () => {
    const task = createTask();
    const limit = 2n ** 58n - 1n;
    const a = task.encrypted('a', { shape: [3], min: -limit, max: limit });
    task.output('a', a);
    task.output('sum', a.sum());
    const cells = [limit, 1n - limit, 2n ** 53n + 1n];
    using program = await loom.compile(task);
    using client = await program.client();
    const found = await client.decryptExact(
      await program.run(await client.encrypt({ a: cells }), client.evaluationKeys),
    );
    expect([String(found['a']), String(found['sum'])]).toEqual([String(cells), `${2n ** 53n + 2n}`]);
    expect(found).toEqual(await client.plain({ a: cells }));
  });

  it('takes no results of a program that means something else', async () => {
    const programOf = async (decimals: number, factor: number) => {
      const task = loom.task();
      const options = { shape: [3], min: 0, max: 300 / 10 ** decimals, decimals };
      task.output('sum', task.encrypted('a', options).sum().multiply(factor));
      return task.compile();
    };
    using program = await programOf(0, 1);
    using cents = await programOf(2, 1);
    using negative = await programOf(0, -1);
    using client = await program.client();
    const saved = await client.save();
    using ofCents = await cents.restoreClient(saved);
    using ofNegative = await negative.restoreClient(saved);
    const inputs = await client.encrypt({ a: [100, 200, 300] });
    const results = await program.run(inputs, client.evaluationKeys);
    expect(await client.decrypt(results, { inputs })).toEqual({ sum: 600 });
    expect(await errorOf(ofCents.decrypt(results))).toMatchObject({
      code: 'key.foreign',
      details: { of: 'program' },
    });
    expect((await errorOf(cents.run(inputs, client.evaluationKeys))).code).toBe('task.invalid');
    // Where all types are alike, the run that a result is bound to tells it.
    expect(await errorOf(ofNegative.decrypt(results, { inputs }))).toMatchObject({
      name: 'KeyError',
      code: 'key.foreign',
      details: { of: 'run' },
    });
  });
});
