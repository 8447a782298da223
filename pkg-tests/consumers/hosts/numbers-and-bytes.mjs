// What every runner of tests is to see.
import { readFile } from 'node:fs/promises';
import * as cipherloom from 'cipherloom';
import { MEAN, PRODUCT, work } from './work.mjs';

const read = (name) => readFile(new URL(`./${name}`, import.meta.url));

/** What is found, and what it must be. */
export async function numbersAndBytes() {
  const { mode, ...found } = await work(cipherloom, (name) => read(`given/${name}`), { threads: 2 });
  const outputs = JSON.parse(await read('expected.json'));
  const expected = { threads: 2, mean: MEAN, squares: PRODUCT, product: PRODUCT, outputs };
  return { found: { threads: mode?.threads, ...found }, expected };
}
