// Comparisons of wide ranges, which are made digit by digit: what is recorded is the same for all builds.
import { createTask, load, type Loom, type Value } from 'cipherloom';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { random } from '../random.js';
import { BUILDS, threadsOf } from './builds.js';
import { compute } from './compute.js';
import { errorOf } from './error-of.js';

const RELATIONS = ['lessThan', 'atMost', 'greaterThan', 'atLeast', 'equals'] as const;
const TRUTH: Record<(typeof RELATIONS)[number], (x: number, y: number) => boolean> = {
  lessThan: (x, y) => x < y,
  atMost: (x, y) => x <= y,
  greaterThan: (x, y) => x > y,
  atLeast: (x, y) => x >= y,
  equals: (x, y) => x === y,
};

describe.each(BUILDS.filter((build) => build === 'threads' || build === 'native'))('the %s build', (mode) => {
  let loom: Loom;
  beforeAll(async () => {
    loom = await load({ mode, threads: threadsOf(mode) });
  });
  afterAll(() => loom?.dispose());

  it('compares numbers of a hundred thousand values with known ones, and with each other', async () => {
    const [n, least, most] = [40, -500, 99_999];
    const task = createTask();
    const [x, y] = ['x', 'y'].map((name) => task.encrypted(name, { shape: [n], min: least, max: most })) as [
      Value,
      Value,
    ];
    const own = task.plain('own', { shape: [n], min: 0, max: 200_000 });
    const cell = (): number => least + random(most - least + 1);
    const xs = Array.from({ length: n }, cell);
    // Some are equal, some nearly.
    const ys = xs.map((x, at) => (at % 4 === 0 ? x : at % 4 === 1 ? Math.min(x + 1, most) : cell()));
    const owns = xs.map((x, at) => (at % 3 === 0 ? Math.max(0, x) : random(200_001)));
    const limit = xs[3] as number;
    for (const relation of RELATIONS) task.output(`${relation} limit`, x[relation](limit));
    for (const relation of RELATIONS) task.output(`${relation} other`, x[relation](y));
    task.output('own', x.lessThan(own));
    task.output('larger', x.max(y));
    task.output('half', x.atLeast(limit + 0.5));
    const encrypted = { x: xs, y: ys };
    const found = await compute(loom, task, { encrypted, plain: { own: owns } });
    for (const relation of RELATIONS) {
      expect(found[`${relation} limit`]).toEqual(xs.map((x) => TRUTH[relation](x, limit)));
      expect(found[`${relation} other`]).toEqual(xs.map((x, at) => TRUTH[relation](x, ys[at] as number)));
    }
    expect(found['own']).toEqual(xs.map((x, at) => x < (owns[at] as number)));
    expect(found['larger']).toEqual(xs.map((x, at) => Math.max(x, ys[at] as number)));
    expect(found['half']).toEqual(xs.map((x) => x >= limit + 0.5));
  });

  it('compares what was moved, scaled and shifted', async () => {
    const task = createTask();
    const x = task.encrypted('x', { shape: [2, 3], min: 0, max: 5000, decimals: 2 });
    const w = task.encrypted('w', { shape: [3], min: -4000, max: 4000 });
    const g = task.encrypted('g', { shape: [3], min: 100, max: 9000, missing: true });
    const all: Record<string, Value> = {
      row: x.at(1).greaterThan(w),
      turned: x.rotate(1, 1).atMost(2500.25),
      wide: w.broadcast([2, 3]).lessThan(x),
      flat: x.reshape([6]).slice(1, 5).atLeast(1234.5),
      joined: w.concat([1000, -1000]).greaterThan(0),
      negative: w.negate().lessThan(17),
      shifted: w.add(1000).greaterThan(x.at(0)),
      less: w.sub(300).atLeast(-3999),
      from: task.constant(5000).sub(w).atMost(4321),
      filled: g.filled().greaterThan(99),
      known: g.filled().lessThan(4000).and(g.present()),
      bounded: w.within(-2000, 2000).greaterThan(1),
      'in records': task.forEach({ w, x: x.at(0) }, (record) =>
        record.w.greaterThan(record.x).and(record.w.lessThan(4000)),
      ),
      lookup: x.at(0, 0).greaterThan(1).select(1, 0),
    };
    for (const [name, value] of Object.entries(all)) task.output(name, value);
    const xs = [
      [12.34, 5000, 0],
      [2500.25, 2500.26, 1999],
    ];
    const ws = [-1999, 1999, 17];
    const gs = [100, null, 4000];
    const found = await compute(loom, task, { encrypted: { x: xs, w: ws, g: gs } });
    const [first, second] = xs as [number[], number[]];
    const flat = [...first, ...second];
    expect(found).toEqual({
      row: second.map((x, at) => x > (ws[at] as number)),
      turned: xs.map((row) => [row[1], row[2], row[0]].map((x) => (x as number) <= 2500.25)),
      wide: xs.map((row) => row.map((x, at) => (ws[at] as number) < x)),
      flat: flat.slice(1, 5).map((x) => x >= 1234.5),
      joined: [...ws, 1000, -1000].map((w) => w > 0),
      negative: ws.map((w) => -w < 17),
      shifted: ws.map((w, at) => w + 1000 > (first[at] as number)),
      less: ws.map((w) => w - 300 >= -3999),
      from: ws.map((w) => 5000 - w <= 4321),
      filled: [true, false, true],
      known: [true, false, false],
      bounded: ws.map((w) => w > 1),
      'in records': ws.map((w, at) => w > (first[at] as number) && w < 4000),
      lookup: 1,
    });
  });

  it('compares days of decades, many categories, and numbers of forty digits', async () => {
    const task = createTask();
    const born = task.encrypted('born', { kind: 'date', shape: [4], min: '1920-01-01', max: '2026-12-31' });
    const code = task.encrypted('code', { kind: 'category', categories: 100_000, shape: [4] });
    const huge = task.encrypted('huge', { shape: [4], min: 0, max: 10n ** 36n });
    task.output('of age', born.atMost('2008-11-29'));
    task.output('old', born.add(365 * 67).lessThan(new Date('2026-11-29')));
    task.output('this', code.equals(31_415).count());
    task.output('more', huge.greaterThan(10n ** 35n));
    const encrypted = {
      born: ['2008-11-29', '2008-11-30', '1950-02-28', '1920-01-01'],
      code: [31_415, 31_416, 99_999, 31_415],
      huge: [10n ** 35n, 10n ** 35n + 1n, 0, 10n ** 36n],
    };
    expect(await compute(loom, task, { encrypted })).toEqual({
      'of age': [true, false, true, true],
      old: [false, false, true, true],
      this: 2,
      more: [false, true, false, true],
    });
  });

  it('compares them as they are beside encrypted reals', async () => {
    const task = createTask();
    const age = task.encrypted('age', { shape: [4], min: 0, max: 63 });
    const r = task.encrypted('r', { kind: 'real', shape: [4], min: -1, max: 1 });
    task.output('young', age.lessThan(18).select(r, 0).sum());
    expect(task.literal().inputs.map(({ name }) => name)).toEqual(['age', 'r']);
    expect(task.literal(false).inputs.length).toBe(3);
    const encrypted = { age: [17, 18, 0, 63], r: [0.5, 0.25, -1, 0.125] };
    const found = await compute(loom, task, { encrypted }, { precision: 16 });
    expect(found['young']).toBeCloseTo(-0.5, 3);
  });

  it('takes what was encrypted for one program in another one, and says where digits are wanted', async () => {
    const [sums, counts] = [createTask(), createTask()];
    const options = { shape: [4], min: 0, max: 99_999 };
    const x = counts.encrypted('x', options);
    counts.output('more', x.greaterThan(500).count());
    counts.output('sum', x.sum());
    sums.output('sum', sums.encrypted('x', options).sum());
    const [first, second] = await loom.compileAll([counts, sums]);
    expect(first?.info.inputs.map(({ name, digitsOf }) => [name, digitsOf])).toEqual([
      ['x', undefined],
      ['x: 6 digits of x - 0', 'x'],
    ]);
    using client = await first!.client();
    using other = await second!.restoreClient(await client.save());
    const cells = [500, 501, 99_999, 0];
    const inputs = await client.encrypt({ x: cells });
    expect(await client.decrypt(await first!.run(inputs, client.evaluationKeys))).toEqual({
      more: 2,
      sum: 101_000,
    });
    expect(await other.decrypt(await second!.run(inputs, other.evaluationKeys))).toEqual({ sum: 101_000 });
    const plain = await other.encrypt({ x: cells });
    expect((await errorOf(first!.run(plain, client.evaluationKeys))).message).toContain(
      'Input "x" was encrypted without what this program compares (6 digits of x - 0)',
    );
    expect((await errorOf(client.encrypt({ x: cells, 'x: 6 digits of x - 0': [0] }))).message).toContain(
      'The program has no encrypted input "x: 6 digits of x - 0"; it has x',
    );
  });

  it('keeps digits with the value that they are of, whatever that is given for', async () => {
    const task = createTask();
    const options = { shape: [2], min: 0, max: 9999 };
    // Names that are as long as names may be, and alike but for their ends.
    const [first, second] = ['a', 'b'].map((end) => `${'é'.repeat(127)}${end}`) as [string, string];
    const [x, y] = [task.encrypted(first, options), task.encrypted(second, options)];
    task.output('less', x.lessThan(y));
    task.output('difference', y.sub(x));
    task.output('more', y.greaterThan(x));
    using program = await loom.compile(task);
    using client = await program.client();
    const inputs = await client.encrypt({ [first]: [1, 9999], [second]: [5, 0] });
    expect(Object.keys(inputs)).toEqual([first, second]);
    const keys = client.evaluationKeys;
    expect(await client.decrypt(await program.run(inputs, keys))).toEqual({
      less: [true, false],
      difference: [4, -9999],
      more: [true, false],
    });
    const turned = { [first]: inputs[second]!, [second]: inputs[first]! };
    expect(await client.decrypt(await program.run(turned, keys), { inputs: turned })).toEqual({
      less: [false, true],
      difference: [-4, 9999],
      more: [false, true],
    });
    using held = await program.hold({ [first]: inputs[second]! }, keys);
    const run = await held.run({ [second]: inputs[second]! });
    expect(await client.decrypt(run)).toEqual({
      less: [false, false],
      difference: [0, 0],
      more: [false, false],
    });
    // Digits of one value behind another one, as nobody joins them, are not missed.
    const cut = inputs[first]!.subarray(0, inputs[first]!.length - 1);
    expect((await errorOf(program.run({ ...inputs, [first]: cut }, keys))).code).toMatch(/^format\./);
  });

  it('does without digits where there is no room for them, and with known factors', async () => {
    const task = createTask();
    const x = task.encrypted('x', { shape: [2, ...Array<number>(15).fill(1)], min: 0, max: 100 });
    const y = task.encrypted('y', { shape: [3], min: 0, max: 1000 });
    const far = task.plain('far', { shape: [3], min: 200_000, max: 300_000 });
    task.output('sixteen', x.at(0).reshape([1]).lessThan(5));
    task.output('times', y.multiply(10).lessThan(5000));
    task.output('fine', y.equals(1e-30));
    task.output('far', y.lessThan(far));
    const given = {
      x: [4, 50].map((cell) =>
        Array<unknown>(15)
          .fill(0)
          .reduce((inner) => [inner], cell),
      ),
      y: [499, 500, 0],
    };
    const found = await compute(loom, task, {
      encrypted: given as never,
      plain: { far: [200_000, 300_000, 250_000] },
    });
    expect(found).toEqual({
      sixteen: [true],
      times: [true, false, true],
      fine: [false, false, false],
      far: [true, true, true],
    });
    expect((await errorOf(createAndRun())).message).toContain('Input "far" is missing');

    async function createAndRun(): Promise<unknown> {
      using program = await loom.compile(task);
      using client = await program.client();
      return program.run(await client.encrypt(given as never), client.evaluationKeys);
    }
  });

  it('is told by bounds where these decide, whatever stands beside', async () => {
    const task = createTask();
    const x = task.encrypted('x', { shape: [3], min: 5000, max: 5100 });
    const y = task.encrypted('y', { shape: [2], min: 0, max: 10_000, decimals: 5 });
    task.output('several', x.lessThan([1, 2, 3]));
    task.output('one', x.lessThan(1));
    task.output('none', x.equals([1, 2, 3]));
    task.output('least', x.min([1, 2, 3]));
    task.output('beside a gap', y.greaterThan(-0.00001, { gap: 0.5 }));
    task.output('found', task.encrypted('z', { min: 1e9, max: 1e9 + 3 }).lookup([1, 2]));
    const encrypted = { x: [5000, 5050, 5100], y: [0, 10_000], z: 1e9 };
    expect(await compute(loom, task, { encrypted })).toEqual({
      several: [false, false, false],
      one: [false, false, false],
      none: [false, false, false],
      least: [1, 2, 3],
      'beside a gap': [true, true],
      found: 0,
    });
  });

  it('says which value is not there, or damaged', async () => {
    const task = createTask();
    const x = task.encrypted('x', { shape: [3], min: -5, max: 1_000_000 });
    const own = task.plain('own', { shape: [3], min: 0, max: 1_000_000 });
    task.output('y', x.atMost(own));
    using program = await loom.compile(task);
    using client = await program.client();
    const { x: bytes } = await client.encrypt({ x: [-5, 7, 1_000_000] });
    using held = await program.hold({ x: bytes! }, client.evaluationKeys);
    expect((await errorOf(held.run())).message).toBe('Input "own" is missing');
    using all = await program.hold({ x: bytes! }, client.evaluationKeys, {
      plain: { own: [0, 6, 1_000_000] },
    });
    expect(await client.decrypt(await all.run())).toEqual({ y: [true, false, true] });
    const changed = (change: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array): Promise<string> => {
      const given = { x: change(Uint8Array.from(bytes!)) };
      return errorOf(program.run(given, client.evaluationKeys, { plain: { own: [0, 0, 0] } })).then(
        ({ code }) => code,
      );
    };
    const valueLength = new DataView(bytes!.buffer, bytes!.byteOffset).getUint32(13, true) + 37;
    const flipped = (at: number) => (bytes: Uint8Array) => {
      bytes[at]! ^= 1;
      return bytes;
    };
    expect(await changed(flipped(valueLength + 75))).toMatch(/^format\./);
    expect(await changed((bytes) => Uint8Array.from(Buffer.concat([bytes, Uint8Array.of(1, 2, 3)])))).toMatch(
      /^format\./,
    );
    expect(await changed(flipped(13))).toMatch(/^format\./);
    expect(await changed(() => new Uint8Array())).toMatch(/^format\./);
    expect(await changed((bytes) => bytes.subarray(0, valueLength))).toBe('input.missing');
  });
});
