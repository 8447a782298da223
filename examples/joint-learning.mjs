// Several parties learn and predict on what none of them shows the others: all values are shared additively among them, and a dealer who
// sees nothing deals what products take. Each party is a thread of its own, with a port to each other one.
//   1. One party has pictures of digits, the other a network of two layers: the first learns how they are read, the second nothing.
//   2. Three hospitals train logistic regression on 569 tumours of which each has some rows;
//   3. the same, where each has some of the columns: in the end all three have the model, and nothing else.
// Means and deviations of the columns are agreed on beforehand. Run it after `npm run build`:
//   node examples/joint-learning.mjs
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { MessageChannel, Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { approximation, f64, i64, load } from 'cipherloom';
import { freshSeeds, newRun, overPorts, shares } from 'cipherloom/parties';
import { parseTable } from 'cipherloom/table';

const DEALER = 'dealer';
const HOSPITALS = ['north', 'south', 'west'];
const PICTURES = 64;
const FEATURES = 30;
const STEPS = 8;
const RATE = 0.4;
const SIGMOID = { from: -16, to: 16, degree: 5 };

if (isMainThread) await everybody();
else await party(workerData);

// ---------------------------------------------------------------------------------------------- graphs

/** Scores of pictures, which are columns, by a network with squares between its layers: integers, exactly. */
function reading(g, { hidden, output }) {
  const s = shares(g, { holders: ['pictures', 'network'], dealer: DEALER });
  const layer = (name, { weights, bias }, x) => {
    const own = s.input('network', `${name} weights`, i64(weights.length, weights[0].length));
    const base = s.input('network', `${name} bias`, i64(bias.length, 1));
    return s.add(s.matmul(own, x), base);
  };
  const pixels = s.input('pictures', 'pixels', i64(64, PICTURES));
  const scores = layer('output', output, s.square(layer('hidden', hidden, pixels)));
  g.party('pictures').output('scores', s.open(scores, 'pictures'));
}

/** Gradient descent over all rows, on records [n, 30] and labels [n, 1] that are shared. */
function training(g, inputs) {
  const s = shares(g, { holders: HOSPITALS, dealer: DEALER, fraction: 20 });
  const { records, labels } = inputs(s);
  const columns = s.transpose(records);
  let weights;
  for (let step = 0; step < STEPS; step++) {
    const scores = weights && s.truncate(s.matmul(records, weights));
    // Before the first step all weights are 0, and all probabilities 1/2.
    const error = scores ? s.sub(s.sigmoid(scores, SIGMOID), labels) : s.plus(s.negate(labels), 0.5);
    const gradient = s.truncate(s.matmul(columns, error));
    const change = s.truncate(s.times(gradient, -RATE / records.shape[0]));
    weights = weights ? s.add(weights, change) : change;
  }
  for (const name of HOSPITALS) g.party(name).output(`${name}: weights`, s.openReal(weights, name));
}

// --------------------------------------------------------------------------------------------- parties

/** What a party does on its own machine. */
async function party({ name, graph, run, ports, data }) {
  const loom = await load({ threads: 1 });
  const shared = await loom.shared(graph);
  const cut = await shared.cut(name);
  const base = await cut.expand({ platform: 'simd' });
  const transport = overPorts(ports);
  const refused = [];
  let sent = 0;
  const outputs = await base.run(
    { ...freshSeeds(base), ...data },
    {
      transport,
      run,
      timeout: 60_000,
      secret: true, // what the worker held is overwritten
      onRefused: (error) => refused.push(error.code),
      approve: (leaves) => {
        sent = leaves.reduce((sum, { bytes }) => sum + bytes, 0);
        // Nothing goes to the dealer.
        return leaves.every(({ to }) => to !== DEALER);
      },
    },
  );
  transport.close();
  loom.dispose();
  parentPort.postMessage({ name, outputs, sent, refused });
}

/** All parties of a graph, each with its own data: what each of them gets. */
async function together(title, record, data) {
  const loom = await load({ threads: 1 });
  const g = loom.graph({ unit: 64 });
  record(g);
  const shared = await g.share();
  loom.dispose();
  const run = newRun();
  const ports = Object.fromEntries(shared.parties.map((name) => [name, {}]));
  for (const [at, one] of shared.parties.entries())
    for (const other of shared.parties.slice(at + 1)) {
      const { port1, port2 } = new MessageChannel();
      ports[one][other] = port1;
      ports[other][one] = port2;
    }
  const started = performance.now();
  const threads = shared.parties.map(
    (name) =>
      new Worker(new URL(import.meta.url), {
        workerData: { name, graph: shared.toBytes(), run, ports: ports[name], data: data[name] ?? {} },
        transferList: Object.values(ports[name]),
      }),
  );
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
  assert.ok(results.every(({ refused }) => refused.length === 0));
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const sent = results.map(({ name, sent }) => `${name} ${(sent / 1e6).toFixed(2)} MB`).join(', ');
  console.log(`${title}: ${seconds} s; sent: ${sent}`);
  return Object.assign({}, ...results.map(({ outputs }) => outputs));
}

// -------------------------------------------------------------------------------------------- everybody

async function everybody() {
  await digits();
  const { records, labels } = tumours();
  const wanted = plainWeights(records, labels);
  const part = (at) => [Math.floor((at * records.length) / 3), Math.floor(((at + 1) * records.length) / 3)];

  const rows = Object.fromEntries(
    HOSPITALS.map((name, at) => {
      const [from, to] = part(at);
      return [
        name,
        {
          [`${name}: records`]: Float64Array.from(records.slice(from, to).flat()),
          [`${name}: labels`]: Float64Array.from(labels.slice(from, to)),
        },
      ];
    }),
  );
  const byRows = await together(
    'rows split',
    (g) =>
      training(g, (s) => {
        const size = (at) => part(at)[1] - part(at)[0];
        const records = HOSPITALS.map((name, at) =>
          s.input(name, `${name}: records`, f64(size(at), FEATURES)),
        );
        const labels = HOSPITALS.map((name, at) => s.input(name, `${name}: labels`, f64(size(at), 1)));
        return { records: s.concat(records, 0), labels: s.concat(labels, 0) };
      }),
    rows,
  );
  check(byRows);

  const share = FEATURES / HOSPITALS.length;
  const columns = Object.fromEntries(
    HOSPITALS.map((name, at) => [
      name,
      {
        [`${name}: columns`]: Float64Array.from(
          records.flatMap((record) => record.slice(at * share, (at + 1) * share)),
        ),
        ...(at === 0 ? { labels: Float64Array.from(labels) } : {}),
      },
    ]),
  );
  const byColumns = await together(
    'columns split',
    (g) =>
      training(g, (s) => {
        const own = HOSPITALS.map((name) => s.input(name, `${name}: columns`, f64(records.length, share)));
        return { records: s.concat(own, 1), labels: s.input('north', 'labels', f64(records.length, 1)) };
      }),
    columns,
  );
  check(byColumns);

  /** The model that all three have is that of training in the clear. */
  function check(outputs) {
    const [weights, ...others] = HOSPITALS.map((name) => outputs[`${name}: weights`]);
    for (const other of others) assert.deepEqual(other, weights);
    const error = Math.max(...wanted.map((weight, at) => Math.abs(weight - weights[at])));
    const right = records.filter((record, row) => score(record, weights) > 0 === (labels[row] === 1)).length;
    console.log(
      `  ${right} of ${records.length} as diagnosed; weights off by at most ${error.toExponential(1)} from training in the clear`,
    );
    assert.ok(error < 2 ** -12);
    assert.ok(right > 0.95 * records.length);
  }
}

/** Pictures that the network has not learned from. */
async function digits() {
  const network = JSON.parse(read('digits-network.json'));
  const pictures = read('digits.csv')
    .trim()
    .split('\n')
    .slice(1)
    .filter((_, at) => at % 3 === 0)
    .slice(0, PICTURES)
    .map((line) => line.split(','))
    .map(([pixels, digit]) => ({
      pixels: Array.from(pixels, (pixel) => parseInt(pixel, 17)),
      digit: Number(digit),
    }));
  const integers = (numbers) => BigInt64Array.from(numbers.flat(), BigInt);
  const { scores } = await together('pictures and a network', (g) => reading(g, network), {
    pictures: {
      pixels: integers(
        network.hidden.weights[0].map((_, pixel) => pictures.map(({ pixels }) => pixels[pixel])),
      ),
    },
    network: Object.fromEntries(
      Object.entries(network).flatMap(([name, { weights, bias }]) => [
        [`${name} weights`, integers(weights)],
        [`${name} bias`, integers(bias)],
      ]),
    ),
  });
  let right = 0;
  for (const [at, { pixels, digit }] of pictures.entries()) {
    const found = network.output.bias.map((_, label) => Number(scores[label * PICTURES + at]));
    const squares = layer(network.hidden, pixels).map((sum) => sum ** 2);
    assert.deepEqual(found, layer(network.output, squares));
    if (found.indexOf(Math.max(...found)) === digit) right++;
  }
  console.log(`  ${right} of ${PICTURES} digits read right, all scores as in the clear`);
  assert.ok(right > 0.9 * PICTURES);
}

/** A layer in the clear. */
function layer({ weights, bias }, x) {
  return weights.map((row, at) => row.reduce((sum, weight, k) => sum + weight * x[k], bias[at]));
}

/** 569 tumours: features of mean 0 and deviation 1, cut off at 4, and 1 for a malignant one. */
function tumours() {
  const file = read('breast-cancer-wisconsin.csv');
  const columns = parseTable(file).numeric.map(({ values }) => standard(Array.from(values)));
  const labels = file
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => (line.endsWith('malignant') ? 1 : 0));
  return { records: labels.map((_, row) => columns.map((column) => column[row])), labels };
}

function standard(values) {
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / values.length);
  return values.map((x) => Math.min(Math.max((x - mean) / deviation, -4), 4));
}

/** The same training in the clear, in doubles. */
function plainWeights(records, labels) {
  const sigmoid = approximation((x) => 1 / (1 + Math.exp(-x)), SIGMOID);
  const weights = Array(FEATURES).fill(0);
  for (let step = 0; step < STEPS; step++) {
    const scores = records.map((record) => score(record, weights));
    assert.ok(scores.every((score) => SIGMOID.from <= score && score <= SIGMOID.to));
    const errors = scores.map((score, row) => sigmoid.at(score) - labels[row]);
    weights.forEach((_, column) => {
      const gradient = errors.reduce((sum, error, row) => sum + error * records[row][column], 0);
      weights[column] -= (RATE * gradient) / records.length;
    });
  }
  return weights;
}

function score(record, weights) {
  return record.reduce((sum, x, at) => sum + x * weights[at], 0);
}

function read(name) {
  return readFileSync(new URL(`../data/${name}`, import.meta.url), 'utf8');
}
