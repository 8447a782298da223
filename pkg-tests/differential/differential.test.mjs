// Random programs over the whole public API, encrypted, against a model that shares no code with it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as cipherloom from 'cipherloom';
import { programsIn, refusedIn, runRange, summary } from './suite.mjs';

const PROGRAMS = 120;
const MISTAKES = 400;
/** Of the programs that break no rule. */
const MOST_REFUSED = 0.1;
/** Another one finds other things: DIFFERENTIAL_SEED=7 npm test. */
const seed = Number(process.env.DIFFERENTIAL_SEED ?? 2026);

const looms = [];
before(async () => {
  for (const threads of [1, 2]) looms.push(await cipherloom.load({ threads }));
});
after(() => looms.forEach((loom) => loom.dispose()));

/** All programs below a number; what is wrong is printed. */
async function run(t, to, mistakes) {
  const print = (text) => t.diagnostic(text);
  const counts = await runRange({ pkg: cipherloom, looms, seed, from: 0, to, mistakes, print });
  t.diagnostic(summary(counts));
  assert.equal(counts.wrong, 0);
  assert.equal(programsIn(counts), to);
  return counts;
}

test(
  `${PROGRAMS} programs of seed ${seed} give what the model says, within the bounds that they tell`,
  { timeout: 900_000 },
  async (t) => {
    const counts = await run(t, PROGRAMS);
    assert.ok(refusedIn(counts) <= MOST_REFUSED * PROGRAMS, `${refusedIn(counts)} were refused`);
    assert.ok(counts.threads > PROGRAMS / 8);
    assert.ok(counts.share.most > 0 && counts.share.most <= 1);
    assert.ok(counts.spare.least >= 0 && counts.spare.least < Infinity);
  },
);

test(
  `${MISTAKES} programs of seed ${seed} with a mistake are refused at the call that is wrong`,
  { timeout: 600_000 },
  async (t) => {
    const counts = await run(t, MISTAKES, 1);
    assert.ok(counts.mistakes >= 0.9 * MISTAKES, `${counts.mistakes} of ${MISTAKES}`);
  },
);
