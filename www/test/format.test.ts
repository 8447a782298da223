import { expect, test } from 'vitest';
import * as format from '../src/format.js';

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1 kB'],
  [786432, '786 kB'],
  [8650752, '8.65 MB'],
  [999_600, '1 MB'],
  [4294967296, '4.29 GB'],
  [5e12, '5000 GB'],
])('%d bytes are %s', (value, text) => expect(format.bytes(value)).toBe(text));

test.each([
  [0, '0 ms'],
  [0.00042, '0.42 ms'],
  [0.0123, '12.3 ms'],
  [0.9996, '1 s'],
  [1.239, '1.24 s'],
  [125.2, '2 min 05 s'],
])('%d seconds are %s', (value, text) => expect(format.seconds(value)).toBe(text));

test('what somebody else wrote cannot turn what stands around it', () => {
  expect(format.foreign('a\u202egpj.csv, \u2066b\u2069')).toBe('a\ufffdgpj.csv, \ufffdb\ufffd');
  expect(format.foreign('אבג')).toBe('אבג');
});

test('counts', () => {
  expect(format.plural(1, 'row')).toBe('1 row');
  expect(format.plural(12345, 'row')).toBe('12,345 rows');
  expect(format.bits(29)).toBe('29 bits');
});
