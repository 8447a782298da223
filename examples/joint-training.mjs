// Three hospitals train logistic regression under a key that none of them has, on data that stay encrypted: once where each has some of 569
// tumours, and once where each has some of their features, which one of them knows the diagnoses of. A cloud computes; it has no secret. What is
// decrypted is the model, by any two of the three, and nothing else. (By shares instead of a key: joint-learning.mjs.)
// Each hospital is a thread of its own, with a port to each other one. Means and deviations of the columns are agreed on beforehand.
// Run it after `npm run build`:
//   node examples/joint-training.mjs
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { MessageChannel, Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { approximation, createTask, load } from 'cipherloom';
import { newRun, overPorts } from 'cipherloom/parties';
import { parseTable } from 'cipherloom/table';

const HOSPITALS = ['north', 'south', 'west'];
const EVERYBODY = [...HOSPITALS, 'cloud'];
// Who makes the keys, and who decrypts what comes of either split: any two are enough, and more may take part.
const MAKERS = ['north', 'south'];
const SPLITS = ['rows', 'columns'];
const OPENERS = { rows: ['north', 'south', 'west'], columns: ['south', 'west'] };

const [ROWS, FEATURES] = [569, 30];
// The weight of a last feature, which is always 1, is the bias.
const WIDTH = FEATURES + 1;
const STEPS = 2;
// What a record's error counts in a step. Weights are encrypted without it: as a part of the sigmoid it costs no level.
const RATE = 1 / ROWS;
// What scores and weights surely lie in during these steps; looked at below, where nothing is encrypted.
const [SCORE, WEIGHT] = [4 / RATE, 0.29 / RATE];
const sigmoid = (x) => 1 / (1 + Math.exp(-RATE * x));
// Less one half, so that labels are 1/2 and -1/2, and the first step, from weights of 0, needs no scores.
const GUESS = approximation((x) => sigmoid(x) - 0.5, { from: -SCORE, to: SCORE, degree: 3 });

// Two decryptions in all, which together hide the key by 24 bits: of these, every two more cost the model a bit.
const OPTIONS = { parties: 3, releases: { count: 2, statisticalBits: 24 }, precision: 8 };

if (isMainThread) await everybody();
else await hospital(workerData);

// ----------------------------------------------------------------------------------------- the program

/** Gradient descent on the sums of what all hospitals give, which are 0 wherever a cell is not theirs. So one program, and one key, is for either split. */
function training() {
  const task = createTask();
  const all = (what, shape, bound) =>
    HOSPITALS.map((name) =>
      task.encrypted(`${name}: ${what}`, { kind: 'real', shape, min: -bound, max: bound }),
    )
      .reduce((sum, one) => sum.add(one))
      .within(-bound, bound);
  const records = all('records', [ROWS, WIDTH], 1);
  const first = all('labels', [ROWS], 0.5).matmul(records);
  // Every step's sum of (label - guess) * record is this first one less that of the guesses.
  let weights = first.within(-WEIGHT, WEIGHT);
  for (let step = 1; step < STEPS; step++) {
    const guesses = records.matmul(weights).within(-SCORE, SCORE).approximate(GUESS);
    weights = weights.add(first).sub(guesses.matmul(records)).within(-WEIGHT, WEIGHT);
  }
  task.output('weights', weights);
  return task;
}

// ------------------------------------------------------------------------------------------- hospitals

/** What a hospital does on its own machine. */
async function hospital({ name, program: bytes, runs, ports, data }) {
  const loom = await load({ threads: 1 });
  const program = await loom.program(bytes);
  const transport = overPorts(ports);
  let sent = 0;
  /** Looks at what leaves: shares of keys and of decryptions, all of them polynomials that look random, and nothing in the clear. */
  const approve = (leaves) => {
    sent += leaves.reduce((sum, { bytes }) => sum + bytes, 0);
    return leaves.every(({ of }) => /^(key_share|polys?)\[/.test(of));
  };
  const meet = (run) => ({ transport, run, approve, timeout: 300_000 });
  const party = await program.party(name, { parties: HOSPITALS, threshold: 2 });
  await party.deal(meet(runs.deal));
  if (MAKERS.includes(name)) await party.makeKeys({ ...meet(runs.keys), active: MAKERS, hub: 'cloud' });
  parentPort.postMessage({ dealt: name });

  const publicKey = await told('publicKey');
  const owner = await program.owner(publicKey);
  for (const [split, own] of Object.entries(data)) {
    const { records, labels } = padded(own);
    const encrypted = await owner.encrypt({ [`${name}: records`]: records, [`${name}: labels`]: labels });
    parentPort.postMessage({ [`${split} encrypted`]: encrypted });
    const results = await told(`${split} results`);
    const active = OPENERS[split];
    const outputs = active.includes(name)
      ? await party.decrypt(results, { ...meet(runs[split]), publicKey, active })
      : undefined;
    parentPort.postMessage({ [`${split} outputs`]: outputs });
  }
  const decrypted = await party.released();
  transport.close();
  loom.dispose();
  parentPort.postMessage({ done: { sent, decrypted } });
}

/** A hospital's cells, at their places in a table that is 0 elsewhere. */
function padded({ cells, labels, rowsFrom, columnsFrom }) {
  const records = Array.from({ length: ROWS }, () => Array(WIDTH).fill(0));
  for (const [row, own] of cells.entries())
    for (const [column, cell] of own.entries()) records[rowsFrom + row][columnsFrom + column] = cell;
  const all = Array(ROWS).fill(0);
  for (const [row, malignant] of labels.entries()) all[rowsFrom + row] = malignant ? 0.5 : -0.5;
  return { records, labels: all };
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

// -------------------------------------------------------------------------------------------- everybody

async function everybody() {
  const { records, malignant } = tumours();
  const loom = await load({ threads: 1 });
  const program = await loom.compile(training(), OPTIONS);
  const runs = { deal: newRun(), keys: newRun(), rows: newRun(), columns: newRun() };
  const ports = Object.fromEntries(EVERYBODY.map((name) => [name, {}]));
  for (const [at, a] of EVERYBODY.entries())
    for (const b of EVERYBODY.slice(at + 1)) {
      const { port1, port2 } = new MessageChannel();
      ports[a][b] = port1;
      ports[b][a] = port2;
    }
  const threads = HOSPITALS.map((name, at) => {
    const part = (length) => [0, 1].map((more) => Math.floor(((at + more) * length) / HOSPITALS.length));
    const [[firstRow, endRow], [firstColumn, endColumn]] = [part(ROWS), part(WIDTH)];
    const data = {
      rows: {
        cells: records.slice(firstRow, endRow),
        labels: malignant.slice(firstRow, endRow),
        rowsFrom: firstRow,
        columnsFrom: 0,
      },
      columns: {
        cells: records.map((record) => record.slice(firstColumn, endColumn)),
        labels: at === 0 ? malignant : [],
        rowsFrom: 0,
        columnsFrom: firstColumn,
      },
    };
    return new Worker(new URL(import.meta.url), {
      workerData: { name, program: program.toBytes(), runs, ports: ports[name], data },
      transferList: Object.values(ports[name]),
    });
  });
  const failed = new Promise((_, reject) => threads.forEach((thread) => thread.once('error', reject)));
  const hear = (thread, what) =>
    new Promise((resolve) => {
      const listen = (message) => {
        if (!(what in message)) return;
        thread.off('message', listen);
        resolve(message[what]);
      };
      thread.on('message', listen);
    });
  const fromAll = (what) => Promise.race([Promise.all(threads.map((thread) => hear(thread, what))), failed]);
  const tell = (message) => threads.forEach((thread) => thread.postMessage(message));
  let started = performance.now();
  const lap = () => {
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    started = performance.now();
    return seconds;
  };

  // The cloud adds shares of keys up, and has no secret. No key that it gets decrypts anything.
  const dealt = fromAll('dealt');
  const transport = overPorts(ports.cloud);
  const cloud = await program.party('cloud', { parties: HOSPITALS, threshold: 2 });
  const { publicKey, evaluationKeys } = await Promise.race([
    cloud.makeKeys({
      transport,
      run: runs.keys,
      approve: () => true,
      timeout: 300_000,
      active: MAKERS,
      hub: 'cloud',
    }),
    failed,
  ]);
  await dealt;
  const { scheme, n, keys, cost } = program.info;
  console.log(
    `${scheme} at n = ${n}: ${keys.length} keys of ${Math.round(cost.keyBytes / 1e6)} MB made in ${lap()} s`,
  );

  const done = fromAll('done');
  const wanted = plainWeights(records, malignant);
  const right = (weights) =>
    records.filter((record, row) => dot(record, weights) > 0 === malignant[row]).length;
  // What the program promises of each weight, with the noise that hides the key.
  const promised = 2 ** Math.max(...program.info.ciphertexts.map(({ errorBits }) => errorBits));
  assert.deepEqual(
    program.info.outputs.map(({ name }) => name),
    ['weights'],
  );
  let heard = fromAll('rows encrypted');
  tell({ publicKey });
  for (const split of SPLITS) {
    const inputs = Object.assign({}, ...(await heard));
    // West begins with the next split as soon as it has the results of this one.
    if (split === 'rows') heard = fromAll('columns encrypted');
    const bytes = Object.values(inputs).reduce((sum, one) => sum + one.length, 0);
    const results = await program.run(inputs, evaluationKeys);
    const opened = fromAll(`${split} outputs`);
    tell({ [`${split} results`]: results });
    const outputs = await opened;
    const models = outputs.filter((output) => output !== undefined).map(({ weights }) => weights);
    assert.equal(models.length, OPENERS[split].length);
    const [model, ...others] = models;
    for (const other of others) assert.deepEqual(other, model);
    const error = Math.max(...model.map((weight, at) => Math.abs(weight - wanted[at])));
    assert.ok(error < promised, `off by ${error} of ${promised}`);
    assert.ok(Math.abs(right(model) - right(wanted)) <= 2 && right(model) > 0.93 * ROWS);
    console.log(
      `${split} split: ${right(model)} of ${ROWS} as diagnosed after ${STEPS} steps, ${right(wanted)} in the clear; ` +
        `weights of up to ${(RATE * WEIGHT).toFixed(2)} off by at most ${(RATE * error).toExponential(1)}, ` +
        `${(RATE * promised).toExponential(1)} promised; ${(bytes / 1e6).toFixed(0)} MB of data, decrypted by ${OPENERS[split].join(', ')}; ${lap()} s`,
    );
  }
  const ends = await done;
  const counts = HOSPITALS.map((name) => SPLITS.filter((split) => OPENERS[split].includes(name)).length);
  assert.deepEqual(
    ends.map(({ decrypted }) => decrypted),
    counts,
  );
  const sent = HOSPITALS.map((name, at) => `${name} ${(ends[at].sent / 1e6).toFixed(0)} MB`);
  console.log(`sent to each other and the cloud, without the data: ${sent.join(', ')}`);
  await Promise.all(threads.map((thread) => thread.terminate()));
  transport.close();
  loom.dispose();
}

/** 569 tumours: features of mean 0 and deviation 1/2, cut off at 1, then a 1; and which are malignant. */
function tumours() {
  const file = readFileSync(new URL('../data/breast-cancer-wisconsin.csv', import.meta.url), 'utf8');
  const columns = parseTable(file).numeric.map(({ values }) => standard(Array.from(values)));
  const malignant = file
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.endsWith('malignant'));
  const records = malignant.map((_, row) => [...columns.map((column) => column[row]), 1]);
  assert.deepEqual([records.length, records[0].length], [ROWS, WIDTH]);
  return { records, malignant };
}

function standard(values) {
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / values.length);
  return values.map((x) => Math.min(Math.max((x - mean) / (2 * deviation), -1), 1));
}

/** The same steps in the clear, in doubles, on all records. */
function plainWeights(records, malignant) {
  let weights = Array(WIDTH).fill(0);
  for (let step = 0; step < STEPS; step++) {
    const scores = records.map((record) => dot(record, weights));
    const errors = scores.map((x, row) => malignant[row] - 0.5 - (step > 0 ? GUESS.at(x) : 0));
    weights = weights.map((sum, i) => errors.reduce((sum, e, row) => sum + e * records[row][i], sum));
    assert.ok(scores.every((x) => Math.abs(x) <= SCORE) && weights.every((x) => Math.abs(x) <= WEIGHT));
  }
  return weights;
}

function dot(x, y) {
  return x.reduce((sum, cell, i) => sum + cell * y[i], 0);
}
