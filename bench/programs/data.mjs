// Seeded numbers for the programs, and plain arithmetic that shares nothing with the package.
import { generator } from '../lib/random.mjs';

/** Integers from min to max in arrays as the shape says. */
export function integers(seed, shape, min, max) {
  const random = generator(seed);
  return filled(shape, () => min + Math.floor(random() * (max - min + 1)));
}

/** Doubles from min to below max. */
export function reals(seed, shape, min, max) {
  const random = generator(seed);
  return filled(shape, () => min + random() * (max - min));
}

/** Arrays in arrays as the shape says; `cell` gets the indices. */
export function filled([length, ...inner], cell, ...at) {
  if (length === undefined) return cell(...at);
  return Array.from({ length }, (_, i) => filled(inner, cell, ...at, i));
}

export function dot(a, b) {
  return a.reduce((sum, x, i) => sum + x * b[i], 0);
}

/** c_0 + c_1 x + ... */
export function polynomial(coefficients, x) {
  return coefficients.reduceRight((sum, c) => sum * x + c, 0);
}

/** What a filter gives at each pixel of a picture that wraps around; `weights` are [row, column, weight] from the pixel. */
export function filtered(picture, weights) {
  const [rows, columns] = [picture.length, picture[0].length];
  const at = (y, x) => picture[(y + rows) % rows][(x + columns) % columns];
  return filled([rows, columns], (y, x) => weights.reduce((sum, [dy, dx, w]) => sum + w * at(y + dy, x + dx), 0));
}

/** The same of a value. */
export function filterOf(value, weights) {
  return weights
    .map(([dy, dx, weight]) => value.rotate(dy, 0).rotate(dx, 1).multiply(weight))
    .reduce((sum, term) => sum.add(term));
}

/** Sobel's, across columns and across rows. */
export const SOBEL_X = [
  [-1, -1, -1],
  [-1, 1, 1],
  [0, -1, -2],
  [0, 1, 2],
  [1, -1, -1],
  [1, 1, 1],
];
export const SOBEL_Y = SOBEL_X.map(([y, x, weight]) => [x, y, weight]);
