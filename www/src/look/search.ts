/** Whether numbers can be found in bytes, in any of the ways in which programs write them. */

/** Rows that are looked for one after the other, and bytes that they take: fewer would be found by chance. */
const LEAST = 2;
const LEAST_BYTES = 8;
export const MOST = 8;

/** A way to write numbers, and how the numbers look then. */
export interface Pattern {
  readonly as: string;
  readonly bytes: Uint8Array;
}

/** Rows of a column as bytes, from the first one on that is not 0, since zeros would be found wherever nothing is written; none where that is too little to look for. */
export function patternsOf(values: ArrayLike<number>, decimals: number): Pattern[] {
  const there = Array.from(values).filter((value) => !Number.isNaN(value));
  const first = there.findIndex((value) => value !== 0);
  const shown = first < 0 ? [] : there.slice(first, first + MOST);
  if (shown.length < LEAST) return [];
  const units = shown.map((value) => Math.round(value * 10 ** decimals));
  const fits = (bits: number): boolean => units.every((unit) => Math.abs(unit) < 2 ** (bits - 1));
  const patterns: Pattern[] = [
    { as: 'text', bytes: new TextEncoder().encode(shown.join(',')) },
    { as: 'text in lines', bytes: new TextEncoder().encode(shown.join('\n')) },
    { as: 'doubles', bytes: bytesOf(Float64Array.from(shown)) },
    { as: 'floats', bytes: bytesOf(Float32Array.from(shown)) },
  ];
  if (fits(32)) patterns.push({ as: '32-bit integers', bytes: bytesOf(Int32Array.from(units)) });
  if (units.every(Number.isSafeInteger))
    patterns.push({ as: '64-bit integers', bytes: bytesOf(BigInt64Array.from(units, BigInt)) });
  return patterns.filter(({ bytes }) => bytes.length >= LEAST_BYTES);
}

/** Whether the pattern stands anywhere in the bytes. */
export function includes(bytes: Uint8Array, { bytes: wanted }: Pattern): boolean {
  const last = bytes.length - wanted.length;
  for (let at = bytes.indexOf(wanted[0]!); at >= 0 && at <= last; at = bytes.indexOf(wanted[0]!, at + 1)) {
    if (wanted.every((byte, index) => bytes[at + index] === byte)) return true;
  }
  return false;
}

function bytesOf(array: ArrayBufferView): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}
