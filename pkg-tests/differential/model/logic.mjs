/** What comparisons, and what chooses by booleans, give. */
import * as cell from '../cells.mjs';
import { minus, ofDouble } from '../fraction.mjs';
import { joint } from '../shapes.mjs';
import { operandOf } from './constants.mjs';
import { elementwise, mostHidden, productLevels, Refusal, Rules } from './value.mjs';

/** The one kind of several values, with decimals; undefined where there is none. */
export function alike(values) {
  const [{ kind, categories }] = values;
  const decimals = Math.max(...values.map((value) => value.decimals));
  if (values.every((value) => value.kind === kind)) {
    return values.every((value) => value.categories === categories) ? { kind, decimals, categories } : undefined;
  }
  if (!values.every((value) => value.isNumber)) return undefined;
  return values.some((value) => value.kind === 'real') ? { kind: 'real' } : { kind: 'integer', decimals };
}

function isComparable(a, b, isEquality) {
  if (a.kind === 'category' || b.kind === 'category')
    return isEquality && a.kind === b.kind && a.categories === b.categories;
  return (a.kind === 'date' && b.kind === 'date') || (a.isNumber && b.isNumber);
}

/** Levels of a comparison of ciphertexts: of integers, of a polynomial of as high a degree as there are differences. */
function comparisonLevels(a, b, gap) {
  const differences = spread(a, b);
  if (!a.isCiphertext && !b.isCiphertext) return 0;
  if (a.task.scheme === 'CKKS') {
    const unit = unitOf(a, b);
    const least = unit === undefined ? gap : Math.max(gap ?? unit, unit) - unit / 2;
    return 3 + 3 * Math.log2(Math.max(2, differences / least));
  }
  return 1 + Math.log2(Math.max(2, differences * 10 ** Math.max(a.decimals, b.decimals)));
}

/** What whole numbers, days and categories differ by at least; undefined for reals. */
const unitOf = (a, b) =>
  a.kind === 'real' || b.kind === 'real' ? undefined : 10 ** -Math.max(a.decimals ?? 0, b.decimals ?? 0);

/** How far from each other the differences of cells may be, 0 included. */
export function spread(a, b) {
  const ends = (reach) =>
    reach.map((one) =>
      one ? [Number(one.low.n) / Number(one.low.d), Number(one.high.n) / Number(one.high.d)] : [-Infinity, Infinity],
    );
  const [own, other] = [ends(a.reach), ends(b.reach)];
  const most = Math.max(0, ...own.map(([, high]) => high)) - Math.min(0, ...other.map(([low]) => low));
  const least = Math.min(0, ...own.map(([low]) => low)) - Math.max(0, ...other.map(([, high]) => high));
  return most - least;
}

function compared(self, other, options, { swapped = false, equality = false, orEqual = false }) {
  const gap = options?.gap;
  if (gap !== undefined && !(gap > 0)) throw new Refusal('input.type');
  const mate = operandOf(self, other);
  const shape = joint(self.shape, mate.shape);
  const [a, b] = swapped ? [mate, self] : [self, mate];
  const real = self.kind === 'real' || mate.kind === 'real';
  const encrypted = mostHidden([self, mate]) === 'encrypted';
  const finished = self.finished || mate.finished;
  const rules = new Rules()
    .broken(!shape, 'graph.shape')
    .broken(self.missing || mate.missing, 'graph.missing')
    .broken(encrypted && real && !finished && (equality || gap === undefined), 'operator.invalid')
    .broken(!isComparable(a, b, equality), 'operator.invalid');
  const approximate = encrypted && !finished && self.task.scheme === 'CKKS';
  const least = gap === undefined || gap <= unitOf(a, b) ? undefined : ofDouble(gap);
  const of = (x, y) => {
    if (equality) return cell.isEqual(x, y);
    if (!approximate || !least) return cell.isBelow(x, y, orEqual);
    if (!x || !y) return undefined;
    if (minus(minus(y.low, x.high), least).n >= 0n) return cell.UNIT;
    return minus(minus(x.low, y.high), least).n >= 0n ? cell.NOUGHT : cell.EITHER;
  };
  rules.end();
  return elementwise(rules, [a, b], { kind: 'boolean', shape }, { of, levels: comparisonLevels(a, b, gap) });
}

function both(self, other, of) {
  const mate = operandOf(self, other);
  const shape = joint(self.shape, mate.shape);
  const rules = new Rules()
    .broken(!shape, 'graph.shape')
    .broken(self.missing || mate.missing, 'graph.missing')
    .broken(self.kind !== 'boolean' || mate.kind !== 'boolean', 'operator.invalid');
  return elementwise(rules, [self, mate], { kind: 'boolean', shape }, { of, levels: productLevels([self, mate]) });
}

const inverse = (x) => cell.difference(cell.UNIT, x);

export const LOGIC = {
  lessThan: (self, other, options) => compared(self, other, options, {}),
  atMost: (self, other, options) => compared(self, other, options, { orEqual: true }),
  greaterThan: (self, other, options) => compared(self, other, options, { swapped: true }),
  atLeast: (self, other, options) => compared(self, other, options, { swapped: true, orEqual: true }),
  equals: (self, other) => compared(self, other, undefined, { equality: true }),
  max: (self, other, options) => LOGIC.select(LOGIC.lessThan(self, other, options), ...[other, self]),
  min: (self, other, options) => LOGIC.select(LOGIC.lessThan(self, other, options), ...[self, other]),
  and: (self, other) => both(self, other, cell.product),
  or: (self, other) => both(self, other, (x, y) => inverse(cell.product(inverse(x), inverse(y)))),

  not(self) {
    const rules = new Rules().broken(self.missing, 'graph.missing').broken(self.kind !== 'boolean', 'operator.invalid');
    return elementwise(rules, [self], { kind: 'boolean', shape: self.shape }, { of: inverse });
  },

  select(self, a, b) {
    const isValue = (one) => one?.task !== undefined;
    const first = operandOf(self, a, isValue(b) ? b : self);
    const second = operandOf(self, b, isValue(a) ? a : self);
    const shape = joint(self.shape, joint(first.shape, second.shape) ?? [0, 0]);
    const type = alike([first, second]);
    const rules = new Rules()
      .broken(!joint(first.shape, second.shape) || !shape, 'graph.shape')
      .broken(self.missing || first.missing || second.missing, 'graph.missing')
      .broken(self.kind !== 'boolean' || !type, 'operator.invalid');
    rules.end();
    return elementwise(
      rules,
      [self, first, second],
      { ...type, shape },
      { of: cell.chosen, levels: productLevels([self, first, second]) },
    );
  },
};
