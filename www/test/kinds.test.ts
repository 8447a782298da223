import { OPERATORS } from 'virtual:operator-names';
import { expect, test } from 'vitest';
import { KIND_OF_ACTION, KIND_OF_FAMILY, KIND_OF_PLAIN, kindOf } from '../src/graph/kinds.js';

/** Names of all operator types that the core has. */
const names = [...OPERATORS.keys()].sort();

test('every operator type of the core is of a kind', () => {
  expect(names.length).toBeGreaterThan(300);
  for (const known of ['copy', 'limb.ntt', 'poly.add', 'rns.switch', 'bfv.multiply'])
    expect(names).toContain(known);
  expect(names.filter((name) => kindOf(name) === 'other')).toEqual([]);
});

test('the tables name nothing that the core does not have', () => {
  const families = new Set(names.map((name) => name.split('.')[0]!));
  const actions = new Set(names.map((name) => name.slice(name.indexOf('.') + 1)));
  expect(Object.keys(KIND_OF_FAMILY).filter((family) => !families.has(family))).toEqual([]);
  expect(Object.keys(KIND_OF_PLAIN).filter((action) => !actions.has(action))).toEqual([]);
  expect(Object.keys(KIND_OF_ACTION).filter((action) => !actions.has(action))).toEqual([]);
});

test.each([
  ['limb.convolve', 'product'],
  ['limb.tensor', 'product'],
  ['rns.switch', 'modulus'],
  ['packed.rotate', 'move'],
  ['value.sum', 'sum'],
  ['value.none', 'other'],
  ['copy', 'move'],
  ['rns.convert', 'modulus'],
  ['f32.convert', 'encoding'],
  ['u8.xor', 'logic'],
  ['aes.round', 'cipher'],
  ['limb.none', 'other'],
  ['constructor', 'other'],
])('%s is of kind %s', (name, kind) => expect(kindOf(name)).toBe(kind));
