// The best implementation of every operator, by measuring: a service on this machine, an explorer, and two devices that ask. Which of the package's own
// implementations is fastest is measured for real; whatever is chosen, the bytes are those of the reference. Run it after `npm run build`:
//   node examples/tune.mjs
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { f32, load } from 'cipherloom';
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

const PLATFORMS = ['scalar', 'simd'];
const device = deviceClass();
const folder = mkdtempSync(join(tmpdir(), 'cipherloom-tune-'));
const loom = await load();

/** Operators of a small network: what each reads, by shape. */
const OPERATORS = {
  'f32.matmul': [
    [96, 128],
    [128, 96],
  ],
  'f32.add': [
    [128, 512],
    [128, 512],
  ],
  'f32.exp': [[128, 512]],
};
const keys = Object.entries(OPERATORS).map(([operator, shapes]) => {
  const inputs = shapes.map((shape) => f32(...shape).text);
  const out = operator === 'f32.matmul' ? f32(96, 96) : f32(128, 512);
  return operatorKey({ operator, inputs, outputs: [out.text], device });
});

/** One operator on one platform, as something to run. */
async function runner({ operator }, platform) {
  const shapes = OPERATORS[operator];
  const g = loom.graph();
  const inputs = shapes.map((shape, at) => g.input(`x${at}`, f32(...shape)));
  g.output('y', g.op(operator, inputs));
  const circuit = await g.build();
  const placed = await circuit.place({ platform: PLATFORMS, pin: { [operator]: platform } });
  const data = Object.fromEntries(
    shapes.map((shape, at) => [
      `x${at}`,
      Float32Array.from({ length: shape[0] * shape[1] }, (_, i) => (((at + 3) * i) % 17) / 4 - 2),
    ]),
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
const explored = new Promise((resolve) => (all = resolve));
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
    if (what === 'brought' && ++brought === keys.length) all();
  },
});

/** A device of this class, with a cache of its own. It believes one explorer, and runs what is built in and conforms here. */
const open = async (name) =>
  tuneClient({
    ...{ url, device, explorers: [explorer.publicKey] },
    cache: await sqliteCache(join(folder, `${name}.sqlite`)),
    builtIn: (_record, call) => PLATFORMS.includes(call),
    verify: (record, { call }) => conforms(record.key, call),
  });

try {
  // The first device finds nothing, and goes on with what it has.
  const first = await open('first');
  for (const key of keys) assert.equal(await first.query(key), undefined);
  await explored;

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
