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

/** Where a message has its kind, and that of a farewell: bindings/src/parties/frame.ts. */
const KIND_AT = 4;
const BYE = 6;

test(
  'a party that is killed with the last farewell finds the others there, and waits for nobody',
  { timeout: 100_000 },
  async () => {
    const { sums } = dataOf(1);
    let farewells = 0;
    let reached;
    const point = new Promise((resolve) => (reached = resolve));
    const passes = ({ from, to, bytes }) => {
      if ([from, to].includes('south') && bytes[KIND_AT] === BYE && ++farewells === 4) reached();
    };
    // Who waits for somebody who has gone does so for longer than this test may.
    const all = await Processes.of(loom, { passes, ends: false, timeout: 300_000 });
    PARTIES.forEach((name) => all.start(name));
    await point;
    await all.kill('south');
    all.start('south');
    for (const [name, { outputs, error }] of Object.entries(await all.results()))
      assert.deepEqual(outputs?.[`${name}: sum`], sums, JSON.stringify(error));
  },
);

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
