/** Kinds of work: operator types that do alike things look alike, at every stage. */

export const KINDS = [
  'transform',
  'product',
  'sum',
  'move',
  'modulus',
  'key',
  'encoding',
  'secret',
  'logic',
  'compare',
  'function',
  'cipher',
  'other',
] as const;
export type Kind = (typeof KINDS)[number];

export const KIND_TITLES: Readonly<Record<Kind, string>> = {
  transform: 'number-theoretic transform',
  product: 'product, quotient',
  sum: 'sum, difference',
  move: 'rotation, packing, copy or other moves',
  modulus: 'change of modulus',
  key: 'key switching',
  encoding: 'encoding, conversion, constants',
  secret: 'randomness, keys, encryption, decryption',
  logic: 'logic, shifts',
  compare: 'comparison, choice, order',
  function: 'elementary functions',
  cipher: 'AES, GHASH',
  other: 'other',
};

/** By the part of a type's name before the dot, where all that follows it is of one kind. */
export const KIND_OF_FAMILY: Readonly<Record<string, Kind>> = {
  aes: 'cipher',
  ghash: 'cipher',
  joint: 'secret',
  party: 'move',
  sample: 'secret',
  slots: 'encoding',
};

/** By the part behind the dot, whoever does it: ciphertexts, polynomials or limbs. */
export const KIND_OF_ACTION: Readonly<Record<string, Kind>> = {
  ntt: 'transform',
  ntt_from: 'transform',
  ntt_divide: 'transform',
  intt: 'transform',
  convolve: 'product',
  dot: 'product',
  mul: 'product',
  mul_scalar: 'product',
  multiply: 'product',
  multiply_integer: 'product',
  multiply_number: 'product',
  multiply_plain: 'product',
  multiply_scalar: 'product',
  tensor: 'product',
  add: 'sum',
  add_plain: 'sum',
  add_scalar: 'sum',
  neg: 'sum',
  negate: 'sum',
  sub: 'sum',
  sum: 'sum',
  automorphism: 'move',
  automorphism_hoisted: 'move',
  constant: 'encoding',
  copy: 'move',
  permute: 'move',
  decimate: 'move',
  fold: 'move',
  extract: 'move',
  adjust: 'modulus',
  convert: 'modulus',
  drop_primes: 'modulus',
  extend: 'modulus',
  from_real: 'modulus',
  from_small: 'modulus',
  mod_switch: 'modulus',
  quotient: 'modulus',
  rescale: 'modulus',
  scale_round: 'modulus',
  scale_sub: 'modulus',
  switch: 'modulus',
  to_real: 'modulus',
  decompose: 'key',
  key_switch: 'key',
  relinearize: 'key',
  relinearize_rescale: 'key',
  rescale_extract: 'modulus',
  relinearize_switch: 'key',
  switch_extract: 'modulus',
  decode: 'encoding',
  encode: 'encoding',
  lift_plain: 'encoding',
  scale_plain: 'encoding',
  decrypt: 'secret',
  encrypt_public: 'secret',
  encrypt_secret: 'secret',
  noise: 'secret',
  norm: 'secret',
  phase: 'secret',
  public_key: 'secret',
  release: 'secret',
  secret_key: 'secret',
  switching_key: 'secret',
};

/** By the part behind the dot, for operators on tensors. */
export const KIND_OF_PLAIN: Readonly<Record<string, Kind>> = {
  abs: 'function',
  and: 'logic',
  argmax: 'compare',
  argmin: 'compare',
  broadcast: 'move',
  concat: 'move',
  convert: 'encoding',
  div: 'product',
  eq: 'compare',
  exp: 'function',
  gather: 'move',
  le: 'compare',
  log: 'function',
  lt: 'compare',
  matmul: 'product',
  max: 'compare',
  min: 'compare',
  ne: 'compare',
  not: 'logic',
  or: 'logic',
  product: 'product',
  reduce_and: 'logic',
  reduce_max: 'compare',
  reduce_min: 'compare',
  reduce_or: 'logic',
  reduce_xor: 'logic',
  rem: 'product',
  rotl: 'logic',
  scan: 'sum',
  scatter: 'move',
  select: 'compare',
  shl: 'logic',
  shr: 'logic',
  slice: 'move',
  sort: 'compare',
  sqrt: 'function',
  tanh: 'function',
  transpose: 'move',
  xor: 'logic',
};

/** By the part behind the dot, for operators on values and on vectors of slots. */
export const KIND_OF_TASK: Readonly<Record<string, Kind>> = {
  add: 'sum',
  and: 'logic',
  broadcast: 'move',
  cells: 'move',
  chebyshev: 'function',
  compare: 'compare',
  concat: 'move',
  constant: 'encoding',
  divide: 'product',
  finish: 'secret',
  lookup: 'function',
  multiply: 'product',
  multiply_number: 'product',
  negate: 'sum',
  not: 'logic',
  or: 'logic',
  polynomial: 'function',
  present: 'move',
  reshape: 'move',
  root: 'function',
  rotate: 'move',
  scale: 'product',
  select: 'compare',
  slice: 'move',
  square: 'product',
  sub: 'sum',
  sum: 'sum',
  total: 'sum',
  swap: 'move',
  within: 'function',
};

const TASK = ['value', 'packed'];
const TENSOR = /^(bit|[iu]\d+|f\d+)$/;

/**
 * The kind of an operator type's name, such as `limb.ntt`. `other` only for names that cipherloom does not have, such
 * as operators of a visitor's own.
 */
export function kindOf(type: string): Kind {
  const [family, action] = type.includes('.') ? type.split('.', 2) : ['', type];
  const plain = TENSOR.test(family ?? '') ? lookUp(KIND_OF_PLAIN, action) : undefined;
  if (TASK.includes(family ?? '')) return lookUp(KIND_OF_TASK, action) ?? 'other';
  return plain ?? lookUp(KIND_OF_FAMILY, family) ?? lookUp(KIND_OF_ACTION, action) ?? 'other';
}

/** Names may be those of anything, also of what every object has. */
function lookUp(table: Readonly<Record<string, Kind>>, name: string | undefined): Kind | undefined {
  return name !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}
