// Secret sharing in the built package: known answers, random programs against a model of BigInt, what crosses, and what is refused.
import {
  bit,
  type Approximation,
  approximation,
  f32,
  f64,
  i32,
  i64,
  load,
  type Loom,
  type Operand,
  type RunInputs,
  type SharedGraph,
  type TensorType,
  type,
  u32,
  u64,
  u8,
} from 'cipherloom';
import { freshSeeds, type SharedTensor, type Shares, shares, type SharesOptions } from 'cipherloom/parties';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { random, randomBigInt } from '../random.js';
import { canTruncate, common, differences, exact, type Model, model } from '../shares-model.js';
import { threadsOf } from './builds.js';
import { errorOf } from './error-of.js';
import { together } from './together.js';

let loom: Loom;
beforeAll(async () => {
  loom = await load({ mode: 'single', threads: threadsOf('single') });
});
afterAll(() => loom.dispose());

const NAMES = ['a', 'b', 'c', 'e'];
const TWO: SharesOptions = { holders: ['a', 'b'], dealer: 'd' };
const words = (...values: number[]): BigInt64Array => BigInt64Array.from(values, BigInt);

/** A graph with shares in it, and what a party gets of each. */
function sharing(options: SharesOptions = TWO) {
  const g = loom.graph({ unit: 64 });
  const s = shares(g, options);
  const output = (party: string, name: string, x: SharedTensor): void =>
    g.party(party).output(name, s.open(x, party));
  return { g, s, output };
}

/** A shared graph of x from a and y from b, and what is opened of it to a. */
async function graphOf(
  of: (s: Shares, x: SharedTensor, y: SharedTensor) => SharedTensor,
  shape: readonly number[] = [4],
  options?: SharesOptions,
): Promise<SharedGraph> {
  const { g, s, output } = sharing(options);
  const [x, y] = [s.input('a', 'x', i64(...shape)), s.input('b', 'y', i64(...shape))];
  output('a', 'z', of(s, x, y));
  return g.share();
}

const two = (x: BigInt64Array, y: BigInt64Array): Record<string, RunInputs> => ({ a: { x }, b: { y } });

describe('integers', () => {
  it('are added, multiplied and moved, and opened to a holder, an owner and anybody else', async () => {
    const { g, s, output } = sharing();
    const x = s.input('a', 'x', i64(3));
    const y = s.input('b', 'y', i64(3));
    const m = s.input('owner', 'm', i32(2, 3));
    output('a', 'sum', s.add(x, y));
    output('b', 'difference', s.sub(x, y));
    output('owner', 'product', s.multiply(x, y));
    output('reader', 'square', s.square(s.negate(y)));
    output('reader', 'matrix', s.matmul(m, s.transpose(m)));
    output('reader', 'column', s.matmul(m, y));
    output('reader', 'row', s.matmul(x, s.transpose(m)));
    output('reader', 'total', s.sum(s.sum(m, 1), 0));
    output('reader', 'public', s.plus(s.times(x, -3n), { type: i64(2, 1), data: words(100, 200) }));
    output('reader', 'box', s.slice(s.concat([m, m], 1), [0, 2], [2, 3]));
    output('reader', 'shape', s.reshape(m, [3, 2]));
    const shared = await g.share();
    expect(shared.parties).toEqual(['a', 'b', 'd', 'owner', 'reader']);
    const { outputs } = await together(shared, {
      ...two(words(1, 2, 3), words(4, -5, 6)),
      owner: { m: Int32Array.of(1, -2, 3, 4, 5, -6) },
    });
    expect(outputs['a']).toEqual({ sum: words(5, -3, 9) });
    expect(outputs['b']).toEqual({ difference: words(-3, 7, -3) });
    expect(outputs['owner']).toEqual({ product: words(4, -10, 18) });
    expect(outputs['d']).toEqual({});
    expect(outputs['reader']).toEqual({
      square: words(16, 25, 36),
      matrix: words(14, -24, -24, 77),
      column: words(32, -45),
      row: words(6, -4),
      total: words(5),
      public: words(97, 94, 91, 197, 194, 191),
      box: words(3, 1, -2, -6, 4, 5),
      shape: words(1, -2, 3, 4, 5, -6),
    });
  });

  it.each([
    [[1, 2, 3, 4], 40],
    [[2, 3, 5, 7], 182],
  ])('give what K-P1 does, without a value in the clear: %j', async ([v1, v2, v3, v4], r) => {
    const { g, s, output } = sharing();
    const [one, two] = [s.input('a', 'v1', i64(1)), s.input('a', 'v2', i64(1))];
    const [three, four] = [s.input('b', 'v3', i64(1)), s.input('b', 'v4', i64(1))];
    output('b', 'r', s.add(four, s.multiply(s.add(one, two), s.multiply(three, four))));
    const { outputs } = await together(await g.share(), {
      a: { v1: words(v1 as number), v2: words(v2 as number) },
      b: { v3: words(v3 as number), v4: words(v4 as number) },
    });
    expect(outputs['b']).toEqual({ r: words(r) });
  });

  it('wrap around, and come of any element', async () => {
    const { g, s, output } = sharing({ holders: ['a', 'b', 'c'], dealer: 'd' });
    const top = s.input('a', 'top', i64(1));
    output('b', 'twice', s.add(top, top));
    output('b', 'square', s.square(s.plus(top, 1n)));
    output('b', 'bytes', s.input('c', 'bytes', u8(8)));
    output('b', 'bits', s.sum(s.input('c', 'bits', bit(64)), 0));
    output('b', 'halves', s.input('c', 'halves', u32(2)));
    output('b', 'words', s.input('c', 'words', u64(1)));
    const { outputs } = await together(await g.share(), {
      a: { top: BigInt64Array.of(2n ** 63n - 1n) },
      c: {
        bytes: Uint8Array.of(0, 255, 2, 3, 4, 5, 6, 7),
        bits: new Uint8Array(64).fill(1, 60),
        halves: Uint32Array.of(7, 2 ** 32 - 1),
        words: BigUint64Array.of(2n ** 64n - 1n),
      },
    });
    expect(outputs['b']).toEqual({
      twice: words(-2),
      square: words(0),
      bytes: words(0, 255, 2, 3, 4, 5, 6, 7),
      bits: words(4),
      halves: words(7, 2 ** 32 - 1),
      words: words(-1),
    });
  });
});

