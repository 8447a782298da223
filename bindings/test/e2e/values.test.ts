// Tasks over values, from the builder to what is decrypted, in the package's real workers. Runs once per build of the wasm.
import {
  type Cells,
  approximation,
  createValueTask,
  type Decrypted,
  load,
  type Loom,
  type Progress,
  type Value,
  type ValueCompileOptions,
  type ValueTask,
} from 'cipherloom';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { random } from '../random.js';
import { BUILDS, threadsOf } from './builds.js';
import { errorOf } from './error-of.js';

interface Given {
  readonly encrypted: Record<string, Cells>;
  readonly plain?: Record<string, Cells>;
  readonly public?: Record<string, Cells>;
}

/** Compiles, encrypts, computes and decrypts. */
async function compute(
  loom: Loom,
  task: ValueTask,
  { encrypted, ...clear }: Given,
  options?: ValueCompileOptions,
): Promise<Record<string, Decrypted>> {
  using program = await loom.compileValues(task, options);
  using client = await program.client();
  const inputs = await client.encrypt(encrypted);
  const results = await program.run(inputs, client.evaluationKeys, clear);
  return await client.decrypt(results, { public: clear.public });
}

function expectNear(found: Decrypted | undefined, expected: readonly number[], most = 2 ** -20): void {
  const cells = [found as unknown].flat(Infinity as 1) as number[];
  expect(cells.length).toBe(expected.length);
  for (const [at, cell] of cells.entries())
    expect(
      Math.abs(cell - (expected[at] as number)) / Math.max(1, Math.abs(expected[at] as number)),
    ).toBeLessThan(most);
}

const sum = (cells: readonly number[]): number => cells.reduce((a, b) => a + b, 0);

