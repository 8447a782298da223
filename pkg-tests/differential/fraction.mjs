// Exact fractions { n, d } of BigInts, d > 0, and the doubles nearest to them and to their roots.

const ZERO = { n: 0n, d: 1n };

/** What a number stands for: its shortest decimal form. A bigint is whole. */
export function fraction(value) {
  const { n, decimals } = digits(value);
  return { n, d: powerOfTen(decimals) };
}

/** The fewest decimals that a number needs. */
export function decimalsOf(value) {
  return Number.isSafeInteger(value) ? 0 : digits(value).decimals;
}

/** n * 10^-decimals, from the text, which has no needless zeros. */
function digits(value) {
  if (typeof value === 'bigint') return { n: value, decimals: 0 };
  if (Number.isSafeInteger(value)) return { n: BigInt(value), decimals: 0 };
  const [mantissa, exponent = '0'] = String(value).split('e');
  const [whole, decimals = ''] = mantissa.split('.');
  const power = Number(exponent) - decimals.length;
  const n = BigInt(whole + decimals);
  return power < 0 ? { n, decimals: -power } : { n: n * powerOfTen(power), decimals: 0 };
}

const powers = [1n];

export function powerOfTen(exponent) {
  while (powers.length <= exponent) powers.push(powers.at(-1) * 10n);
  return powers[exponent];
}

export function plus(a, b) {
  if (a.d === b.d) return { n: a.n + b.n, d: a.d };
  const shared = divisor(a.d, b.d);
  return { n: a.n * (b.d / shared) + b.n * (a.d / shared), d: (a.d / shared) * b.d };
}

export function minus(a, b) {
  return plus(a, negative(b));
}

export function negative({ n, d }) {
  return { n: -n, d };
}

export function times(a, b) {
  return { n: a.n * b.n, d: a.d * b.d };
}

/** a / b for a b other than 0, in lowest terms. */
export function over(a, b) {
  const [n, d] = b.n < 0n ? [-a.n * b.d, -a.d * b.n] : [a.n * b.d, a.d * b.n];
  const shared = divisor(n < 0n ? -n : n, d);
  return { n: n / shared, d: d / shared };
}

/** The value of a finite double itself, not of its shortest decimal form. */
export function ofDouble(value) {
  const size = exactly(bitsOf(Math.abs(value)));
  return value < 0 ? negative(size) : size;
}

export function sum(fractions) {
  return fractions.reduce(plus, ZERO);
}

/** Negative, zero or positive, as a - b is. */
export function compare(a, b) {
  const difference = a.n * b.d - b.n * a.d;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** The integer that a fraction is. */
export function integer({ n, d }) {
  if (n % d !== 0n) throw new Error(`${n}/${d} is not whole`);
  return n / d;
}

/** The double nearest to a fraction. */
export function nearest(value) {
  const size = absolute(value);
  const double = nearestBy((bound) => compare(size, bound));
  return value.n < 0n ? -double : double;
}

/** The double nearest to the root of a fraction that is not negative. */
export function nearestRoot(square) {
  return nearestBy((bound) => compare(square, times(bound, bound)));
}

/**
 * The double nearest to what is known by comparisons with fractions only, and is not negative. Doubles from 0 on are
 * in the order of their bits, so halving finds the last one that is not greater; then the middle decides, and in the
 * middle the even one.
 */
function nearestBy(compareWith) {
  let low = 0n;
  let high = bitsOf(Infinity);
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (compareWith(exactly(middle)) >= 0) low = middle;
    else high = middle;
  }
  const middle = compareWith(over(plus(exactly(low), exactly(high)), { n: 2n, d: 1n }));
  const up = middle > 0 || (middle === 0 && low % 2n === 1n);
  return doubleOf(up ? high : low);
}

const double = new Float64Array(1);
const bits = new BigInt64Array(double.buffer);

function bitsOf(value) {
  double[0] = value;
  return bits[0];
}

function doubleOf(value) {
  bits[0] = value;
  return double[0];
}

/** The value of a double's bits. Those of Infinity are what would follow the greatest double. */
function exactly(value) {
  const exponent = value >> 52n;
  const fractional = value & ((1n << 52n) - 1n);
  const mantissa = exponent === 0n ? fractional : fractional | (1n << 52n);
  const power = (exponent === 0n ? 1n : exponent) - 1075n;
  return power < 0n ? { n: mantissa, d: 1n << -power } : { n: mantissa << power, d: 1n };
}

function absolute({ n, d }) {
  return { n: n < 0n ? -n : n, d };
}

function divisor(a, b) {
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}
