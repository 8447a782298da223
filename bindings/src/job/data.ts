/** Keys and values of rows: what is one, copies of them, and how large they are. */
import { describe, sortOf, tag } from '../arguments.js';
import type { AnyKey, Data, Row } from './types.js';

/** Lists and objects in each other: no deeper, so that nobody's data exhaust a stack. */
export const MOST_DEPTH = 64;

/** The typed arrays that are data. */
export const ARRAYS = { Uint8Array, Float64Array, Float32Array, Int32Array, Uint32Array } as const;
/** One of them. */
export type DataTypedArray = InstanceType<(typeof ARRAYS)[keyof typeof ARRAYS]>;

/** What is wrong with a key or value, in words; values themselves have no place in errors. */
export interface Problem {
  readonly found: string;
  readonly expected: string;
  /** Where in the value, such as `["a"][3]`; empty for the value itself. */
  readonly inside: string;
}

/** Text that would not come back: half a surrogate pair has no UTF-8. */
const HALF_PAIR = /\p{Surrogate}/u;

/** Whether it can be asked for rows, one after the other. */
export function isSequence(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Symbol.iterator in value || Symbol.asyncIterator in value;
}

/** What is wrong with what should be a row, whatever its key and value are. */
export function rowProblem(row: unknown): Problem | undefined {
  if (Array.isArray(row) && row.length === 2) return undefined;
  return { found: describe(row), expected: 'a row: [key, value]', inside: '' };
}

/** What is wrong with the key of a row of any vector but a matrix. */
export function keyProblem(key: unknown): Problem | undefined {
  if (typeof key === 'number' && Number.isFinite(key)) return undefined;
  if (typeof key === 'string' && !HALF_PAIR.test(key)) return undefined;
  const found = typeof key === 'string' ? 'text with half a surrogate pair' : describe(key);
  return { found, expected: 'text or a finite number', inside: '' };
}

/** What is wrong with the key of an element of a matrix. */
export function positionProblem(key: unknown): Problem | undefined {
  const expected = 'a position: [row, column], whole numbers from 0 below 2^53';
  if (!Array.isArray(key) || key.length !== 2) return { found: describe(key), expected, inside: '' };
  const wrong = key.findIndex((index) => !Number.isSafeInteger(index) || index < 0);
  return wrong < 0 ? undefined : { found: describe(key[wrong]), expected, inside: `[${wrong}]` };
}

/** What is wrong with a value that may be any data. */
export function dataProblem(value: unknown, depth = 0): Problem | undefined {
  switch (typeof value) {
    case 'number':
    case 'boolean':
      return undefined;
    case 'string':
      return textProblem(value);
    case 'object':
      if (value === null || isTypedArray(value)) return undefined;
      if (depth >= MOST_DEPTH) return problem(`data nested deeper than ${MOST_DEPTH}`);
      if (Array.isArray(value)) return listProblem(value, depth);
      if (isPlain(value)) return objectProblem(value, depth);
  }
  return problem(sortOf(value));
}

/** What is wrong with a value that has to be text. */
export function textProblem(value: unknown): Problem | undefined {
  if (typeof value !== 'string') return { found: sortOf(value), expected: 'text', inside: '' };
  return HALF_PAIR.test(value) ? problem('text with half a surrogate pair') : undefined;
}

function listProblem(list: readonly unknown[], depth: number): Problem | undefined {
  // By index: `entries` and `map` would not all tell of holes.
  for (let index = 0; index < list.length; index++) {
    const found = dataProblem(list[index], depth + 1);
    if (found !== undefined) return { ...found, inside: `[${index}]${found.inside}` };
  }
  return undefined;
}

function objectProblem(object: object, depth: number): Problem | undefined {
  for (const [name, value] of Object.entries(object)) {
    // In objects that others write, it would set the prototype.
    if (name === '__proto__') return problem('the name "__proto__"');
    if (HALF_PAIR.test(name)) return problem('a name with half a surrogate pair');
    const found = dataProblem(value, depth + 1);
    if (found !== undefined) return { ...found, inside: `[${describe(name)}]${found.inside}` };
  }
  return undefined;
}

const EXPECTED =
  'null, a boolean, a number, text, bytes (Uint8Array), a Float64Array, Float32Array, Int32Array or Uint32Array, or lists and plain objects of these';

function problem(found: string): Problem {
  return { found, expected: EXPECTED, inside: '' };
}

/** Whether something is a typed array that data can hold; also one of another realm, such as a frame's. */
export function isTypedArray(value: unknown): value is DataTypedArray {
  return ArrayBuffer.isView(value) && Object.hasOwn(ARRAYS, tag(value));
}

/** An object that is only what it holds: of a class's it would lose the class. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** A row that nobody else can change, with 0 for -0 as key. What it is made of was checked. */
export function copyOfRow([key, value]: Row): Row {
  return [copyOfKey(key), copyOfData(value)];
}

/** The key, with 0 for -0. */
export function copyOfKey(key: AnyKey): AnyKey {
  if (typeof key === 'object') return [key[0] + 0, key[1] + 0];
  return typeof key === 'number' ? key + 0 : key;
}

/** A value that nobody else can change, and that was checked. */
export function copyOfData(value: Data): Data {
  if (typeof value !== 'object' || value === null) return value;
  if (isTypedArray(value)) return new ARRAYS[tag(value) as keyof typeof ARRAYS](value);
  if (Array.isArray(value)) return (value as readonly Data[]).map(copyOfData);
  return Object.fromEntries(Object.entries(value).map(([name, data]) => [name, copyOfData(data as Data)]));
}

/** About as many bytes does a row take in a chunk. */
export function sizeOf([key, value]: Row): number {
  return (typeof key === 'string' ? key.length : 16) + sizeOfData(value);
}

function sizeOfData(value: Data): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  if (ArrayBuffer.isView(value)) return value.byteLength + 8;
  let size = 8;
  if (Array.isArray(value)) for (const data of value as readonly Data[]) size += sizeOfData(data);
  else for (const [name, data] of Object.entries(value)) size += name.length + sizeOfData(data as Data);
  return size;
}
