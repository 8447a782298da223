/** The order of keys, and keys as keys of a Map. */
import type { AnyKey } from './types.js';

/** Numbers by size, then texts by code units; positions by row, then by column. Below 0 where `a` comes first, 0 where they are equal. */
export function compareKeys(a: AnyKey, b: AnyKey): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === 'object' && typeof b === 'object') return a[0] - b[0] || a[1] - b[1];
  return rank(a) - rank(b);
}

/** Equal for equal keys, of vectors that have either positions or not. */
export function mapKey(key: AnyKey): string | number {
  return typeof key === 'object' ? `${key[0]},${key[1]}` : key;
}

function rank(key: AnyKey): number {
  return typeof key === 'number' ? 0 : typeof key === 'string' ? 1 : 2;
}