describe('reals', () => {
  it('are rounded to the nearest, ties away from 0, and cut off', async () => {
    const { g, s } = sharing({ ...TWO, fraction: 2 });
    const x = s.input('a', 'x', f64(8));
    const small = s.input('a', 'small', f32(2));
    g.party('b').output('x', s.openReal(x, 'b'));
    g.party('b').output('integers', s.open(x, 'b'));
    g.party('b').output('small', s.openReal(small, 'b'));
    const { outputs } = await together(await g.share(), {
      a: {
        x: Float64Array.of(1.1, -1.1, 0.125, -0.125, 0.124, 1e300, -Infinity, NaN),
        small: Float32Array.of(0.5, -3.25),
      },
    });
    const cut = 2 ** 60;
    expect(outputs['b']).toEqual({
      x: Float64Array.of(1, -1, 0.25, -0.25, 0, cut, -cut, 0),
      integers: BigInt64Array.of(4n, -4n, 1n, -1n, 0n, 2n ** 62n, -(2n ** 62n), 0n),
      small: Float64Array.of(0.5, -3.25),
    });
  });

  it('are multiplied and truncated; the one with fewer bits behind the point gets more', async () => {
    const { g, s } = sharing();
    const [x, y] = [s.input('a', 'x', f64(3)), s.input('b', 'y', f64(3))];
    const product = s.multiply(x, y);
    expect([x, product, s.truncate(product), s.add(product, x)].map(({ fraction }) => fraction)).toEqual([
      16, 32, 16, 32,
    ]);
    g.party('a').output('z', s.openReal(s.plus(s.add(product, x), 0.5), 'a'));
    g.party('a').output('half', s.openReal(s.times(x, 0.5), 'a'));
    const { outputs } = await together(await g.share(), {
      a: { x: Float64Array.of(1.5, -2, 0.25) },
      b: { y: Float64Array.of(2, 3.5, -8) },
    });
    expect(outputs['a']).toEqual({
      z: Float64Array.of(5, -8.5, -1.25),
      half: Float64Array.of(0.75, -1, 0.125),
    });
  });
});

describe('truncation', () => {
  const EDGE = [-(2n ** 62n), 2n ** 62n - 1n, 0n, -1n, 1n, -(2n ** 62n) + 1n, 2n ** 60n, -(2n ** 61n)];
  const BITS = [1, 16, 30, 31, 59, 60];

  it.each([2, 3, 4])(
    'rounds down or up, is exact where it can be, and never fails: %i holders',
    async (count) => {
      const { g, s, output } = sharing({ holders: NAMES.slice(0, count), dealer: 'd', fraction: 30 });
      const size = 512;
      // Times 2^-30 the integers stay what they are, with 30 bits behind the point.
      const x = s.times(s.times(s.input('a', 'x', i64(size)), 2 ** -30), 2 ** -30);
      expect(x.fraction).toBe(60);
      for (const bits of BITS) output('b', `${bits}`, s.truncate(x, bits));
      const values = Array.from({ length: size }, (_, at) => EDGE[at] ?? randomBigInt(2n ** 62n));
      const { outputs } = await together(await g.share(), { a: { x: BigInt64Array.from(values) } });
      const wide = exact([size], 60, values);
      for (const bits of BITS) {
        const found = outputs['b']?.[`${bits}`] as BigInt64Array;
        expect(differences(model.truncate(wide, bits), found), `${bits} bits`).toEqual([]);
      }
    },
  );

  it('is right on average', async () => {
    const { g, s, output } = sharing();
    const size = 65536;
    const x = s.times(s.input('a', 'x', i64(size)), 2 ** -16);
    output('b', 'z', s.truncate(x, 16));
    // 1/4 of a unit in the last place.
    const quarter = new BigInt64Array(size).fill(-(2n ** 16n) + 2n ** 14n);
    const { outputs } = await together(await g.share(), { a: { x: quarter } });
    const up = (outputs['b']?.['z'] as BigInt64Array).reduce((all, value) => all + value + 1n, 0n);
    // 16384 expected; five times the deviation of 111.
    expect(Math.abs(Number(up) - size / 4)).toBeLessThan(555);
  });
});

