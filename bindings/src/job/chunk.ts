/**
 * Rows as bytes: chunks. A version byte, then one MessagePack array: number of rows, form of keys, keys, form of values, values. Columns of
 * numbers are bytes of doubles. All numbers are little-endian; typed arrays are extensions 1 to 5, in the order of `ARRAYS`. Numbers among other data are
 * doubles, so that -0 comes back as -0. The same rows give the same bytes.
 *
 * MessagePack is the business of @msgpack/msgpack (ISC, no dependencies), which takes bytes from everybody. But it reserves what an array's
 * length says before it has seen one element: lengths are looked at first.
 */
import { Decoder, Encoder, ExtensionCodec } from '@msgpack/msgpack';
import { describe, tag } from '../arguments.js';
import { failure } from '../errors.js';
import {
  ARRAYS,
  copyOfKey,
  dataProblem,
  type DataTypedArray,
  isTypedArray,
  keyProblem,
  MOST_DEPTH,
  positionProblem,
} from './data.js';
import type { AnyKey, Data, Key, Position, Row } from './types.js';

export { sizeOf } from './data.js';

const VERSION = 1;

/** Forms of columns. */
const COUNTED = 0; // keys: the first one; each is one more than the one before
const NUMBERS = 1; // doubles
const POSITIONS = 2; // keys: doubles, two for each row
const LIST = 3; // a MessagePack array

/** Data are in columns, and these in an array. */
const MOST_ENCODED_DEPTH = MOST_DEPTH + 8;

/** Rows as bytes; they have been through `checkRow`. Errors: JobError `job.chunk` for what is too large to be one array of bytes. */
export function encodeChunk(rows: readonly Row[]): Uint8Array<ArrayBuffer> {
  const [keyForm, keys] = keyColumn(rows.map(([key]) => copyOfKey(key)));
  const [valueForm, values] = valueColumn(rows.map(([, value]) => value));
  try {
    const encoder = new Encoder({
      extensionCodec: CODEC,
      forceIntegerToFloat: true,
      maxDepth: MOST_ENCODED_DEPTH,
    });
    const body = encoder.encodeSharedRef([rows.length, keyForm, keys, valueForm, values]);
    const bytes = new Uint8Array(1 + body.length);
    bytes[0] = VERSION;
    bytes.set(body, 1);
    return bytes;
  } catch (cause) {
    throw failure(
      'job.chunk',
      `${rows.length} rows cannot be written as bytes`,
      { rows: rows.length },
      cause,
    );
  }
}

function keyColumn(keys: readonly AnyKey[]): [form: number, column: unknown] {
  if (keys.length === 0) return [LIST, keys];
  if (keys.every((key) => typeof key === 'object')) return [POSITIONS, Float64Array.from(keys.flat())];
  if (!keys.every((key) => typeof key === 'number')) return [LIST, keys];
  const first = keys[0] as number;
  const isCounted = isIndex(first) && keys.every((key, row) => key === first + row && isIndex(key));
  return isCounted ? [COUNTED, first] : [NUMBERS, Float64Array.from(keys)];
}

function valueColumn(values: readonly Data[]): [form: number, column: unknown] {
  const isNumbers = values.length > 0 && values.every((value) => typeof value === 'number');
  return isNumbers ? [NUMBERS, Float64Array.from(values)] : [LIST, values];
}

function isIndex(key: unknown): key is number {
  return Number.isSafeInteger(key) && (key as number) >= 0;
}

/** The rows of a chunk, which share nothing with the bytes. Errors: JobError `job.chunk`, whatever the bytes are. */
export function decodeChunk(bytes: Uint8Array): Row[] {
  if (tag(bytes) !== 'Uint8Array') throw wrong('are no bytes', describe(bytes), 'a Uint8Array');
  if (bytes[0] !== VERSION)
    throw wrong('are of another version', bytes.length === 0 ? 'no bytes' : bytes[0], VERSION);
  const body = bytes.subarray(1);
  checkLengths(body, MOST_ENCODED_DEPTH, wrong);
  let columns: unknown;
  try {
    columns = new Decoder({ extensionCodec: CODEC }).decode(body);
  } catch (cause) {
    throw wrong('are not MessagePack', undefined, undefined, cause);
  }
  if (!Array.isArray(columns) || columns.length !== 5)
    throw wrong('have no columns', describe(columns), 'an array of 5');
  const [rows, keyForm, keyPart, valueForm, valuePart] = columns as readonly unknown[];
  const values = readValues(valueForm, valuePart);
  if (rows !== values.length) throw wrong('have another number of values', values.length, rows);
  const keys = readKeys(keyForm, keyPart, values.length);
  return values.map((value, row) => [keys[row] as AnyKey, value]);
}

