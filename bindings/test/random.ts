/** Reproducible random numbers for tests: mulberry32. */
let state = 0x9e3779b9;

function next(): number {
  state = (state + 0x6d2b79f5) | 0;
  let x = Math.imul(state ^ (state >>> 15), state | 1);
  x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
  return (x ^ (x >>> 14)) >>> 0;
}

/** A whole number from 0 to below `limit`. */
export function random(limit: number): number {
  return next() % limit;
}

/** A BigInt from `least` (default: -limit + 1) to below `limit`. */
export function randomBigInt(limit: bigint, least: bigint = 1n - limit): bigint {
  const span = limit - least;
  let x = 0n;
  for (let bits = span.toString(2).length + 32; bits > 0; bits -= 32) x = (x << 32n) | BigInt(next());
  return least + (x % span);
}

/** A finite double of any size. */
export function randomDouble(): number {
  const view = new DataView(new ArrayBuffer(8));
  do {
    view.setUint32(0, next());
    view.setUint32(4, next());
  } while (!Number.isFinite(view.getFloat64(0)));
  return view.getFloat64(0);
}
