// Random programs with cipherloom and with Microsoft SEAL: the same slots from both, and the right ones.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { load } from 'cipherloom';
import { randomPrograms, runPlain } from './programs.mjs';
import { runCipherloom } from './with-cipherloom.mjs';
import { openSeal } from './with-seal.mjs';

const DIMENSIONS = [4096, 8192, 16384];
let loom;
let seal;
before(async () => {
  seal = await openSeal();
  loom = await load({ threads: 2 });
});
after(() => loom?.dispose());

for (const [index, program] of randomPrograms(100, 7).entries()) {
  const operators = program.nodes.map(({ op }) => op).join(' ');
  test(`program ${index + 1}, modulo ${program.plainModulus}: ${operators}`, { timeout: 60_000 }, async (t) => {
    for (const n of DIMENSIONS) {
      const ours = await runCipherloom(loom, program, n);
      if (ours === null) continue;
      const theirs = seal.run(program, n);
      // Each chooses its own ciphertext moduli, so one may need a larger ring than the other.
      if (theirs.budget <= 0) continue;
      t.diagnostic(`N = ${n}, bits of noise budget left: cipherloom ${ours.budget.toFixed(1)}, SEAL ${theirs.budget}`);
      const expected = runPlain(program, n);
      assert.deepEqual(ours.slots, expected, 'cipherloom');
      assert.deepEqual(theirs.slots, expected, 'SEAL');
      assert.ok(ours.budget >= ours.promised, `budget: found ${ours.budget}, promised ${ours.promised}`);
      return;
    }
    assert.fail(`no N of ${DIMENSIONS.join(', ')} is large enough`);
  });
}
