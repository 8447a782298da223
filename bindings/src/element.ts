/** Types of data: the makers that users call, and what is known of elements. */
import { ATTRIBUTES, checkArgument, describe, type Kind, WHOLE } from './arguments.js';
import { attributesText, isWord } from './attributes.js';
import { failure } from './errors.js';
import type { Attributes, DataType, Element, ElementArrays, TensorType } from './graph-types.js';

/** Of each element the bits that one takes up, and the array that holds them. */
export const ELEMENTS: {
  readonly [E in Element]: { readonly bits: number; readonly array: ArrayMaker<ElementArrays[E]> };
} = {
  bit: { bits: 1, array: Uint8Array },
  u8: { bits: 8, array: Uint8Array },
  i32: { bits: 32, array: Int32Array },
  u32: { bits: 32, array: Uint32Array },
  i64: { bits: 64, array: BigInt64Array },
  u64: { bits: 64, array: BigUint64Array },
  f32: { bits: 32, array: Float32Array },
  f64: { bits: 64, array: Float64Array },
};

/** A class of typed arrays. */
export interface ArrayMaker<T> {
  new (buffer: ArrayBuffer, byteOffset: number, length: number): T;
  readonly name: string;
  readonly BYTES_PER_ELEMENT: number;
}

/** Most elements of a tensor. */
const MOST_ELEMENTS = 2 ** 40;
const HEAD: Kind = {
  expected: `the name of a type other than ${Object.keys(ELEMENTS).join(', ')}, which have makers of their own`,
  fits: (value) => isWord(value) && !Object.hasOwn(ELEMENTS, value),
};

/** A tensor of bits, each 0 or 1. `bit(8)`: eight of them; `bit()`: one. Errors: GraphError `graph.shape`. */
export const bit = (...shape: number[]): TensorType<'bit'> => tensor('bit', shape);
/** A tensor of integers from 0 to 2^8 - 1. Errors: GraphError `graph.shape`. */
export const u8 = (...shape: number[]): TensorType<'u8'> => tensor('u8', shape);
/** A tensor of integers from -2^31 to 2^31 - 1. Errors: GraphError `graph.shape`. */
export const i32 = (...shape: number[]): TensorType<'i32'> => tensor('i32', shape);
/** A tensor of integers from 0 to 2^32 - 1. Errors: GraphError `graph.shape`. */
export const u32 = (...shape: number[]): TensorType<'u32'> => tensor('u32', shape);
/** A tensor of integers from -2^63 to 2^63 - 1. Errors: GraphError `graph.shape`. */
export const i64 = (...shape: number[]): TensorType<'i64'> => tensor('i64', shape);
/** A tensor of integers from 0 to 2^64 - 1. Errors: GraphError `graph.shape`. */
export const u64 = (...shape: number[]): TensorType<'u64'> => tensor('u64', shape);
/** A tensor of single-precision numbers, rows first: `f32(1024, 4)`. Errors: GraphError `graph.shape`. */
export const f32 = (...shape: number[]): TensorType<'f32'> => tensor('f32', shape);
/** A tensor of double-precision numbers. Errors: GraphError `graph.shape`. */
export const f64 = (...shape: number[]): TensorType<'f64'> => tensor('f64', shape);

/**
 * Any other type, by its name in the text form: `type('limb', { n: 8, q: 17n, form: 'ntt' })`. Its size follows from its
 * attributes, but for `raw`, plain units, which have the third argument's number of them. Errors: InputError `input.type`.
 */
export function type(head: string, attributes: Attributes = {}, units?: number): DataType {
  checkArgument('type, head', head, HEAD);
  checkArgument('type, attributes', attributes, ATTRIBUTES);
  if (units !== undefined) checkArgument('type, units', units, WHOLE);
  const size = units === undefined ? '' : `[${units}]`;
  const text = `${head}${size}${attributesText('type', attributes)}`;
  return Object.freeze({ text, element: undefined, shape: undefined });
}

/** A type of data, also of another copy of the package. */
export const DATA_TYPE: Kind = {
  expected: 'a type of data, such as f32(4)',
  fits: (value) => {
    const { text, element, shape } = (value ?? {}) as Partial<DataType>;
    if (typeof text !== 'string') return false;
    return element === undefined || (Object.hasOwn(ELEMENTS, element) && Array.isArray(shape));
  },
};

/** How many elements a shape has. */
export function elementsOf(shape: readonly number[]): number {
  return shape.reduce((product, dimension) => product * dimension, 1);
}

function tensor<E extends Element>(element: E, shape: number[]): TensorType<E> {
  const whole = shape.every((dimension) => Number.isSafeInteger(dimension) && dimension >= 1);
  if (!whole || elementsOf(shape) > MOST_ELEMENTS) {
    const found = `${element}(${shape.map(describe).join(', ')})`;
    const expected = 'dimensions of at least 1, at most 2^40 elements in all';
    throw failure('graph.shape', `${found}: expected ${expected}`, { found, expected });
  }
  return Object.freeze({
    text: `${element}{shape=[${shape.join(',')}]}`,
    element,
    shape: Object.freeze([...shape]),
  });
}
