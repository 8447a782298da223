// Counts in groups, quantiles of them, and private look-ups, against the same in the clear: what is recorded is the same for all builds.
import { createTask, load, type Loom, UndefinedStatisticError } from 'cipherloom';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { random } from '../random.js';
import { BUILDS, threadsOf } from './builds.js';
import { compute } from './compute.js';
import { errorOf } from './error-of.js';

const ROWS = 50;
type Cells = (number | null)[];

/** Random units from `least` to `most`, some missing where they may be. */
function column(least: number, most: number, missing: boolean): Cells {
  return Array.from({ length: ROWS }, () =>
    missing && random(5) === 0 ? null : least + random(most - least + 1),
  );
}

const there = (cells: Cells): number[] => cells.filter((cell) => cell !== null);

/** By the definition, of units. */
function inBins(cells: Cells, edges: number[]): number[] {
  return edges.slice(1).map((to, bin) => {
    const last = bin === edges.length - 2;
    return there(cells).filter((x) => x >= (edges[bin] as number) && (last ? x <= to : x < to)).length;
  });
}

/** By the definition, with every bin's cells laid out evenly one by one, times `length` of them; a multiple of 1/`length` of a share. */
function quantileOf(cells: Cells, share: number, edges: number[]): number | undefined {
  const wanted = there(cells).length * share;
  let before = there(cells).filter((x) => x < (edges[0] as number)).length;
  for (const [bin, count] of inBins(cells, edges).entries()) {
    const [from, to] = [edges[bin], edges[bin + 1]] as [number, number];
    if (before < wanted && wanted <= before + count) return from + ((to - from) * (wanted - before)) / count;
    before += count;
  }
  return undefined;
}

