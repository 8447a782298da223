// Questions on vectors and matrices of reals, with seeded numbers, and their answers in doubles. A question is plain data, which Python reads, too:
// { op, inputs: [{ place, cells }], coefficients }.
import { mulberry32 } from '../lib/random.mjs';

export const SIZES = [3, 64, 569, 2048];
/** All numbers lie in -LIMIT to LIMIT. */
export const LIMIT = 2;
const POLYNOMIAL = [0.75, -1.5, 0.5, 0.25];

/** Each operation: its answer for cells in the clear. */
export const ANSWERS = {
  add: ([a, b]) => a.map((x, i) => x + b[i]),
  sub: ([a, b]) => a.map((x, i) => x - b[i]),
  mul: ([a, b]) => a.map((x, i) => x * b[i]),
  square: ([a]) => a.map((x) => x * x),
  polynomial: ([a], coefficients) => a.map((x) => coefficients.reduceRight((sum, c) => sum * x + c, 0)),
  dot: ([a, b]) => [dot(a, b)],
  vector_matrix: ([a, m]) => columns(m).map((column) => dot(a, column)),
  matrix_matrix: ([a, b]) => a.map((row) => columns(b).map((column) => dot(row, column))),
};

/** Questions by name, in groups that a test asks together. */
export function questions(seed) {
  const random = mulberry32(seed);
  const vector = (size) => Array.from({ length: size }, () => LIMIT * (2 * random() - 1));
  const matrix = (rows, width) => Array.from({ length: rows }, () => vector(width));
  const encrypted = (cells) => ({ place: 'encrypted', cells });
  const plain = (cells) => ({ place: 'plain', cells });
  const groups = {};
  for (const size of SIZES) {
    const [a, b, p] = [vector(size), vector(size), vector(size)];
    const group = (groups[`${size} values`] = {});
    for (const op of ['add', 'sub', 'mul', 'dot']) {
      group[op] = { op, inputs: [encrypted(a), encrypted(b)] };
      group[`${op}_plain`] = { op, inputs: [encrypted(a), plain(p)] };
    }
    group.square = { op: 'square', inputs: [encrypted(a)] };
    group.polynomial = { op: 'polynomial', inputs: [encrypted(b)], coefficients: POLYNOMIAL };
  }
  // TenSEAL multiplies encrypted vectors by matrices in the clear alone, and has a ciphertext for each cell of an encrypted matrix.
  for (const [rows, width] of [
    [4, 4],
    [16, 16],
    [32, 16],
  ]) {
    const inputs = [encrypted(vector(rows)), plain(matrix(rows, width))];
    groups[`a vector times a matrix of ${rows} x ${width}`] = { product: { op: 'vector_matrix', inputs } };
  }
  for (const [rows, inner, width, place] of [
    [4, 4, 4, encrypted],
    [8, 8, 8, encrypted],
    [4, 4, 4, plain],
    [32, 16, 4, plain],
  ]) {
    const inputs = [encrypted(matrix(rows, inner)), place(matrix(inner, width))];
    const name = `matrices of ${rows} x ${inner} and ${inner} x ${width}, the second ${inputs[1].place}`;
    groups[name] = { product: { op: 'matrix_matrix', inputs } };
  }
  return groups;
}

function dot(a, b) {
  return a.reduce((sum, x, i) => sum + x * b[i], 0);
}

function columns(matrix) {
  return matrix[0].map((_, k) => matrix.map((row) => row[k]));
}
