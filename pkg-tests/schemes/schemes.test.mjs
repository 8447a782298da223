// Random programs of BFV, BGV and CKKS with cipherloom's graphs and with Microsoft SEAL at the same primes: BFV and BGV give the same slots,
// CKKS within 2^-17 of the largest number; both are right.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { load } from 'cipherloom';
import { DEPTH, randomPrograms, runPlain } from './programs.mjs';
import { runCipherloom } from './with-cipherloom.mjs';
import { openSeal } from './with-seal.mjs';

const N = 8192;
/** Plain moduli. */
const T = { bfv: 786433n, bgv: 65537n, ckks: undefined };
const SCALE = 2 ** 40;
const BITS = [49, 40, 40, 40, 49];
/**
 * Of the largest number in a program's operands. Switching with one special prime of 49 bits leaves 2^-21 on either side, and squares
 * double it.
 */
const NEAR = 2 ** -17;
/** Of BFV more: the compiler of tasks, which has tests of its own, has no use for it. */
const PROGRAMS = { bfv: 30, bgv: 10, ckks: 10 };
const PASSES = ['dedup', 'cancel', 'prune', 'hoist', 'fuse'];
let loom;
before(async () => {
  loom = await load({ threads: 2 });
});
after(() => loom?.dispose());

for (const scheme of ['bfv', 'bgv', 'ckks']) {
  const plainModulus = T[scheme];
  const slots = scheme === 'ckks' ? N / 2 : N;
  let seal;
  before(async () => {
    seal = await openSeal({ scheme, n: N, bits: BITS, t: plainModulus, scale: SCALE });
  });
  for (const [index, program] of randomPrograms(scheme, PROGRAMS[scheme], 11, slots, plainModulus).entries()) {
    const operators = program.nodes.map(({ op }) => op).join(' ');
    test(`${scheme}, program ${index + 1}: ${operators}`, { timeout: 600_000 }, async (t) => {
      const primes = seal.primes.map(BigInt);
      const [q, special] = [primes.slice(0, -1), primes.slice(-1)];
      assert.equal(q.length, DEPTH + 1);
      const parameters = { scheme, n: N, q, special, t: plainModulus, scale: SCALE };
      const all = runPlain(program, scheme, plainModulus);
      const expected = program.outputs.map((operand) => all[operand]);
      const theirs = seal.run(program);
      // Both forms, of which BFV multiplies one, with and without the passes that schemes have.
      const variants = [{ form: 'coeff' }, { form: scheme === 'bfv' ? 'coeff' : 'ntt', passes: PASSES }];
      for (const variant of variants) {
        const ours = await runCipherloom(loom, program, parameters, variant);
        if (scheme !== 'ckks') {
          assert.deepEqual(
            ours.map((x) => Array.from(x)),
            expected.map((x) => Array.from(x)),
            'cipherloom',
          );
          assert.deepEqual(
            theirs,
            expected.map((x) => Array.from(x)),
            'SEAL',
          );
          continue;
        }
        const largest = Math.max(1, ...all.map((x) => x.reduce((most, y) => Math.max(most, Math.abs(y)), 0)));
        const apart = (a, b) => a.reduce((most, x, slot) => Math.max(most, Math.abs(x - b[slot])), 0) / largest;
        for (const [output, right] of expected.entries()) {
          const [exact, peer] = [apart(ours[output], right), apart(ours[output], theirs[output])];
          t.diagnostic(
            `${variant.form}: 2^${Math.log2(exact).toFixed(1)} of the largest off, 2^${Math.log2(peer).toFixed(1)} from SEAL`,
          );
          assert.ok(exact < NEAR, `off by ${exact} of the largest number`);
          assert.ok(peer < NEAR, `${peer} of the largest number from SEAL`);
        }
      }
    });
  }
}
