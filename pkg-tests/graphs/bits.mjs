/**
 * Values as bits, one per byte, the lowest first. Beside 0 and 1 a bit may be one that the documentation leaves open:
 *
 *   UNKNOWN          it followed from such a bit
 *   OF_NAN           of a NaN that arithmetic gave; the value is NaN, and which is not said
 *   ROUGH[..] + 0/1  0 or 1, of a value that is known to a tolerance; the first bit of one has FIRST on top
 *
 * Where such bits are moved, they stay what they are. A value of which some are open is `undefined`, but NaN.
 */
import { ELEMENTS } from './elements.mjs';

const UNKNOWN = 2;
const OF_NAN = 3;
const ROUGH = { f32: 4, f64: 6 };
const FIRST = 4;

const FRACTION = { f32: 23, f64: 52 };
const scratch = new DataView(new ArrayBuffer(8));
const READ = {
  bit: () => BigInt(scratch.getUint8(0)),
  u8: () => BigInt(scratch.getUint8(0)),
  i32: () => BigInt(scratch.getInt32(0, true)),
  u32: () => BigInt(scratch.getUint32(0, true)),
  i64: () => scratch.getBigInt64(0, true),
  u64: () => scratch.getBigUint64(0, true),
  f32: () => scratch.getFloat32(0, true),
  f64: () => scratch.getFloat64(0, true),
};

/** A float that is known to a tolerance. */
export class Rough {
  constructor(value) {
    this.value = value;
  }
}

/** The value in the bits of an element: BigInt for integers, number for floats, undefined for an open one. */
export function decode(element, bits) {
  const { bits: width } = ELEMENTS[element];
  for (let index = 0; index < width; index++) {
    if (bits[index] > 1) return isOpenNan(element, bits) ? NaN : undefined;
  }
  scratch.setUint32(0, half(bits, 0, Math.min(width, 32)), true);
  scratch.setUint32(4, half(bits, 32, width), true);
  return READ[element]();
}

/** The bits of a value as it is computed; integers wrap, floats of `f32` have been rounded before. */
export function encode(element, value) {
  const { kind, bits: width } = ELEMENTS[element];
  if (value === undefined) return new Uint8Array(width).fill(UNKNOWN);
  if (value instanceof Rough) {
    const bits = encode(element, value.value);
    return Number.isNaN(value.value) ? bits : bits.map((bit, index) => bit + roughAt(element, index));
  }
  if (kind !== 'float') {
    scratch.setBigUint64(0, BigInt.asUintN(64, value), true);
    return scratchBits(width);
  }
  if (Number.isNaN(value)) {
    const fraction = FRACTION[element];
    return Uint8Array.from({ length: width }, (_, index) => (index < fraction || index === width - 1 ? OF_NAN : 1));
  }
  if (element === 'f32') scratch.setFloat32(0, value, true);
  else scratch.setFloat64(0, value, true);
  return scratchBits(width);
}

/** Bits of bytes, the lowest first. */
export function unpack(bytes, length) {
  const bits = new Uint8Array(length);
  for (let index = 0; index < length; index++) bits[index] = (bytes[index >> 3] >> (index & 7)) & 1;
  return bits;
}

/** How the bits of an element differ from what they should be, in words; undefined if they do not. */
export function difference(element, found, expected) {
  let at = 0;
  while (at < expected.length && (expected[at] === found[at] || expected[at] === UNKNOWN)) at++;
  if (at === expected.length) return undefined;
  if (isOpenNan(element, expected))
    return Number.isNaN(decode(element, found)) ? undefined : told(element, found, 'NaN');
  if (isRough(element, expected)) {
    const value = decode(
      element,
      expected.map((bit, index) => bit - roughAt(element, index)),
    );
    return isNear(element, decode(element, found), value) ? undefined : told(element, found, `about ${value}`);
  }
  // What is left is known bit by bit, or was cut through where it is open.
  if (expected.every((bit, index) => bit === found[index] || bit > 1)) return undefined;
  return told(element, found, text(element, expected));
}

/** Whether anything about an element is known exactly. */
export function isKnown(bits) {
  return bits.every((bit) => bit <= 1);
}

function isOpenNan(element, bits) {
  const fraction = FRACTION[element];
  return (
    fraction !== undefined &&
    bits.every((bit, index) => bit === (index < fraction || index === bits.length - 1 ? OF_NAN : 1))
  );
}

/** What is added to a bit of a value that is known to a tolerance. */
function roughAt(element, index) {
  return ROUGH[element] + (index === 0 ? FIRST : 0);
}

/** Whether bits are just those of one such value, and not parts of several, or of one seen as something else. */
function isRough(element, bits) {
  return element in ROUGH && bits.every((bit, index) => bit >> 1 === roughAt(element, index) >> 1);
}

/** Four units in the last place, or four of the smallest numbers there are. */
function isNear(element, found, expected) {
  if (Object.is(found, expected)) return true;
  if (!Number.isFinite(found) || !Number.isFinite(expected)) return false;
  const [relative, least] = element === 'f32' ? [2 ** -21, 2 ** -147] : [2 ** -50, 2 ** -1072];
  return Math.abs(found - expected) <= Math.max(Math.abs(expected) * relative, least);
}

/** The number in some bits, at most 32. */
function half(bits, from, to) {
  let number = 0;
  for (let index = to - 1; index >= from; index--) number = number * 2 + bits[index];
  return number;
}

function scratchBits(width) {
  const bits = new Uint8Array(width);
  for (let index = 0; index < width; index++) bits[index] = (scratch.getUint8(index >> 3) >> (index & 7)) & 1;
  return bits;
}

function told(element, found, expected) {
  return { found: text(element, found), expected };
}

function text(element, bits) {
  const digits = Array.from(bits, (bit) => (bit <= 1 ? bit : '?'))
    .reverse()
    .join('');
  if (element === undefined) return digits;
  const value = decode(element, bits);
  return `${Object.is(value, -0) ? '-0' : value} (${digits})`;
}
