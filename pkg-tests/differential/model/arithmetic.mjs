/** What arithmetic on values gives. */
import * as cell from '../cells.mjs';
import { decimalsOf, fraction, ofDouble, over, minus, nearest, plus, times } from '../fraction.mjs';
import { joint } from '../shapes.mjs';
import { isTooLarge, operandOf } from './constants.mjs';
import { factorOfProduct, factorOfSum } from './digits.mjs';
import { readBound } from './data.mjs';
import { placeOf } from './gaps.mjs';
import { ACCEPTED, elementwise, isKept, ModelValue, operation, productLevels, Refusal, Rules } from './value.mjs';

/** What a sum of polynomials may be off by in doubles, of all that is added up. */
const ROUNDED = 2 ** -40;

const isWholeDays = ({ kind, decimals }) => kind === 'boolean' || (kind === 'integer' && decimals === 0);

/** The kind and decimals of a sum, or a difference; undefined where there is none. */
function sumType(a, b, isDifference) {
  if (a.kind === 'date' && b.kind === 'date') return isDifference ? { kind: 'integer' } : undefined;
  if (a.kind === 'date') return isWholeDays(b) ? { kind: 'date' } : undefined;
  if (b.kind === 'date') return isWholeDays(a) && !isDifference ? { kind: 'date' } : undefined;
  return numberType(a, b, Math.max(a.decimals, b.decimals));
}

/** Of numbers: real if one is. */
export function numberType(a, b, decimals) {
  if (!a.isNumber || !b.isNumber) return undefined;
  return a.kind === 'real' || b.kind === 'real' ? { kind: 'real' } : { kind: 'integer', decimals };
}

const productType = (a, b) => numberType(a, b, a.decimals + b.decimals);

/** Times the inverse of the nearest double, as a double. */
function timesInverse(a, b) {
  return cell.product(a, cell.single(ofDouble(1 / nearest(b.low))));
}

/** An operation on each two cells. */
function ofTwo(self, other, type, how) {
  const mate = operandOf(self, other);
  const shape = joint(self.shape, mate.shape);
  const found = type(self, mate);
  const rules = new Rules()
    .broken(!shape, 'graph.shape')
    .broken(!found, 'operator.invalid')
    .broken(isTooLarge(mate, found?.decimals ?? 0), 'range.integer');
  how.rules?.(rules, mate);
  const factor = found && how.factor?.(self, mate, found);
  return elementwise(rules, [self, mate], { ...found, shape }, { ...how, factor, levels: how.levels?.([self, mate]) });
}

/** An operation on each cell of numbers. */
function ofNumbers(self, type, how, rules = new Rules()) {
  rules.broken(!self.isNumber, 'operator.invalid');
  return elementwise(rules, [self], { ...type, shape: self.shape }, how);
}

/** Of what takes another number where a cell is missing, unless 0 does. */
function readRules(self) {
  return new Rules().broken(isKept(self), 'operator.invalid').broken(isKept(self), ACCEPTED);
}

const own = ({ kind, decimals }, of = (decimals) => decimals) =>
  kind === 'real' ? { kind } : { kind: 'integer', decimals: of(decimals) };
/** Levels of a polynomial of encrypted cells. */
const depth = (self, degree) => (self.isCiphertext ? Math.ceil(Math.log2(degree + 1)) : 0);

