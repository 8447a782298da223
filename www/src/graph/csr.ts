/** Lists of numbers per key, flat: the list of key k is `items[start[k] .. start[k + 1]]`. */

export interface Lists {
  readonly start: Uint32Array;
  readonly items: Uint32Array;
}

/**
 * Groups the numbers 0 to n - 1 by their keys; keys outside 0 to `keys` - 1 are left out. Linear time; every
 * list is ascending.
 */
export function groupBy(n: number, keys: number, keyOf: (index: number) => number): Lists {
  const start = new Uint32Array(keys + 1);
  for (let index = 0; index < n; index++) {
    const key = keyOf(index);
    if (key >= 0 && key < keys) start[key + 1]!++;
  }
  for (let key = 0; key < keys; key++) start[key + 1]! += start[key]!;
  const next = start.slice(0, keys);
  const items = new Uint32Array(start[keys]!);
  for (let index = 0; index < n; index++) {
    const key = keyOf(index);
    if (key >= 0 && key < keys) items[next[key]!++] = index;
  }
  return { start, items };
}

export function listOf({ start, items }: Lists, key: number): Uint32Array {
  return items.subarray(start[key], start[key + 1]);
}
