import { describe, expect, it } from 'vitest';
import { attributesText } from '../src/attributes.js';
import { bit, f32, f64, i32, i64, type, u32, u64, u8 } from '../src/element.js';
import type { DataOf, TensorType } from '../src/graph-types.js';
import { codeOf, messageOf } from './code.js';

describe('types of tensors', () => {
  it('are texts of element and shape', () => {
    expect([bit, u8, i32, u32, i64, u64, f32, f64].map((make) => make(3, 2).text)).toEqual(
      ['bit', 'u8', 'i32', 'u32', 'i64', 'u64', 'f32', 'f64'].map((name) => `${name}{shape=[3,2]}`),
    );
    expect(f32().text).toBe('f32{shape=[]}');
    expect(u8(2 ** 20, 2 ** 20).shape).toEqual([2 ** 20, 2 ** 20]);
    expect(Object.isFrozen(f32(1)) && Object.isFrozen(f32(1).shape)).toBe(true);
  });

  it('know their array at compile time', () => {
    const data: DataOf<TensorType<'f32'>> = new Float32Array(1);
    const words: DataOf<ReturnType<typeof type>> = new BigUint64Array(1);
    // @ts-expect-error: another array
    const wrong: DataOf<TensorType<'i64'>> = new Float64Array(1);
    expect([data, words, wrong].length).toBe(3);
  });

  it('refuse shapes that are none', () => {
    for (const shape of [[0], [-1], [1.5], [Number.NaN], ['4'], [4n], [2 ** 53], [2 ** 20, 2 ** 21], [[4]]])
      expect(codeOf(() => f32(...(shape as number[])))).toBe('graph.shape');
    expect(messageOf(() => i64(2, '3' as never))).toBe(
      'i64(2, "3"): expected dimensions of at least 1, at most 2^40 elements in all',
    );
    expect(codeOf(() => bit(Object.create(null)))).toBe('graph.shape');
  });
});

describe('other types', () => {
  it('are texts with sorted attributes', () => {
    expect(type('limb', { n: 8, q: 17n, form: 'ntt' }).text).toBe('limb{form="ntt", n=8, q=17}');
    expect(type('secret_seed').text).toBe('secret_seed{}');
    expect(type('raw', {}, 12).text).toBe('raw[12]{}');
  });

  it('refuse names that are none, or have makers, and attributes that are no object', () => {
    for (const head of ['', 'a b', 'f32', 'bit', '1x', 'x{}', 5, null] as never[])
      expect(codeOf(() => type(head))).toBe('input.type');
    for (const wrong of [null, [], 5, 'x', new Map()] as never[])
      expect(codeOf(() => type('limb', wrong))).toBe('input.type');
    expect(codeOf(() => type('raw', {}, 1.5))).toBe('input.type');
    expect(messageOf(() => type('f32'))).toContain('makers of their own');
  });
});

describe('attributes', () => {
  const text = (attributes: object) => attributesText('op', attributes);

  it('are written as the text form has them', () => {
    expect(text({ parts: ['a"b'], axis: 0, mode: 'set', q: [3n, 5], none: undefined, empty: [] })).toBe(
      '{axis=0, empty=[], mode="set", parts=$["a\\"b"], q=[3,5]}',
    );
    expect(text({})).toBe('{}');
    expect(text({ a: 0.5, b: 2 ** 60, c: -1e40, d: 1 })).toBe(
      '{a=0.5, b=1152921504606847000.0, c=-1e+40, d=1}',
    );
    expect(text({ big: 2n ** 127n - 1n, low: -5 })).toBe(`{big=${2n ** 127n - 1n}, low=-5}`);
  });

  it('are refused where they are none, by name', () => {
    const wrong: unknown[] = [Infinity, Number.NaN, true, null, {}, [1, 'a'], [['a']], [1.5], 2n ** 127n];
    for (const value of wrong) expect(codeOf(() => text({ axis: value }))).toBe('input.type');
    expect(codeOf(() => text({ mode: '\ud800' }))).toBe('input.type');
    expect(codeOf(() => text({ 'a b': 1 }))).toBe('input.type');
    expect(messageOf(() => text({ axis: Number.NaN }))).toBe(
      'op, attribute axis: expected a number, a string, an array of whole numbers, or one of strings, found NaN',
    );
  });
});
