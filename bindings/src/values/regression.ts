/** The plane of least squares through several predictors: sums of products, of which the client solves the normal equations. */
import { unexpected } from '../arguments.js';
import { single, total } from './finishing.js';
import type { Value } from './types.js';

const WHERE = 'regression';
const MOST_PREDICTORS = 32;
const KINDS: readonly string[] = ['integer', 'real', 'boolean'];

/**
 * The w and c that make the sum of (y - X w - c)^2 least, [w_1, ..., w_k, c], over rows of which no cell is missing: (A^T A) (w, c) = A^T y for A = (X, 1). A^T A has a diagonal after the
 * other, of X times itself turned by so many columns.
 */
export function regressionOfSeveral(
  x: Value,
  y: Value,
  solved: (equations: readonly Value[]) => Value,
): Value {
  const [rows, predictors] = x.shape as [number, number];
  if (predictors > MOST_PREDICTORS || y.shape.length !== 1 || y.shape[0] !== rows) {
    const found = `[${x.shape.join(', ')}] and [${y.shape.join(', ')}]`;
    const expected = `predictors [n, k], at most ${MOST_PREDICTORS} of them, and [n]`;
    throw unexpected('graph.shape', WHERE, expected, found);
  }
  for (const operand of [x, y])
    if (!KINDS.includes(operand.kind))
      throw unexpected(
        'operator.invalid',
        WHERE,
        `values of kind ${KINDS.join(', ')}`,
        `kind ${operand.kind}`,
      );
  if ([x, y].some(({ place }) => place === 'plain') && [x, y].some(({ place }) => place === 'encrypted'))
    throw unexpected(
      'operator.invalid',
      WHERE,
      'all encrypted or public: the client puts sums of each together',
      "the server's own beside what is encrypted",
    );
  const { matrix, target, count } = complete(x, y);
  const sums = matrix.sum(0);
  const products = matrix.multiply(target.reshape([rows, 1])).sum(0);
  const size = predictors + 1;
  const equations = Array<Value>(size * size + size);
  const set = (row: number, column: number, value: Value): void => {
    equations[row * size + column] = equations[column * size + row] = value;
  };
  for (let turn = 0; 2 * turn <= predictors; turn++) {
    const diagonal = (turn === 0 ? matrix.square() : matrix.multiply(matrix.rotate(turn, 1))).sum(0);
    // Turned by half of the columns each product comes twice.
    for (let row = 0; row < (2 * turn === predictors ? turn : predictors); row++)
      set(row, (row + turn) % predictors, single(diagonal.at(row)));
  }
  for (let row = 0; row < predictors; row++) {
    set(row, predictors, single(sums.at(row)));
    equations[size * size + row] = single(products.at(row));
  }
  set(predictors, predictors, count);
  equations[size * size + predictors] = total(target);
  return solved(equations);
}

/** All with 0 in rows of which a cell is missing, and how many rows there are else. */
function complete(x: Value, y: Value): { matrix: Value; target: Value; count: Value } {
  const rows = y.shape[0] as number;
  if (!x.missing && !y.missing) return { matrix: x, target: y, count: y.present().count() };
  const columns = x.missing
    ? Array.from({ length: x.shape[1] as number }, (_, at) =>
        x.slice([0, at], [rows, at + 1]).reshape([rows]),
      )
    : [];
  const there = [...columns, ...(y.missing ? [y] : [])].map((column) => column.present());
  const all = there.reduce((both, one) => both.and(one));
  return {
    matrix: x.filled().multiply(all.reshape([rows, 1])),
    target: y.filled().multiply(all),
    count: total(all),
  };
}
