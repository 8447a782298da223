// The figures of the documents are those of their numbers, in which no bound is broken.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { figures, FOLDER, NUMBERS } from './noise-plots.mjs';

test('figures of noise are drawn from their numbers', () => {
  const drawn = figures();
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.svg'));
  assert.deepEqual(files.sort(), [...drawn.keys()].sort());
  for (const [name, svg] of drawn) {
    assert.equal(readFileSync(new URL(name, FOLDER), 'utf8'), svg, `${name}: npm run docs:noise`);
  }
});

test('no bound is broken', () => {
  for (const { scheme, n, operator, bound, median, worst, runs } of JSON.parse(readFileSync(NUMBERS, 'utf8'))) {
    assert.ok(median <= worst && worst <= bound && runs >= 25, `${scheme}, N = ${n}, ${operator}`);
  }
});
