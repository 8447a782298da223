/** Statistics along a dimension: of each cell of the others one, by its definition. */
import { cellsOf, places } from '../shapes.mjs';
import { ARITHMETIC } from './arithmetic.mjs';
import { MOVES } from './moves.mjs';
import { SUMS } from './sums.mjs';
import { finished, together } from './tallies.mjs';
import { Refusal, Rules } from './value.mjs';

/** Each is decrypted as a value of its own. */
const MOST_RESULTS = 1024;

export function alongRules(self, axis) {
  const isAxis = Number.isInteger(axis) && axis >= 0 && axis < self.shape.length;
  return new Rules().broken(!isAxis, 'graph.shape').broken(self.record, 'operator.invalid');
}

export function meanAlong(self, axis) {
  alongRules(self, axis).end();
  return eachOf([SUMS.sum(self, axis), SUMS.sum(MOVES.present(self), axis)], ([sum, count]) =>
    ARITHMETIC.divide(sum, count),
  );
}

export function varianceAlong(self, axis, of) {
  alongRules(self, axis)
    .broken(!self.missing && self.shape[axis] < (of === 'sample' ? 2 : 1), 'graph.shape')
    .broken(!self.isNumber, 'operator.invalid')
    .end();
  const sums = [self, ARITHMETIC.square(self), MOVES.present(self)].map((one) => SUMS.sum(one, axis));
  return eachOf(sums, ([sum, squares, count]) => {
    const { multiply, sub, square, divide } = ARITHMETIC;
    const less = of === 'sample' ? sub(count, 1) : count;
    return divide(sub(multiply(squares, count), square(sum)), multiply(count, less));
  });
}

/** What is made of the sums of each place; the client has them one by one. */
function eachOf(sums, make) {
  const [{ shape }] = sums;
  if (!sums.some((one) => one.isCiphertext)) return make(sums);
  if (cellsOf(shape) > MOST_RESULTS) throw new Refusal('graph.shape');
  const at = (one, place) => finished(place.length > 0 ? MOVES.at(one, ...place) : one);
  const all = places(shape).map((place) => make(sums.map((one) => at(one, place))));
  return shape.length > 0 ? MOVES.reshape(together(all), shape) : all[0];
}
