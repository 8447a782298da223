// From a miss to a kernel that runs, as a user walks it: nobody knows the operator, an explorer on this device finds a schedule, the service remembers it, a client asks, and what it
// finds runs only once it is verified here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { createTask, load } from 'cipherloom';
import { beats, deviceClass, operatorKey, tuneClient } from 'cipherloom/tune';
import { chooseKernels, KernelExplorer, scheduleName } from 'cipherloom/tune/kernels';
import { explorer, newExplorerKeys, serve, skip } from './tune.mjs';

// Relaxed SIMD is behind a flag in Node 20.
if (Number(process.versions.node.split('.')[0]) < 22) setFlagsFromString('--experimental-wasm-relaxed-simd');

const [n, q] = [1024, 0x3_ffff_ffdf_0001];

test('what an explorer finds on this device is asked for, verified, and runs', { skip }, async (t) => {
  const [believed, other] = [await newExplorerKeys(), await newExplorerKeys()];
  const service = await serve(t, { explorers: [believed.publicKey, other.publicKey] });
  const device = deviceClass();
  const limb = (form) => `limb[${n}]{form="${form}", n=${n}, q=${q}}`;
  const key = operatorKey({ operator: 'limb.ntt', inputs: [limb('coeff')], outputs: [limb('ntt')], device });
  const kernels = new KernelExplorer({ device, trials: 6 });
  t.after(() => kernels.close());
  const found = explorer(t, service.url, believed, (one, { signal }) => kernels.explore(one, { signal }), { device });
  await found.until('registered');

  const open = async (explorers) => {
    const client = await tuneClient({ url: service.url, device, explorers, timeout: 60_000 });
    t.after(() => client.close());
    return client;
  };
  const client = await open([believed.publicKey]);
  // Nobody knows it: nothing is chosen, and everything is as before.
  assert.deepEqual((await chooseKernels({ client, keys: [key] })).names, []);
  await found.until('brought');
  const record = await client.query(key);
  const { library, generated } = record.best;
  const chosen = await chooseKernels({ client, keys: [key] });
  assert.deepEqual(chosen.refused, []);
  // What wins by less than noise, on a busy machine, replaces nothing; where no such kernels run, there are none.
  const wins = generated !== undefined && beats(generated, library);
  assert.deepEqual(chosen.names, wins ? [scheduleName(generated.schedule)] : []);
  assert.deepEqual(
    chosen.chosen.map(({ operator, time, instead, explorer }) => [operator, time, instead, explorer]),
    wins ? [['limb.ntt', generated.time, library, believed.publicKey]] : [],
  );

  // Whoever believes another explorer of that service is given nothing of this one's.
  assert.deepEqual((await chooseKernels({ client: await open([other.publicKey]), keys: [key] })).names, []);

  const loom = await load({ threads: 1, kernels: chosen });
  t.after(() => loom.dispose());
  assert.deepEqual(loom.mode.kernels, chosen.names);
  const task = createTask();
  const x = task.encrypted('x', { shape: [4], min: 0, max: 9 });
  task.output('square', x.multiply(x));
  const program = await loom.compile(task);
  const user = await program.client();
  const results = await program.run(await user.encrypt({ x: [0, 1, 5, 9] }), user.evaluationKeys);
  assert.deepEqual(await user.decrypt(results), { square: [0, 1, 25, 81] });
});
