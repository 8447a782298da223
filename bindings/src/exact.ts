/**
 * Exact decimal and rational arithmetic on BigInt, and its one rounding to a double at the end (to nearest,
 * ties to even). Shared by decryption and by the plain reference, so that both give the same bits.
 */
import type { Decimal } from './types.js';

/** 10^k for whole k >= 0. */
export function powerOfTen(k: number): bigint {
  return 10n ** BigInt(k);
}

const SHORTEST = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/;

/**
 * A finite number as digits * 10^-decimals, from its shortest decimal form, with the fewest decimals >= 0.
 */
function digitsOf(value: number): { digits: bigint; decimals: number } {
  const [, sign, whole, fraction = '', exponent = '0'] = SHORTEST.exec(String(value)) as RegExpExecArray;
  const digits = BigInt(`${sign}${whole}${fraction}`);
  const decimals = fraction.length - Number(exponent);
  return decimals >= 0 ? { digits, decimals } : { digits: digits * powerOfTen(-decimals), decimals: 0 };
}

/** Decimal places of the shortest decimal form of a finite number: 0.25 has 2, 1e-7 has 7, 3e8 has 0. */
export function decimalsOf(value: number | bigint): number {
  return typeof value === 'bigint' || Number.isInteger(value) ? 0 : digitsOf(value).decimals;
}

/**
 * value * 10^decimals as an exact integer, or undefined if the value has more decimals. `value` must be
 * finite.
 */
export function toUnits(value: number | bigint, decimals: number): bigint | undefined {
  if (typeof value === 'bigint') return value * powerOfTen(decimals);
  const quick = decimals <= 22 ? quickUnits(value, 10 ** decimals) : undefined;
  if (quick !== undefined) return BigInt(quick);
  const exact = digitsOf(value);
  return exact.decimals > decimals ? undefined : exact.digits * powerOfTen(decimals - exact.decimals);
}

/** A double that is not less (1), or not more (-1), than the decimal that a number is written as, whose nearest double is finite; the largest one beyond that. */
export function doubleBeyond(value: number | bigint, side: -1 | 1): number {
  const double = Number(value);
  const found = exactly(double);
  const written = typeof value === 'bigint' ? { digits: value, decimals: 0 } : digitsOf(value);
  const decimals = Math.max(found.decimals, written.decimals);
  const [a, b] = [found, written].map((one) => one.digits * powerOfTen(decimals - one.decimals)) as [
    bigint,
    bigint,
  ];
  const beyond = (side > 0 ? a >= b : a <= b) ? double : neighbour(double, side);
  return Number.isFinite(beyond) ? beyond : double;
}

/** All digits of a double. */
function exactly(double: number): { digits: bigint; decimals: number } {
  let [mantissa, twos] = [double, 0];
  for (; !Number.isInteger(mantissa); twos++) mantissa *= 2;
  return { digits: BigInt(mantissa) * 5n ** BigInt(twos), decimals: twos };
}

/** The next double above (1) or below (-1) one that is not 0. */
function neighbour(double: number, side: -1 | 1): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, double);
  view.setBigInt64(0, view.getBigInt64(0) + (Math.sign(double) === side ? 1n : -1n));
  return view.getFloat64(0);
}

/** The largest integer of 15 digits. */
export const MOST_QUICK = 1e15 - 1;

/**
 * value * scale as an exact integer, where it is one of at most 15 digits; undefined where a longer way has to
 * decide. `scale` is a power of ten that doubles hold, up to 10^22.
 */
function quickUnits(value: number, scale: number): number | undefined {
  const scaled = Math.round(value * scale);
  // Decimals of up to 15 digits and doubles correspond one to one, so one correctly rounded division decides.
  return Math.abs(scaled) <= MOST_QUICK && scaled / scale === value ? scaled : undefined;
}

/** An exact decimal: see `Decimal`. */
export class ExactDecimal implements Decimal {
  readonly units: bigint;
  readonly decimals: number;

  constructor(units: bigint, decimals: number) {
    this.units = units;
    this.decimals = decimals;
  }

  toNumber(): number {
    return ratio(this.units, powerOfTen(this.decimals));
  }

  toString(): string {
    const digits = magnitude(this.units)
      .toString()
      .padStart(this.decimals + 1, '0');
    const point = digits.length - this.decimals;
    const fraction = this.decimals > 0 ? `.${digits.slice(point)}` : '';
    return `${this.units < 0n ? '-' : ''}${digits.slice(0, point)}${fraction}`;
  }

  toJSON(): string {
    return this.toString();
  }
}

/** The double nearest to numerator / denominator; denominator > 0. Beyond the largest double: an infinity. */
export function ratio(numerator: bigint, denominator: bigint): number {
  const a = magnitude(numerator);
  if (a === 0n) return 0;
  const shift = Math.max(0, 66 - bitLength(a) + bitLength(denominator));
  const scaled = a << BigInt(shift);
  const quotient = scaled / denominator;
  return withSign(nearest(quotient, quotient * denominator !== scaled, -shift), numerator);
}

/** The double nearest to numerator / sqrt(square); square > 0. */
export function ratioToRoot(numerator: bigint, square: bigint): number {
  const a = magnitude(numerator);
  if (a === 0n) return 0;
  const shift = Math.max(0, 66 - bitLength(a) + Math.ceil(bitLength(square) / 2));
  const scaled = (a << BigInt(shift)) ** 2n;
  // floor(sqrt(floor(x))) = floor(sqrt(x)), so only the last comparison needs the exact x = scaled / square.
  const root = floorSqrt(scaled / square);
  return withSign(nearest(root, root * root * square !== scaled, -shift), numerator);
}

/** floor(sqrt(x)), x >= 0: Newton's iteration from above. */
export function floorSqrt(x: bigint): bigint {
  if (x < 2n) return x;
  let root = 1n << BigInt((bitLength(x) + 1) >> 1);
  for (;;) {
    const next = (root + x / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/**
 * The double nearest to (q + r) * 2^exponent with r = 0, or 0 < r < 1 if `inexact`. An inexact q must have at
 * least 55 bits, so that r only breaks ties.
 */
function nearest(q: bigint, inexact: boolean, exponent: number): number {
  // 53 bits are kept; fewer below 2^-1022, where doubles end at 2^-1074.
  const drop = Math.max(bitLength(q) - 53, -1074 - exponent, 0);
  let kept = q >> BigInt(drop);
  if (drop > 0) {
    const rest = q - (kept << BigInt(drop));
    const half = 1n << BigInt(drop - 1);
    if (rest > half || (rest === half && (inexact || (kept & 1n) === 1n))) kept += 1n;
  }
  return timesPowerOfTwo(Number(kept), exponent + drop);
}

/** x * 2^k; exact where the result is a double. Two steps, since 2^k alone may be too large or too small. */
function timesPowerOfTwo(x: number, k: number): number {
  const half = Math.trunc(k / 2);
  return x * 2 ** half * 2 ** (k - half);
}

function withSign(value: number, sign: bigint): number {
  return sign < 0n ? -value : value;
}

function magnitude(x: bigint): bigint {
  return x < 0n ? -x : x;
}

/** Bits of x > 0. */
function bitLength(x: bigint): number {
  const hex = x.toString(16);
  return hex.length * 4 - Math.clz32(Number.parseInt(hex[0] as string, 16)) + 28;
}
