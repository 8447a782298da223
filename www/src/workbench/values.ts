/** Data of inputs and outputs: read from text and files, made by patterns, shown as tables. */
import type { DataArray, Element, Port } from 'cipherloom';

/** Ways to fill an input. */
export const PATTERNS = ['ascending', 'random', 'zeros'] as const;
export type Pattern = (typeof PATTERNS)[number];

const ARRAYS = {
  bit: Uint8Array,
  u8: Uint8Array,
  i32: Int32Array,
  u32: Uint32Array,
  i64: BigInt64Array,
  u64: BigUint64Array,
  f32: Float32Array,
  f64: Float64Array,
} as const satisfies Record<Element, unknown>;

/** Integers of an element lie between these. */
const BOUNDS: Partial<Record<Element, readonly [bigint, bigint]>> = {
  bit: [0n, 1n],
  u8: [0n, 255n],
  i32: [-(2n ** 31n), 2n ** 31n - 1n],
  u32: [0n, 2n ** 32n - 1n],
  i64: [-(2n ** 63n), 2n ** 63n - 1n],
  u64: [0n, 2n ** 64n - 1n],
};

/** Numbers that one text field shows. */
export const MOST_SHOWN = 256;
/** Bytes that one call to the random source gives. */
const RANDOM_BYTES = 65_536;

/** How data of a port are held: what is no tensor is words of 64 bits, or bytes. */
export function elementOf({ element, bytes }: Port): Element {
  return element ?? (bytes % 8 === 0 ? 'u64' : 'u8');
}

/** Number of elements of a port. */
export function lengthOf(port: Port): number {
  if (port.element !== undefined) return (port.shape ?? []).reduce((product, one) => product * one, 1);
  return port.bytes % 8 === 0 ? port.bytes / 8 : port.bytes;
}

/** Words that stand for residues are below this. */
export function modulusOf({ element, type }: Port): bigint | undefined {
  if (element !== undefined) return undefined;
  const moduli = Array.from(type.matchAll(/\b[qt]=\[?([\d,]+)\]?/g), ([, list]) =>
    list!.split(',').map(BigInt),
  );
  const all = moduli.flat();
  return all.length === 0 ? undefined : all.reduce((least, one) => (one < least ? one : least));
}

