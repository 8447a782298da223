// A party whose process is killed, at any point of a run, comes back and changes no result. Messages go through the test, which counts them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { load } from 'cipherloom';
import { dataOf, PARTIES } from './graph.mjs';
import { Processes } from './processes.mjs';

let loom;
before(async () => (loom = await load({ mode: 'single', threads: 1 })));
after(() => loom?.dispose());

// PARTY_KILLS=40 node --test parties/restart.test.mjs is the long run.
const KILLS = Number(process.env.PARTY_KILLS ?? 6);

test(`${KILLS} parties that are killed`, { timeout: 600_000 }, async () => {
  const { sums } = dataOf(1);
  for (let kill = 0; kill < KILLS; kill++) {
    const party = PARTIES[kill % PARTIES.length];
    // From the first message on to more than there are.
    const at = 1 + Math.floor((kill * 45) / KILLS);
    let passed = 0;
    let reached;
    const point = new Promise((resolve) => (reached = resolve));
    const passes = ({ from, to }) => {
      if ([from, to].includes(party) && ++passed === at) reached('killed');
    };
    const all = await Processes.of(loom, { passes });
    PARTIES.forEach((name) => all.start(name));
    const how = await Promise.race([point, all.results().then(() => 'done')]);
    if (how === 'killed') {
      await all.kill(party);
      all.start(party);
    }
    const results = await all.results();
    for (const name of PARTIES) {
      const { outputs } = results[name];
      const where = `${party} after message ${at} (${how}), ${name}: ${JSON.stringify(results[name].error)}`;
      assert.ok(outputs, where);
      assert.ok(Buffer.from(outputs[`${name}: sum`].buffer).equals(Buffer.from(sums.buffer)), where);
    }
  }
});
