/** Statistics along a dimension: of each cell of the others one, which the client makes of sums where values are encrypted. */
import { unexpected } from '../arguments.js';
import { single, together } from './finishing.js';
import { cellsOf } from './type.js';
import type { Shape, Value } from './types.js';

/** Each is decrypted as a value of its own. */
const MOST_RESULTS = 1024;

/** How many are there, or true. */
export function countAlong(x: Value, axis: number): Value {
  return (x.kind === 'boolean' ? x : x.present()).sum(axis);
}

/** sum(x) / n. */
export function meanAlong(x: Value, axis: number): Value {
  const sums = [x.sum(axis), x.present().sum(axis)] as const;
  return eachOf('mean', sums, ([sum, count]) => sum.divide(count));
}

/** (n sum(x^2) - sum(x)^2) / n (n - 1), or / n^2 of a population. */
export function varianceAlong(x: Value, axis: number, of: 'sample' | 'population'): Value {
  const least = of === 'sample' ? 2 : 1;
  if (!x.missing && (x.shape[axis] as number) < least) {
    const [found, expected] = [`[${x.shape.join(', ')}]`, `at least ${least} cells along dimension ${axis}`];
    throw unexpected('graph.shape', 'variance', expected, found);
  }
  const sums = [x.sum(axis), x.square().sum(axis), x.present().sum(axis)] as const;
  return eachOf('variance', sums, ([sum, squares, n]) => {
    const moment = squares.multiply(n).sub(sum.square());
    return moment.divide(n.multiply(of === 'sample' ? n.sub(1) : n));
  });
}

/** What is made of sums, for each of their cells. */
function eachOf<S extends readonly Value[]>(where: string, sums: S, make: (cells: S) => Value): Value {
  const { shape } = sums[0] as Value;
  if (sums.every(({ place, finished }) => place !== 'encrypted' || finished)) return make(sums);
  const count = cellsOf(shape);
  if (count > MOST_RESULTS) {
    const [found, expected] = [`${count} results`, `at most ${MOST_RESULTS}, each of which is decrypted`];
    throw unexpected('graph.shape', where, expected, found);
  }
  const all = Array.from({ length: count }, (_, number) =>
    make(sums.map((sum) => single(at(sum, shape, number))) as readonly Value[] as S),
  );
  return shape.length === 0 ? (all[0] as Value) : together(all).reshape(shape);
}

/** The cell of that number, counted along the last dimension first. */
function at(x: Value, shape: Shape, number: number): Value {
  if (shape.length === 0) return x;
  const place = shape.map((length, axis) => Math.floor(number / cellsOf(shape.slice(axis + 1))) % length);
  return x.at(...place);
}
