// Random programs over the whole public API, with encryption and without, against a model that shares no code with it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as cipherloom from 'cipherloom';
import { runRange, runRangePlain, summary } from './suite.mjs';

const PROGRAMS = 200;
const PLAIN = 20_000;
/** Of the programs that break no rule. */
const MOST_REFUSED = 0.15;
/** Another one finds other things: DIFFERENTIAL_SEED=7 npm test. */
const seed = Number(process.env.DIFFERENTIAL_SEED ?? 2026);

let loom;
before(async () => (loom = await cipherloom.load({ threads: 1 })));
after(() => loom?.dispose());

test(`${PROGRAMS} programs of seed ${seed}, encrypted`, { timeout: 600_000 }, async (t) => {
  const counts = await runRange({
    pkg: cipherloom,
    loom,
    seed,
    from: 0,
    to: PROGRAMS,
    print: (text) => t.diagnostic(text),
  });
  t.diagnostic(summary(counts));
  assert.equal(counts.wrong, 0);
  assert.equal(counts.programs, PROGRAMS);
  const refused = Object.values(counts.refused).reduce((a, b) => a + b, 0);
  assert.ok(refused <= MOST_REFUSED * PROGRAMS, `${refused} were refused`);
});

test(`${PLAIN} programs of seed ${seed}, by the package's own reference`, { timeout: 600_000 }, async (t) => {
  const counts = await runRangePlain({
    pkg: cipherloom,
    seed,
    from: 0,
    to: PLAIN,
    print: (text) => t.diagnostic(text),
  });
  t.diagnostic(summary(counts));
  assert.equal(counts.wrong, 0);
});
