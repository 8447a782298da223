// Random graphs cut among 2 to 5 parties, over every transport, against the same graph uncut: the same bits.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as cipherloom from 'cipherloom';
import { inProcess, newRun, overBroadcast, overNats, overPorts, partyKeys, sealed } from 'cipherloom/parties';
import { randomRecipe } from '../graphs/generator.mjs';
import { dataOf, record } from '../graphs/recipe.mjs';
import { mulberry32 } from '../lib/random.mjs';
import { skip, startNats } from './nats.mjs';

/** For each transport; the core's own tests have a thousand (`cargo test --test all -- --ignored parties::`). */
const GRAPHS = Number(process.env.PARTY_GRAPHS ?? 12);
const SEED = Number(process.env.PARTY_SEED ?? 2026);
const NAMES = ['one', 'two', 'three', 'four', 'five'];

let loom;
let keys;
before(async () => {
  loom = await cipherloom.load({ mode: 'single', threads: 1 });
  keys = Object.fromEntries(await Promise.all(NAMES.map(async (name) => [name, await partyKeys()])));
});
after(() => loom?.dispose());

/** A way to give each of some parties a transport. */
const TRANSPORTS = {
  'in one process': () => {
    const hub = inProcess();
    return (party) => hub.join(party);
  },
  'over ports': (parties) => {
    const ports = Object.fromEntries(parties.map((party) => [party, {}]));
    for (const [at, a] of parties.entries())
      for (const b of parties.slice(at + 1)) {
        const { port1, port2 } = new MessageChannel();
        ports[a][b] = port1;
        ports[b][a] = port2;
      }
    return (party) => overPorts(ports[party]);
  },
  'over a BroadcastChannel': (_, run) => (party) => overBroadcast(new BroadcastChannel(`random ${run}`), party),
  'sealed, over a BroadcastChannel': (parties, run) => {
    const plain = TRANSPORTS['over a BroadcastChannel'](parties, run);
    return (party) => ends(plain(party), party, parties, run);
  },
};

function ends(transport, party, parties, run) {
  const others = Object.fromEntries(
    parties.filter((name) => name !== party).map((name) => [name, keys[name].publicKey]),
  );
  return sealed(transport, { party, run, keys: keys[party], others });
}

/** Runs graph `index` whole and cut, and compares. Gives how many values crossed. */
async function check(index, transports) {
  const random = mulberry32(SEED + 7919 * index);
  const pick = (count) => Math.floor(random() * count);
  const parties = NAMES.slice(0, 2 + pick(4));
  const recipe = randomRecipe(SEED, index);
  const by = (g, { kind }) => {
    // Views and merges are nobody's; constants are anybody's.
    if (['view', 'merge'].includes(kind) || (kind === 'constant' && pick(2) === 0)) return g;
    return g.party(parties[pick(parties.length)]);
  };
  const { g } = record(cipherloom, loom, recipe, by);
  const shared = await g.share();
  const data = dataOf(recipe);
  const run = newRun();
  const open = transports(shared.parties, run);
  const opened = await Promise.all(shared.parties.map((party) => open(party)));
  let crossed = 0;
  try {
    const found = await Promise.all(
      shared.parties.map(async (party, at) => {
        const cut = await shared.cut(party);
        crossed += cut.sends.length;
        const own = Object.fromEntries(cut.inputs.map(({ name }) => [name, data[name]]));
        return cut.run(own, { transport: opened[at], run, leaves: cut.leaves, timeout: 60_000 });
      }),
    );
    const whole = await shared.circuit();
    const expected = await whole.run(data);
    const all = Object.assign({}, ...found);
    assert.deepEqual(Object.keys(all).sort(), Object.keys(expected).sort());
    for (const [name, { buffer }] of Object.entries(expected))
      assert.ok(
        Buffer.from(all[name].buffer).equals(Buffer.from(buffer)),
        `graph ${index} of seed ${SEED}, ${parties.length} parties: ${name} is another`,
      );
    whole.dispose();
  } finally {
    opened.forEach((transport) => transport.close());
  }
  return crossed;
}

async function checkAll(t, transports) {
  let crossed = 0;
  for (let index = 0; index < GRAPHS; index++) crossed += await check(index, transports);
  t.diagnostic(`${GRAPHS} graphs, ${crossed} values crossed`);
  assert.ok(crossed > GRAPHS);
}

describe('random graphs, cut', { timeout: 900_000 }, () => {
  for (const [name, transports] of Object.entries(TRANSPORTS)) test(name, (t) => checkAll(t, transports));

  describe('over NATS', { skip }, () => {
    let server;
    before(async () => (server = await startNats(NAMES)));
    after(() => server?.stop());
    const nats = (_, run) => (party) => overNats({ ...server.of(party), run, party });
    test('as it is', (t) => checkAll(t, nats));
    test('sealed', (t) =>
      checkAll(t, (parties, run) => async (party) => ends(await nats(parties, run)(party), party, parties, run)));
  });
});