/** What is expected of an input, in words. */
export function describePort(port: Port): string {
  const shape =
    port.shape === undefined ? port.type.replace(/\[.*/s, '') : `${port.element}[${port.shape.join(' × ')}]`;
  const modulus = modulusOf(port);
  const below = modulus === undefined ? '' : `, residues below ${modulus}`;
  const length = lengthOf(port);
  return `${shape}, ${length.toLocaleString('en-US')} ${length === 1 ? 'number' : 'numbers'}${below}`;
}

/** Numbers separated by commas, spaces or line ends. Errors tell which number is wrong, and how. */
export function parseNumbers(text: string, port: Port): DataArray {
  const words = text.split(/[\s,;]+/).filter((word) => word !== '');
  const length = lengthOf(port);
  if (words.length !== length)
    throw new Error(`expected ${count(length)}, found ${words.length.toLocaleString('en-US')}`);
  const element = elementOf(port);
  const array = new ARRAYS[element](length);
  for (const [index, word] of words.entries()) array[index] = numberOf(word, element, index);
  return array;
}

function numberOf(word: string, element: Element, index: number): never {
  const wrong = (expected: string): Error =>
    new Error(`number ${index + 1}: expected ${expected}, found ${word}`);
  const bounds = BOUNDS[element];
  if (bounds === undefined) {
    const value = /^[+-]?inf(inity)?$/i.test(word)
      ? word.startsWith('-')
        ? -Infinity
        : Infinity
      : Number(word);
    if (Number.isNaN(value) && !/^nan$/i.test(word)) throw wrong('a number');
    return value as never;
  }
  if (!/^[+-]?(0x[\da-f]+|\d+)$/i.test(word)) throw wrong('a whole number');
  const value = word.startsWith('-') ? -BigInt(word.slice(1)) : BigInt(word.replace('+', ''));
  if (value < bounds[0] || value > bounds[1]) throw wrong(`${bounds[0]} to ${bounds[1]}`);
  return (element === 'i64' || element === 'u64' ? value : Number(value)) as never;
}

/** Most numbers of an input: what a tab has memory for. */
export const MOST_NUMBERS = 2 ** 25;

/** 0, 1, 2, ...; random numbers; or zeros. They are such as the input takes. Errors: a sentence, for more of them than a tab has memory for. */
export function fill(pattern: Pattern, port: Port): DataArray {
  const element = elementOf(port);
  if (lengthOf(port) > MOST_NUMBERS)
    throw new Error(
      `${port.name} takes ${count(lengthOf(port))}, more than this tab fills in: ${count(MOST_NUMBERS)}`,
    );
  const array = new ARRAYS[element](lengthOf(port));
  const modulus = modulusOf(port);
  if (pattern === 'random') fillRandom(array, element, modulus);
  else if (pattern === 'ascending')
    for (let index = 0; index < array.length; index++) array[index] = ascending(index, element, modulus);
  return array;
}

function ascending(index: number, element: Element, modulus: bigint | undefined): never {
  if (element === 'i64' || element === 'u64')
    return (modulus === undefined ? BigInt(index) : BigInt(index) % modulus) as never;
  return (element === 'bit' ? index % 2 : index) as never; // bytes wrap by themselves
}

function fillRandom(array: DataArray, element: Element, modulus: bigint | undefined): void {
  if (element === 'f32' || element === 'f64') {
    // From 0, below 1: as many bits as both kinds of floats hold.
    const words = new Uint32Array(array.length);
    randomBytes(words);
    for (let index = 0; index < words.length; index++)
      array[index] = ((words[index]! >>> 8) / 2 ** 24) as never;
    return;
  }
  randomBytes(array);
  if (element === 'bit')
    for (let index = 0; index < array.length; index++) array[index] = ((array[index] as number) & 1) as never;
  if (modulus !== undefined)
    for (let index = 0; index < array.length; index++)
      array[index] = (BigInt(array[index]!) % modulus) as never;
}

function randomBytes({ buffer, byteOffset, byteLength }: ArrayBufferView): void {
  for (let at = 0; at < byteLength; at += RANDOM_BYTES)
    crypto.getRandomValues(
      new Uint8Array(buffer as ArrayBuffer, byteOffset + at, Math.min(RANDOM_BYTES, byteLength - at)),
    );
}

/** A file: text is read as numbers, anything else is the bytes themselves, little-endian. */
export async function readFile(file: File, port: Port): Promise<DataArray> {
  if (/\.(csv|tsv|txt)$/i.test(file.name) || file.type.startsWith('text/'))
    return parseNumbers(await file.text(), port);
  const element = elementOf(port);
  const length = lengthOf(port);
  const maker = ARRAYS[element];
  const expected = length * maker.BYTES_PER_ELEMENT;
  if (file.size !== expected)
    throw new Error(
      `${file.name}: expected ${expected.toLocaleString('en-US')} bytes, found ${file.size.toLocaleString('en-US')}`,
    );
  return new maker(await file.arrayBuffer());
}

/** Numbers for a text field; undefined if there are too many for one. */
export function textOf(array: DataArray): string | undefined {
  return array.length > MOST_SHOWN ? undefined : Array.from<number | bigint>(array).map(show).join(', ');
}

/** A number for reading: of single precision, as many digits as it has. */
export function show(value: number | bigint): string {
  return typeof value === 'number' && !Number.isInteger(value) && Math.fround(value) === value
    ? String(Number(value.toPrecision(8)))
    : String(value);
}

/** All numbers as CSV, rows of the last dimension. */
export function csvOf(array: DataArray, shape: readonly number[] | undefined): string {
  const columns = shape?.at(-1) ?? 1;
  const rows: string[] = [];
  for (let at = 0; at < array.length; at += columns)
    rows.push(Array.from<number | bigint>(array.subarray(at, at + columns)).join(','));
  return `${rows.join('\n')}\n`;
}

function count(length: number): string {
  return `${length.toLocaleString('en-US')} ${length === 1 ? 'number' : 'numbers'}`;
}
