import '@vitest/web-worker';
import { readFile } from 'node:fs/promises';
import * as cipherloom from 'cipherloom';
import { expect, test } from 'vitest';
import { MEAN, PRODUCT, work } from './work.mjs';

const read = (name) => readFile(new URL(`./given/${name}`, import.meta.url));

test('numbers and bytes', async () => {
  const { error, mode, mean, squares, product, outputs } = await work(cipherloom, read, { threads: 2 });
  expect([error, mode?.threads]).toEqual([undefined, 2]);
  expect([mean, squares, product]).toEqual([MEAN, PRODUCT, PRODUCT]);
  expect(outputs).toEqual(JSON.parse(await readFile(new URL('./expected.json', import.meta.url), 'utf8')));
}, 60_000);
