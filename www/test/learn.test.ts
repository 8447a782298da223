// The lessons' numbers, which the engine computes, against arithmetic of their own.
import { load, type Loom } from 'cipherloom';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { expansions } from '../src/learn/absorb.js';
import { ringOf as switchingRing, switching } from '../src/learn/key-switching.js';
import { FieldError, type NumbersField, numbersOf } from '../src/learn/lesson.js';
import { compileOn, multiplyOn, ringOf, slotsOf } from '../src/learn/noise.js';
import { pack } from '../src/learn/packing.js';
import { transform } from '../src/learn/transform.js';
import { log2 } from '../src/learn/toy.js';
import { polynomial } from '../src/learn/words.js';

// The engine is as fast as the machine.
vi.setConfig({ testTimeout: 60_000 });

let loom: Loom;

beforeAll(async () => {
  loom = await load({ mode: 'single' });
}, 60_000);
afterAll(() => loom?.dispose());

const N = 8;
const T = 257n;
const mod = (value: bigint, q: bigint): bigint => ((value % q) + q) % q;
const power = (base: bigint, exponent: number, q: bigint): bigint =>
  Array.from({ length: exponent }).reduce((product: bigint) => (product * base) % q, 1n);
/** Horner's rule. */
const at = (coefficients: readonly bigint[], x: bigint, q: bigint): bigint =>
  coefficients.reduceRight((value, coefficient) => mod(value * x + coefficient, q), 0n);
const random = (q: bigint): bigint[] =>
  Array.from(crypto.getRandomValues(new BigUint64Array(N)), (word) => word % q);
/** The smallest number whose eighth power is -1. */
const psi = (q: bigint): bigint => {
  for (let x = 2n; ; x++) if (power(x, N, q) === q - 1n) return x;
};
/** X to X^g in a polynomial modulo X^8 + 1, without a modulus. */
function turned(coefficients: readonly bigint[], g: number): bigint[] {
  const result = coefficients.map(() => 0n);
  for (const [i, value] of coefficients.entries()) {
    const exponent = (i * g) % (2 * N);
    result[exponent % N]! += exponent < N ? value : -value;
  }
  return result;
}
/** Both rows of slots to the left. */
const moved = (slots: readonly bigint[], by: number): bigint[] =>
  slots.map((_, slot) => slots[(slot & 4) + (((slot & 3) + by) & 3)]!);
const swapped = (slots: readonly bigint[]): bigint[] => [...slots.slice(4), ...slots.slice(0, 4)];

describe('the transform', () => {
  test.each([17n, 97n, 257n])('modulo %i', async (q) => {
    const [f, g] = [random(q), random(q)];
    const found = await transform(loom, q, f, g);
    const reversed = [0, 4, 2, 6, 1, 5, 3, 7];
    expect(found.roots).toEqual(reversed.map((exponent) => power(psi(q), 2 * exponent + 1, q)));
    expect(found.f).toEqual(found.roots.map((root) => at(f, root, q)));
    expect(found.layers[0]).toEqual(f);
    expect(found.layers[3]).toEqual(found.f);
    // After each layer a block is f modulo the polynomial whose roots are the block's.
    for (const [layer, size] of [8, 4, 2, 1].entries())
      for (let from = 0; from < N; from += size)
        for (const root of found.roots.slice(from, from + size))
          expect(at(found.layers[layer]!.slice(from, from + size), root, q)).toBe(at(f, root, q));
    const product = f.map(() => 0n);
    for (const [i, a] of f.entries())
      for (const [j, b] of g.entries()) product[(i + j) % N]! += i + j < N ? a * b : -(a * b);
    expect(found.product).toEqual(product.map((value) => mod(value, q)));
  });
});

describe('noise', () => {
  test('grows until nothing can be decrypted', async () => {
    const ring = ringOf(16, 2, T);
    const { rows } = await multiplyOn(loom, ring, 250n);
    const limit = log2(ring.q) - 1;
    const x = slotsOf(ring, 250n);
    expect(x.slice(0, 9)).toEqual([250n, 251n, 252n, 253n, 254n, 255n, 256n, 0n, 1n]);
    const right = [1, 2, 4, 8, 16].map((exponent) => x.map((value) => power(value, exponent, T)));
    right.splice(
      1,
      0,
      x.map((value) => (2n * value) % T),
    );
    expect(rows.map((row) => row.right)).toEqual(right);
    const [fresh, sum, square] = rows;
    // m + t e, with errors of 21 at most.
    expect(2 ** fresh!.noise).toBeLessThanOrEqual(21.5 * Number(T));
    expect(sum!.noise).toBeCloseTo(fresh!.noise + 1, 9);
    // The worst case of a product, and as much again for its key.
    expect(square!.noise).toBeLessThan(2 * fresh!.noise + Math.log2(ring.n) + 1);
    for (const row of rows.slice(0, 3)) expect(row.found).toEqual(row.right);
    const last = rows.at(-1)!;
    expect(last.found).not.toEqual(last.right);
    // The largest of 16 numbers that are anywhere below the limit.
    expect(last.noise).toBeGreaterThan(limit - 6);
    expect(last.noise).toBeLessThanOrEqual(limit);
  });

  test('is bounded by the compiler, which refuses the rest', async () => {
    const promised = await compileOn(loom, ringOf(16, 2, T));
    expect(promised).toHaveLength(5);
    expect(promised[0]!.budget).toBeDefined();
    expect(promised.at(-1)!.refused).toMatch(/^parameters\./);
    for (const { budget, refused } of promised) {
      expect(budget === undefined).toBe(refused !== undefined);
      if (budget !== undefined) expect(budget.measured).toBeGreaterThanOrEqual(budget.bound);
    }
  });
});

