import type { ExplainedValue } from 'cipherloom';
import { describe, expect, test } from 'vitest';
import { keyTitle } from '../src/applications/explain/key-table.js';
import {
  mostCost,
  mostPrimes,
  readersOf,
  valueGroup,
  valueShapes,
} from '../src/applications/explain/value-graph.js';
import * as text from '../src/applications/explain/value-text.js';

/** A value of which only this is of interest. */
function value(given: Partial<ExplainedValue>): ExplainedValue {
  return {
    name: undefined,
    operator: undefined,
    attributes: '',
    operands: [],
    outputs: [],
    type: {
      kind: 'integer',
      shape: [64],
      place: 'encrypted',
      decimals: 0,
      missing: false,
      categories: undefined,
      names: undefined,
    },
    encrypted: false,
    clear: false,
    finished: false,
    ciphertexts: 0,
    level: undefined,
    scaleBits: undefined,
    messageBits: undefined,
    errorBits: undefined,
    budgetBits: undefined,
    operators: {},
    cost: 0,
    ...given,
  };
}

const VALUES = [
  value({ name: 'x', encrypted: true, ciphertexts: 1, level: 3, budgetBits: 90 }),
  value({ operator: 'value.constant', attributes: '{kind="integer", value=2}', clear: true }),
  value({
    operator: 'value.multiply',
    operands: [0, 1],
    encrypted: true,
    level: 2,
    budgetBits: 60.25,
    cost: 0.8,
  }),
  value({
    operator: 'value.square',
    operands: [2],
    encrypted: true,
    level: 1,
    cost: 0.196,
    outputs: ['square'],
  }),
  value({ operator: 'value.divide', operands: [3, 2], finished: true, outputs: ['a', 'b'], cost: 0.004 }),
];

describe('picture', () => {
  const group = valueGroup(VALUES);

  test('a box for each value, an end for each output, a line for each operand', () => {
    expect(group.items.map((item) => (item.kind === 'operator' ? item.type : `-> ${item.text}`))).toEqual([
      'x',
      'constant 2',
      'multiply',
      'square',
      'divide',
      '-> square',
      '-> a',
      '-> b',
    ]);
    expect(group.edges).toEqual([0, 2, 1, 2, 2, 3, 3, 4, 2, 4, 3, 5, 4, 6, 4, 7]);
  });

  test('x times x is one line', () => {
    const { edges } = valueGroup([
      value({ name: 'x' }),
      value({ operator: 'value.multiply', operands: [0, 0] }),
    ]);
    expect(edges).toEqual([0, 1]);
  });

  test('boxes have room for what stands in them', () => {
    const long = value({ operator: 'value.a_very_long_operator_name', encrypted: true });
    const { shapes } = valueShapes(valueGroup([long]), [long]);
    expect(shapes[0]!.width).toBeGreaterThan(24 * 7.2 + 26);
  });

  test('readers, primes and work', () => {
    expect(readersOf(VALUES, 2)).toEqual([3, 4]);
    expect([mostPrimes(VALUES), mostCost(VALUES), mostPrimes([]), mostCost([])]).toEqual([3, 0.8, 0, 0]);
  });
});

describe('words', () => {
  test.each([
    [{ encrypted: true }, 'encrypted'],
    [{ encrypted: true, clear: true }, 'encrypted, in the clear'],
    [{ encrypted: true, finished: true }, 'encrypted, by your side'],
    [{ finished: true }, 'by your side'],
    [{}, 'nowhere'],
    [{ name: 'x', encrypted: true }, 'given encrypted'],
    [{ name: 'w', clear: true }, 'given in the clear'],
  ])('%o is computed: %s', (given, where) => expect(text.whereText(value(given))).toBe(where));

  test('bits that are left, or the error where there is one', () => {
    expect(text.precisionText(value({ budgetBits: 145.04 }))).toBe('145 bits');
    expect(text.precisionText(value({ budgetBits: 145, errorBits: -22.09 }))).toBe('error 2^−22.1');
    expect(text.precisionText(value({}))).toBeUndefined();
  });

  test('shares of the work', () => {
    expect(VALUES.map(text.shareText)).toEqual(['', '', '80 %', '20 %', '<1 %']);
  });

  test('details: short attributes, else news of the shape, else the operator', () => {
    const rotate = value({ operator: 'value.rotate', operands: [0], attributes: '{axis=0, steps=1}' });
    const type = { ...VALUES[0]!.type, shape: [] };
    const sum = value({ operator: 'value.sum', operands: [0], type });
    const long = value({
      operator: 'value.chebyshev',
      operands: [0],
      attributes: `{coefficients=@"${'A'.repeat(99)}"}`,
    });
    expect(
      [VALUES[0]!, VALUES[1]!, VALUES[2]!, rotate, sum, long].map((one) => text.detailOf(one, VALUES)),
    ).toEqual(['[64]', '[64]', 'value.multiply', 'axis=0, steps=1', 'one number', 'value.chebyshev']);
  });

  test('operators, keys', () => {
    expect(
      text.operatorList(value({ operators: { 'rlwe.add': 2, 'bgv.multiply': 2, 'slots.encode': 3000 } })),
    ).toEqual(['3,000 slots.encode', '2 bgv.multiply', '2 rlwe.add']);
    expect(['relinearization', 'galois 3', 'other'].map(keyTitle)).toEqual([
      'Products (relinearization)',
      'Turns (galois 3)',
      'other',
    ]);
  });
});
