// Numbers that are the same in every run.

/** A generator of doubles in [0, 1): mulberry32. */
export function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** `count` integers from 0 to t - 1. */
export function randomValues(seed, count, t) {
  const random = generator(seed + 1);
  const limit = Number(t);
  return BigUint64Array.from({ length: count }, () => BigInt(Math.floor(random() * limit)));
}

/** `count` doubles in [0, 1). */
export function randomReals(seed, count) {
  return Float64Array.from({ length: count }, generator(seed + 1));
}
