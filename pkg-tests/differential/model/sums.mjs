/** Sums, products of matrices and statistics, by their definitions. */
import * as cell from '../cells.mjs';
import { cellsOf, numberOf, places, sameShape } from '../shapes.mjs';
import { numberType } from './arithmetic.mjs';
import { operandOf } from './constants.mjs';
import { alongRules, meanAlong, varianceAlong } from './along.mjs';
import { filledCells, placeOf, present, presentIn } from './gaps.mjs';
import { MOVES } from './moves.mjs';
import { plane } from './plane.mjs';
import { ACCEPTED, isKept, isWhole, operation, productLevels, Refusal, Rules } from './value.mjs';

const total = (cells) => cells.reduce(cell.sum, cell.NOUGHT);
const totalProduct = (a, b) => total(a.map((one, at) => cell.product(one, b[at])));
const scaled = (type, a, b) => type && numberType(a, b, a.decimals + b.decimals);

function pairRules(self, mate, fits) {
  return new Rules()
    .broken(!fits, 'graph.shape')
    .broken(isKept(self) || isKept(mate), 'operator.invalid')
    .broken(!self.isNumber || !mate.isNumber, 'operator.invalid');
}

/** [m, k] times [k, n], of cells in one row. */
function matrixProduct(a, b, m, k, n) {
  return places([m, n]).map(([row, column]) => {
    const along = [...Array(k).keys()];
    return total(along.map((at) => cell.product(a[row * k + at], b[at * n + column])));
  });
}

export const SUMS = {
  sum(self, axis) {
    const { shape, kind, decimals } = self;
    if (axis !== undefined && !(Number.isInteger(axis) && axis >= 0 && axis < shape.length))
      throw new Refusal('graph.shape');
    const rules = new Rules().broken(!self.isNumber, 'operator.invalid');
    const rest = axis === undefined ? [] : shape.toSpliced(axis, 1);
    const compute = (view) => {
      const cells = filledCells(view);
      const sums = Array(cellsOf(rest)).fill(cell.NOUGHT);
      for (const [at, place] of places(shape).entries()) {
        const to = axis === undefined ? 0 : numberOf(rest, place.toSpliced(axis, 1));
        sums[to] = cell.sum(sums[to], cells[at]);
      }
      return sums;
    };
    rules.broken(isKept(self), 'operator.invalid').broken(isKept(self), ACCEPTED);
    const levels = self.allLevels - self.levels;
    return operation(
      rules,
      [self],
      { kind: kind === 'real' ? kind : 'integer', decimals, shape: rest },
      { compute, levels },
    );
  },

  dot(self, other) {
    const mate = operandOf(self, other);
    const rules = pairRules(self, mate, sameShape(self.shape, mate.shape));
    const compute = (a, b) => [totalProduct(filledCells(a), filledCells(b))];
    const inputs = [self, mate];
    return operation(
      rules,
      inputs,
      { ...scaled(true, self, mate), shape: [] },
      { compute, levels: productLevels(inputs) },
    );
  },

  matmul(self, other) {
    const mate = operandOf(self, other);
    const [own, its] = [self.shape, mate.shape];
    if (own.length === 1 && its.length === 1) return SUMS.dot(self, mate);
    const [a, b] = [own.length === 1 ? [1, ...own] : own, its.length === 1 && own.length === 2 ? [...its, 1] : its];
    const rules = pairRules(self, mate, a.length === 2 && b.length === 2 && a[1] === b[0]);
    rules.end();
    const shape = [...(own.length === 1 ? [] : [a[0]]), ...(its.length === 1 ? [] : [b[1]])];
    const compute = (x, y) => matrixProduct(filledCells(x), filledCells(y), a[0], a[1], b[1]);
    const inputs = [self, mate];
    return operation(
      rules,
      inputs,
      { ...scaled(true, self, mate), shape },
      { compute, levels: productLevels(inputs) + 0.5 },
    );
  },

  count(self, axis) {
    if (axis !== undefined) {
      const rules = alongRules(self, axis);
      rules.end();
      return SUMS.sum(self.kind === 'boolean' ? self : MOVES.present(self), axis);
    }
    const { kind, missing, place, shape } = self;
    const rules = new Rules().broken(self.record, 'operator.invalid');
    // Of booleans, those that are true and there.
    const of = {
      true: (view) => total(filledCells(view)),
      false: ({ present }) => (missing ? total(present) : cell.whole(cellsOf(shape))),
    }[kind === 'boolean'];
    const hidden = missing || kind === 'boolean';
    // Of what is only told by others it is theirs.
    const told = missing && !self.declared && kind !== 'boolean' ? placeOf(self.masks) : place;
    const type = { kind: 'integer', shape: [], place: hidden ? told : 'public' };
    if (told !== place) return SUMS.sum(MOVES.present(self));
    return operation(rules, [self], type, { compute: (x) => [of(x)] });
  },

  mean(self, axis) {
    if (axis !== undefined) return meanAlong(self, axis);
    return statistic([self], 1, { divides: () => [] }, ({ count, sum }) => [cell.quotient(sum(0), count)]);
  },

  variance(self, options) {
    if (options?.axis !== undefined) return varianceAlong(self, options.axis, ofMoment(options));
    return moment([self], options, 0);
  },

  covariance: (self, other, options) => moment([self, operandOf(self, other)], options, 1),

  correlation: (self, other) =>
    statistic([self, operandOf(self, other)], 2, { divides: () => [] }, ({ coMoment, widened }) => {
      // Rounded once: the root of a quotient, with the sign of what is divided.
      const joint = coMoment(0, 1);
      const below = widened(cell.product(coMoment(0, 0), coMoment(1, 1)));
      const share = cell.quotient(cell.power(joint, 2), below);
      if (share === cell.NO_VALUE) return [share];
      const size = cell.root(share);
      const isNegative = cell.isBelow(joint, cell.NOUGHT);
      if (isNegative === cell.NOUGHT || size === cell.NO_VALUE) return [size];
      return [isNegative === cell.UNIT ? cell.opposite(size) : cell.hull(cell.opposite(size), size)];
    }),

  regression: (self, other) => {
    const columns = [self, operandOf(self, other)];
    if (self.shape.length === 2 && !self.record) return plane(...columns);
    const divides = () => [self, ...columns.filter(({ missing }) => missing)];
    return statistic(columns, 2, { shape: [2], divides }, ({ coMoment, sum, products, widened }) => {
      const below = coMoment(0, 0);
      const intercept = cell.difference(cell.product(sum(1), products(0, 0)), cell.product(sum(0), products(0, 1)));
      return [coMoment(0, 1), widened(intercept)].map((above) => cell.quotient(above, below));
    });
  },
};