describe('polynomials', () => {
  /** The largest slope of an approximation in u, which is -1 to 1 on its range. */
  function slope({ from, to, at }: Approximation): number {
    const step = (to - from) / 4096;
    const slopes = Array.from(
      { length: 4096 },
      (_, i) => Math.abs(at(from + (i + 1) * step) - at(from + i * step)) * 2048,
    );
    return 1.01 * Math.max(...slopes);
  }

  it.each([12, 20])('are as near as they say, for %i bits', async (fraction) => {
    const { g, s } = sharing({ ...TWO, fraction });
    const size = 256;
    const x = s.input('a', 'x', f64(size));
    const sigmoid = approximation((at) => 1 / (1 + Math.exp(-at)), { from: -8, to: 8, degree: 3 });
    const tanh = approximation(Math.tanh, { from: -3, to: 5, degree: 7 });
    const b = g.party('b');
    b.output('cubic', s.openReal(s.polynomial(x, [1, -0.3, 0, 0.2]), 'b'));
    b.output('sigmoid', s.openReal(s.sigmoid(x), 'b'));
    b.output('tanh', s.openReal(s.approximate(x, tanh), 'b'));
    // What shares hold of them exactly.
    const values = Float64Array.from({ length: size }, (_, at) => -3 + (at * 6) / size);
    const { outputs } = await together(await g.share(), { a: { x: values } });
    const check = (name: string, right: (x: number) => number, bound: (x: number) => number): void =>
      (outputs['b']?.[name] as Float64Array).forEach((found, at) => {
        const x = values[at] as number;
        expect(Math.abs(found - right(x)), `${name} of ${x}`).toBeLessThanOrEqual(2 ** -fraction * bound(x));
      });
    check(
      'cubic',
      (x) => 1 - 0.3 * x + 0.2 * x ** 3,
      (x) => 1 + Math.abs(x) + x ** 2 + Math.abs(x) ** 3,
    );
    const off = (of: Approximation): number => {
      const half = (of.to - of.from) / 2;
      return of.degree + 1 + slope(of) * (1 + half / 2 + 1 / (2 * half));
    };
    check('sigmoid', sigmoid.at, () => off(sigmoid));
    check('tanh', tanh.at, () => off(tanh));
    expect(sigmoid.error).toBeLessThan(0.12);
  });
});

