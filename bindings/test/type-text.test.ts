/** Types and attributes in the core's text form, read back. */
import { describe, expect, it } from 'vitest';
import { attributesText } from '../src/attributes.js';
import { readAttributes, readType } from '../src/type-text.js';

describe('attributes', () => {
  it('come back as they were written', () => {
    const attributes = {
      axis: 0,
      by: 1.5,
      tiny: -1e-7,
      huge: 2.5e300,
      whole: 2 ** 60,
      big: 2n ** 80n,
      empty: [],
      minus: -7,
      mode: 'a "quoted", {b=1} text',
      q: [3, -5, 2n ** 60n],
      words: ['a,b', ']'],
    };
    expect(readAttributes(attributesText('test', attributes))).toEqual(attributes);
    expect(readAttributes('{}')).toEqual({});
    expect(readAttributes('{of="u8", shape=[2], value=@"AQI="}')).toEqual({ of: 'u8', shape: [2] });
  });
});

describe('types', () => {
  it('of tensors have element and shape, others their text', () => {
    expect(readType('f32[8]{shape=[4,2]}')).toEqual({
      text: 'f32{shape=[4,2]}',
      element: 'f32',
      shape: [4, 2],
    });
    expect(readType('bit[1]{shape=[]}')).toEqual({ text: 'bit{shape=[]}', element: 'bit', shape: [] });
    const limb = 'limb[8]{form="ntt", n=8, q=17}';
    expect(readType(limb)).toEqual({ text: limb, element: undefined, shape: undefined });
    expect(readType('raw[3]')).toEqual({ text: 'raw[3]', element: undefined, shape: undefined });
  });
});
