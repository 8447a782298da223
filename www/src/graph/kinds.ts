/** Kinds of work: operator types that do alike things look alike, at every stage. */

export const KINDS = ['transform', 'product', 'sum', 'move', 'modulus', 'key', 'statistic', 'other'] as const;
export type Kind = (typeof KINDS)[number];

export const KIND_TITLES: Readonly<Record<Kind, string>> = {
  transform: 'number-theoretic transform',
  product: 'product',
  sum: 'sum',
  move: 'rotation or copy',
  modulus: 'change of modulus',
  key: 'key switching',
  statistic: 'statistic',
  other: 'other',
};

/** By the part of the type's name behind the dot. */
const KIND_OF: Readonly<Record<string, Kind>> = {
  ntt: 'transform',
  intt: 'transform',
  mul: 'product',
  mul_scalar: 'product',
  dot: 'product',
  multiply: 'product',
  multiply_plain: 'product',
  scale: 'product',
  add: 'sum',
  add_plain: 'sum',
  sub: 'sum',
  neg: 'sum',
  negate: 'sum',
  sum_slots: 'sum',
  automorphism: 'move',
  permute: 'move',
  copy: 'move',
  rotate: 'move',
  rotate_rows: 'move',
  rotate_columns: 'move',
  from_small: 'move',
  convert: 'modulus',
  quotient: 'modulus',
  norm: 'modulus',
  extend: 'modulus',
  scale_round: 'modulus',
  scale_sub: 'modulus',
  scale_plain: 'modulus',
  lift_plain: 'modulus',
  mod_switch: 'modulus',
  key_switch: 'key',
  decompose: 'key',
  relinearize: 'key',
};

export function kindOf(type: string): Kind {
  if (type.startsWith('stats.')) return 'statistic';
  return KIND_OF[type.slice(type.indexOf('.') + 1)] ?? 'other';
}