describe('random programs', () => {
  interface Value {
    readonly shared: SharedTensor;
    readonly model: Model;
  }

  const pick = <T>(all: readonly T[]): T => all[random(all.length)] as T;
  const LARGE = 2n ** 63n;

  /** Inputs of any party, integers of any size or reals. */
  function input(s: Shares, name: string, data: Record<string, RunInputs>): Value {
    const shape = [1 + random(3), 1 + random(3)];
    const [party, size] = [pick([...s.holders, 'owner']), (shape[0] as number) * (shape[1] as number)];
    if (random(2) === 0) {
      const limit = pick([4n, 2n ** 20n, LARGE]);
      const values = Array.from({ length: size }, () => randomBigInt(limit));
      data[party] = { ...data[party], [name]: BigInt64Array.from(values) };
      return { shared: s.input(party, name, i64(...shape)), model: exact(shape, 0, values) };
    }
    // Sixteenths of the last place: some are ties.
    const sixteenths = Array.from({ length: size }, () => random(2 ** 26) - 2 ** 25);
    const scale = 16 * 2 ** s.fraction;
    data[party] = { ...data[party], [name]: Float64Array.from(sixteenths, (k) => k / scale) };
    const nearest = sixteenths.map((k) => BigInt(Math.sign(k) * Math.floor((Math.abs(k) + 8) / 16)));
    return { shared: s.input(party, name, f64(...shape)), model: exact(shape, s.fraction, nearest) };
  }

  /** One more value; undefined where what was chosen does not fit. */
  function step(s: Shares, pool: readonly Value[]): Value | undefined {
    const [x, y] = [pick(pool), pick(pool)];
    const of = (shared: SharedTensor, model: Model): Value => ({ shared, model });
    const fits = common(x.model.shape, y.model.shape) !== undefined;
    const bits = x.model.fraction + y.model.fraction;
    switch (random(12)) {
      case 0:
        return fits ? of(s.add(x.shared, y.shared), model.add(x.model, y.model)) : undefined;
      case 1:
        return fits ? of(s.sub(x.shared, y.shared), model.add(x.model, model.negate(y.model))) : undefined;
      case 2:
        return of(s.negate(x.shared), model.negate(x.model));
      case 3: {
        const c = randomBigInt(2n ** 20n);
        const [factor, summand] = [exact([], 0, [c]), exact([], 0, [c])];
        if (random(2) === 0) return of(s.times(x.shared, c), model.multiply(x.model, factor));
        return x.model.fraction > 40 ? undefined : of(s.plus(x.shared, c), model.add(x.model, summand));
      }
      case 4: {
        const k = random(2 ** 12) - 2 ** 11;
        const c = exact([], s.fraction, [BigInt(k)]);
        if (x.model.fraction + s.fraction > 60) return undefined;
        return of(s.times(x.shared, k / 2 ** s.fraction), model.multiply(x.model, c));
      }
      case 5:
      case 6:
        if (!fits || bits > 60) return undefined;
        return of(s.multiply(x.shared, y.shared), model.multiply(x.model, y.model));
      case 7:
        if (2 * x.model.fraction > 60) return undefined;
        return of(s.square(x.shared), model.square(x.model));
      case 8: {
        const right =
          y.model.shape[0] === x.model.shape[1] ? y : of(s.transpose(x.shared), model.transpose(x.model));
        if (x.model.shape.length !== 2 || right.model.shape.length !== 2) return undefined;
        if (x.model.fraction + right.model.fraction > 60) return undefined;
        return of(s.matmul(x.shared, right.shared), model.matmul(x.model, right.model));
      }
      case 9: {
        const axis = random(2);
        const total = of(s.sum(x.shared, axis), model.sum(x.model, axis));
        const shape = [1, ...total.model.shape];
        return of(s.reshape(total.shared, shape), model.reshape(total.model, shape));
      }
      case 10: {
        const axis = random(2);
        const all = of(s.concat([x.shared, x.shared], axis), model.concat([x.model, x.model], axis));
        const size = all.model.shape.map((dimension) => Math.ceil(dimension / 2));
        const start = all.model.shape.map((dimension, at) => random(dimension - (size[at] as number) + 1));
        return of(s.slice(all.shared, start, size), model.slice(all.model, start, size));
      }
      default: {
        const m = Math.min(x.model.fraction, 1 + random(s.fraction));
        if (m === 0 || !canTruncate(x.model)) return undefined;
        return of(s.truncate(x.shared, m), model.truncate(x.model, m));
      }
    }
  }

  // 25 graphs of 4 programs each for 2 and for 3 holders, 13 for 4.
  it.each([
    [2, 25],
    [3, 25],
    [4, 13],
  ])('of %i holders give what the model says', { timeout: 300_000 }, async (count, graphs) => {
    for (let graph = 0; graph < graphs; graph++) {
      const { g, s, output } = sharing({
        holders: NAMES.slice(0, count),
        dealer: 'd',
        fraction: 8 + random(13),
      });
      const data: Record<string, RunInputs> = {};
      const wanted: { party: string; name: string; value: Value }[] = [];
      for (let program = 0; program < 4; program++) {
        const pool = [0, 1, 2].map((at) => input(s, `${program}.${at}`, data));
        while (pool.length < 9) {
          const next = step(s, pool);
          if (next !== undefined) pool.push(next);
        }
        for (const [at, value] of pool.slice(3).entries()) {
          const [party, name] = [pick([...s.holders, 'reader']), `${program}: ${at}`];
          output(party, name, value.shared);
          wanted.push({ party, name, value });
        }
      }
      const shared = await g.share();
      const { outputs, crossed } = await together(
        shared,
        data,
        random(2) === 0 ? undefined : (cut) => cut.optimize(),
      );
      expect([...crossed.values()].map(({ crossing }) => crossing.to)).not.toContain('d');
      for (const { party, name, value } of wanted) {
        const found = outputs[party]?.[name] as BigInt64Array;
        expect(differences(value.model, found), `graph ${graph}, ${name}`).toEqual([]);
      }
    }
  });
});

