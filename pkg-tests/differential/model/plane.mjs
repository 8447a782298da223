/** The plane of least squares: by Cramer's rule, of rows of which no cell is missing. */
import * as cell from '../cells.mjs';
import { operation, isKept, Refusal, Rules } from './value.mjs';
import { filledCells, placeOf, present, presentIn } from './gaps.mjs';

const MOST_PREDICTORS = 32;

/** [w_1, ..., w_k, c] for predictors [n, k] and [n]. */
export function plane(x, y) {
  const [rows, predictors] = x.shape;
  if (predictors > MOST_PREDICTORS || y.shape.length !== 1 || y.shape[0] !== rows) throw new Refusal('graph.shape');
  const columns = [x, y];
  const hiding = columns.some(({ isEncrypted }) => isEncrypted);
  const missing = columns.filter((one) => one.missing);
  const told = placeOf(missing.flatMap(({ masks }) => masks));
  // All sums are the client's: none may be of what is the server's own.
  const own = [told, ...columns.map(({ place }) => (told === 'encrypted' ? told : place))];
  new Rules()
    .broken(!x.isNumber || !y.isNumber, 'operator.invalid')
    .broken((hiding && own.includes('plain')) || x.record || y.record, 'operator.invalid')
    .broken(missing.some(isKept), 'operator.invalid')
    .end();
  const compute = (...views) => {
    const off = hiding && views.at(-1) === 0 ? x.task.off : undefined;
    return views.at(-1) === 0
      ? solved(equations(...views.slice(0, -1), predictors, off && (({ kind }) => kind === 'real'), columns, off))
      : Array(predictors + 1).fill(undefined);
  };
  const levels = hiding ? (missing.length > 0 ? 2 + Math.log2(predictors + 1) : 1) : 0;
  const type = { kind: 'real', shape: [predictors + 1] };
  return operation(new Rules(), columns, type, { compute, levels, finishes: true, statistic: true });
}

/** Rows of the normal equations, with what is on their right side. */
function equations(x, y, predictors, isReal, [xs, ys], off) {
  const rows = [...y.cells.keys()].map((row) => {
    const own = Array.from({ length: predictors }, (_, at) => row * predictors + at);
    const is = present(...own.map((at) => presentIn(x, at)), presentIn(y, row));
    const values = filledCells({
      cells: [...own.map((at) => x.cells[at]), cell.UNIT, y.cells[row]],
      present: own.concat(0, 0).map(() => is),
    });
    return { values };
  });
  const size = predictors + 1;
  const kind = (at) => (at === size ? ys : at < predictors ? xs : { kind: 'integer' });
  return Array.from({ length: size }, (_, one) =>
    Array.from({ length: size + 1 }, (_, other) => {
      const sum = rows.map(({ values }) => cell.product(values[one], values[other])).reduce(cell.sum, cell.NOUGHT);
      return isReal && (isReal(kind(one)) || isReal(kind(other))) ? cell.widened(sum, off) : sum;
    }),
  );
}

function solved(rows) {
  const size = rows.length;
  const columns = [...rows.keys()];
  const below = determinant(rows, columns);
  return columns.map((at) => cell.quotient(determinant(rows, columns.with(at, size)), below));
}

/** Of these columns, expanded along the first row; of as many rows and columns that are left once. */
function determinant(rows, columns, known = new Map()) {
  if (rows.length === 0) return cell.UNIT;
  const name = columns.join();
  const before = known.get(name);
  if (before !== undefined) return before;
  const [first, ...others] = rows;
  const found = columns
    .map((column, at) => {
      const minor = determinant(others, columns.toSpliced(at, 1), known);
      const term = cell.product(first[column], minor);
      return at % 2 === 0 ? term : cell.opposite(term);
    })
    .reduce(cell.sum, cell.NOUGHT);
  known.set(name, found);
  return found;
}
