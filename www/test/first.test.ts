// Numbers that somebody types, bytes as they are shown, and whether numbers can be found in them.
import { expect, test } from 'vitest';
import { fileOf, typedNumbers } from '../src/data/typed-numbers.js';
import { hexLines } from '../src/look/hex.js';
import { includes, patternsOf } from '../src/look/search.js';

test.each([
  ['54 61 47', ['54', '61', '47']],
  ['54, 61,47', ['54', '61', '47']],
  ['1,5 2,5 3', ['1.5', '2.5', '3']],
  ['1,5; 2,25; -3', ['1.5', '2.25', '-3']],
  ['1,5', ['1', '5']],
  [' .5;+2 ', ['.5', '+2']],
])('“%s” are numbers', (typed, numbers) => expect(typedNumbers(typed)).toEqual({ numbers }));

test.each([
  ['', ''],
  [' , ', ''],
  ['54 6x 47', '6x'],
  ['1e', '1e'],
  ['0x10 2', '0x10'],
  ['1 1e400', '1e400'],
  ['12345678901234567890 2', '12345678901234567890'],
  ['2 1e-999999999', '1e-999999999'],
])('“%s” are none', (typed, wrong) => {
  const found = typedNumbers(typed) as { wrong: string; why: string };
  expect(found.wrong).toBe(wrong);
  const why = {
    '': /^Type a few/,
    '1e400': /is too large\.$/,
    '12345678901234567890': /more digits than/,
    '1e-999999999': /more digits than/,
  };
  expect(found.why).toMatch(why[wrong as keyof typeof why] ?? /is no number/);
});

test('what was typed is a file of one column', () => {
  expect(new TextDecoder().decode(fileOf(['1', '2.5']))).toBe('your numbers\n1\n2.5\n');
});

test('bytes are shown with their place and as letters', () => {
  const bytes = new TextEncoder().encode('cipherloom!\u0001');
  expect(hexLines(bytes, 0, 100)).toEqual([
    '000000  63 69 70 68 65 72 6c 6f  cipherlo',
    '000008  6f 6d 21 01              om!·',
  ]);
  expect(hexLines(bytes, 8, 2)).toEqual(['000008  6f 6d                    om']);
  expect(hexLines(bytes, 16, 8)).toEqual([]);
});

test('numbers are found in whatever way they are written, and nowhere else', () => {
  const values = [1.5, Number.NaN, -2.25, 3];
  const patterns = patternsOf(values, 2);
  expect(patterns.map(({ as }) => as)).toEqual([
    'text',
    'text in lines',
    'doubles',
    'floats',
    '32-bit integers',
    '64-bit integers',
  ]);
  for (const pattern of patterns) {
    const hidden = new Uint8Array(500).fill(7);
    expect(includes(hidden, pattern)).toBe(false);
    hidden.set(pattern.bytes, 500 - pattern.bytes.length);
    expect(includes(hidden, pattern)).toBe(true);
    hidden[499]! ^= 1;
    expect(includes(hidden, pattern)).toBe(false);
  }
  expect(patternsOf([1], 0)).toEqual([]);
  expect(patternsOf([0, 0, 0], 0)).toEqual([]);
  // “2,0” stands in a megabyte of noise by chance; and what begins with zeros is looked for behind them.
  expect(patternsOf([2, 0], 0).map(({ as }) => as)).not.toContain('text');
  const [text] = patternsOf([...Array.from({ length: 30 }, () => 0), 123, 456, 789], 0);
  expect(new TextDecoder().decode(text!.bytes)).toBe('123,456,789');
});
