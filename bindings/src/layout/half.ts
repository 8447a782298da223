/** IEEE 754 binary16, as no platform here is sure to have it (`Math.f16round` is newer than what we support). */

/** The least number that rounds to infinity: half a unit in the last place above 65504, the largest. */
const OVERFLOW = 65520;
const view = /* @__PURE__ */ new DataView(new ArrayBuffer(8));

/**
 * The nearest binary16 of a double, ties to even: 11 bits of precision, exponents from -14 to 15, numbers below 2^-14 in steps of 2^-24, from 65520 on infinity. One rounding, also
 * of what is a binary32.
 */
export function roundToHalf(x: number): number {
  const size = Math.abs(x);
  if (!(size < OVERFLOW)) return Number.isNaN(x) ? x : x > 0 ? Infinity : -Infinity;
  view.setFloat64(0, size);
  const exponent = Math.max((view.getUint32(0) >>> 20) - 1023, -14);
  // A double from 2^(e + 42) to twice that has steps of 2^(e - 10), so that the sum is rounded just as binary16 would be.
  const shift = 2 ** (exponent + 42);
  const rounded = size + shift - shift;
  return x < 0 || Object.is(x, -0) ? -rounded : rounded;
}

/** The 16 bits of a number that is a binary16: sign, exponent, fraction. */
export function halfBits(x: number): number {
  const half = roundToHalf(x);
  if (Number.isNaN(half)) return 0x7e00;
  const sign = half < 0 || Object.is(half, -0) ? 0x8000 : 0;
  const size = Math.abs(half);
  if (size === Infinity) return sign | 0x7c00;
  if (size < 2 ** -14) return sign | (size * 2 ** 24);
  const exponent = Math.floor(Math.log2(size));
  return sign | ((exponent + 15) << 10) | (size * 2 ** (10 - exponent) - 1024);
}

/** The number that 16 bits say. */
export function fromHalfBits(bits: number): number {
  const [sign, exponent, fraction] = [bits & 0x8000 ? -1 : 1, (bits >>> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}
