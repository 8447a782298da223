// The model's own arithmetic, against what JavaScript rounds correctly itself: quotients and roots of small integers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mulberry32 } from '../lib/random.mjs';
import { decimalsOf, fraction, nearest, nearestRoot, over, plus, times } from './fraction.mjs';

const random = mulberry32(11);
const whole = (limit) => Math.floor(random() * limit);

test('a number is its shortest decimal form', () => {
  for (const [value, n, d] of [
    [0.1, 1n, 10n],
    [-2.5, -25n, 10n],
    [1e21, 10n ** 21n, 1n],
    [1e-7, 1n, 10n ** 7n],
    [-0, 0n, 1n],
  ]) {
    assert.deepEqual(fraction(value), { n, d });
  }
  assert.deepEqual([0, 3, 100, 0.5, 1.25, 1e-18, 12345e-7, 7n].map(decimalsOf), [0, 0, 0, 1, 2, 18, 7, 0]);
});

test('sums have a common denominator, products that of both', () => {
  assert.deepEqual(plus(fraction(0.5), fraction(0.25)), { n: 75n, d: 100n });
  assert.deepEqual(times(fraction(-0.5), fraction(3)), { n: -15n, d: 10n });
});

test('doubles come back as themselves', () => {
  for (let i = 0; i < 2000; i++) {
    const value = (random() - 0.5) * 2 ** (whole(200) - 100);
    assert.equal(nearest(fraction(value)), value);
  }
  for (const value of [0, 5e-324, 2 ** -1022, 2 ** 53, Number.MAX_VALUE]) assert.equal(nearest(fraction(value)), value);
});

test('quotients of doubles are rounded as JavaScript does', () => {
  for (let i = 0; i < 2000; i++) {
    const [p, q] = [whole(2 ** 53) * (whole(2) ? 1 : -1), 1 + whole(2 ** (1 + whole(52)))];
    assert.ok(Object.is(nearest(over(fraction(BigInt(p)), fraction(BigInt(q)))), p / q), `${p} / ${q}`);
  }
});

test('halfway cases go to the even neighbor', () => {
  const half = { n: 1n, d: 2n };
  for (let i = 0; i < 500; i++) {
    const value = 2 ** 52 + whole(2 ** 51);
    const up = value % 2 === 1 ? value + 1 : value;
    assert.equal(nearest(plus(fraction(BigInt(value)), half)), up);
  }
});

test('roots of doubles are rounded as JavaScript does', () => {
  for (let i = 0; i < 2000; i++) {
    const square = whole(2 ** (1 + whole(52)));
    assert.equal(nearestRoot(fraction(square)), Math.sqrt(square));
  }
  assert.equal(nearestRoot(fraction(2n)), Math.SQRT2);
});
