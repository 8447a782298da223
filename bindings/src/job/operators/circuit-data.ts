/** Values of rows as data of a circuit's inputs, and data of its outputs as values. */
import { sortOf, tag } from '../../arguments.js';
import { fromBytes } from '../../data.js';
import { ELEMENTS, elementsOf } from '../../element.js';
import { failure } from '../../errors.js';
import type { DataArray, Element, Port, RunInputs, RunOutputs } from '../../graph-types.js';
import type { Data } from '../types.js';

/**
 * Inputs from a value: that of the only input, or an object with one for each. Each is the typed array of the input's elements, or any other array of numbers, or one number
 * for one element; numbers that the elements do not hold are errors, but for `f32`, which rounds. What is made of 64-bit words is given as numbers or as bytes, little-endian.
 * Errors: InputError, without the value.
 */
export function inputsOf(inputs: readonly Port[], value: Data): RunInputs {
  const [only] = inputs;
  const byName = tag(value) === 'Object';
  if (!byName && (inputs.length !== 1 || only === undefined)) {
    const expected = `an object with ${inputs.map(({ name }) => name).join(', ') || 'nothing in it'}`;
    const found = sortOf(value);
    throw failure('input.type', `The circuit takes ${expected}, found ${found}`, { found, expected });
  }
  const given = byName ? (value as Readonly<Record<string, Data>>) : { [(only as Port).name]: value };
  const ports = new Map(inputs.map((port) => [port.name, port] as const));
  return Object.fromEntries(
    Object.entries(given).map(([name, data]) => {
      const port = ports.get(name);
      // The run says which names there are.
      return [name, port === undefined ? (data as DataArray) : dataOf(port, data)];
    }),
  );
}

/**
 * A value from outputs: that of the only one, or an object with one for each. A tensor of no dimensions is a number, any other one its typed array; what is made of 64-bit
 * words, which values have no array for, is bytes, little-endian.
 */
export function valueOf(outputs: readonly Port[], data: RunOutputs): Data {
  const values = outputs.map((port) => [port.name, valueAt(port, data[port.name] as DataArray)] as const);
  const [only] = values;
  return values.length === 1 && only !== undefined ? only[1] : Object.fromEntries(values);
}

/** Two rows as one value: names of inputs with `a_` before those of the first, `b_` before those of the second; `a` and `b` where values have no names. */
export function ofBoth(a: Data, b: Data): Data {
  return Object.fromEntries([...prefixed('a', a), ...prefixed('b', b)]);
}

function prefixed(prefix: string, value: Data): (readonly [name: string, value: Data])[] {
  if (tag(value) !== 'Object') return [[prefix, value]];
  return Object.entries(value as Readonly<Record<string, Data>>).map(
    ([name, data]) => [`${prefix}_${name}`, data] as const,
  );
}

function valueAt({ shape }: Port, data: DataArray): Data {
  if (data instanceof BigInt64Array || data instanceof BigUint64Array)
    return new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
  return shape?.length === 0 ? (data[0] as number) : data;
}

function dataOf(port: Port, data: Data): DataArray {
  const { name, element, bytes } = port;
  const words = element === undefined || element === 'i64' || element === 'u64';
  if (words && tag(data) === 'Uint8Array') {
    const given = data as Uint8Array;
    if (given.length === bytes) return fromBytes(port, given.slice());
    const problem = `Input "${name}": expected ${bytes} bytes, found ${given.length}`;
    throw failure('input.length', problem, { where: name, found: given.length, expected: bytes });
  }
  // Of this type already, or of one whose error the run tells.
  if (element === undefined || tag(data) === ELEMENTS[element].array.name) return data as DataArray;
  const numbers = numbersOf(port, data);
  return numbers === undefined ? (data as unknown as DataArray) : converted(name, element, numbers);
}

/** Numbers of a value that has them: an array, a typed array, or the only one of an input of one element. */
function numbersOf({ shape }: Port, data: Data): ArrayLike<unknown> | undefined {
  if (typeof data === 'number') return elementsOf(shape ?? []) === 1 ? [data] : undefined;
  if (Array.isArray(data)) return data;
  return ArrayBuffer.isView(data) && tag(data) !== 'DataView' ? (data as Float64Array) : undefined;
}

/** The integers that elements hold, as far as numbers say them exactly. */
const RANGES: Readonly<Partial<Record<Element, readonly [least: number, most: number]>>> = {
  bit: [0, 1],
  u8: [0, 2 ** 8 - 1],
  i32: [-(2 ** 31), 2 ** 31 - 1],
  u32: [0, 2 ** 32 - 1],
  i64: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  u64: [0, Number.MAX_SAFE_INTEGER],
};

function converted(name: string, element: Element, numbers: ArrayLike<unknown>): DataArray {
  const { array } = ELEMENTS[element];
  const result = new array(new ArrayBuffer(numbers.length * array.BYTES_PER_ELEMENT), 0, numbers.length);
  const wide = result instanceof BigInt64Array || result instanceof BigUint64Array;
  for (let index = 0; index < numbers.length; index++) {
    const value = numbers[index];
    if (!holdsNumber(element, value)) throw notHeld(name, element, index, value);
    if (wide) result[index] = BigInt(value);
    else result[index] = value;
  }
  return result;
}

function holdsNumber(element: Element, value: unknown): value is number {
  if (typeof value !== 'number') return false;
  const range = RANGES[element];
  if (range !== undefined) return Number.isInteger(value) && value >= range[0] && value <= range[1];
  // What is finite stays so.
  return element !== 'f32' || Number.isFinite(Math.fround(value)) || !Number.isFinite(value);
}

function notHeld(name: string, element: Element, index: number, value: unknown): Error {
  const range = RANGES[element];
  const expected =
    range === undefined ? `a number that ${element} holds` : `a whole number ${range.join('..')}`;
  const found = typeof value === 'number' ? 'another number' : sortOf(value);
  const where = `Input "${name}", element ${index} (counted from 0)`;
  const problem = `${where}: expected ${expected}, found ${found}`;
  throw failure('range.value', problem, { where: name, index, found, expected });
}
