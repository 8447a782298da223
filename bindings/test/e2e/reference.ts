/** Statistics by their definitions, on integers without limit, and with nothing of the package. */

/** A column in units of 10^-decimals; null where a cell is missing. */
export interface Column {
  readonly decimals: number;
  readonly units: readonly (bigint | null)[];
}

/** Digits that a quotient is worked out to before it becomes a double. */
const DIGITS = 80n;
const SCALE = 10n ** DIGITS;

/** Of one column, over the cells that are there. */
export function ofOne({ decimals, units }: Column) {
  const x = units.filter((value) => value !== null);
  const n = BigInt(x.length);
  const square = 10n ** BigInt(2 * decimals);
  return {
    count: x.length,
    sum: quotient(total(x), 10n ** BigInt(decimals)),
    mean: quotient(total(x), n * 10n ** BigInt(decimals)),
    variance: quotient(spread(x, x), n * (n - 1n) * square),
    population: quotient(spread(x, x), n * n * square),
  };
}

/** Of two columns, over the rows that are in both. */
export function ofTwo(a: Column, b: Column) {
  const [x, y] = rowsOfBoth(a, b);
  const n = BigInt(x.length);
  const divisor = n * 10n ** BigInt(a.decimals + b.decimals);
  const [xx, yy, xy] = [spread(x, x), spread(y, y), spread(x, y)];
  const r = root((xy * xy * SCALE * SCALE) / (xx * yy));
  const intercept = total(y) * total(x, x) - total(x) * total(x, y);
  return {
    covariance: quotient(xy, divisor * (n - 1n)),
    correlation: quotient(xy < 0n ? -r : r, SCALE),
    line: [
      quotient(xy * 10n ** BigInt(a.decimals), xx * 10n ** BigInt(b.decimals)),
      quotient(intercept, xx * 10n ** BigInt(b.decimals)),
    ],
  };
}

function rowsOfBoth(a: Column, b: Column): [bigint[], bigint[]] {
  const pairs = a.units.map((x, row) => [x, b.units[row]] as const);
  const both = pairs.filter((pair): pair is [bigint, bigint] => pair.every((x) => typeof x === 'bigint'));
  return [both.map(([x]) => x), both.map(([, y]) => y)];
}

/** The sum of x, or of the products of x and y. */
function total(x: readonly bigint[], y?: readonly bigint[]): bigint {
  return x.reduce((sum, value, i) => sum + value * (y === undefined ? 1n : (y[i] as bigint)), 0n);
}

/** n^2 times the covariance. */
function spread(x: readonly bigint[], y: readonly bigint[]): bigint {
  return BigInt(x.length) * total(x, y) - total(x) * total(y);
}

/** The nearest double: JavaScript rounds decimal texts correctly. */
function quotient(numerator: bigint, denominator: bigint): number {
  // Never -0.
  return Number(`${(numerator * SCALE) / denominator}e-${DIGITS}`);
}

/** The integer square root, by Newton's method. */
function root(square: bigint): bigint {
  let x = 1n << BigInt(Math.ceil(square.toString(2).length / 2));
  for (;;) {
    const next = (x + square / x) >> 1n;
    if (next >= x) return x;
    x = next;
  }
}
