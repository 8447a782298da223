// A model trained on records that the server never sees: 569 tumours with 30 features and a diagnosis each, all encrypted. Three steps of
// gradient descent give encrypted weights, which only the client can read. Run it after `npm run build`:
//   node examples/logistic-training.mjs
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { approximation, load } from 'cipherloom';
import { parseTable } from 'cipherloom/table';

const file = readFileSync(new URL('../data/breast-cancer-wisconsin.csv', import.meta.url), 'utf8');
const columns = parseTable(file).numeric.map(({ values }) => standard(values));
// The weight of a last feature, which is always 1, is the bias.
const records = Array.from(columns[0], (_, row) => [...columns.map((column) => column[row]), 1]);
const malignant = file
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.endsWith('malignant'));
const [rows, width] = [records.length, records[0].length];

const STEPS = 3;
// What a record's error counts in a step. Weights are encrypted without it: as a part of the sigmoid it costs no level.
const rate = 4 / rows;
// What scores and weights surely lie in during these steps; looked at below, where nothing is encrypted.
const [score, weight] = [8 / rate, 1 / rate];
const sigmoid = (x) => 1 / (1 + Math.exp(-rate * x));
// Less one half, so that labels are 1/2 and -1/2, and the first step, from weights of 0, needs no scores.
const guess = approximation((x) => sigmoid(x) - 0.5, { from: -score, to: score, degree: 3 });

const loom = await load();
const task = loom.task();
const features = task.encrypted('features', { kind: 'real', shape: [rows, width], min: -1, max: 1 });
const labels = task.encrypted('malignant', { kind: 'boolean', shape: [rows] }).sub(0.5);
// Every step's sum of (label - guess) * record is this one less that of the guesses.
const first = labels.matmul(features);
let weights = first.within(-weight, weight);
for (let step = 1; step < STEPS; step++) {
  const guesses = features.matmul(weights).within(-score, score).approximate(guess);
  weights = weights.add(first).sub(guesses.matmul(features)).within(-weight, weight);
}
task.output('weights', weights);

// Bounds hold for all records and weights in their ranges, and errors of one step go through the next: ten bits can be promised, though about thirty come out.
const program = await task.compile({ precision: 10 });
const client = await program.client();
const encrypted = await client.encrypt({ features: records, malignant });
const results = await program.run(encrypted, client.evaluationKeys);
const trained = (await client.decrypt(results)).weights;
loom.dispose();

const expected = train();
const error = rate * Math.max(...trained.map((found, i) => Math.abs(found - expected[i])));
assert.ok(error < 1e-6, `off by ${error}`);
const right = records.filter((record, row) => dot(record, trained) > 0 === malignant[row]).length;
assert.ok(right > 0.92 * rows, `${right} right`);
const { scheme, n } = program.info;
console.log(
  `${right} of ${rows} as diagnosed after ${STEPS} steps; weights off by at most ${error.toExponential(1)}; ${scheme} at n = ${n}.`,
);

/** Of mean 0 and deviation 1/4, cut off at 1. */
function standard(values) {
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / values.length);
  return values.map((x) => Math.min(Math.max((x - mean) / (4 * deviation), -1), 1));
}

/** The same steps in the clear. */
function train() {
  let weights = Array(width).fill(0);
  for (let step = 0; step < STEPS; step++) {
    const scores = records.map((record) => dot(record, weights));
    const errors = scores.map((x, row) => malignant[row] - 0.5 - (step > 0 ? guess.at(x) : 0));
    weights = weights.map((sum, i) => errors.reduce((sum, e, row) => sum + e * records[row][i], sum));
    assert.ok(scores.every((x) => Math.abs(x) <= score) && weights.every((x) => Math.abs(x) <= weight));
  }
  return weights;
}

function dot(x, y) {
  return x.reduce((sum, cell, i) => sum + cell * y[i], 0);
}