/** Plain data that are no rows as MessagePack, nested no deeper than `depth`: here, since one file has the library in it. Errors: what the library throws. */
export function pack(value: unknown, depth: number): Uint8Array<ArrayBuffer> {
  return new Encoder({ maxDepth: depth }).encode(value);
}

/** The data of {@link pack}: bytes share memory with them. Errors: those that `wrong` makes of what is wrong, whatever the bytes are. */
export function unpack(bytes: Uint8Array, depth: number, wrong: Wrong): unknown {
  checkLengths(bytes, depth, wrong);
  try {
    return new Decoder().decode(bytes);
  } catch (cause) {
    throw wrong('are not MessagePack', undefined, undefined, cause);
  }
}

function readKeys(form: unknown, column: unknown, rows: number): readonly AnyKey[] {
  const keys = keysOf(form, column, rows);
  if (keys === undefined) throw wrong('have keys of no known form', describe(form), 'a form of keys');
  if (keys.length !== rows) throw wrong('have another number of keys', keys.length, rows);
  const problem = form === POSITIONS ? positionProblem : keyProblem;
  const row = keys.findIndex((key) => problem(key) !== undefined || Object.is(key, -0));
  if (row < 0) return keys;
  throw wrong(`have no key in row ${row}`, problem(keys[row])?.found ?? -0, problem(Number.NaN)?.expected);
}

function keysOf(form: unknown, column: unknown, rows: number): readonly AnyKey[] | undefined {
  if (form === LIST && Array.isArray(column)) return column as Key[];
  if (form === COUNTED && isIndex(column) && isIndex(column + rows)) return counted(column, rows);
  if (!(column instanceof Float64Array)) return undefined;
  if (form === NUMBERS) return [...column];
  return form === POSITIONS && column.length % 2 === 0 ? pairs(column) : undefined;
}

function counted(first: number, rows: number): number[] {
  return Array.from({ length: rows }, (_, row) => first + row);
}

function pairs(numbers: Float64Array): Position[] {
  return Array.from({ length: numbers.length / 2 }, (_, row) => [
    numbers[2 * row] as number,
    numbers[2 * row + 1] as number,
  ]);
}

function readValues(form: unknown, column: unknown): readonly Data[] {
  if (form === NUMBERS && column instanceof Float64Array) return [...column];
  if (form !== LIST || !Array.isArray(column))
    throw wrong('have values of no known form', describe(form), 'a form of values');
  for (const [row, value] of column.entries()) {
    const problem = dataProblem(value);
    if (problem !== undefined) throw wrong(`have no value in row ${row}`, problem.found, problem.expected);
  }
  return column as Data[];
}

/** Makes the error of bytes that are not what they have to be. */
export type Wrong = (problem: string, found?: unknown, expected?: unknown, cause?: unknown) => Error;

function wrong(problem: string, found?: unknown, expected?: unknown, cause?: unknown): Error {
  const facts = expected === undefined ? '' : `: expected ${String(expected)}, found ${String(found)}`;
  return failure('job.chunk', `The bytes of a chunk ${problem}${facts}`, { found, expected }, cause);
}

/**
 * Walks MessagePack without keeping anything: whether all that is announced is there, and nothing is nested deeper than data are.
 */