describe.each(BUILDS)('the %s build', (mode) => {
  let loom: Loom;
  beforeAll(async () => {
    loom = await load({ mode, threads: threadsOf(mode) });
  });
  afterAll(() => loom?.dispose());

  it('computes on integers, decimals, booleans, days and categories, exactly', async () => {
    const task = createValueTask();
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
    const task = loom.valueTask();
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
    const task = loom.valueTask();
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
    const task = createValueTask();
    const x = task.encrypted('x', { shape: [4], min: -5, max: 100, missing: true });
    const y = task.encrypted('y', { shape: [4], min: 0, max: 10, decimals: 1, missing: true });
    const z = task.encrypted('z', { shape: [4], min: 0, max: 10 });
    task.output('x', x);
    task.output('count', x.count());
    task.output('mean', x.mean());
    task.output('filled', x.filled().add(z));
    task.output('present', y.present());
    task.output('covariance', x.covariance(y));
    const encrypted = { x: [3, null, 5, 100], y: [1.5, 2, NaN, 3.5], z: [1, 2, 3, 4] };
    expect(await compute(loom, task, { encrypted })).toEqual({
      x: [3, null, 5, 100],
      count: 3,
      mean: 36,
      filled: [4, 2, 8, 104],
      present: [true, true, false, true],
      covariance: 97,
    });
  });

  it('computes with values of the server and with public ones', async () => {
    const task = createValueTask();
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
    const task = createValueTask();
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
    const task = createValueTask();
    const x = task.encrypted('x', { shape: [4], min: 0, max: 10 });
    const y = task.encrypted('y', { shape: [4], min: 0, max: 10 });
    const c = task.encrypted('c', { kind: 'category', categories: 3, shape: [4] });
    task.output('below', x.lessThan(y));
    task.output('at most', x.atMost(5));
    task.output('above', x.greaterThan(4.5));
    task.output('at least', x.atLeast(y));
    task.output('same', x.equals(y));
    task.output('of 2', c.equals(2).sum());
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
    const [first, second] = [createValueTask(), createValueTask()];
    const options = { shape: [4], min: 0, max: 9 };
    first.output('squares', first.encrypted('x', options).square().sum());
    const x = second.encrypted('x', options);
    second.output('weighted', x.dot([1, 2, 3, 4]));
    second.output('turned', x.rotate(1));
    using asked = await loom.compileValues(first);
    using again = await loom.compileValues(second, { parameters: asked.info });
    expect(again.info.moduli).toEqual(asked.info.moduli);
    using client = await asked.client();
    using holder = await again.restoreClient(await client.save());
    const encrypted = await client.encrypt({ x: [1, 5, 0, 9] });
    const run = await asked.run(encrypted, client.evaluationKeys);
    expect(await client.decrypt(run)).toEqual({ squares: 107 });
    const other = await again.run(encrypted, holder.evaluationKeys);
    expect(await holder.decrypt(other)).toEqual({ weighted: 47, turned: [5, 0, 9, 1] });
  });

  it('explains a program, and makes the same with and without passes', async () => {
    const cells = [3, -1, 4, 1, -5, 2];
    const task = createValueTask();
    const x = task.encrypted('x', { shape: [6], min: -5, max: 5 });
    const weights = task.plain('weights', { shape: [6], min: -5, max: 5 });
    const row = x.multiply(x).multiply(x.add(1)).multiply(x.sub(1)).multiply(weights);
    task.output('sum', row.sum());
    task.output('spread', row.sum().finish().square().add(x.sum().finish()));
    task.output('mean', x.mean());
    const given = { encrypted: { x: cells }, plain: { weights: [1, 2, 3, 4, 5, -5] } };
    const products = cells.map((c, at) => c * c * (c + 1) * (c - 1) * ([1, 2, 3, 4, 5, -5][at] as number));
    const expected = { sum: sum(products), spread: sum(products) ** 2 + sum(cells), mean: sum(cells) / 6 };
    expect(await compute(loom, task, given)).toEqual(expected);
    const off = { square: false, balance: false, dedup: false, hoist: false, fuse: false };
    const passes = { ...off, giantSteps: false, lazyRelinearization: false, earlySwitching: false };
    expect(await compute(loom, task, given, { passes })).toEqual(expected);

    using program = await loom.compileValues(task);
    const told = await program.explain();
    expect(told.reasons.map(({ about }) => about)).toEqual([
      'scheme',
      'ring',
      'plain moduli',
      'levels',
      'keys',
    ]);
    const [first, second] = told.values;
    expect(first).toMatchObject({
      name: 'x',
      encrypted: true,
      level: program.info.moduli.length,
      ciphertexts: 1,
    });
    expect(second).toMatchObject({ name: 'weights', encrypted: false, clear: true, level: undefined });
    const last = told.values.find(({ outputs }) => outputs.includes('sum'));
    expect(last).toMatchObject({ operator: 'value.sum', encrypted: true, finished: false });
    expect(last?.operators['rlwe.automorphism']).toBe(3);
    expect(told.values.find(({ outputs }) => outputs.includes('mean'))?.finished).toBe(true);
    expect(told.values.reduce((all, { cost }) => all + cost, 0)).toBeCloseTo(1, 9);
    expect(told.keys.flatMap(({ of }) => of).every((operand) => told.values[operand]?.encrypted)).toBe(true);
    const text = String(told);
    expect(text).toMatch(/^scheme +BGV: nothing real/);
    expect(text).toMatch(/value\.sum\(%\d+\): encrypted integer -> "sum" +encrypted/);
    using opened = await loom.valueProgram(program.toBytes());
    expect(String(await opened.explain())).toBe(text);
    const misspelled = { passes: { hoisting: true } } as ValueCompileOptions;
    expect(await errorOf(loom.compileValues(task, misspelled))).toMatchObject({ code: 'input.option' });
  });

  it('verifies a program, stage by stage', async () => {
    const task = createValueTask();
    const x = task.encrypted('x', { shape: [3, 4], min: -9, max: 9, decimals: 1 });
    const gaps = task.encrypted('gaps', { shape: [20], min: 0, max: 99, missing: true });
    const weights = task.plain('weights', { shape: [4], min: -5, max: 5 });
    const share = task.public('share', { min: 1, max: 8 });
    task.output('weighted', x.multiply(weights).sum(1).rotate(1).square());
    task.output('mean', gaps.mean());
    task.output('part', x.sum().divide(share));
    using program = await loom.compileValues(task);
    const items: (string | undefined)[] = [];
    const report = await program.verify({ seed: 7, onProgress: ({ item }) => items.push(item) });
    expect(report.checks.flatMap(({ problem }) => problem ?? [])).toEqual([]);
    expect(items).toEqual(['server', 'finish', 'packed', 'scheme', 'polynomial', 'base', undefined]);
    expect(report.checks.map(({ stage, kind }) => [stage, kind])).toEqual([
      ['server', 'meaning'],
      ['finish', 'meaning'],
      ['packed', 'meaning'],
      ['scheme', 'structure'],
      ['polynomial', 'structure'],
      ['polynomial', 'circuit'],
      ['base', 'structure'],
      ['base', 'circuit'],
      ['base', 'platform'],
    ]);
    const [server, finish, packed] = report.checks;
    for (const check of [server, finish])
      expect(check?.compared).toEqual(
        expect.arrayContaining(['output `weighted`', 'output `mean`', 'output `part`']),
      );
    expect(packed?.compared).toContain('output `weighted`');
    expect(report.checks.every(({ bytes, kind }) => bytes > 0 || kind === 'structure')).toBe(true);
    expect(report.checks.flatMap(({ notCompared }) => notCompared)).toEqual([]);
    // One that others may have made is looked at where no keys are.
    using opened = await loom.valueProgram(program.toBytes());
    expect((await opened.verify({ trials: 1 })).passed).toBe(true);
    const stop = new AbortController();
    const running = opened.verify({ trials: 1_000_000, signal: stop.signal });
    setTimeout(() => stop.abort(), 50);
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    for (const options of [{ trials: 0 }, { seed: -1 }, { against: 5 }])
      expect((await errorOf(program.verify(options as never))).code).toMatch(/^input\./);
  });

  it('tells what of a program data do not decide', async () => {
    const task = createValueTask();
    const [x, y] = [
      task.encrypted('x', { kind: 'real', shape: [30], min: -1, max: 1 }),
      task.public('y', { kind: 'real', shape: [30], min: -1, max: 1 }),
    ];
    task.output('less', x.lessThan(y, { gap: 1.9 }));
    task.output('sum', x.multiply(y).sum());
    using program = await loom.compileValues(task, { precision: 8 });
    const { passed, checks } = await program.verify();
    expect(checks.flatMap(({ problem }) => problem ?? [])).toEqual([]);
    const packed = checks.find(({ stage }) => stage === 'packed');
    expect([passed, packed?.compared]).toEqual([true, ['output `sum`']]);
    expect(packed?.notCompared).toEqual([
      { what: 'output `less`', why: expect.stringContaining('nearer to each other than the gap') },
    ]);
  });

  it('takes no parameters under which a task is wrong or insecure', async () => {
    const task = createValueTask();
    task.output('power', task.encrypted('x', { min: 0, max: 9 }).power(6));
    using program = await loom.compileValues(task);
    const { info } = program;
    const compile = (given: Partial<typeof info>, options = {}): Promise<unknown> =>
      loom.compileValues(task, { parameters: { ...info, ...given }, ...options });
    for (const [given, options] of [
      [{ moduli: info.moduli.slice(0, 1) }],
      [{ special: [] }],
      [{ plainModuli: ['65537'] }],
      [{ scheme: 'CKKS' as const }],
      [{ moduli: [...info.moduli, info.moduli[0]!] }],
      [{ n: 2048 }],
      [{}, { n: 2 * info.n }],
    ] as const)
      expect(await errorOf(compile(given, options))).toMatchObject({ code: 'parameters.invalid' });
    expect(await errorOf(compile({ n: '4096' as unknown as number }))).toMatchObject({ code: 'input.type' });
  });

  it('approximates functions of reals', async () => {
    const task = createValueTask();
    const x = task.encrypted('x', { kind: 'real', shape: [6, 2], min: -1, max: 1 });
    const sums = x.sum(1);
    const root = approximation(Math.sqrt, { from: 0.5, to: 4, degree: 15 });
    task.output('sigmoid', sums.multiply(4).sigmoid({ from: -8, to: 8, error: 1e-3 }));
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
      expect(Math.abs((found['sigmoid'] as number[])[at]! - 1 / (1 + Math.exp(-4 * sum)))).toBeLessThan(2e-3);
      expect(Math.abs((found['root'] as number[])[at]! - Math.sqrt(2 + sum))).toBeLessThan(1e-5);
    }
  });

  it('compares reals from a gap on', async () => {
    const task = createValueTask();
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
    const task = createValueTask();
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

  it('saves and restores programs and clients, in another loom', async () => {
    const task = loom.valueTask();
    task.output('sum', task.encrypted('x', { shape: [3], min: 0, max: 9 }).sum());
    using program = await task.compile();
    using client = await program.client();
    const encrypted = await client.encrypt({ x: [1, 2, 3] });
    const saved = await client.save();
    using other = await load({ mode, threads: threadsOf(mode) });
    using opened = await other.valueProgram(program.toBytes());
    expect(opened.info).toEqual(program.info);
    const results = await opened.run(encrypted, client.evaluationKeys);
    using restored = await opened.restoreClient(saved, { evaluationKeys: [] });
    expect(await restored.decrypt(results)).toEqual({ sum: 6 });
    expect(await client.decrypt(results)).toEqual({ sum: 6 });
    for (const stage of ['server', 'finish', 'packed', 'scheme', 'polynomial', 'base'] as const)
      expect(await opened.toText(stage)).toContain('graph');
    expect((await program.graph('scheme')).types.length).toBeGreaterThan(0);
  });

  it('tells what is wrong', async () => {
    const task = loom.valueTask();
    const x = task.encrypted('x', { shape: [3], min: 0, max: 9 });
    const p = task.plain('p', { shape: [3], min: 0, max: 9 });
    task.output('product', x.multiply(p));
    task.output('share', x.sum().divide(x.at(0)));
    using program = await task.compile();
    using client = await program.client();
    const { evaluationKeys } = client;
    const plain = { p: [1, 2, 3] };
    const inputs = await client.encrypt({ x: [1, 2, 3] });
    const code = async (call: Promise<unknown>): Promise<string> => (await errorOf(call)).code;
    expect(await code(client.encrypt({ y: [1] }))).toBe('input.unknown');
    expect(await code(client.encrypt({ p: [1, 2, 3] }))).toBe('input.unknown');
    expect(await code(client.encrypt({ x: [1, 2, 10] }))).toBe('range.value');
    expect(await code(program.run({}, evaluationKeys, { plain }))).toBe('input.missing');
    expect(await code(program.run(inputs, evaluationKeys))).toBe('input.missing');
    expect(await code(program.run(inputs, evaluationKeys, { plain: { p: [1, 2] } }))).toBe('input.shape');
    expect(await code(program.run(inputs, evaluationKeys, { plain: { x: [1, 2, 3] } }))).toBe(
      'input.unknown',
    );
    expect(await code(program.run({ x: new Uint8Array(9) }, evaluationKeys, { plain }))).toBe('format.magic');
    expect(await code(program.run(inputs, [], { plain }))).toBe('key.missing');
    expect(await code(program.run(inputs, evaluationKeys, { inputs: {} } as never))).toBe('input.option');
    const results = await program.run(inputs, evaluationKeys, { plain });
    const [first] = Object.keys(results) as [string];
    expect(await code(client.decrypt({ [first]: results[first] as Uint8Array }))).toBe('input.missing');
    using another = await program.client();
    expect(await code(another.decrypt(results))).toBe('key.foreign');
    expect(await code(loom.valueProgram(new Uint8Array(99)))).toBe('format.magic');
    const none = await program.run(await client.encrypt({ x: [0, 2, 3] }), evaluationKeys, { plain });
    expect(await code(client.decrypt(none))).toBe('operator.invalid');
    const deep = loom.valueTask();
    deep.output('out', deep.encrypted('x', { min: 0, max: 1000 }).power(7));
    expect(await code(deep.compile())).toBe('parameters.none');
    expect(await code(task.compile({ n: 1000 }))).toBe('parameters.invalid');
    expect(await code(task.compile({ precision: 99 }))).toBe('parameters.invalid');
    expect(await code(task.compile({ moduli: [] } as never))).toBe('input.option');
    expect(await code(loom.compileValues(loom.task() as never))).toBe('input.type');
  });

  it('stops when asked to, and tells how far it is', async () => {
    const task = loom.valueTask();
    const x = task.encrypted('x', { shape: [300], min: 0, max: 1000 });
    task.output('out', x.power(4).sum());
    const aborted = async (
      start: (signal: AbortSignal, tell: (progress: Progress) => void) => Promise<unknown>,
    ) => {
      const stop = new AbortController();
      const told: Progress[] = [];
      const call = start(stop.signal, (progress) => {
        told.push(progress);
        stop.abort();
      });
      await expect(call).rejects.toMatchObject({ name: 'AbortError' });
      return told[0]?.phase;
    };
    expect(await aborted((signal, onProgress) => task.compile({ signal, onProgress }))).toBe('compile');
    using program = await task.compile();
    expect(await aborted((signal, onProgress) => program.client({ signal, onProgress }))).toBe('keys');
    using client = await program.client();
    const given = { x: Array.from({ length: 300 }, (_, i) => i) };
    const inputs = await client.encrypt(given);
    const never = AbortSignal.abort();
    await expect(client.encrypt(given, { signal: never })).rejects.toMatchObject({ name: 'AbortError' });
    const told: Progress[] = [];
    const onProgress = (progress: Progress): void => void told.push(progress);
    let traced = 0;
    const results = await program.run(inputs, client.evaluationKeys, {
      onProgress,
      onTrace: ({ op }) => (traced = op.length),
    });
    expect(told.at(-1)).toEqual({ phase: 'run', done: 1, total: 1 });
    expect(traced).toBeGreaterThan(0);
    expect(await client.decrypt(results)).toEqual({ out: sum(given.x.map((v) => v ** 4)) });
  });

  it('ends with what it was made by', async () => {
    const own = await load({ mode, threads: threadsOf(mode) });
    const task = own.valueTask();
    task.output('sum', task.encrypted('x', { shape: [3], min: 0, max: 9 }).sum());
    const program = await task.compile();
    const client = await program.client();
    const waiting = errorOf(client.encrypt({ x: [1, 2, 3] }));
    client.dispose();
    client.dispose();
    expect((await waiting).code).toBe('disposed');
    const second = await program.client();
    program.dispose();
    expect((await errorOf(program.client())).code).toBe('disposed');
    expect(await second.encrypt({ x: [1, 2, 3] })).toHaveProperty('x');
    own.dispose();
    expect((await errorOf(second.encrypt({ x: [1, 2, 3] }))).code).toBe('disposed');
    expect((await errorOf(task.compile())).code).toBe('disposed');
  });
});

describe('random tasks of integers', () => {
  let loom: Loom;
  beforeAll(async () => {
    loom = await load({ mode: 'single' });
  });
  afterAll(() => loom?.dispose());

  it.each(Array.from({ length: Number(process.env['VALUE_TASKS'] ?? 12) }, (_, index) => index))(
    'number %i gives what the model gives',
    async () => {
      const { task, given, expected } = randomTask();
      expect(await compute(loom, task, given)).toEqual(expected);
    },
  );
});

/** A value and its model: cells as tenths to the power of its decimals. */
interface Modelled {
  readonly value: Value;
  readonly cells: readonly bigint[];
}

const at = <T>(list: readonly T[], index: number): T => list[index] as T;
const pick = <T>(list: readonly T[]): T => at(list, random(list.length));

/** Where the cell at `index` of a shape lies in one that broadcasts to it. */
function source(index: number, to: readonly number[], from: readonly number[]): number {
  let [rest, place, step] = [index, 0, 1];
  for (let axis = 1; axis <= to.length; axis++) {
    const length = at(to, to.length - axis);
    const here = rest % length;
    rest = (rest - here) / length;
    const own = from[from.length - axis];
    if (own === undefined) continue;
    place += own === 1 ? 0 : here * step;
    step *= own;
  }
  return place;
}

function both(
  a: Modelled,
  b: Modelled,
  value: Value,
  of: (a: bigint, b: bigint) => bigint,
  aligned = true,
): Modelled {
  const count = value.shape.reduce((x, y) => x * y, 1);
  const scale = (one: Modelled): bigint =>
    aligned ? 10n ** BigInt(value.decimals - one.value.decimals) : 1n;
  const cell = (one: Modelled, index: number): bigint =>
    at(one.cells, source(index, value.shape, one.value.shape)) * scale(one);
  return { value, cells: Array.from({ length: count }, (_, index) => of(cell(a, index), cell(b, index))) };
}

/** A few operators over a few inputs, and what they give. */
function randomTask() {
  const task = createValueTask();
  const given: {
    encrypted: Record<string, Cells>;
    plain: Record<string, Cells>;
    public: Record<string, Cells>;
  } = {
    encrypted: {},
    plain: {},
    public: {},
  };
  const shapes = [[], [4], [3, 4], [3, 1]];
  const all: Modelled[] = [];
  for (const [index, place] of (['encrypted', 'encrypted', 'plain', 'public'] as const).entries()) {
    const shape = index === 0 ? [3, 4] : pick(shapes);
    const decimals = random(3);
    const name = `${place} ${index}`;
    const count = shape.reduce((x, y) => x * y, 1);
    const cells = Array.from({ length: count }, () => BigInt(random(19) - 9));
    const unit = 10 ** decimals;
    all.push({ value: task[place](name, { shape, min: -9 / unit, max: 9 / unit, decimals }), cells });
    const numbers = cells.map((cell) => Number((Number(cell) / unit).toFixed(decimals)));
    given[place][name] = shape.length === 0 ? at(numbers, 0) : Float64Array.from(numbers);
  }
  const fits = (a: Modelled, b: Modelled): boolean => {
    const [x, y] = [a.value.shape.toReversed(), b.value.shape.toReversed()];
    return x.every((length, axis) => length === y[axis] || length === 1 || (y[axis] ?? 1) === 1);
  };
  for (let step = 0; step < 6; step++) {
    const a = pick(all);
    const b = pick(all.filter((one) => fits(a, one)));
    const { shape } = a.value;
    const next: (() => Modelled)[] = [
      () => both(a, b, a.value.add(b.value), (x, y) => x + y),
      () => both(a, b, a.value.sub(b.value), (x, y) => x - y),
      () => both(a, b, a.value.multiply(b.value), (x, y) => x * y, false),
      () => ({ value: a.value.negate(), cells: a.cells.map((x) => -x) }),
      () => ({ value: a.value.square(), cells: a.cells.map((x) => x * x) }),
      () => ({ value: a.value.multiply(-0.5), cells: a.cells.map((x) => -5n * x) }),
      () => ({ value: a.value.sum(), cells: [a.cells.reduce((x, y) => x + y, 0n)] }),
      ...(shape.length === 0
        ? []
        : [
            () => ({ value: a.value.at(-1), cells: a.cells.slice(-(a.cells.length / at(shape, 0))) }),
            () => ({
              value: a.value.slice(1, 3),
              cells: a.cells.slice(a.cells.length / at(shape, 0), (3 * a.cells.length) / at(shape, 0)),
            }),
            () => ({ value: a.value.concat(a.value), cells: [...a.cells, ...a.cells] }),
            () => ({ value: a.value.reshape([a.cells.length]), cells: a.cells }),
            () => {
              const row = a.cells.length / at(shape, 0);
              return { value: a.value.rotate(1), cells: [...a.cells.slice(row), ...a.cells.slice(0, row)] };
            },
          ]),
    ];
    // One row cannot be cut into two.
    const found = shape[0] === 1 ? at(next, random(7)) : pick(next);
    all.push(found());
  }
  const expected: Record<string, Decrypted> = {};
  const results = all.slice(4).filter(({ value }) => value.place === 'encrypted');
  for (const [index, { value, cells }] of [at(all, 0), ...results].entries()) {
    const unit = 10 ** value.decimals;
    // As JavaScript reads the decimal: the nearest double.
    const numbers = cells.map((cell) => (value.decimals === 0 ? Number(cell) : Number(cell) / unit));
    task.output(`out ${index}`, value);
    const part = (shape: readonly number[]): Decrypted =>
      shape.length === 0
        ? (numbers.shift() as number)
        : Array.from({ length: at(shape, 0) }, () => part(shape.slice(1)));
    expected[`out ${index}`] = part(value.shape);
  }
  return { task, given, expected };
}
