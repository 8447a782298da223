// A model that is trained on records that its trainer never sees: three steps of gradient descent on 569 tumours with 30 features each and their
// diagnoses, all encrypted; the server hands over weights that it cannot read. Run it after `npm run build`; it takes 2 GB of memory:
//   node examples/logistic-training.mjs
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { approximation, load } from 'cipherloom';
import { parseTable } from 'cipherloom/table';

const [ROWS, FEATURES, STEPS, RATE] = [569, 30, 3, 4];
const file = readFileSync(new URL('../data/breast-cancer-wisconsin.csv', import.meta.url), 'utf8');
const columns = parseTable(file).numeric.map(({ values }) => standard(values));
const features = Array.from(columns[0], (_, row) => columns.map((column) => column[row]));
const malignant = file
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.endsWith('malignant'));
// Where scores and weights are is checked below: bounds alone would say far less.
const sigmoid = approximation((x) => 1 / (1 + Math.exp(-x)), { from: -8, to: 8, degree: 3 });
const MOST_WEIGHT = 2;

const loom = await load();
const task = loom.task();
const records = task.encrypted('records', { kind: 'real', shape: [ROWS, FEATURES], min: -1, max: 1 });
const ill = task.encrypted('ill', { kind: 'boolean', shape: [ROWS] });
// All weights are 0 at first, and each probability is a half.
let weights = gradient(ill.sub(0.5));
for (let step = 1; step < STEPS; step++) {
  const scores = records.matmul(weights).within(sigmoid.from, sigmoid.to);
  weights = weights.add(gradient(ill.sub(scores.approximate(sigmoid)))).within(-MOST_WEIGHT, MOST_WEIGHT);
}
task.output('weights', weights);

// The bound on errors is that of the worst records there could be, and grows by each step: the two sides differ by far less.
const program = await task.compile({ precision: 1 });
const client = await program.client();
const encrypted = await client.encrypt({ records: features, ill: malignant });
const results = await program.run(encrypted, client.evaluationKeys);
const { weights: found } = await client.decrypt(results);
loom.dispose();

const expected = train();
const error = Math.max(...found.map((weight, i) => Math.abs(weight - expected[i])));
assert.ok(error < 1e-6, `off by ${error}`);
const right = features.filter((record, row) => dot(record, found) > 0 === malignant[row]).length;
assert.ok(right > 0.94 * ROWS, `${right} right`);
const { scheme, n, moduli } = program.info;
console.log(
  `${right} of ${ROWS} as diagnosed after ${STEPS} steps; weights off by at most ${error.toExponential(1)}; ${scheme} at n = ${n}, ${moduli.length} primes.`,
);

/** A step along the gradient: of each feature the mean of its products with the errors. */
function gradient(errors) {
  const products = records.multiply(errors.reshape([ROWS, 1]));
  return products
    .sum(0)
    .multiply(RATE / ROWS)
    .within(-MOST_WEIGHT, MOST_WEIGHT);
}

/** The same in the clear. */
function train() {
  let weights = Array(FEATURES).fill(0);
  for (let step = 0; step < STEPS; step++) {
    const scores = features.map((record) => dot(record, weights));
    const errors = scores.map((score, row) => malignant[row] - (step === 0 ? 0.5 : sigmoid.at(score)));
    const gradient = weights.map((_, i) => (RATE / ROWS) * dot(columns[i], errors));
    weights = weights.map((weight, i) => weight + gradient[i]);
    assert.ok(scores.every((score) => sigmoid.from <= score && score <= sigmoid.to));
    assert.ok([...weights, ...gradient].every((weight) => Math.abs(weight) <= MOST_WEIGHT));
  }
  return weights;
}

function dot(a, b) {
  return a.reduce((sum, x, i) => sum + x * b[i], 0);
}

/** Of mean 0 and variance 1/16, cut off at 1. */
function standard(values) {
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / values.length);
  return values.map((x) => Math.min(Math.max((x - mean) / deviation / 4, -1), 1));
}