test.each([3, 9, 11, 15])('key switching by X^%i', async (g) => {
  const x = random(T);
  const found = await switching(loom, switchingRing(40n), x, g);
  const there = g === 15 ? swapped(x) : moved(x, { 3: 1, 9: 2, 11: 3 }[g]!);
  expect(found.secret.every((value) => value >= -1n && value <= 1n)).toBe(true);
  expect(found.turnedSecret).toEqual(turned(found.secret, g));
  expect(found.turnedSecret).not.toEqual(found.secret);
  expect(found.fresh.slots).toEqual(x);
  expect(found.turned.slots).not.toEqual(there);
  expect(found.turnedByItsKey.slots).toEqual(there);
  expect(found.switched.slots).toEqual(there);
  expect(found.turnedByItsKey.phase).toEqual(turned(found.fresh.phase, g));
  // The phase modulo t is the message, whose values are the slots.
  const message = found.fresh.phase.map((value) => mod(value, T));
  const root = psi(T);
  const exponents = [1, 3, 9, 11, 15, 13, 7, 5];
  expect(exponents.map((exponent) => at(message, power(root, exponent, T), T))).toEqual(x);
  expect(found.keyWords).toBe(2 * 2 * 3 * N);
});

test('a small special prime makes for much noise', async () => {
  const x = random(T);
  const [small, large] = await Promise.all(
    [20n, 40n].map((bits) => switching(loom, switchingRing(bits), x, 3)),
  );
  expect(small!.switched.slots).toEqual(large!.switched.slots);
  // 20 bits less to divide by.
  expect(small!.switched.noise).toBeGreaterThan(large!.switched.noise + 5);
});

test('packing', async () => {
  const [x, y] = [random(T), random(T)];
  const found = await pack(loom, x, y, 2);
  const exponents = [1, 3, 9, 11, 15, 13, 7, 5];
  const root = psi(T);
  expect(exponents.map((exponent) => at(found.polynomial, power(root, exponent, T), T))).toEqual(x);
  const sum = (a: readonly bigint[], b: readonly bigint[]): bigint[] => a.map((v, i) => (v + b[i]!) % T);
  const product = (a: readonly bigint[], b: readonly bigint[]): bigint[] => a.map((v, i) => (v * b[i]!) % T);
  expect(found.sum).toEqual(sum(x, y));
  expect(found.product).toEqual(product(x, y));
  expect(found.rotated).toEqual(moved(x, 2));
  expect(found.swapped).toEqual(swapped(x));
  expect(found.asked).toEqual(product(moved(x, 1), y));
  const total = x.reduce((all, value) => (all + value) % T, 0n);
  expect(found.sums).toHaveLength(4);
  expect(found.sums[3]).toEqual(x.map(() => total));
});

test.each([
  [2, 2],
  [4, 3],
])('expansions of a sum of %i ciphertexts of %i primes', async (terms, primes) => {
  const circuits = await expansions(loom, terms, primes);
  // terms - 1 sums, one negation and one sum more; two polynomials each; a limb for each prime.
  expect(circuits.map(({ operators }) => operators)).toEqual(
    [1, 2, 2 * primes].map((each) => (terms + 1) * each),
  );
  const { waves } = await circuits[2]!.analyze();
  expect(waves.map(({ length }) => length)).toEqual(Array.from({ length: terms + 1 }, () => 2 * primes));
  for (const circuit of circuits) circuit.dispose();
});

test('numbers as people type them', () => {
  const field: NumbersField = {
    ...{ kind: 'numbers', name: 'x', label: 'Slots', first: [], count: 3, least: -9n, most: 99n },
  };
  expect(numbersOf(field, ' 1,2; +99 ')).toEqual([1n, 2n, 99n]);
  expect(() => numbersOf(field, '')).toThrow('found nothing, expected 3 whole numbers from -9 to 99');
  for (const text of ['1 2', '1 2 x', '1 2 100', '1 2 3.5', '1 2 -10'])
    expect(() => numbersOf(field, text)).toThrow(FieldError);
  expect(polynomial([-3n, 1n, 0n, -1n, 2n])).toBe('−3 + X − X³ + 2 X⁴');
  expect(polynomial([0n, 0n])).toBe('0');
});
