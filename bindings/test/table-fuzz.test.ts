import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { changed, read, SEEDS } from './hostile-table.js';
import { random } from './random.js';

/** What `node scripts/fuzz.mjs csv` found and kept. */
const CORPUS = join(import.meta.dirname, '..', '..', 'fuzz', 'corpus', 'csv');

it('reads any file, or says what is wrong with it', () => {
  const kept = readdirSync(CORPUS).map((name) => Uint8Array.from(readFileSync(join(CORPUS, name))));
  const files = [...SEEDS.map((seed) => new TextEncoder().encode(seed)), ...kept];
  const one = (): Uint8Array => files[random(files.length)] as Uint8Array;
  const all = [...files, ...Array.from({ length: 2000 }, () => changed(one(), one(), random))];
  const verdicts = all.map((file) => {
    try {
      return read(file);
    } catch (cause) {
      throw new Error(JSON.stringify(new TextDecoder().decode(file)), { cause });
    }
  });
  // Some of each, or the changes are too wild or too tame.
  expect(verdicts.filter((verdict) => verdict === 'accepted').length).toBeGreaterThan(100);
  expect(verdicts.filter((verdict) => verdict === 'refused').length).toBeGreaterThan(100);
});