describe('what crosses', () => {
  /** Pearson's statistic over the bytes, standardized: about normal with mean 0 and deviation 1 where they are uniform. */
  function flatness(values: BigUint64Array): number {
    const counts = new Float64Array(256);
    new Uint8Array(values.buffer).forEach((byte) => (counts[byte] = (counts[byte] as number) + 1));
    const expected = (8 * values.length) / 256;
    const statistic = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    return (statistic - 255) / Math.sqrt(2 * 255);
  }

  /** x from a, y from b, z = trunc(x y) + x y again, squared: opened to a reader who is no holder. */
  async function everything(holders: readonly string[], size: number): Promise<SharedGraph> {
    const { g, s, output } = sharing({ holders, dealer: 'd' });
    const [x, y] = ['a', 'b'].map((party) => s.times(s.input(party, party, i64(size)), 2 ** -16)) as [
      SharedTensor,
      SharedTensor,
    ];
    const product = s.truncate(s.multiply(x, y), 16);
    output(
      'reader',
      'z',
      s.square(
        s.add(product, s.truncate(s.matmul(s.sum(s.reshape(y, [size, 1]), 0), s.reshape(x, [1, size])), 16)),
      ),
    );
    return g.share();
  }

  it.each([2, 3])('is uniform, whatever the inputs are: %i holders', async (count) => {
    const size = 4096;
    const shared = await everything(NAMES.slice(0, count), size);
    const inputs = [0n, -1n, 1n, 2n ** 30n].map((value) => new BigInt64Array(size).fill(value));
    for (const x of inputs) {
      const { crossed } = await together(shared, { a: { a: x }, b: { b: x } });
      const large = [...crossed.values()].filter(({ words }) => words.length === size);
      expect(large.length).toBeGreaterThan(20);
      expect([...crossed.values()].map(({ crossing }) => crossing.to)).not.toContain('d');
      for (const [at, { crossing, words }] of large.entries()) {
        const { producer, from, to } = crossing;
        const where = `${producer} from ${from} to ${to}, inputs ${x[0]}`;
        expect(Math.abs(flatness(words)), where).toBeLessThan(8);
        expect(new Set(words).size, where).toBe(size);
        // Nor do two of them tell together: what was masked alike would show.
        for (const other of large.slice(0, at)) {
          if (other.crossing.to !== to || to === 'reader') continue;
          const difference = words.map((word, i) => word - (other.words[i] as bigint));
          expect(Math.abs(flatness(difference)), `${where} less ${other.crossing.producer}`).toBeLessThan(8);
        }
      }
    }
  });

  it('follows from seeds alone but for what is masked, which moves by as much as the input', async () => {
    const size = 16;
    const shared = await graphOf((s, x, y) => s.multiply(x, y), [size]);
    const seeds: Record<string, RunInputs> = {};
    for (const party of ['a', 'b', 'd']) seeds[party] = freshSeeds(await shared.cut(party));
    const run = (x: bigint, y: bigint) =>
      together(shared, {
        a: { ...seeds['a'], x: new BigInt64Array(size).fill(x) },
        b: { ...seeds['b'], y: new BigInt64Array(size).fill(y) },
        d: { ...seeds['d'] },
      });
    const moved = async (x: bigint, y: bigint): Promise<string[]> => {
      const [before, after] = [await run(0n, 0n), await run(x, y)];
      const all: string[] = [];
      for (const [channel, { crossing, words: old }] of before.crossed) {
        const words = after.crossed.get(channel)?.words as BigUint64Array;
        const steps = new Set(words.map((word, at) => word - (old[at] as bigint)));
        if (!steps.has(0n) || steps.size > 1)
          all.push(
            `${crossing.from} to ${crossing.to} by ${[...steps].map((step) => BigInt.asIntN(64, step))}`,
          );
      }
      return all;
    };
    // x's own share is a's, y's is b's: each tells the other the masked difference, which all of the input is in. b's share of
    // the product is D b + a E, which moves, too, under c.
    const x = await moved(5n, 0n);
    expect(x.filter((line) => line === 'a to b by 5')).toHaveLength(1);
    expect(x.filter((line) => line !== 'a to b by 5').every((line) => line.startsWith('b to a by'))).toBe(
      true,
    );
    expect(x).toHaveLength(2);
    const y = await moved(0n, -7n);
    expect(y.filter((line) => line === 'b to a by -7')).toHaveLength(1);
    expect(y).toHaveLength(2);
  });

  it('is never masked twice with the same words, neither in a graph nor in two runs', async () => {
    const shared = await graphOf((s, x, y) => s.add(s.multiply(x, y), s.multiply(x, y)), [8]);
    const data = two(words(1, 1, 1, 1, 1, 1, 1, 1), words(2, 2, 2, 2, 2, 2, 2, 2));
    // With all passes, which merge what is alike.
    const [one, other] = [
      await together(shared, data, (cut) => cut.optimize()),
      await together(shared, data, async (cut) => (await cut.expand({ platform: 'simd' })).optimize()),
    ];
    expect(one.outputs['a']).toEqual({ z: new BigInt64Array(8).fill(4n) });
    const all = [one, other].flatMap(({ crossed }) =>
      [...crossed.values()].flatMap(({ words }) => [...words]),
    );
    expect(new Set(all).size).toBe(all.length);
    const own = one.crossed.size;
    // 2 shares; of each product 3 from the dealer to each holder, D and E both ways; 1 result.
    expect(own).toBe(2 + 2 * (6 + 4) + 1);
  });

  it.each([2, 3, 4])('has the size that is stated: %i holders', async (n) => {
    const holders = NAMES.slice(0, n);
    const [x, y, z] = [12, 20, 15];
    const bytes = async (of: (s: Shares, x: SharedTensor, y: SharedTensor) => SharedTensor) => {
      const { g, s, output } = sharing({ holders, dealer: 'd' });
      const [a, b] = [s.input('a', 'x', f64(3, 4)), s.input('b', 'y', f64(4, 5))];
      const result = of(s, a, b);
      output('reader', 'z', result);
      const shared = await g.share();
      let [dealt, between] = [0, 0];
      for (const party of shared.parties) {
        const { leaves } = await shared.cut(party);
        for (const { to, bytes } of leaves) {
          if (to === 'reader') continue;
          if (party === 'd') dealt += bytes / 8;
          else between += bytes / 8;
        }
      }
      return { dealt: dealt / n, between: between / (n * (n - 1)) };
    };
    // What sharing alone sends: x and y, 1 size to each other holder, spread over all pairs.
    const shared = (x + y) / n;
    const round = ({ dealt, between }: { dealt: number; between: number }) => [dealt, between - shared];
    const near = (numbers: number[]) => numbers.map((number) => expect.closeTo(number, 9) as number);
    expect(round(await bytes((s, a, b) => s.matmul(a, b)))).toEqual(near([x + y + z, x + y]));
    expect(round(await bytes((s, a, b) => s.add(s.truncate(a, 8), s.slice(b, [0, 0], [3, 4]))))).toEqual(
      near([3 * x, x]),
    );
    expect(round(await bytes((s, a, b) => s.add(s.square(a), s.slice(b, [0, 0], [3, 4]))))).toEqual(
      near([2 * x, x]),
    );
    expect(round(await bytes((s, a, b) => s.multiply(a, s.slice(b, [0, 0], [3, 4]))))).toEqual(
      near([3 * x, 2 * x]),
    );
  });
});

