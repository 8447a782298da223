/** Data as users have them, typed arrays, and as the core has them: bytes, little-endian, bits packed. */
import { describe, isDetached, sortOf, tag } from './arguments.js';
import { ELEMENTS, elementsOf } from './element.js';
import { failure } from './errors.js';
import type { DataArray, Element, Port, RunInputs } from './graph-types.js';

const WORD_BYTES = 8;

/** What is known of the data at one place: of a tensor element and shape, of words perhaps how many bytes. */
export interface Place {
  readonly element: Element | undefined;
  readonly shape: readonly number[] | undefined;
  readonly bytes?: number;
}

/**
 * Data as bytes, copied. `where` names the place in errors. Errors: InputError `input.type` (another array), `input.length`;
 * OutOfRangeError `range.value` (a bit that is neither 0 nor 1), without the value.
 */
export function toBytes(where: string, place: Place, data: unknown): Uint8Array<ArrayBuffer> {
  const { name, length } = arrayFor(place);
  if (tag(data) !== name || isDetached(data)) {
    const expected = expectedAt(place);
    const found = foundIn(data);
    const problem = `${where}: expected ${expected}, found ${found}`;
    throw failure('input.type', problem, { where, found, expected });
  }
  const array = data as DataArray;
  if (length !== undefined ? array.length !== length : array.length === 0) {
    const problem = `${where}: expected ${expectedAt(place)}, found ${array.length} elements`;
    throw failure('input.length', problem, { where, found: array.length, expected: length });
  }
  if (place.element === 'bit') return packed(where, array as Uint8Array);
  return new Uint8Array(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
}

/** Bytes as data: over the same memory, where it is laid out for that. */
export function fromBytes({ element, shape }: Place, bytes: Uint8Array<ArrayBuffer>): DataArray {
  if (element === 'bit') return unpacked(bytes, elementsOf(shape ?? []));
  const array = element === undefined ? wordsOrBytes(bytes.length) : ELEMENTS[element].array;
  const aligned = bytes.byteOffset % array.BYTES_PER_ELEMENT === 0;
  const { buffer, byteOffset, length } = aligned ? bytes : bytes.slice();
  return new array(buffer, byteOffset, length / array.BYTES_PER_ELEMENT);
}

/**
 * Data of inputs, in their order; `all` is what the circuit has. Errors: InputError `input.unknown`, `input.missing`, and those of
 * {@link toBytes}.
 */
export function orderedData(
  inputs: readonly Port[],
  given: RunInputs,
  all: readonly Port[] = inputs,
): Uint8Array<ArrayBuffer>[] {
  const expected = all.map(({ name }) => name);
  const known = new Set(expected);
  const unknown = Object.keys(given).find((name) => !known.has(name));
  if (unknown !== undefined) {
    const there = expected.length > 0 ? `it has ${expected.join(', ')}` : 'it has none';
    const problem = `The circuit has no input ${describe(unknown)}; ${there}`;
    throw failure('input.unknown', problem, { found: unknown, expected });
  }
  const missing = inputs.find(({ name }) => !Object.hasOwn(given, name) || given[name] === undefined);
  if (missing !== undefined) {
    const problem = `Input "${missing.name}" is missing: expected ${expectedAt(missing)}`;
    throw failure('input.missing', problem, { input: missing.name, expected: expectedAt(missing) });
  }
  return inputs.map((port) => toBytes(`Input "${port.name}"`, port, given[port.name]));
}

/** Inputs whose arrays are copies, for who waits before they are needed; what is no such thing is the run's to refuse. */
export function copiedData(inputs: RunInputs): RunInputs {
  if (tag(inputs) !== 'Object') return inputs;
  // That of Node's Buffer is a view.
  const { slice } = Uint8Array.prototype;
  const copy = (data: unknown): unknown =>
    ArrayBuffer.isView(data) && !(data instanceof DataView) ? slice.call(data as Uint8Array) : data;
  return Object.fromEntries(Object.entries(inputs).map(([name, data]) => [name, copy(data)])) as RunInputs;
}

/** Which array holds the data of a place, and how many elements it has there, if that is known. */
function arrayFor({ element, shape, bytes }: Place): { name: string; length: number | undefined } {
  if (element !== undefined) return { name: ELEMENTS[element].array.name, length: elementsOf(shape ?? []) };
  const { name, BYTES_PER_ELEMENT } = wordsOrBytes(bytes ?? 0);
  return { name, length: bytes === undefined ? undefined : bytes / BYTES_PER_ELEMENT };
}

/** What is no tensor is made of words; only plain units may be no whole number of these. */
function wordsOrBytes(bytes: number) {
  return ELEMENTS[bytes % WORD_BYTES === 0 ? 'u64' : 'u8'].array;
}

function expectedAt(place: Place): string {
  const { name, length } = arrayFor(place);
  const of = place.element === undefined ? '' : `, ${place.element}[${(place.shape ?? []).join(', ')}]`;
  const bits = place.element === 'bit' ? ' of 0 and 1' : '';
  const elements = length === undefined ? '' : ` with ${length} ${length === 1 ? 'element' : 'elements'}`;
  return `a ${name}${elements}${bits}${of}`;
}

/** Without a value: data may be secret. */
function foundIn(data: unknown): string {
  if (!ArrayBuffer.isView(data) || isDetached(data)) return sortOf(data);
  const length = (data as Partial<DataArray>).length;
  return `a ${tag(data)}${length === undefined ? '' : ` with ${length} elements`}`;
}

function packed(where: string, bits: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.ceil(bits.length / 8));
  for (let index = 0; index < bits.length; index++) {
    const bit = bits[index] as number;
    if (bit > 1) {
      const problem = `${where}, element ${index} (counted from 0): expected 0 or 1, found another value`;
      throw failure('range.value', problem, { where, index, expected: '0 or 1' });
    }
    (bytes[index >> 3] as number) |= bit << (index & 7);
  }
  return bytes;
}

function unpacked(bytes: Uint8Array, length: number): Uint8Array {
  const bits = new Uint8Array(length);
  for (let index = 0; index < length; index++)
    bits[index] = ((bytes[index >> 3] as number) >> (index & 7)) & 1;
  return bits;
}
