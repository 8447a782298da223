// Whole tasks over values: input, our side, the peer's side with its candidates, and the check of results; see jobs.mjs.
import { readFileSync } from 'node:fs';
import { parseTable } from 'cipherloom/table';
import { generator } from '../lib/random.mjs';
import { vectorPairs } from './data.mjs';
import { openSealRegression, REGRESSION_CANDIDATES } from './logistic-regression-seal.mjs';
import { MATRIX_CANDIDATES, openSealMatrix } from './matrix-vector-seal.mjs';
import { openSealProducts, PRODUCT_CANDIDATES } from './value-products-seal.mjs';
import { openMatrix, openProducts, openRegression } from './value-tasks.mjs';

const LIMIT = 100;
const [SIZE, MOST] = [256, 255];
/** How far a probability may be off on either side: as much as our program guarantees, 20 bits of the most that it may be by its bounds. */
const TOLERANCE = 2 ** -18;
const [CSV, MODEL] = ['../../data/breast-cancer-wisconsin.csv', './model.json'].map(
  (path) => new URL(path, import.meta.url),
);

export const VALUE_JOBS = {
  'inner-products': {
    scheme: 'bgv',
    by: 'evaluate',
    input: () => vectorPairs({ count: 100, length: 256, limit: LIMIT }),
    ours: (loom, pairs) => openProducts(loom, pairs, LIMIT),
    candidates: PRODUCT_CANDIDATES,
    peer: openSealProducts,
    check: (pairs, found) =>
      equal(
        'inner products',
        found,
        pairs.map(([a, b]) => dot(a, b)),
      ),
  },
  'matrix-vector': matrixJob({ given: false }),
  'matrix-vector-given': matrixJob({ given: true }),
  'logistic-regression': {
    scheme: 'ckks',
    by: 'evaluate',
    input: regression,
    ours: openRegression,
    candidates: REGRESSION_CANDIDATES,
    peer: openSealRegression,
    check: ({ expected, tolerance }, found) => {
      for (const [row, value] of expected.entries()) {
        if (!(Math.abs(found[row] - value) <= tolerance))
          throw new Error(`probability of record ${row}: found ${found[row]}, expected ${value}`);
      }
    },
  },
};

/** A matrix that is known beforehand, or one that comes with each run. */
function matrixJob(options) {
  return {
    scheme: 'bgv',
    by: 'evaluate',
    input: () => {
      const random = generator(4);
      const numbers = () => Array.from({ length: SIZE }, () => Math.floor(random() * (2 * MOST + 1)) - MOST);
      return { matrix: Array.from({ length: SIZE }, numbers), vector: numbers() };
    },
    ours: (loom, input) => openMatrix(loom, input, MOST, options),
    candidates: MATRIX_CANDIDATES,
    peer: (input, candidate) => openSealMatrix(input, candidate, options),
    check: ({ matrix, vector }, found) =>
      equal(
        'matrix times vector',
        found,
        matrix.map((row) => dot(row, vector)),
      ),
  };
}

/** The inference of examples/logistic-regression.mjs: its table, and the model that it trains. */
function regression() {
  const limit = 4;
  const columns = parseTable(readFileSync(CSV)).numeric.map(({ values }) => standard(values, limit));
  const records = Array.from(columns[0], (_, row) => columns.map((column) => column[row]));
  const { weights, bias, sigmoid } = JSON.parse(readFileSync(MODEL, 'utf8'));
  const scores = records.map((record) => dot(record, weights) + bias);
  const expected = scores.map((score) => sigmoid.reduceRight((sum, c) => sum * score + c, 0));
  return { records, weights, bias, sigmoid, limit, expected, tolerance: TOLERANCE };
}

/** Of mean 0 and variance 1, cut off. */
function standard(values, limit) {
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / values.length);
  return Array.from(values, (x) => Math.min(Math.max((x - mean) / deviation, -limit), limit));
}

function dot(a, b) {
  return a.reduce((sum, value, i) => sum + value * b[i], 0);
}

function equal(what, found, expected) {
  if (expected.some((value, index) => value !== found[index]))
    throw new Error(`${what}: found ${found}, expected ${expected}`);
}
