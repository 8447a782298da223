import { describe, expect, it } from 'vitest';
import { fromBytes, orderedData, toBytes } from '../src/data.js';
import type { DataArray, Element, Port } from '../src/graph-types.js';
import { codeOf, messageOf, thrownBy } from './code.js';
import { random } from './random.js';

const port = (
  name: string,
  element: Element | undefined,
  shape: number[] | undefined,
  bytes: number,
): Port => ({
  name,
  type: '',
  element,
  shape,
  bytes,
});

/** Bits as a string of 0 and 1, the lowest of each byte first. */
const bits = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => Array.from({ length: 8 }, (_, at) => (byte >> at) & 1).join('')).join(' ');

describe('data', () => {
  it('go through bytes of every element', () => {
    const arrays: [Element, DataArray][] = [
      ['u8', Uint8Array.of(0, 255)],
      ['i32', Int32Array.of(-(2 ** 31), 2 ** 31 - 1)],
      ['u32', Uint32Array.of(0, 2 ** 32 - 1)],
      ['i64', BigInt64Array.of(-(2n ** 63n), 2n ** 63n - 1n)],
      ['u64', BigUint64Array.of(0n, 2n ** 64n - 1n)],
      ['f32', Float32Array.of(-0, Number.NaN)],
      ['f64', Float64Array.of(Number.MIN_VALUE, Number.NEGATIVE_INFINITY)],
      ['bit', Uint8Array.of(1, 0)],
    ];
    for (const [element, array] of arrays) {
      const place = { element, shape: [2] };
      const bytes = toBytes('x', place, array);
      expect(bytes.buffer).not.toBe(array.buffer);
      expect(fromBytes(place, bytes)).toEqual(array);
      // Behind something else in a buffer, too.
      const shifted = new Uint8Array(bytes.length + 1);
      shifted.set(bytes, 1);
      expect(fromBytes(place, shifted.subarray(1))).toEqual(array);
    }
    expect(Array.from(toBytes('x', { element: 'i32', shape: [1] }, Int32Array.of(-2)))).toEqual([
      254, 255, 255, 255,
    ]);
  });

  it('of a view are those of the view alone', () => {
    const all = Uint32Array.of(1, 2, 3, 4);
    expect(Array.from(toBytes('x', { element: 'u32', shape: [1] }, all.subarray(2, 3)))).toEqual([
      3, 0, 0, 0,
    ]);
  });

  it('of bits are packed from the lowest of a byte up', () => {
    const place = (length: number) => ({ element: 'bit' as const, shape: [length] });
    const packed = toBytes('x', place(10), Uint8Array.of(1, 1, 0, 1, 0, 0, 0, 0, 0, 1));
    expect(bits(packed)).toBe('11010000 01000000');
    for (let length = 1; length < 40; length++) {
      const data = Uint8Array.from({ length }, () => random(2));
      const bytes = toBytes('x', place(length), data);
      expect(bytes.length).toBe(Math.ceil(length / 8));
      expect(fromBytes(place(length), bytes)).toEqual(data);
    }
  });

  it('of bits that are neither 0 nor 1 are refused, without the value', () => {
    const refuse = () => toBytes('Input "b"', { element: 'bit', shape: [3] }, Uint8Array.of(1, 0, 77));
    expect(codeOf(refuse)).toBe('range.value');
    expect(messageOf(refuse)).toBe(
      'Input "b", element 2 (counted from 0): expected 0 or 1, found another value',
    );
    expect(JSON.stringify(thrownBy(refuse)?.details)).not.toContain('77');
  });

  it('of other types are words, or bytes where there are no whole words', () => {
    const words = BigUint64Array.of(1n, 2n);
    const limb = port('x', undefined, undefined, 16);
    expect(fromBytes(limb, toBytes('x', limb, words))).toEqual(words);
    expect(codeOf(() => toBytes('x', limb, Uint8Array.of(1)))).toBe('input.type');
    expect(codeOf(() => toBytes('x', limb, words.subarray(1)))).toBe('input.length');
    const raw = port('x', undefined, undefined, 3);
    expect(fromBytes(raw, toBytes('x', raw, Uint8Array.of(1, 2, 3)))).toEqual(Uint8Array.of(1, 2, 3));
    // A constant's size is known to the core alone.
    expect(toBytes('x', { element: undefined, shape: undefined }, words).length).toBe(16);
    expect(codeOf(() => toBytes('x', { element: undefined, shape: undefined }, words.subarray(2)))).toBe(
      'input.length',
    );
  });
});

describe('inputs', () => {
  const ports = [port('a', 'f32', [2, 2], 16), port('b', 'i64', [], 8)];
  const right = { a: new Float32Array(4), b: BigInt64Array.of(7n) };
  const give = (data: object) => () => orderedData(ports, { ...right, ...data } as never);

  it('come in the order of the circuit', () => {
    const { a, b } = right;
    expect(orderedData(ports, { b, a }).map(({ length }) => length)).toEqual([16, 8]);
  });

  it('are refused with input, found and expected', () => {
    expect(messageOf(give({ a: new Float64Array(4) }))).toBe(
      'Input "a": expected a Float32Array with 4 elements, f32[2, 2], found a Float64Array with 4 elements',
    );
    expect(messageOf(give({ a: new Float32Array(5) }))).toBe(
      'Input "a": expected a Float32Array with 4 elements, f32[2, 2], found 5 elements',
    );
    expect(messageOf(give({ b: undefined }))).toBe(
      'Input "b" is missing: expected a BigInt64Array with 1 element, i64[]',
    );
    expect(messageOf(give({ c: right.a }))).toBe('The circuit has no input "c"; it has a, b');
    expect(thrownBy(give({ a: new Float32Array(5) }))).toMatchObject({
      code: 'input.length',
      details: { where: 'Input "a"', found: 5, expected: 4 },
    });
    expect(codeOf(give({ b: undefined }))).toBe('input.missing');
    expect(codeOf(give({ c: right.a }))).toBe('input.unknown');
  });

  it.each([
    ...[null, 5, 'x', [1, 2, 3, 4], {}, new ArrayBuffer(16), new DataView(new ArrayBuffer(16))],
    ...[new Int32Array(4), new Uint8Array(16), new BigInt64Array(4), Promise.resolve(new Float32Array(4))],
  ])('are refused as %s', (wrong) => {
    expect(codeOf(give({ a: wrong }))).toBe('input.type');
  });

  it('take names that every object has by birth', () => {
    const odd = [port('constructor', 'u8', [1], 1)];
    expect(codeOf(() => orderedData(odd, {}))).toBe('input.missing');
    expect(codeOf(() => orderedData([], { toString: 5 } as never))).toBe('input.unknown');
    expect(orderedData(odd, { constructor: Uint8Array.of(3) } as never)).toEqual([Uint8Array.of(3)]);
  });

  it('of another realm fit', async () => {
    const { runInNewContext } = await import('node:vm');
    const array = runInNewContext('Float32Array.of(1, 2, 3, 4)') as Float32Array;
    expect(array instanceof Float32Array).toBe(false);
    expect(orderedData(ports, { ...right, a: array })[0]?.length).toBe(16);
  });
});
