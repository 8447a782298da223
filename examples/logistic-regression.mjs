// A model that was trained in the clear, applied to records that its owner never sees: 569 tumours with 30 features each, encrypted; the
// server gives a probability for each. Run it after `npm run build`:
//   node examples/logistic-regression.mjs
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { approximation, load } from 'cipherloom';
import { parseTable } from 'cipherloom/table';

const file = readFileSync(new URL('../data/breast-cancer-wisconsin.csv', import.meta.url), 'utf8');
const table = parseTable(file);
const columns = table.numeric.map(({ values }) => standard(values));
const records = Array.from(columns[0], (_, row) => columns.map((column) => column[row]));
const malignant = file
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.endsWith('malignant'));
const { weights, bias } = train(records, malignant, 400);

const loom = await load();
const task = loom.task();
const features = task.encrypted('features', { kind: 'real', shape: [569, 30], min: -4, max: 4 });
const model = task.plain('weights', { kind: 'real', shape: [30], min: -0.5, max: 0.5 });
// The sigmoid as a polynomial on -16..16, where scores are.
const options = { from: -16, to: 16, degree: 3 };
const score = features.matmul(model).add(bias).within(options.from, options.to);
task.output('probability', score.sigmoid(options));

const program = await task.compile();
const client = await program.client();
const encrypted = await client.encrypt({ features: records });
const results = await program.run(encrypted, client.evaluationKeys, { plain: { weights } });
const { probability } = await client.decrypt(results);
loom.dispose();

const scores = records.map((record) => record.reduce((sum, x, i) => sum + x * weights[i], bias));
assert.ok(scores.every((score) => options.from <= score && score <= options.to));
const sigmoid = approximation((x) => 1 / (1 + Math.exp(-x)), options);
const expected = scores.map(sigmoid.at);
const error = Math.max(...probability.map((found, row) => Math.abs(found - expected[row])));
assert.ok(error < 1e-3, `off by ${error}`);
const right = probability.filter((found, row) => found > 0.5 === malignant[row]).length;
assert.ok(right > 0.95 * records.length, `${right} right`);
const { scheme, n } = program.info;
console.log(
  `${right} of ${records.length} as diagnosed; off by at most ${error.toExponential(1)}; ${scheme} at n = ${n}.`,
);

/** Of mean 0 and variance 1, cut off at 4. */
function standard(values) {
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / values.length);
  return values.map((x) => Math.min(Math.max((x - mean) / deviation, -4), 4));
}

/** Logistic regression by gradient descent, with weights that are kept small. */
function train(records, wanted, steps) {
  const weights = Array(records[0].length).fill(0);
  let bias = 0;
  for (let step = 0; step < steps; step++) {
    const errors = records.map((record, row) => {
      const score = record.reduce((sum, x, i) => sum + x * weights[i], bias);
      return (wanted[row] ? 1 : 0) - 1 / (1 + Math.exp(-score));
    });
    const mean = (of) =>
      errors.reduce((sum, error, row) => sum + error * of(records[row]), 0) / records.length;
    for (let i = 0; i < weights.length; i++)
      weights[i] += 0.3 * (mean((record) => record[i]) - 0.07 * weights[i]);
    bias += 0.3 * mean(() => 1);
  }
  return { weights, bias };
}