describe.each(BUILDS.filter((build) => build === 'threads' || build === 'native'))('the %s build', (mode) => {
  let loom: Loom;
  beforeAll(async () => {
    loom = await load({ mode, threads: threadsOf(mode) });
  });
  afterAll(() => loom?.dispose());

  it.each([false, true])('counts in bins, and by category (missing cells: %s)', async (missing) => {
    const task = createTask();
    const x = task.encrypted('x', { shape: [ROWS], min: 0, max: 12, missing });
    const y = task.encrypted('y', { shape: [ROWS], min: -1, max: 1, decimals: 1, missing });
    const c = task.encrypted('c', { kind: 'category', categories: 3, shape: [ROWS], missing });
    const b = task.encrypted('b', { kind: 'boolean', shape: [ROWS], missing });
    const known = task.public('k', { kind: 'category', categories: 2, shape: [ROWS], missing });
    const all = [0, 3, 4, 9, 12];
    const some = [1, 2.5, 11];
    const tenths = [-0.5, 0.1, 0.35];
    task.output('whole', x.histogram(all));
    task.output('inner', x.histogram(some));
    task.output('tenths', y.histogram(tenths));
    task.output('one bin', x.histogram([2, 5]));
    task.output('counts', c.counts());
    task.output('known', known.counts());
    task.output('true', b.count());
    task.output('share', x.histogram(all).at(1).divide(x.count()));
    const [xs, ys] = [column(0, 12, missing), column(-10, 10, missing)];
    const [cs, bs, ks] = [column(0, 2, missing), column(0, 1, missing), column(0, 1, missing)];
    const encrypted = {
      x: xs,
      y: ys.map((unit) => unit && unit / 10),
      c: cs,
      b: bs.map((bit) => bit && bit === 1),
    };
    const of = (cells: Cells, categories: number): number[] =>
      Array.from({ length: categories }, (_, at) => there(cells).filter((cell) => cell === at).length);
    const found = await compute(loom, task, { encrypted, public: { k: ks } });
    expect(found).toEqual({
      whole: inBins(xs, all),
      inner: inBins(xs, some),
      tenths: inBins(
        ys,
        tenths.map((edge) => edge * 10),
      ),
      'one bin': inBins(xs, [2, 5]),
      counts: of(cs, 3),
      known: of(ks, 2),
      true: there(bs).filter((bit) => bit === 1).length,
      share: (inBins(xs, all)[1] as number) / there(xs).length,
    });
  });

  it('counts days in bins', async () => {
    const task = createTask();
    const d = task.encrypted('d', { kind: 'date', shape: [5], min: '2024-01-01', max: '2024-01-31' });
    task.output('weeks', d.histogram(['2024-01-01', '2024-01-08', new Date('2024-01-15'), '2024-01-31']));
    const days = ['2024-01-01', '2024-01-08', '2024-01-14', '2024-01-31', '2024-01-15'];
    expect(await compute(loom, task, { encrypted: { d: days } })).toEqual({ weeks: [1, 2, 2] });
  });

  it.each([false, true])('finds quantiles in bins (missing cells: %s)', async (missing) => {
    const task = createTask();
    const x = task.encrypted('x', { shape: [ROWS], min: 0, max: 12, missing });
    const [all, inner] = [
      [0, 3, 4, 9, 12],
      [2, 5, 10],
    ];
    const shares = [0.001, 0.25, 0.5, 0.9, 1];
    for (const share of shares) task.output(`all ${share}`, x.quantile(share, all));
    task.output('median', x.quantile(0.5, inner));
    const program = await loom.compile(task);
    const client = await program.client();
    for (let run = 0; run < 2; run++) {
      const cells = column(0, 12, missing);
      const results = await program.run(await client.encrypt({ x: cells }), client.evaluationKeys);
      const found = await client.decrypt(results);
      for (const share of shares)
        expect(found[`all ${share}`]).toBeCloseTo(quantileOf(cells, share, all) as number, 12);
      expect(found['median']).toBeCloseTo(quantileOf(cells, 0.5, inner) as number, 12);
    }
    // Half of the cells and more lie before the first edge of some.
    const low = Array.from({ length: ROWS }, (_, at) => at % 2);
    const results = await program.run(await client.encrypt({ x: low }), client.evaluationKeys);
    const { median, 'all 0.5': half } = await client.decryptDetails(results);
    expect(median?.problem).toBeInstanceOf(UndefinedStatisticError);
    expect(half?.value).toBe(1.5);
    if (!missing) return;
    const none = await program.run(
      await client.encrypt({ x: Array(ROWS).fill(null) }),
      client.evaluationKeys,
    );
    expect((await client.decryptDetails(none))['all 0.5']?.problem).toBeInstanceOf(UndefinedStatisticError);
  });

  it('counts encrypted reals in bins', async () => {
    const task = createTask();
    const r = task.encrypted('r', { kind: 'real', shape: [ROWS], min: 0, max: 1 });
    const edges = [0, 0.25, 0.5, 1];
    task.output('bins', r.histogram(edges, { gap: 0.1 }));
    task.output('median', r.quantile(0.5, edges, { gap: 0.1 }));
    // None is near to an edge within.
    const cells = Array.from({ length: ROWS }, () => (random(8) + 0.5) / 8 - 0.0);
    const far = cells.map((cell) => (Math.abs(cell - 0.25) < 0.1 || Math.abs(cell - 0.5) < 0.1 ? 0.1 : cell));
    const program = await loom.compile(task);
    const client = await program.client();
    const found = await client.decrypt(
      await program.run(await client.encrypt({ r: far }), client.evaluationKeys),
    );
    expect(found['bins']).toEqual(inBins(far, edges));
    expect(found['median']).toBeCloseTo(quantileOf(far, 0.5, edges) as number, 9);
  });

  it('looks up what nobody else sees', async () => {
    const task = createTask();
    const [one, c] = [
      task.encrypted('one', { min: 0, max: 9 }),
      task.encrypted('c', { kind: 'category', categories: 3, shape: [2, 2] }),
    ];
    const many = task.encrypted('many', { shape: [6], min: 0, max: 3 });
    const own = task.plain('own', { shape: [10], min: 0, max: 99 });
    const rows = task.plain('rows', { shape: [3, 2], min: -9, max: 9, decimals: 1 });
    task.output('price', one.lookup([5, 4, 3, 2, 1, 10, 20, 30, 40, 0.5]));
    task.output('own', one.lookup(own));
    // 3 has no entry.
    task.output('many', many.lookup([7, 8, 9]));
    task.output('rows', c.lookup(rows));
    task.output('longer', c.lookup([1, 2, 3, 4]));
    task.output('row', one.lookup(own.reshape([5, 2])));
    const record = task.forEach({ many }, ({ many: at }) => at.lookup(own));
    task.output('in records', record);
    const table = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3];
    const pairs = [
      [1.5, -2],
      [0, 9],
      [-9, 0.1],
    ];
    const encrypted = { one: 9, many: [0, 1, 2, 3, 0, 2], c: [2, 0, 1, 2] };
    const found = await compute(loom, task, {
      encrypted: {
        ...encrypted,
        c: [
          [2, 0],
          [1, 2],
        ],
      },
      plain: { own: table, rows: pairs },
    });
    const entries = encrypted.c.map((at) => pairs[at]);
    expect(found).toEqual({
      price: 0.5,
      own: 3,
      many: [7, 8, 9, 0, 7, 9],
      rows: [entries.slice(0, 2), entries.slice(2)],
      longer: [
        [3, 1],
        [2, 3],
      ],
      row: [0, 0],
      'in records': encrypted.many.map((at) => table[at]),
    });
  });

  it('says what it cannot count', async () => {
    const task = createTask();
    const x = task.encrypted('x', { shape: [4], min: 0, max: 9 });
    const c = task.encrypted('c', { kind: 'category', categories: 3, shape: [4] });
    const refused = async (what: () => unknown): Promise<string> =>
      (await errorOf(Promise.resolve().then(what))).message;
    expect(await refused(() => x.counts())).toBe(
      'counts: expected a value of categories, found kind integer',
    );
    expect(await refused(() => c.histogram([0, 1]))).toContain('histogram: expected a value of kind integer');
    for (const edges of [[1], [2, 1], [1, 1], [0, Number.NaN], ['a', 'b']])
      expect(await refused(() => x.histogram(edges as number[]))).toContain(
        'histogram: expected 2 to 257 increasing numbers, the edges of bins, found',
      );
    for (const share of [0, 1.5, Number.NaN])
      expect(await refused(() => x.quantile(share, [0, 9]))).toContain(
        'quantile: expected a share above 0, at most 1',
      );
    expect(await refused(() => c.lookup([1, 2]))).toContain(
      'lookup: expected an entry for each of 3 categories',
    );
    expect(await refused(() => x.lookup(5))).toContain('lookup: expected a table, found');
    expect(await refused(() => task.forEach({ x }, (record) => record.x.histogram([0, 9])))).toContain(
      'histogram: of one record expected',
    );
  });
});
