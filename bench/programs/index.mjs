// Ten programs as tasks over values, each written as its question is put, without a word on parameters. A program has `describe(loom)`, which returns the
// task that is to be compiled, and `sample()`: `{ inputs, plain, expected }`, seeded cells to encrypt, the server's own (where there are any), and what
// has to come out, by plain arithmetic. `differ` compares.
import * as harris from './harris.mjs';
import * as innerProducts from './inner-products.mjs';
import * as integerPolynomial from './integer-polynomial.mjs';
import * as logisticRegression from './logistic-regression.mjs';
import * as matrixMatrix from './matrix-matrix.mjs';
import * as matrixVector from './matrix-vector.mjs';
import * as meanVariance from './mean-variance.mjs';
import * as network from './network.mjs';
import * as realPolynomial from './real-polynomial.mjs';
import * as sobel from './sobel.mjs';

/** By name, in the order of tables. */
export const PROGRAMS = {
  'inner-products': innerProducts,
  'matrix-vector': matrixVector,
  'matrix-matrix': matrixMatrix,
  'logistic-regression': logisticRegression,
  'real-polynomial': realPolynomial,
  'integer-polynomial': integerPolynomial,
  sobel,
  harris,
  'mean-variance': meanVariance,
  network,
};

/** By how much results differ at most, of the larger of 1 and what is expected: 0 of integers; statistics by a rounding or two, reals by about 2^-20. */
export function differ(found, expected) {
  if (typeof expected === 'number') return Math.abs(found - expected) / Math.max(1, Math.abs(expected));
  return Object.keys(expected).reduce((most, key) => Math.max(most, differ(found[key], expected[key])), 0);
}