describe('rounds', () => {
  /** How many values have to cross one after the other before the last operator of a holder is done. */
  async function rounds(of: (s: Shares, x: SharedTensor, y: SharedTensor) => SharedTensor): Promise<number> {
    const { g, s } = sharing({ holders: ['a', 'b', 'c'], dealer: 'd' });
    of(s, s.input('a', 'x', f64(4, 4)), s.input('b', 'y', f64(4, 4)));
    const shared = await g.share();
    const owner = new Map<number, string>();
    for (const party of shared.parties)
      (await shared.cut(party)).own.forEach((number) => owner.set(number, party));
    const { operators } = await (await shared.circuit()).analyze();
    const depths: number[] = [];
    operators.forEach(({ dependsOn }, number) => {
      const depth = [...dependsOn].map(
        (other) =>
          (depths[other] as number) + (owner.has(other) && owner.get(other) !== owner.get(number) ? 1 : 0),
      );
      depths.push(Math.max(0, ...depth));
    });
    return Math.max(...depths);
  }

  it('are as many as are stated, after the one in which inputs are shared', async () => {
    const found = await Promise.all(
      [
        (s: Shares, x: SharedTensor, y: SharedTensor) => s.add(s.times(x, 0.5), s.negate(y)),
        (s: Shares, x: SharedTensor, y: SharedTensor) => s.multiply(x, y),
        (s: Shares, x: SharedTensor, y: SharedTensor) => s.add(s.matmul(x, y), s.square(x)),
        (s: Shares, x: SharedTensor, y: SharedTensor) => s.truncate(s.multiply(x, y)),
        (s: Shares, x: SharedTensor) => s.polynomial(x, [1, 2, 3, 4]),
        (s: Shares, x: SharedTensor) => s.sigmoid(x),
      ].map(rounds),
    );
    expect(found.map((all) => all - 1)).toEqual([0, 1, 1, 2, 5, 6]);
  });
});

