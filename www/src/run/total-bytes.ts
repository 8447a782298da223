/** Bytes of all, those that are one and the same once. */
export function totalBytes(list: Iterable<Uint8Array>): number {
  let sum = 0;
  for (const { length } of new Set(list)) sum += length;
  return sum;
}