function checkLengths(bytes: Uint8Array, depth: number, wrong: Wrong): void {
  const tooShort = (): Error => wrong('end early, or announce more than there is');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  // How many elements are to come in each array and map around; each takes a byte or more.
  const open = [1];
  for (;;) {
    while (open.at(-1) === 0) open.pop();
    if (open.length === 0) return;
    open.push((open.pop() as number) - 1);
    const head = bytes[at++];
    if (head === undefined) throw tooShort();
    const { lengthBytes, unit, fixed, contains } = layoutOf(head);
    if (at + lengthBytes > bytes.length) throw tooShort();
    const length = lengthBytes === 0 ? fixed : fixed + unit * readLength(view, at, lengthBytes);
    at += lengthBytes;
    if (!contains) at += length;
    else if (open.push(length) > depth)
      throw wrong('are nested too deep', `more than ${depth}`, `at most ${depth}`);
    if (at > bytes.length) throw tooShort();
  }
}

function readLength(view: DataView, at: number, bytes: number): number {
  return bytes === 1 ? view.getUint8(at) : bytes === 2 ? view.getUint16(at) : view.getUint32(at);
}

interface Layout {
  /** Bytes of the length that follows; 0 where the head says it. */
  readonly lengthBytes: number;
  /** What each of the length stands for: elements, where it `contains` such, else bytes. */
  readonly unit: number;
  /** Added to it. */
  readonly fixed: number;
  readonly contains: boolean;
}

/** What follows the first byte of an element, by the specification of MessagePack. */
function layoutOf(head: number): Layout {
  if (head < 0x80 || head >= 0xe0) return bytesOf(0);
  if (head < 0x90) return elementsOf(2 * (head - 0x80));
  if (head < 0xa0) return elementsOf(head - 0x90);
  if (head < 0xc0) return bytesOf(head - 0xa0);
  return LAYOUTS[head - 0xc0] as Layout;
}

const bytesOf = (fixed: number, lengthBytes = 0): Layout => ({
  lengthBytes,
  unit: 1,
  fixed,
  contains: false,
});
const elementsOf = (fixed: number, lengthBytes = 0, unit = 1): Layout => ({
  lengthBytes,
  unit,
  fixed,
  contains: true,
});
/** From 0xc0 to 0xdf. */
const LAYOUTS: readonly Layout[] = [
  ...[0, 0, 0, 0].map((size) => bytesOf(size)), // nil, none, false, true
  ...[1, 2, 4].map((size) => bytesOf(0, size)), // bytes
  ...[1, 2, 4].map((size) => bytesOf(1, size)), // extensions, which have a type
  ...[4, 8, 1, 2, 4, 8, 1, 2, 4, 8].map((size) => bytesOf(size)), // numbers
  ...[1, 2, 4, 8, 16].map((size) => bytesOf(1 + size)), // extensions of fixed length
  ...[1, 2, 4].map((size) => bytesOf(0, size)), // text
  ...[2, 4].map((size) => elementsOf(0, size)), // arrays
  ...[2, 4].map((size) => elementsOf(0, size, 2)), // maps
];

const CODEC = typedArrayCodec();

function typedArrayCodec(): ExtensionCodec {
  const codec = new ExtensionCodec();
  for (const [index, name] of Object.keys(ARRAYS).entries()) {
    codec.register({
      type: index + 1,
      encode: (value) => (isTypedArray(value) && tag(value) === name ? toBytes(value) : null),
      decode: (bytes) => fromBytes(bytes, ARRAYS[name as keyof typeof ARRAYS]),
    });
  }
  return codec;
}

const IS_LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

function toBytes(array: DataTypedArray): Uint8Array {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  return IS_LITTLE_ENDIAN ? bytes : swapped(bytes.slice(), array.BYTES_PER_ELEMENT);
}

function fromBytes(bytes: Uint8Array, array: (typeof ARRAYS)[keyof typeof ARRAYS]): DataTypedArray {
  const size = array.BYTES_PER_ELEMENT;
  if (bytes.length % size !== 0) throw new RangeError(`${bytes.length} bytes are no whole ${array.name}`);
  // A copy: whoever changes the value does not change the chunk, and bytes are aligned.
  const copy = new Uint8Array(bytes);
  return new array((IS_LITTLE_ENDIAN ? copy : swapped(copy, size)).buffer);
}

/** Bytes of each element the other way round, in place. */
function swapped<T extends Uint8Array>(bytes: T, size: number): T {
  for (let at = 0; at < bytes.length; at += size) bytes.subarray(at, at + size).reverse();
  return bytes;
}