function ofMoment(options) {
  const of = options?.of ?? 'sample';
  if (!['sample', 'population'].includes(of)) throw new Refusal('input.type');
  return of;
}

function moment(columns, options, other) {
  const of = ofMoment(options);
  const divides = () => columns.filter(({ missing }) => missing);
  return statistic(columns, of === 'population' ? 1 : 2, { divides }, ({ coMoment, count }) => {
    const less = of === 'population' ? count : cell.difference(count, cell.UNIT);
    return [cell.quotient(coMoment(0, other), cell.product(count, less))];
  });
}

/** Of columns of one shape: of sums, which reach the client. `divides`: what the client divides by, which the server cannot keep. */
function statistic(columns, least, { shape = [], divides }, compute) {
  const [first] = columns;
  const complete = columns.every(({ missing }) => !missing);
  const hiding = columns.some(({ isEncrypted }) => isEncrypted);
  const divisors = divides();
  const kept = divisors.some(({ place }) => place === 'plain') && !divisors.some(({ isEncrypted }) => isEncrypted);
  const rules = new Rules()
    .broken(!columns.every((column) => column.isNumber), 'operator.invalid')
    .broken(
      columns.some((column) => column.record),
      'operator.invalid',
    )
    .broken(!columns.every((column) => sameShape(column.shape, first.shape)), 'graph.shape')
    .broken(complete && cellsOf(first.shape) < least, 'graph.shape')
    .broken(hiding && kept, 'operator.invalid')
    // The client reads single values alone, and complete ones.
    .broken(
      columns.some(({ half }) => half === 'client') &&
        columns.some(({ half, missing }) => half === 'server' && missing),
      'operator.invalid',
    )
    .broken(
      columns.some((column) => !isWhole(column) || isKept(column)),
      'operator.invalid',
    );
  rules.end();
  const of = (...views) => compute(sumsOf(columns, views.slice(0, -1), hiding && views.at(-1) === 0));
  const levels = columns.some((column) => column.isCiphertext) ? (complete ? 1 : 2) : 0;
  const how = { compute: of, levels, finishes: true, statistic: true, bits: bitsOf(columns) };
  return operation(rules, columns, { kind: 'real', shape }, how);
}

/** What there is of the cells that are present in all columns. */
function sumsOf(columns, views, isSent) {
  const { task } = columns[0];
  const mask = views[0].cells.map((_, at) => present(...views.map((view) => presentIn(view, at))));
  const kept = views.map(({ cells }) => filledCells({ cells, present: mask }));
  const isReal = (...some) => some.some((column) => columns[column].kind === 'real');
  const off = isSent ? task.off : undefined;
  const sent = (value, ...some) => (isReal(...some) ? cell.widened(value, off) : value);
  const anyReal = columns.some(({ kind }) => kind === 'real');
  const count = total(mask);
  const sum = (column) => sent(total(kept[column]), column);
  const products = (a, b) => sent(totalProduct(kept[a], kept[b]), a, b);
  // What is the server's own stays with it: then it is made of sums before it is sent.
  const widened = (value) => (anyReal ? cell.widened(value, off) : value);
  const coMoment = (a, b) =>
    widened(
      cell.difference(
        cell.product(count, products(a, b)),
        a === b ? cell.power(sum(a), 2) : cell.product(sum(a), sum(b)),
      ),
    );
  return { count, sum, products, coMoment, widened };
}

/** How long the integers of sums may be that the client divides. */
function bitsOf(columns) {
  const largest = columns.map(({ reach, decimals, isEncrypted }) => {
    const most = reach.map((one) =>
      one ? Math.max(...[one.low, one.high].map(({ n, d }) => Math.abs(Number(n) / Number(d)))) : Infinity,
    );
    return isEncrypted ? Math.log2(Math.max(1, ...most)) + decimals * Math.log2(10) : 0;
  });
  const server = columns.some(({ place }) => place === 'plain') ? 2 : 1;
  return server * (2 * Math.max(...largest) + 2 * Math.log2(columns[0].reach.length)) + 2;
}
