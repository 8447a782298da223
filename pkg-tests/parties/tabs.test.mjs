// Three tabs compute together, sealed, through the WebSocket listener of nats-server, in Chromium and in Firefox, and with a process of Node's among them.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { load } from 'cipherloom';
import { inMemory, newRun, overNats, partyKeys, sealed } from 'cipherloom/parties';
import { BROWSERS, openBrowser } from '../lib/browser.mjs';
import { PARTIES, ringOf } from './graph.mjs';
import { skip, startNats } from './nats.mjs';
import { servePages } from './pages.mjs';

/** Large enough for some pieces. */
const SIZE = 100_000;

describe('tabs', { skip, timeout: 900_000 }, () => {
  let loom;
  let nats;
  let pages;
  before(async () => {
    loom = await load({ mode: 'single', threads: 1 });
    nats = await startNats(PARTIES);
    pages = await servePages();
  });
  after(async () => {
    loom?.dispose();
    pages?.stop();
    await nats?.stop();
  });

  for (const name of BROWSERS)
    test(`${name}: three tabs, and two with a process`, async (t) => {
      const browser = await openBrowser(name);
      t.after(() => browser.close());
      const tabs = {};
      for (const party of PARTIES) tabs[party] = await browser.open(pages.url);
      for (const tab of Object.values(tabs)) await tab.until('window.work', 60_000);
      for (const inNode of [undefined, 'west']) {
        const values = Object.fromEntries(
          PARTIES.map((party, at) => [party, Array.from({ length: SIZE }, (_, cell) => cell * (at + 1) + 7)]),
        );
        const expected = values.north.map((value, at) => value + values.south[at] + values.west[at]);
        const own = await partyKeys();
        const keys = {};
        for (const party of PARTIES)
          keys[party] = party === inNode ? [...own.publicKey] : await tabs[party].evaluate('makeKeys()');
        const [run, graph] = [newRun(), [...(await ringOf(loom, SIZE)).toBytes()]];
        const results = await Promise.all(
          PARTIES.map((party) => {
            const others = Object.fromEntries(Object.entries(keys).filter(([other]) => other !== party));
            if (party === inNode) return inThisProcess({ party, run, graph, own, others, values: values[party] });
            const about = { party, run, graph, nats: nats.of(party, { socket: true }), others };
            const all = { ...about, values: values[party], mask: party === 'north' };
            return tabs[party].evaluate(`work(${JSON.stringify(all)})`);
          }),
        );
        for (const [at, party] of PARTIES.entries()) {
          assert.equal(results[at].error, undefined, party);
          assert.deepEqual(results[at].refused, [], party);
          assert.deepEqual(results[at].sum, expected, party);
        }
      }
      // How nats-server ends a connection that the tab has closed is none of the tab's.
      for (const [party, { problems }] of Object.entries(tabs))
        assert.deepEqual(
          problems.filter((problem) => !/WebSocket .*close frame/.test(problem)),
          [],
          party,
        );
    });

  async function inThisProcess({ party, run, graph, own, others, values }) {
    const cut = await (await loom.shared(Uint8Array.from(graph))).cut(party);
    const plain = await overNats({ ...nats.of(party), run, party });
    const known = Object.fromEntries(Object.entries(others).map(([name, key]) => [name, Uint8Array.from(key)]));
    const refused = [];
    const onRefused = ({ code }) => refused.push(code);
    const transport = await sealed(plain, { party, run, keys: own, others: known, onRefused });
    const inputs = { [`${party}: values`]: Uint32Array.from(values) };
    const options = { transport, run, timeout: 60_000, keep: inMemory(), onRefused, approve: () => true };
    const outputs = await cut.run(inputs, options);
    transport.close();
    return { sum: [...outputs[`${party}: sum`]], refused };
  }
});
