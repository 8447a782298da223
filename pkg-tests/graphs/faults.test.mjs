// That the random graphs would see what could go wrong, and say it in few words.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as cipherloom from 'cipherloom';
import { differencesIn, foundBits } from './compare.mjs';
import { FAULTS } from './faults.mjs';
import { randomRecipe } from './generator.mjs';
import { interpret } from './interpreter.mjs';
import { OPERATIONS } from './operations.mjs';
import { bitsOf, dataOf, record } from './recipe.mjs';
import { shrink } from './shrink.mjs';
import { parse } from './text.mjs';

/** The rarest of the faults, in sums of more than eight floats, is met by fewer than one graph in a hundred. */
const GRAPHS = 400;
const SEED = 2026;

let loom;
before(async () => (loom = await cipherloom.load({ threads: 1 })));
after(() => loom?.dispose());

const runs = [];

async function run(recipe) {
  const circuit = await record(cipherloom, loom, recipe).g.build();
  const [text, found] = [await circuit.toText(), await circuit.run(dataOf(recipe))];
  circuit.dispose();
  return { text, found, bits: bitsOf(recipe) };
}

/** The run of a graph, made once. */
function runOf(index) {
  return (runs[index] ??= run(randomRecipe(SEED, index)));
}

/** Whether outputs differ. A text that cannot be interpreted any more is too easily seen. */
function sees({ text, found, bits }, { operations = OPERATIONS, changed = (same) => same }) {
  try {
    const meaning = interpret(parse(changed(text)), bits, operations);
    return differencesIn(foundBits(found, meaning), meaning).length > 0;
  } catch {
    return false;
  }
}

for (const [name, fault] of Object.entries(FAULTS)) {
  test(`would be seen: ${name}`, async (t) => {
    let index = 0;
    while (index < GRAPHS && !sees(await runOf(index), fault)) index++;
    t.diagnostic(`first by graph ${index}`);
    assert.ok(index < GRAPHS);
  });
}

test('a failing graph becomes a small one', async () => {
  const fault = FAULTS['differences are taken the other way'];
  let index = 0;
  while (randomRecipe(SEED, index).steps.length < 8 || !sees(await runOf(index), fault)) index++;
  const { steps, outputs } = await shrink(
    randomRecipe(SEED, index),
    async (recipe) => sees(await run(recipe), fault),
    20_000,
  );
  const calls = steps.filter(({ kind }) => kind === 'op').map(({ name }) => name.split('.')[1]);
  assert.deepEqual(calls, ['sub']);
  assert.equal(outputs.length, 1);
});
