// Three hospitals, each a thread of its own with a port to each other one, compute the mean and the deviation of all their patients'
// blood pressures. The graph is one, and each cuts its own part out of it: sums go round in a ring, under a mask that the first
// hospital puts on and takes off, so that each of the others sees a number that looks random, and the first one the whole sums.
// (Two that tell each other what they saw learn the third one's sums: the values that cross are no ciphertexts.)
// Run it after `npm run build`:
//   node examples/parties.mjs
import assert from 'node:assert/strict';
import { MessageChannel, Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { load, u64 } from 'cipherloom';
import { newRun, overPorts } from 'cipherloom/parties';

const HOSPITALS = ['north', 'south', 'west'];
const PATIENTS = { north: 4000, south: 2500, west: 3100 };

if (isMainThread) await everybody();
else await hospital(workerData);

/** The graph that all three agree on. */
async function sharedGraph() {
  const loom = await load({ threads: 1 });
  const g = loom.graph({ unit: 64 });
  /** A hospital's sum and its sum of squares. */
  const sums = (name) => {
    const party = g.party(name);
    const pressures = party.input(`${name}: pressures`, u64(PATIENTS[name]));
    const squares = party.op('u64.mul', [pressures, pressures]);
    const [sum, square] = [pressures, squares].map((values) => party.op('u64.sum', [values], { axis: 0 }));
    return party.merge([sum, square], u64(2));
  };
  const [north, south, west] = HOSPITALS.map((name) => g.party(name));
  const mask = north.input('north: mask', u64(2));
  const first = north.op('u64.add', [sums('north'), mask]);
  const second = south.op('u64.add', [first, sums('south')]);
  const third = west.op('u64.add', [second, sums('west')]);
  north.output('sums', north.op('u64.sub', [third, mask]));
  const shared = await g.share();
  loom.dispose();
  return shared;
}

/** What a hospital does on its own machine: it is told a graph, a run and its ports, and decides for itself. */
async function hospital({ name, graph, run, ports, pressures }) {
  const loom = await load({ threads: 1 });
  const shared = await loom.shared(graph);
  const cut = await shared.cut(name);
  const base = await cut.expand({ platform: 'simd' });
  const mask = crypto.getRandomValues(new BigUint64Array(2));
  const own = name === 'north' ? { 'north: mask': mask } : {};
  const transport = overPorts(ports);
  const refused = [];
  const seen = [];
  const outputs = await base.run(
    { [`${name}: pressures`]: pressures, ...own },
    {
      transport,
      run,
      timeout: 60_000,
      onRefused: (error) => refused.push(error.code),
      // Two numbers, to one hospital: no patient's.
      approve: (leaves) => {
        for (const { to, producer, type, bytes, encrypted } of leaves)
          seen.push(`${producer} ${type}, ${bytes} bytes, ${encrypted ?? 'in the clear'}, to ${to}`);
        return leaves.length === 1 && leaves[0].bytes === 16;
      },
    },
  );
  transport.close();
  loom.dispose();
  parentPort.postMessage({ name, outputs, seen, refused, id: shared.id, operators: base.operators });
}

async function everybody() {
  const shared = await sharedGraph();
  const run = newRun();
  const ports = Object.fromEntries(HOSPITALS.map((name) => [name, {}]));
  for (const [a, b] of [
    ['north', 'south'],
    ['south', 'west'],
    ['west', 'north'],
  ]) {
    const { port1, port2 } = new MessageChannel();
    ports[a][b] = port1;
    ports[b][a] = port2;
  }
  const all = [];
  const threads = HOSPITALS.map((name) => {
    const pressures = BigUint64Array.from({ length: PATIENTS[name] }, () =>
      BigInt(90 + Math.floor(Math.random() * 90)),
    );
    all.push(...pressures);
    const data = { name, graph: shared.toBytes(), run, ports: ports[name], pressures };
    return new Worker(new URL(import.meta.url), {
      workerData: data,
      transferList: Object.values(ports[name]),
    });
  });
  const results = await Promise.all(
    threads.map(
      (thread) =>
        new Promise((resolve, reject) => {
          thread.once('message', resolve);
          thread.once('error', reject);
        }),
    ),
  );
  await Promise.all(threads.map((thread) => thread.terminate()));

  for (const { name, seen, operators } of results)
    console.log(`${name} (${operators} operators) sends ${seen}`);
  assert.ok(results.every(({ id, refused }) => id === shared.id && refused.length === 0));
  const [{ outputs }, ...others] = results;
  assert.deepEqual(
    others.map(({ outputs }) => outputs),
    [{}, {}],
  );
  const [sum, squares] = outputs.sums;
  assert.equal(
    sum,
    all.reduce((total, pressure) => total + pressure, 0n),
  );
  assert.equal(
    squares,
    all.reduce((total, pressure) => total + pressure * pressure, 0n),
  );
  const mean = Number(sum) / all.length;
  const deviation = Math.sqrt(Number(squares) / all.length - mean ** 2);
  console.log(`${all.length} patients: mean ${mean.toFixed(2)}, deviation ${deviation.toFixed(2)}`);
}
