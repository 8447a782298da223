// Random graphs of one's own over mixed elements and units, against an interpreter of their text form that shares no code
// with the package.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import * as cipherloom from 'cipherloom';
import { randomRecipe } from './generator.mjs';
import { openLooms, runRange, summary } from './suite.mjs';

const GRAPHS = 200;
/** Of elements compared, how many may be left open by the documentation. */
const MOST_OPEN = 0.15;
/** Graphs in which every operator has been met. */
const ENOUGH = 2_000;
/** Another one finds other things: GRAPHS_SEED=7 npm test. */
const seed = Number(process.env.GRAPHS_SEED ?? 2026);

let looms = [];
before(async () => (looms = await openLooms(cipherloom)));
after(() => looms.forEach((loom) => loom.dispose()));

test(`${GRAPHS} graphs of seed ${seed}`, { timeout: 600_000 }, async (t) => {
  const print = (text) => t.diagnostic(text);
  const counts = await runRange({ pkg: cipherloom, looms, seed, from: 0, to: GRAPHS, print });
  t.diagnostic(summary(counts));
  assert.equal(counts.wrong, 0);
  assert.equal(counts.graphs, GRAPHS);
  assert.ok(counts.open <= MOST_OPEN * counts.elements);
});

test('every operator on plain data is among them', () => {
  const declarations = readFileSync(
    new URL('dist/operators.d.ts', import.meta.resolve('cipherloom/package.json')),
    'utf8',
  );
  const all = declarations.match(/\b(bit|u8|[iu]32|[iu]64|f32|f64)\.\w+/g);
  const met = new Set();
  for (let index = 0; index < ENOUGH; index++) {
    for (const { kind, name } of randomRecipe(1, index).steps) if (kind === 'op') met.add(name);
  }
  assert.ok(all.length > 200);
  assert.deepEqual(
    [...new Set(all)].filter((name) => !met.has(name)),
    [],
  );
});
