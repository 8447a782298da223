// The statistics by their definitions, on integers without limit, and with nothing of the package: what it is tested with.

/** Digits that a quotient is worked out to before it becomes a double. */
const DIGITS = 60;

/** Of a column { decimals, units }: what the main job says of it. */
export function ofOne({ decimals, units }, { population = false } = {}) {
  const x = units.filter((value) => value !== null).map(BigInt);
  const n = BigInt(x.length);
  const sum = total(x);
  const divisor = n * (population ? n : n - 1n) * 10n ** BigInt(2 * decimals);
  return {
    count: x.length,
    sum: fixed(sum, decimals),
    mean: quotient(sum, n * 10n ** BigInt(decimals)),
    variance: quotient(n * total(x.map((v) => v * v)) - sum * sum, divisor),
  };
}

/** Of two columns, over the rows that are in both. */
export function ofTwo(a, b, { population = false } = {}) {
  const both = a.units.map((_, row) => row).filter((row) => a.units[row] !== null && b.units[row] !== null);
  const [x, y] = [a, b].map(({ units }) => both.map((row) => BigInt(units[row])));
  const n = BigInt(both.length);
  const spread = (p, q) => n * total(p.map((v, i) => v * q[i])) - total(p) * total(q);
  const divisor = n * (population ? n : n - 1n) * 10n ** BigInt(a.decimals + b.decimals);
  const [xy, scale] = [spread(x, y), 10n ** BigInt(DIGITS)];
  const r = root((xy * xy * scale * scale) / (spread(x, x) * spread(y, y)));
  return { covariance: quotient(spread(x, y), divisor), correlation: quotient(xy < 0n ? -r : r, scale) };
}

function total(values) {
  return values.reduce((sum, value) => sum + value, 0n);
}

/** The nearest double: JavaScript rounds decimal texts correctly. */
function quotient(numerator, denominator) {
  return Number(`${(numerator * 10n ** BigInt(DIGITS)) / denominator}e-${DIGITS}`);
}

function fixed(units, decimals) {
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0');
  const end = digits.length - decimals;
  return `${units < 0n ? '-' : ''}${digits.slice(0, end)}${decimals ? '.' : ''}${digits.slice(end)}`;
}

/** The integer square root, by Newton's method. */
function root(square) {
  let x = 1n << BigInt(Math.ceil(square.toString(2).length / 2));
  for (;;) {
    const next = (x + square / x) >> 1n;
    if (next >= x) return x;
    x = next;
  }
}
