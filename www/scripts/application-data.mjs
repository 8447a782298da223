#!/usr/bin/env node
// Makes what the applications of the page bring along from the tables in data/: a model of the records, and pictures that the
// network of digits has not learned from. The same each time:
//   node www/scripts/application-data.mjs
import { readFileSync, writeFileSync } from 'node:fs';

const MOST = 4;
const STEPS = 400;
const RATE = 0.3;
/** How much of a weight its slope has, so that weights are kept small. */
const DECAY = 0.12;
const EACH_DIGIT = 3;

const read = (name) =>
  readFileSync(new URL(`../../data/${name}`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));
const write = (name, content) =>
  writeFileSync(
    new URL(`../src/applications/data/${name}`, import.meta.url),
    `${JSON.stringify(content, null, 2)}\n`,
  );

write('records-model.json', recordsModel(read('breast-cancer-wisconsin.csv')));
write('held-out-digits.json', heldOut(read('digits.csv')));

/** Logistic regression by gradient descent, from two of every three records. */
function recordsModel(rows) {
  const columns = rows[0].slice(0, -1).map((_, column) => standard(rows.map((row) => Number(row[column]))));
  const malignant = rows.map((row) => row.at(-1) === 'malignant');
  const learned = rows.map((_, row) => row).filter((row) => row % 3 !== 0);
  const weights = columns.map(() => 0);
  let bias = 0;
  for (let step = 0; step < STEPS; step++) {
    const errors = learned.map((row) => {
      const score = weights.reduce((sum, weight, i) => sum + weight * columns[i][row], bias);
      return (malignant[row] ? 1 : 0) - 1 / (1 + Math.exp(-score));
    });
    const mean = (of) => errors.reduce((sum, error, i) => sum + error * of(learned[i]), 0) / errors.length;
    for (const [i, column] of columns.entries())
      weights[i] += RATE * (mean((row) => column[row]) - DECAY * weights[i]);
    bias += RATE * mean(() => 1);
  }
  const short = (x) => Number(x.toFixed(4));
  return {
    weights: weights.map(short),
    bias: short(bias),
    // One letter for each record of the table: what doctors found.
    diagnoses: malignant.map((is) => (is ? 'm' : 'b')).join(''),
  };
}

/** Of mean 0 and variance 1, cut off; as src/applications/records/records.ts does it. */
function standard(values) {
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / values.length);
  return values.map((x) => Math.min(Math.max((x - mean) / deviation, -MOST), MOST));
}

/** The first pictures of each digit among those that were kept from learning (data/digits-network.mjs). */
function heldOut(rows) {
  const kept = rows
    .filter((_, i) => i % 3 === 0)
    .map(([pixels, digit]) => ({ pixels, digit: Number(digit) }));
  return Array.from({ length: 10 }, (_, digit) =>
    kept.filter((one) => one.digit === digit).slice(0, EACH_DIGIT),
  ).flat();
}
