/**
 * Cells of the model: all numbers from one fraction to another, `{ low, high }`, mostly a single one; undefined where there is no bound. What is known
 * exactly stays exact. The same arithmetic tells of bounds what values may be.
 */
import { compare, minus, nearestRoot, negative, ofDouble, over, plus, times } from './fraction.mjs';

export const NOUGHT = single({ n: 0n, d: 1n });
export const UNIT = single({ n: 1n, d: 1n });
/** A boolean that may be either. */
export const EITHER = { low: NOUGHT.low, high: UNIT.low };

export function single(fraction) {
  return { low: fraction, high: fraction };
}

export function whole(number) {
  return single({ n: BigInt(number), d: 1n });
}

export function between(low, high) {
  return compare(low, high) === 0 ? single(low) : { low, high };
}

export function isSingle({ low, high }) {
  return low === high;
}

/** The smallest interval that has both. */
export function hull(a, b) {
  if (!a || !b) return undefined;
  if (a === b) return a;
  return between(compare(a.low, b.low) < 0 ? a.low : b.low, compare(a.high, b.high) > 0 ? a.high : b.high);
}

/** So much less to so much more. */
export function widened(a, by) {
  return a && by ? { low: minus(a.low, by), high: plus(a.high, by) } : a;
}

export function sum(a, b) {
  if (!a || !b) return undefined;
  return isSingle(a) && isSingle(b)
    ? single(plus(a.low, b.low))
    : { low: plus(a.low, b.low), high: plus(a.high, b.high) };
}

export function opposite(a) {
  if (!a) return undefined;
  return isSingle(a) ? single(negative(a.low)) : { low: negative(a.high), high: negative(a.low) };
}

export function difference(a, b) {
  return sum(a, opposite(b));
}

export function product(a, b) {
  if (!a || !b) return undefined;
  if (isSingle(a) && isSingle(b)) return single(times(a.low, b.low));
  return ofCorners(times, a, b);
}

/** x^k: even powers are not below 0. */
export function power(a, k) {
  if (!a) return undefined;
  const raised = (fraction) => ({ n: fraction.n ** BigInt(k), d: fraction.d ** BigInt(k) });
  if (isSingle(a)) return single(raised(a.low));
  const ends = between(...[raised(a.low), raised(a.high)].sort(compare));
  return k % 2 === 0 && a.low.n < 0n && a.high.n > 0n ? { low: NOUGHT.low, high: ends.high } : ends;
}

/** `NO_VALUE` for a divisor that is 0, nothing for one that may be. */
export const NO_VALUE = Symbol('no value');

export function quotient(a, b) {
  if (!a || !b) return undefined;
  if (isSingle(b) && b.low.n === 0n) return NO_VALUE;
  if (b.low.n <= 0n && b.high.n >= 0n) return undefined;
  return isSingle(a) && isSingle(b) ? single(over(a.low, b.low)) : ofCorners(over, a, b);
}

/** The doubles next to the roots. */
export function root(a) {
  if (!a) return undefined;
  if (a.high.n < 0n) return NO_VALUE;
  if (a.low.n < 0n) return undefined;
  return isSingle(a)
    ? single(ofDouble(nearestRoot(a.low)))
    : between(...[a.low, a.high].map((x) => ofDouble(nearestRoot(x))));
}

/** Whether a < b, or a <= b: 1, 0 or either. */
export function isBelow(a, b, orEqual = false) {
  if (!a || !b) return undefined;
  const least = orEqual ? 0 : -1;
  if (compare(a.high, b.low) <= least) return UNIT;
  return compare(a.low, b.high) <= least ? EITHER : NOUGHT;
}

export function isEqual(a, b) {
  if (!a || !b) return undefined;
  if (isSingle(a) && isSingle(b)) return compare(a.low, b.low) === 0 ? UNIT : NOUGHT;
  return compare(a.high, b.low) < 0 || compare(b.high, a.low) < 0 ? NOUGHT : EITHER;
}

export function chosen(condition, a, b) {
  if (!condition) return undefined;
  return isSingle(condition) ? (condition.low.n === 0n ? b : a) : hull(a, b);
}

function ofCorners(operation, a, b) {
  const corners = [
    operation(a.low, b.low),
    operation(a.low, b.high),
    operation(a.high, b.low),
    operation(a.high, b.high),
  ];
  corners.sort(compare);
  return { low: corners[0], high: corners[3] };
}
