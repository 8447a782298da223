import type { Port } from 'cipherloom';
import { expect, test } from 'vitest';
import { csvOf, fill, lengthOf, modulusOf, parseNumbers, readFile } from '../src/workbench/values.js';

const port = (element: Port['element'], ...shape: number[]): Port => ({
  name: 'x',
  type: `${element}[9]{shape=[${shape.join()}]}`,
  element,
  shape,
  bytes: 0,
});
const slots: Port = {
  name: 's',
  type: 'slots[4]{n=4, t=17}',
  element: undefined,
  shape: undefined,
  bytes: 32,
};

test('numbers are read as their element has them', () => {
  expect(parseNumbers('1, -2;3\n4.5', port('f32', 2, 2))).toEqual(Float32Array.of(1, -2, 3, 4.5));
  expect(parseNumbers('0xff 0', port('u8', 2))).toEqual(Uint8Array.of(255, 0));
  expect(parseNumbers('-9223372036854775808', port('i64'))).toEqual(BigInt64Array.of(-(2n ** 63n)));
  expect(parseNumbers('nan inf -inf', port('f64', 3))).toEqual(Float64Array.of(NaN, Infinity, -Infinity));
});

test.each([
  ['1 2', port('f32', 3), 'expected 3 numbers, found 2'],
  ['1 256', port('u8', 2), 'number 2: expected 0 to 255, found 256'],
  ['1.5', port('i32'), 'number 1: expected a whole number, found 1.5'],
  ['x', port('f64'), 'number 1: expected a number, found x'],
  ['2', port('bit'), 'number 1: expected 0 to 1, found 2'],
])('%s is refused', (text, at, message) => expect(() => parseNumbers(text, at)).toThrow(message));

test('patterns give what an input takes', () => {
  expect(fill('ascending', port('bit', 3))).toEqual(Uint8Array.of(0, 1, 0));
  expect(lengthOf(slots)).toBe(4);
  expect(modulusOf(slots)).toBe(17n);
  expect(fill('ascending', { ...slots, bytes: 8 * 19 })[18]).toBe(1n);
  const random = fill('random', { ...slots, bytes: 8 * 50_000 }) as BigUint64Array;
  expect(random.every((value) => value < 17n)).toBe(true);
  expect(new Set(random).size).toBe(17);
  const floats = fill('random', port('f32', 50_000)) as Float32Array;
  expect(floats.every((value) => value >= 0 && value < 1)).toBe(true);
});

test('the smallest of several moduli counts', () => {
  expect(modulusOf({ ...slots, type: 'ciphertext[64]{n=16, parts=2, q=[1125899906826241,97], t=193}' })).toBe(
    97n,
  );
});

test('files are text, or bytes of the right number', async () => {
  const at = port('u32', 2);
  expect(await readFile(new File(['7,8\n'], 'a.csv'), at)).toEqual(Uint32Array.of(7, 8));
  expect(await readFile(new File([Uint32Array.of(9, 10)], 'a.bin'), at)).toEqual(Uint32Array.of(9, 10));
  await expect(readFile(new File([Uint8Array.of(1)], 'a.bin'), at)).rejects.toThrow(
    'expected 8 bytes, found 1',
  );
});

test('CSV has rows of the last dimension', () => {
  expect(csvOf(Float32Array.of(1, 2, 3, 4), [2, 2])).toBe('1,2\n3,4\n');
});