describe('beside others', () => {
  it('is a part of a graph like any: what CKKS decrypts is shared, and what is opened is encrypted', async () => {
    const g = loom.graph({ unit: 64 });
    const s = shares(g, { holders: ['key', 'cloud'], dealer: 'd', fraction: 20 });
    const [key, cloud] = [g.party('key'), g.party('cloud')];
    // Parameters too small for anybody, for speed.
    const [n, q, scale] = [1024, [549755731969n, 1125899906826241n], 2 ** 30];
    const [hidden, open] = [key.input('hidden', type('secret_seed')), key.input('open', type('public_seed'))];
    const secret = key.op('rlwe.secret_key', [hidden], { n, q });
    const encrypt = (of: Operand): Operand =>
      key.op('ckks.encrypt_secret', [secret, key.op('ckks.encode', [of], { scale }), open, hidden], { q });
    const x = encrypt(key.input('x', f64(n / 2)));
    const y = encrypt(key.input('y', f64(n / 2)));
    const sum = cloud.op('rlwe.add', [x, y]);
    const decrypted = key.op('ckks.decode', [key.op('ckks.decrypt', [secret, sum])], { complex: 0 });
    const weights = s.input('cloud', 'weights', f64(n / 2));
    const product = s.truncate(s.multiply(s.share('key', decrypted, f64(n / 2)), weights));
    const opened = encrypt(s.openReal(product, 'key'));
    const doubled = cloud.op('rlwe.add', [opened, opened]);
    key.output('z', key.op('ckks.decode', [key.op('ckks.decrypt', [secret, doubled])], { complex: 0 }));
    const shared = await g.share();
    const { leaves } = await shared.cut('key');
    expect(leaves.filter(({ encrypted }) => encrypted === 'CKKS')).toHaveLength(3);
    const values = (of: (at: number) => number): Float64Array =>
      Float64Array.from({ length: n / 2 }, (_, at) => of(at));
    const data = {
      key: {
        x: values((at) => at / 64),
        y: values((at) => 1 - at / 128),
        open: crypto.getRandomValues(new BigUint64Array(4)),
      },
      cloud: { weights: values((at) => (at % 5) - 2.5) },
    };
    const { outputs } = await together(shared, data, (cut) => cut.expand({ platform: 'simd' }));
    (outputs['key']?.['z'] as Float64Array).forEach((found, at) => {
      const right = 2 * (1 + at / 128) * ((at % 5) - 2.5);
      expect(Math.abs(found - right)).toBeLessThan(2 ** -14);
    });
  });

  it('two of them in one graph draw from seeds of their own', async () => {
    const g = loom.graph({ unit: 64 });
    const [one, two] = [shares(g, TWO), shares(g, { ...TWO, name: 'others', dealer: 'e' })];
    const [x, y] = [one, two].map((s, at) => s.square(s.input('a', `x${at}`, i64(1))));
    g.party('b').output('x', one.open(x as SharedTensor, 'b'));
    g.party('b').output('y', two.open(y as SharedTensor, 'b'));
    const shared = await g.share();
    expect(shared.inputs.map(({ name, party }) => [name, party])).toEqual([
      ['x0', 'a'],
      ['shares: seed of a', 'a'],
      ['shares: seed of d', 'd'],
      ['x1', 'a'],
      ['others: seed of a', 'a'],
      ['others: seed of e', 'e'],
    ]);
    const { outputs } = await together(shared, { a: { x0: words(3), x1: words(-4) } });
    expect(outputs['b']).toEqual({ x: words(9), y: words(16) });
  });

  it('seeds are fresh for every run, and one that is missing is told before anything is sent', async () => {
    const shared = await graphOf((s, x, y) => s.multiply(x, y), [1]);
    const cut = await shared.cut('d');
    const [one, other] = [freshSeeds(cut), freshSeeds(cut)];
    expect(Object.keys(one)).toEqual(['shares: seed of d']);
    expect(one).not.toEqual(other);
    expect(freshSeeds(await shared.cut('a'))).toEqual({
      'shares: seed of a': expect.any(BigUint64Array) as unknown,
    });
    const transport = {
      send: () => Promise.reject(new Error('nothing is sent')),
      listen: () => () => undefined,
      close: () => undefined,
    };
    const error = await errorOf(cut.run({}, { transport, run: '0'.repeat(32), leaves: cut.leaves }));
    expect(error.code).toBe('input.missing');
  });
});

