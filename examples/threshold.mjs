// Three hospitals, each a thread of its own with a port to each other one, and a cloud that computes. They make one key of which none has more than a share:
// any two of them decrypt together, no single one does, and the cloud never. Each encrypts its own patients' counts; the cloud adds and multiplies what it cannot read;
// two hospitals decrypt, while the third one has gone home.
// (A "result" is what the cloud says it is: the hospitals decrypt what they believe to be one. SECURITY.md says what that means.)
// Run it after `npm run build`:
//   node examples/threshold.mjs
import assert from 'node:assert/strict';
import { MessageChannel, Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { createTask, load } from 'cipherloom';
import { newRun, overPorts } from 'cipherloom/parties';

const HOSPITALS = ['north', 'south', 'west'];
const EVERYBODY = [...HOSPITALS, 'cloud'];
const AGE_GROUPS = 8;

if (isMainThread) await everybody();
else await hospital(workerData);

/** Patients and sick ones by age group, of all hospitals: how many there are, and the sum of the products of the two. */
function question() {
  const task = createTask();
  const column = (name) => task.encrypted(name, { shape: [AGE_GROUPS], min: 0, max: 500 });
  const sum = (what) =>
    HOSPITALS.map((name) => column(`${name}, ${what}`)).reduce((all, one) => all.add(one));
  const patients = sum('patients');
  const sick = sum('sick');
  task.output('patients', patients);
  task.output('products', patients.multiply(sick).sum());
  return task;
}

/** What a hospital does on its own machine. */
async function hospital({ name, program: bytes, runs, ports, counts }) {
  const loom = await load({ threads: 1 });
  const program = await loom.program(bytes);
  const transport = overPorts(ports);
  const seen = [];
  /** Looks at what leaves: shares of keys and decryptions, all of them polynomials that look random, and nothing in the clear. */
  const approve = (leaves) => {
    for (const { to, producer, bytes } of leaves) seen.push({ to, producer, bytes });
    return leaves.every(({ of }) => /^(key_share|polys?)\[/.test(of));
  };
  const meet = (run) => ({ transport, run, approve, timeout: 300_000 });
  const party = await program.party(name, { parties: HOSPITALS, threshold: 2 });
  await party.deal(meet(runs.deal));
  if (name !== 'west') await party.makeKeys({ ...meet(runs.keys), active: ['north', 'south'], hub: 'cloud' });
  parentPort.postMessage({ dealt: name });

  const publicKey = await told('publicKey');
  const owner = await program.owner(publicKey);
  parentPort.postMessage({ encrypted: await owner.encrypt(counts) });

  // North has gone home.
  const outputs =
    name === 'north'
      ? undefined
      : await party.decrypt(await told('results'), {
          ...meet(runs.open),
          publicKey,
          active: ['south', 'west'],
        });
  const decrypted = await party.released();
  transport.close();
  loom.dispose();
  parentPort.postMessage({ outputs, seen, decrypted });
}

/** What the cloud says next of that. */
function told(what) {
  return new Promise((resolve) => {
    const hear = (message) => {
      if (!(what in message)) return;
      parentPort.off('message', hear);
      resolve(message[what]);
    };
    parentPort.on('message', hear);
  });
}

async function everybody() {
  const loom = await load({ threads: 1 });
  const program = await loom.compile(question(), { parties: 3, releases: { count: 10 } });
  const runs = { deal: newRun(), keys: newRun(), open: newRun() };
  const ports = Object.fromEntries(EVERYBODY.map((name) => [name, {}]));
  for (const [at, a] of EVERYBODY.entries())
    for (const b of EVERYBODY.slice(at + 1)) {
      const { port1, port2 } = new MessageChannel();
      ports[a][b] = port1;
      ports[b][a] = port2;
    }
  const all = {};
  const threads = HOSPITALS.map((name) => {
    const draw = (most) => Array.from({ length: AGE_GROUPS }, () => Math.floor(Math.random() * most));
    const counts = { [`${name}, patients`]: draw(500), [`${name}, sick`]: draw(100) };
    Object.assign(all, counts);
    const data = { name, program: program.toBytes(), runs, ports: ports[name], counts };
    return new Worker(new URL(import.meta.url), {
      workerData: data,
      transferList: Object.values(ports[name]),
    });
  });
  const failed = new Promise((_, reject) => threads.forEach((thread) => thread.once('error', reject)));
  const hear = (thread, what) =>
    new Promise((resolve) => {
      const listen = (message) => {
        if (!(what in message)) return;
        thread.off('message', listen);
        resolve(message);
      };
      thread.on('message', listen);
    });
  const fromAll = (what) => Promise.race([Promise.all(threads.map((thread) => hear(thread, what))), failed]);

  // The cloud adds shares up, and has no secret. No key that it gets decrypts anything.
  const dealt = fromAll('dealt');
  const transport = overPorts(ports.cloud);
  const cloud = await program.party('cloud', { parties: HOSPITALS, threshold: 2 });
  const { publicKey, evaluationKeys } = await Promise.race([
    cloud.makeKeys({
      transport,
      run: runs.keys,
      approve: () => true,
      active: ['north', 'south'],
      hub: 'cloud',
    }),
    failed,
  ]);
  await dealt;

  const encrypted = fromAll('encrypted');
  for (const thread of threads) thread.postMessage({ publicKey });
  const inputs = Object.assign({}, ...(await encrypted).map(({ encrypted }) => encrypted));
  const results = await program.run(inputs, evaluationKeys);

  const opened = fromAll('outputs');
  for (const thread of threads) thread.postMessage({ results });
  const [north, south, west] = await opened;
  await Promise.all(threads.map((thread) => thread.terminate()));
  transport.close();
  loom.dispose();

  const total = (what) =>
    Array.from({ length: AGE_GROUPS }, (_, at) =>
      HOSPITALS.reduce((sum, name) => sum + all[`${name}, ${what}`][at], 0),
    );
  const [patients, sick] = ['patients', 'sick'].map(total);
  const products = patients.reduce((sum, count, at) => sum + count * sick[at], 0);
  assert.deepEqual(south.outputs, { patients, products });
  assert.deepEqual(west.outputs, { patients, products });
  assert.deepEqual([north.outputs, north.decrypted, south.decrypted, west.decrypted], [undefined, 0, 1, 1]);
  for (const [at, { seen }] of [north, south, west].entries()) {
    const bytes = seen.reduce((sum, one) => sum + one.bytes, 0);
    console.log(`${HOSPITALS[at]} sends ${seen.length} values, ${(bytes / 1e6).toFixed(1)} MB`);
  }
  console.log(
    `${program.info.scheme} at n = ${program.info.n}: patients ${patients.join(' ')}, products ${products}`,
  );
}
