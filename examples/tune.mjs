// The best implementation of every operator, by measuring: a service on this machine, an explorer, and two devices that ask. Which of the package's own
// implementations is fastest is measured for real; whatever is chosen, the bytes are those of the reference. Run it after `npm run build`:
//   node examples/tune.mjs
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load, type } from 'cipherloom';
import {
  bestOfEach,
  deviceClass,
  fastest,
  measure,
  newExplorerKeys,
  operatorKey,
  runExplorer,
  sqliteCache,
  tuneClient,
  winner,
} from 'cipherloom/tune';
import { createTuneService, nameOf } from 'cipherloom/tune/service';

// The package's own choice comes first: another one has to be better than that.
const PLATFORMS = ['simd', 'scalar'];
const device = deviceClass();
const folder = mkdtempSync(join(tmpdir(), 'cipherloom-tune-'));
const loom = await load();

/** Operators of lattice algebra on one limb of 8192 residues: from which form to which. */
const [n, q] = [8192, 1099511480321n];
const limb = (form) => type('limb', { n, q, form });
const OPERATORS = {
  'limb.ntt': { reads: [limb('coeff')], writes: limb('ntt') },
  'limb.intt': { reads: [limb('ntt')], writes: limb('coeff') },
  'limb.mul': { reads: [limb('ntt'), limb('ntt')], writes: limb('ntt') },
};
const keys = Object.entries(OPERATORS).map(([operator, { reads, writes }]) =>
  operatorKey({ operator, inputs: reads.map(({ text }) => text), outputs: [writes.text], device }),
);
/** How often an operator is there, in a row: so that running it takes longer than asking for it. */
const TIMES = 64;

/** One operator on one platform, many times, as something to run. */
async function runner({ operator }, platform) {
  const g = loom.graph({ unit: 64 });
  const inputs = OPERATORS[operator].reads.map((each, at) => g.input(`x${at}`, each));
  const outputs = Array.from({ length: TIMES }, () => g.op(`${operator}@${platform}`, inputs));
  g.output('y', outputs.at(-1));
  const circuit = await g.build();
  const placed = await circuit.place({ platform: PLATFORMS, pin: { [operator]: platform } });
  const residue = (i) => (BigInt(i) * 0x9e37_79b9_7f4a_7c15n) % q;
  const data = Object.fromEntries(
    inputs.map((_, at) => [`x${at}`, BigUint64Array.from({ length: n }, (_, i) => residue(i + at))]),
  );
  return async () => (await placed.run(data)).y;
}

/** Whether a platform gives the bytes of scalar. */
async function conforms(key, platform) {
  const [found, expected] = await Promise.all(
    [platform, 'scalar'].map(async (name) => (await runner(key, name))()),
  );
  return Buffer.from(found.buffer).equals(Buffer.from(expected.buffer));
}

// A service, which takes records of one explorer.
const explorer = await newExplorerKeys();
const token = 'what the maintainer of this example shows';
const service = await createTuneService({
  ...{ data: folder, port: 0, log: 'warn', maintainToken: token },
  explorers: [explorer.publicKey],
});
const url = await service.listen();

// An explorer of this class: what conforms is measured, side by side; what wins by less than the noise does not win.
const stop = new AbortController();
let brought = 0;
let all;
let there;
const explored = new Promise((resolve) => (all = resolve));
const registered = new Promise((resolve) => (there = resolve));
const exploring = runExplorer({
  ...{ url, keys: explorer, version: 'example', signal: stop.signal },
  explorer: {
    device,
    explore: async (key, { signal }) => {
      const candidates = [];
      for (const name of PLATFORMS)
        if (await conforms(key, name)) candidates.push({ name, run: await runner(key, name) });
      const measured = await measure(candidates, { rounds: 15, sample: 2e6, signal });
      const { name: call, ...times } = winner(measured);
      const text = measured.map(({ name, time }) => `${name} ${(time / 1e3).toFixed(0)} us`).join(', ');
      console.log(`${key.operator}: ${text} -> ${call}`);
      return bestOfEach([{ kind: 'library', call, ...times }]);
    },
  },
  onEvent: ({ what }) => {
    if (what === 'registered') there();
    if (what === 'brought' && ++brought === keys.length) all();
  },
});

/** Waits for something that the explorer does, two minutes at most; an explorer that fails says so at once. */
const patience = AbortSignal.timeout(120_000);
const late = new Promise((_, reject) =>
  patience.addEventListener('abort', () => reject(new Error('the explorer took more than two minutes'))),
);
const failed = exploring.then(() => late);
for (const one of [late, failed]) one.catch(() => {});
const soon = (event) => Promise.race([event, late, failed]);

/** A device of this class, with a cache of its own. It believes one explorer, and runs what is built in and conforms here. */
const open = async (name) =>
  tuneClient({
    ...{ url, device, explorers: [explorer.publicKey] },
    cache: await sqliteCache(join(folder, `${name}.sqlite`)),
    builtIn: (_record, call) => PLATFORMS.includes(call),
    verify: (record, { call }) => conforms(record.key, call),
  });

try {
  // Without an explorer of this class nothing that is missed is kept.
  await soon(registered);
  // The first device finds nothing, and goes on with what it has.
  const first = await open('first');
  for (const key of keys) assert.equal(await first.query(key), undefined);
  await soon(explored);

  // The second one has never asked, and is answered.
  const second = await open('second');
  for (const key of keys) {
    const record = await second.query(key);
    const { runnable, refused } = await second.choose(record);
    assert.deepEqual(refused, []);
    assert.equal(runnable.implementation, fastest(record.best));
    const run = await runner(key, runnable.implementation.call);
    const reference = await runner(key, 'scalar');
    assert.deepEqual(await run(), await reference());
  }
  // From now on it needs no service.
  await second.close();
  await service.close();
  const alone = await open('second');
  for (const key of keys) assert.ok(alone.peek(key));
  assert.equal(alone.counts.cached, keys.length);
  await Promise.all([alone.close(), first.close()]);
} finally {
  stop.abort(new Error('the example is over'));
  await exploring;
  loom.dispose();
}

// What the service kept: each operator was explored once, missed once, and received by one task.
const again = await createTuneService({ ...{ data: folder, port: 0, log: 'warn' }, maintainToken: token });
const address = await again.listen();
for (const key of keys) {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${address}/v1/statistics/operators/${nameOf(key)}`, { headers });
  const { operator, hits, queries, reuse, explorations } = { ...key, ...(await response.json()) };
  console.log(`${operator}: ${hits} of ${queries} queries hit, ${reuse} task, ${explorations} exploration`);
  assert.deepEqual([hits, queries, reuse, explorations], [1, 2, 1, 1]);
}
await again.close();
rmSync(folder, { recursive: true, force: true });
