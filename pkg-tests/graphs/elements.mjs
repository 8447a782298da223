/** What tensors hold, as the documentation says it: shared by the generator and the interpreter, not with the package. */
export const ELEMENTS = {
  bit: { bits: 1, kind: 'unsigned', mask: 'bit', total: 'u64', array: Uint8Array },
  u8: { bits: 8, kind: 'unsigned', mask: 'u8', total: 'u64', array: Uint8Array },
  i32: { bits: 32, kind: 'signed', mask: 'u32', total: 'i64', array: Int32Array },
  u32: { bits: 32, kind: 'unsigned', mask: 'u32', total: 'u64', array: Uint32Array },
  i64: { bits: 64, kind: 'signed', mask: 'u64', total: 'i64', array: BigInt64Array },
  u64: { bits: 64, kind: 'unsigned', mask: 'u64', total: 'u64', array: BigUint64Array },
  f32: { bits: 32, kind: 'float', mask: 'u32', total: 'f32', array: Float32Array },
  f64: { bits: 64, kind: 'float', mask: 'u64', total: 'f64', array: Float64Array },
};

export const NAMES = Object.keys(ELEMENTS);

const named = (fits) => NAMES.filter((name) => fits(ELEMENTS[name], name));
export const FLOATS = named(({ kind }) => kind === 'float');
export const SIGNED = named(({ kind }) => kind !== 'unsigned');
export const NUMBERS = named((_, name) => name !== 'bit');
export const LOGIC = named(({ kind }) => kind !== 'float');
export const INTEGERS = LOGIC.filter((name) => name !== 'bit');

/** How many elements a shape has. */
export function lengthOf(shape) {
  return shape.reduce((product, dimension) => product * dimension, 1);
}
