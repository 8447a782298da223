// Each of the ten programs gives what plain arithmetic gives.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { load } from 'cipherloom';
import { PROGRAMS, differ } from './index.mjs';

let loom;
before(async () => {
  loom = await load({ threads: 2 });
});
after(() => loom?.dispose());

for (const [name, { describe, sample }] of Object.entries(PROGRAMS)) {
  test(name, { timeout: 120_000 }, async (t) => {
    const { inputs, plain, expected } = sample();
    const program = await describe(loom).compile();
    const client = await program.client();
    const result = await program.run(await client.encrypt(inputs), client.evaluationKeys, { plain });
    const difference = differ(await client.decrypt(result), expected);
    const { scheme, n, moduli } = program.info;
    client.dispose();
    program.dispose();
    t.diagnostic(`${scheme}, n = ${n}, ${moduli.length} primes; off by ${difference}`);
    // Means and variances are rounded as doubles; CKKS gives 20 bits where it is not told how many.
    const most = scheme === 'CKKS' ? 2 ** -20 : name === 'mean-variance' ? 2 ** -48 : 0;
    assert.ok(difference <= most, `off by ${difference}`);
  });
}