describe('what cannot be', () => {
  const thrown = (call: () => unknown): { code: unknown; message: string } => {
    try {
      call();
    } catch (error) {
      return { code: (error as { code?: unknown }).code, message: (error as Error).message };
    }
    return { code: undefined, message: 'nothing was thrown' };
  };
  const bad = (value: unknown): never => value as never;

  it.each<[string, object, string]>([
    ['one holder', { holders: ['a'] }, 'input.type'],
    ['no holders', { holders: undefined }, 'input.type'],
    ['17 holders', { holders: Array.from({ length: 17 }, (_, at) => `${at}`) }, 'input.type'],
    ['a holder without a name', { holders: ['a', ''] }, 'input.type'],
    ['a holder twice', { holders: ['a', 'b', 'a'] }, 'party.shares'],
    ['a dealer who holds shares', { dealer: 'b' }, 'party.shares'],
    ['a dealer without a name', { dealer: '' }, 'input.type'],
    ['31 bits', { fraction: 31 }, 'parameters.fraction'],
    ['-1 bits', { fraction: -1 }, 'parameters.fraction'],
    ['half a bit', { fraction: 0.5 }, 'parameters.fraction'],
    ['an option that there is not', { dealers: 'd' }, 'input.option'],
  ])('%s', (_, options, code) => {
    expect(thrown(() => shares(loom.graph({ unit: 64 }), { ...TWO, ...options })).code).toBe(code);
  });

  it.each<[string, (s: Shares, x: SharedTensor, real: SharedTensor) => unknown]>([
    ['multiply', (s, x) => s.multiply(x, x)],
    ['square', (s, x) => s.square(x)],
    ['matmul', (s, x) => s.matmul(x, x)],
    ['truncate', (s, _, real) => s.truncate(s.times(real, 0.5))],
    ['polynomial', (s, _, real) => s.polynomial(real, [1, 2])],
    ['sigmoid', (s, _, real) => s.sigmoid(real)],
  ])('without a dealer: %s, while sums go on', async (name, call) => {
    const { g, s, output } = sharing({ holders: ['a', 'b', 'c'] });
    expect(s.dealer).toBeUndefined();
    const x = s.input('a', 'x', i64(2));
    const real = s.input('b', 'real', f64(2));
    const error = thrown(() => call(s, x, real));
    expect(error.code, error.message).toBe('party.shares');
    expect(error.message).toMatch(new RegExp(`^${name}: expected a dealer`));
    output('c', 'twice', s.times(s.add(x, x), 3n));
    g.party('a').output('real', s.openReal(s.plus(real, 1), 'a'));
    const shared = await g.share();
    expect(shared.parties).toEqual(['a', 'b', 'c']);
    const { outputs } = await together(shared, {
      a: { x: words(5, -7) },
      b: { real: Float64Array.of(0.5, -2) },
    });
    expect(outputs).toEqual({
      a: { real: Float64Array.of(1.5, -1) },
      b: {},
      c: { twice: words(30, -42) },
    });
  });

  it('a graph of other units, or none', () => {
    expect(thrown(() => shares(loom.graph({ unit: 32 }), TWO)).code).toBe('graph.shape');
    expect(thrown(() => shares(bad({}), TWO)).code).toBe('input.type');
    expect(thrown(() => shares(loom.graph({ unit: 64 }), bad(undefined))).code).toBe('input.type');
  });

  const CALLS: [string, (s: Shares, x: SharedTensor, other: SharedTensor) => unknown, string][] = [
    ['shapes that do not broadcast', (s, x) => s.add(x, s.input('a', 'y', i64(3))), 'graph.shape'],
    ['a product of no such matrices', (s, x) => s.matmul(x, x), 'graph.shape'],
    ['an axis that there is not', (s, x) => s.sum(x, 2), 'graph.shape'],
    ['another number of elements', (s, x) => s.reshape(x, [7]), 'graph.shape'],
    ['a shape that is none', (s, x) => s.reshape(x, bad('8')), 'graph.shape'],
    ['axes that are none', (s, x) => s.transpose(x, [0, 0]), 'graph.shape'],
    ['a box that is outside', (s, x) => s.slice(x, [0, 3], [2, 2]), 'graph.shape'],
    ['others to concatenate', (s, x) => s.concat([x, s.input('a', 'y', i64(3, 3))], 0), 'graph.shape'],
    ['nothing to concatenate', (s) => s.concat([], 0), 'input.type'],
    ['a tensor of others', (s, x, other) => s.add(x, other), 'graph.foreign'],
    ['no tensor', (s, x) => s.multiply(x, bad(3)), 'input.type'],
    ['what is opened to the dealer', (s, x) => s.open(x, 'd'), 'party.shares'],
    ['what is opened to nobody', (s, x) => s.open(x, ''), 'graph.name'],
    ['a type that is no tensor', (s) => s.input('a', 'y', bad(type('secret_seed'))), 'input.type'],
    ['an input whose name is taken', (s) => s.input('a', 'x', i64(2)), 'graph.name'],
    ['a public number that is none', (s, x) => s.plus(x, NaN), 'input.type'],
    ['a public number that is too large', (s, x) => s.plus(x, 2n ** 64n), 'range.value'],
    [
      'a public tensor of other elements',
      (s, x) => s.times(x, { type: bad(u64(1)), data: words(1) }),
      'input.type',
    ],
    ['public data of another length', (s, x) => s.times(x, { type: i64(2), data: words(1) }), 'input.length'],
    ['more bits than there are to truncate', (s, x) => s.truncate(x, 1), 'parameters.fraction'],
    ['nothing to truncate', (s) => s.truncate(s.input('a', 'y', f64(2))), 'parameters.fraction'],
    [
      'too many bits behind the point',
      (s, x) => s.times(s.square(s.square(s.times(x, 0.5))), 0.5),
      'parameters.fraction',
    ],
    ['an approximation of integers', (s, x) => s.sigmoid(x), 'parameters.fraction'],
    ['a polynomial of integers', (s, x) => s.polynomial(x, [1, 2]), 'parameters.fraction'],
    ['a polynomial without coefficients', (s) => s.polynomial(s.input('a', 'y', f64(2)), [1]), 'input.type'],
    [
      'a degree that is too high',
      (s) => s.sigmoid(s.input('a', 'y', f64(2)), { from: -1, to: 1, degree: 16 }),
      'input.type',
    ],
  ];

  it.each(CALLS)('%s', (_, call, code) => {
    const [{ s }, { s: others }] = [sharing(), sharing()];
    const x = s.input('a', 'x', i64(2, 4));
    const other = others.input('a', 'x', i64(2, 4));
    const error = thrown(() => call(s, x, other));
    expect(error.code, error.message).toBe(code);
    // The shares stay usable.
    expect(s.negate(x).shape).toEqual([2, 4]);
  });

  it.each<[string, TensorType<'i64'>]>([
    ['smaller', i64(2)],
    ['larger', i64(8)],
  ])('a value that is shared as one %s than it is', async (_, type) => {
    // As a smaller one its masks would be used more than once.
    const { g, s, output } = sharing();
    const x = g.party('a').input('x', i64(2, 2));
    output('b', 'x', s.share('a', x, type));
    const error = await errorOf(g.share());
    expect(error.code).toMatch(/^graph\./);
  });
});
