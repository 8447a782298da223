// A graph of three parties, whose sums go round under masks, and what comes of it.
import { u32 } from 'cipherloom';

export const PARTIES = ['north', 'south', 'west'];
export const SIZE = 200_000;

/** Each party's values, and what everybody has to find. */
export function dataOf(seed) {
  const data = Object.fromEntries(
    PARTIES.map((name, party) => [name, Uint32Array.from({ length: SIZE }, (_, at) => seed * 1000 + 7 * party + at)]),
  );
  const sums = data.north.map((value, at) => value + data.south[at] + data.west[at]);
  return { data, sums };
}

/** The sum of all, cell by cell, for everybody: none sees another's values. */
export async function ringOf(loom, size = SIZE) {
  const g = loom.graph({ unit: 32 });
  const [north, south, west] = PARTIES.map((name) => g.party(name));
  const values = Object.fromEntries(PARTIES.map((name) => [name, g.party(name).input(`${name}: values`, u32(size))]));
  const mask = north.input('north: mask', u32(size));
  const first = north.op('u32.add', [values.north, mask]);
  const second = south.op('u32.add', [first, values.south]);
  const third = west.op('u32.add', [second, values.west]);
  const sum = north.op('u32.sub', [third, mask]);
  for (const [name, party] of Object.entries({ north, south, west })) party.output(`${name}: sum`, sum);
  return g.share();
}