export const ARITHMETIC = {
  add: (self, other) => ofTwo(self, other, (a, b) => sumType(a, b, false), { of: cell.sum, factor: factorOfSum }),
  sub: (self, other) => ofTwo(self, other, (a, b) => sumType(a, b, true), { of: cell.difference, factor: factorOfSum }),
  multiply: (self, other) =>
    ofTwo(self, other, productType, { of: cell.product, levels: productLevels, factor: factorOfProduct }),
  negate: (self) => ofNumbers(self, own(self), { of: cell.opposite, factor: self.factor }),

  square: (self) => ARITHMETIC.power(self, 2),

  power(self, exponent) {
    if (!Number.isInteger(exponent) || exponent < 1 || exponent > 1000) throw new Refusal('input.type');
    if (exponent === 1) return self;
    const type = own(self, (decimals) => decimals * exponent);
    return ofNumbers(self, type, {
      of: (x) => cell.power(x, exponent),
      levels: self.isCiphertext ? Math.ceil(Math.log2(exponent)) : 0,
    });
  },

  polynomial(self, coefficients) {
    const isList =
      Array.isArray(coefficients) && coefficients.every((one) => typeof one === 'bigint' || Number.isFinite(one));
    const degree = isList ? coefficients.length - 1 : 0;
    if (degree < 1 || degree > 100 || Number(coefficients[degree]) === 0) throw new Refusal('input.type');
    const exact = coefficients.map((one) => cell.single(fraction(one)));
    const decimals = Math.max(...coefficients.map(decimalsOf));
    const type = own(self, (own) => decimals + own * degree);
    const of = (x) => {
      const terms = exact.map((c, k) => (k === 0 ? c : cell.product(c, cell.power(x, k))));
      return terms.reduce(cell.sum);
    };
    return ofNumbers(self, type, { of, levels: depth(self, degree) + 0.5 });
  },

  divide(self, other) {
    const mate = operandOf(self, other);
    // A real that is encrypted is multiplied by the inverse.
    const inverse = !(other instanceof ModelValue) && self.kind === 'real' && self.isCiphertext;
    const isZero = inverse && mate.isNumber && mate.cells.some(({ low }) => low.n === 0n);
    if (isZero) throw new Refusal('input.type');
    // Where a cell is missing it is divided by 1, so that the divisor tells which ones are there.
    const kept = (rules, mate) => {
      const told = placeOf([...self.masks, ...mate.masks]) === 'plain' && (self.isEncrypted || mate.isEncrypted);
      rules.broken(told && (!mate.isEncrypted || mate.finished), 'operator.invalid');
    };
    const how = inverse ? { of: timesInverse, levels: () => 0.5 } : { of: cell.quotient, finishes: true, rules: kept };
    return ofTwo(self, mate, (a, b) => numberType(a, b) && { kind: 'real' }, how);
  },

  sqrt: (self) => ofNumbers(self, { kind: 'real' }, { of: cell.root, finishes: true }, readRules(self)),

  finish(self) {
    const rules = readRules(self).broken(self.shape.length > 0 || self.record, 'operator.invalid');
    const masks = self.masks.map((one) => (one.place === 'encrypted' ? { ...one, half: 'client' } : { ...one }));
    const { kind, shape, decimals, categories, names } = self;
    return operation(
      rules,
      [self],
      { kind, shape, decimals, categories, names },
      {
        finishes: true,
        compute: ({ cells }) => cells,
        ...(self.missing && { there: ({ present }) => present, masks }),
      },
    );
  },

  /** Of a polynomial as `approximation` gives it: of Chebyshev's, on an interval. */
  approximate(self, { from, to, coefficients }) {
    const [low, high] = [from, to].map(ofDouble);
    const all = coefficients.map(ofDouble);
    const levels = depth(self, coefficients.length - 1) + 0.5;
    // Where nothing is encrypted it is computed in doubles, and the package does not say how exactly.
    const rounded =
      self.isCiphertext && !self.task.unencrypted
        ? undefined
        : ofDouble(ROUNDED * coefficients.reduce((sum, one) => sum + Math.abs(one), 0));
    const of = (x) => cell.widened(series(all, x, low, high), rounded);
    return ofNumbers(self, { kind: 'real' }, { of, levels }, readRules(self));
  },

  within(self, min, max) {
    const bounds = [min, max].map((bound) => readBound(self, bound));
    if (bounds.includes(undefined)) throw new Refusal('input.type');
    const [low, high] = bounds;
    if (minus(low, high).n > 0n) throw new Refusal('input.type');
    const { kind, shape, decimals } = self;
    const rules = readRules(self).broken(!['integer', 'real', 'date'].includes(kind), 'operator.invalid');
    // What may lie outside may have no value; what bounds tell beyond is forgotten.
    const inside = (x, view) => {
      if (!x) return view === 0 ? undefined : { low, high };
      const [from, to] = [minus(x.low, low).n < 0n ? low : x.low, minus(x.high, high).n > 0n ? high : x.high];
      // Of what is encrypted nobody sees it, and results are wrong.
      const outside = cell.isSingle(x) && !self.isCiphertext ? cell.NO_VALUE : undefined;
      if (view === 0) return from === x.low && to === x.high ? x : outside;
      return minus(from, to).n > 0n ? { low, high } : cell.between(from, to);
    };
    return elementwise(
      rules,
      [self],
      { kind, shape, decimals },
      { of: inside, factor: self.missing ? undefined : self.factor },
    );
  },
};

/** The sum of c_k T_k(u) for the u from -1 to 1 that x is in an interval; of what is not exact, what it may be. */
function series(coefficients, x, low, high) {
  if (!x) return undefined;
  const [first, ...rest] = coefficients;
  if (!cell.isSingle(x)) {
    const most = rest.reduce((sum, { n, d }) => plus(sum, { n: n < 0n ? -n : n, d }), { n: 0n, d: 1n });
    return { low: minus(first, most), high: plus(first, most) };
  }
  const u = over(minus(plus(x.low, x.low), plus(low, high)), minus(high, low));
  const twice = plus(u, u);
  let [sum, before, current] = [first, { n: 1n, d: 1n }, u];
  for (const coefficient of rest) {
    sum = plus(sum, times(coefficient, current));
    [before, current] = [current, minus(times(twice, current), before)];
  }
  return cell.single(sum);
}
