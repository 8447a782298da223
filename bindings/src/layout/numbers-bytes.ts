/** Numbers of a label's type as bytes, little-endian. */
import { fromHalfBits, halfBits } from './half.js';
import { numberKind, type NumberType } from './numbers.js';
import { wrong } from './wrong.js';

interface Way {
  set(view: DataView, at: number, value: number): void;
  get(view: DataView, at: number): number;
}

const WAYS: Readonly<Record<NumberType, Way>> = {
  float16: {
    set: (view, at, value) => view.setUint16(at, halfBits(value), true),
    get: (view, at) => fromHalfBits(view.getUint16(at, true)),
  },
  float32: {
    set: (view, at, value) => view.setFloat32(at, value, true),
    get: (view, at) => view.getFloat32(at, true),
  },
  float64: {
    set: (view, at, value) => view.setFloat64(at, value, true),
    get: (view, at) => view.getFloat64(at, true),
  },
  int8: { set: (view, at, value) => view.setInt8(at, value), get: (view, at) => view.getInt8(at) },
  uint8: { set: (view, at, value) => view.setUint8(at, value), get: (view, at) => view.getUint8(at) },
  int16: {
    set: (view, at, value) => view.setInt16(at, value, true),
    get: (view, at) => view.getInt16(at, true),
  },
  uint16: {
    set: (view, at, value) => view.setUint16(at, value, true),
    get: (view, at) => view.getUint16(at, true),
  },
  int32: {
    set: (view, at, value) => view.setInt32(at, value, true),
    get: (view, at) => view.getInt32(at, true),
  },
  uint32: {
    set: (view, at, value) => view.setUint32(at, value, true),
    get: (view, at) => view.getUint32(at, true),
  },
};

/** Numbers as bytes; those that the type has not are rounded to it. */
export function numbersToBytes(values: ArrayLike<number>, type: NumberType): Uint8Array {
  const { bytes: size, round } = numberKind(type);
  const bytes = new Uint8Array(values.length * size);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < values.length; index++)
    WAYS[type].set(view, index * size, round(values[index] as number));
  return bytes;
}

/** Bytes as numbers. Errors: LayoutError `layout.packet` for no whole number of them. */
export function bytesToNumbers(bytes: Uint8Array, type: NumberType): Float64Array {
  const { bytes: size } = numberKind(type);
  if (bytes.length % size !== 0)
    throw wrong(
      'layout.packet',
      'numbers',
      `${bytes.length} bytes`,
      `a whole number of ${type}, of ${size} bytes each`,
    );
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Float64Array.from({ length: bytes.length / size }, (_, index) => WAYS[type].get(view, index * size));
}
