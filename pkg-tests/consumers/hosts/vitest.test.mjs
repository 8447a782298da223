import { expect, test } from 'vitest';
import { numbersAndBytes } from './numbers-and-bytes.mjs';

test('numbers and bytes', async () => {
  const { found, expected } = await numbersAndBytes();
  expect(found).toStrictEqual(expected);
}, 60_000);
