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
  'statistic',
  'other',
] as const;
export type Kind = (typeof KINDS)[number];

export const KIND_TITLES: Readonly<Record<Kind, string>> = {
  transform: 'number-theoretic transform',
  product: 'product',
  sum: 'sum',
  move: 'rotation, packing or copy',
  modulus: 'change of modulus',
  key: 'key switching',
  encoding: 'encoding',
  secret: 'randomness, keys, encryption, decryption',
  statistic: 'statistic',
  other: 'other',
};

/** By the part of a type's name before the dot, where all that follows it is of one kind. */
export const KIND_OF_FAMILY: Readonly<Record<string, Kind>> = {
  sample: 'secret',
  slots: 'encoding',
  stats: 'statistic',
};

/** By the part behind the dot, whoever does it: ciphertexts, polynomials or limbs. */
export const KIND_OF_ACTION: Readonly<Record<string, Kind>> = {
  ntt: 'transform',
  intt: 'transform',
  convolve: 'product',
  dot: 'product',
  mul: 'product',
  mul_scalar: 'product',
  multiply: 'product',
  multiply_plain: 'product',
  tensor: 'product',
  add: 'sum',
  add_plain: 'sum',
  neg: 'sum',
  negate: 'sum',
  sub: 'sum',
  sum: 'sum',
  sum_slots: 'sum',
  automorphism: 'move',
  copy: 'move',
  pack_slots: 'move',
  permute: 'move',
  rotate: 'move',
  rotate_columns: 'move',
  rotate_rows: 'move',
  convert: 'modulus',
  extend: 'modulus',
  from_small: 'modulus',
  mod_switch: 'modulus',
  quotient: 'modulus',
  scale_round: 'modulus',
  scale_sub: 'modulus',
  switch: 'modulus',
  key_switch: 'key',
  relinearize: 'key',
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
  secret_key: 'secret',
  switching_key: 'secret',
};

/**
 * The kind of an operator type's name, such as `limb.ntt`. `other` only for names that cipherloom does not have: the
 * tests read them all.
 */
export function kindOf(type: string): Kind {
  const [family, action] = type.includes('.') ? type.split('.', 2) : ['', type];
  return lookUp(KIND_OF_FAMILY, family) ?? lookUp(KIND_OF_ACTION, action) ?? 'other';
}

/** Names may be those of anything, also of what every object has. */
function lookUp(table: Readonly<Record<string, Kind>>, name: string | undefined): Kind | undefined {
  return name !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}
