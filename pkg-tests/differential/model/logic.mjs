/** What comparisons, and what chooses by booleans, give. */
import * as cell from '../cells.mjs';

import { minus, ofDouble } from '../fraction.mjs';
import { joint, sameShape } from '../shapes.mjs';
import { operandOf } from './constants.mjs';
import { digitsOf } from './digits.mjs';
import { filledCells, knownAnd, knownOr, maskOf, masksOf, otherMasks } from './gaps.mjs';
import { elementwise, isKept, ModelValue, mostHidden, productLevels, Refusal, Rules } from './value.mjs';

/** The one kind of several values, with decimals; undefined where there is none. */
export function alike(values) {
  const [first] = values;
  const { kind, categories, names } = first;
  const decimals = Math.max(...values.map((value) => value.decimals));
  if (values.every((value) => value.kind === kind)) {
    return values.every((value) => sameCategories(value, first)) ? { kind, decimals, categories, names } : undefined;
  }
  if (!values.every((value) => value.isNumber)) return undefined;
  return values.some((value) => value.kind === 'real') ? { kind: 'real' } : { kind: 'integer', decimals };
}

/** As many, with the same names in the same order, or without names. */
function sameCategories(a, b) {
  return a.categories === b.categories && JSON.stringify(a.names) === JSON.stringify(b.names);
}

function isComparable(a, b, isEquality) {
  if (a.kind === 'category' || b.kind === 'category') return isEquality && a.kind === b.kind && sameCategories(a, b);
  return (a.kind === 'date' && b.kind === 'date') || (a.isNumber && b.isNumber);
}

/** Levels of a comparison of ciphertexts: of integers, of a polynomial of as high a degree as there are differences, or of one for each digit, which are put together. */
function comparisonLevels(a, b, { gap, decimals, equality }) {
  const differences = spread(a, b);
  if (!a.isCiphertext && !b.isCiphertext) return 0;
  if (a.task.scheme === 'CKKS') {
    const unit = unitOf(a, b);
    const least = unit === undefined ? gap : Math.max(gap ?? unit, unit) - unit / 2;
    return 3 + 3 * Math.log2(Math.max(2, differences / least));
  }
  const digits = digitsOf(a, b, decimals, equality);
  if (digits) return DIGIT_LEVELS + Math.log2(digits);
  return 1 + Math.log2(Math.max(2, differences * 10 ** decimals));
}

/** Of a comparison of what has one digit in base 8. */
const DIGIT_LEVELS = 5;

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
    .broken(encrypted && real && !finished && (equality || gap === undefined), 'operator.invalid')
    .broken(!isComparable(a, b, equality), 'operator.invalid');
  const approximate = encrypted && !finished && self.task.scheme === 'CKKS';
  const least = gap === undefined || gap <= unitOf(a, b) ? undefined : ofDouble(gap);
  const decimals = comparedDecimals(self, other, mate);
  const of = (x, y) => {
    if (equality) return cell.isEqual(x, y);
    if (!approximate || !least) return cell.isBelow(x, y, orEqual);
    if (!x || !y) return undefined;
    if (minus(minus(y.low, x.high), least).n >= 0n) return cell.UNIT;
    return minus(minus(x.low, y.high), least).n >= 0n ? cell.NOUGHT : cell.EITHER;
  };
  rules.end();
  return elementwise(
    rules,
    [a, b],
    { kind: 'boolean', shape },
    {
      of,
      levels: comparisonLevels(a, b, { gap, decimals, equality }),
    },
  );
}

/** Decimals that two are compared with: what is written beside integers is one of them, or lies between two. */
export function comparedDecimals(self, other, mate) {
  return self.kind === 'integer' && !(other instanceof ModelValue)
    ? self.decimals
    : Math.max(self.decimals, mate.decimals);
}

function both(self, other, of, known) {
  const mate = operandOf(self, other);
  const shape = joint(self.shape, mate.shape);
  const rules = new Rules()
    .broken(!shape, 'graph.shape')
    .broken(isKept(self) || isKept(mate), 'operator.invalid')
    .broken(self.kind !== 'boolean' || mate.kind !== 'boolean', 'operator.invalid');
  // What is known depends on what is true.
  const masks = [maskOf([self, mate], 3)];
  const levels = productLevels([self, mate]);
  const type = { kind: 'boolean', shape };
  return elementwise(rules, [self, mate].map(asFalse), type, { of, known, masks, levels });
}

/** With false where a cell is missing, which is still missing. */
function asFalse(self) {
  if (!self.missing) return self;
  const views = self.views.map((view) => (view.cells === cell.NO_VALUE ? view : { ...view, cells: filledCells(view) }));
  return new ModelValue(self.task, self, { ...self, views });
}

const inverse = (x) => cell.difference(cell.UNIT, x);

/** Missing where the condition is, or what it chooses. */
const knownChoice = ([condition, isThere], [, isFirst], [, isSecond]) =>
  cell.product(isThere, cell.chosen(condition, isFirst, isSecond) ?? cell.EITHER);

/** Masks that both have, or the condition, tell whatever is chosen; of others the condition says which one does. */
function chosenMasks(...operands) {
  const shape = operands.pop();
  const [always, ofA, ofB] = operands.map((one) => (sameShape(one.shape, shape) ? one.masks : otherMasks(one.masks)));
  const [a, b] = [ofA, ofB].map((own) => own.filter((one) => !always.includes(one)));
  const common = a.filter((one) => b.includes(one));
  const others = [...a, ...b].filter((one) => !common.includes(one));
  const masks = masksOf(always, common);
  if (others.length === 0) return masks;
  const [condition] = operands;
  const { place, half, levels } = condition;
  return [...masks, maskOf([{ place, half, levels, masks: others }], 1)];
}

export const LOGIC = {
  lessThan: (self, other, options) => compared(self, other, options, {}),
  atMost: (self, other, options) => compared(self, other, options, { orEqual: true }),
  greaterThan: (self, other, options) => compared(self, other, options, { swapped: true }),
  atLeast: (self, other, options) => compared(self, other, options, { swapped: true, orEqual: true }),
  equals: (self, other) => compared(self, other, undefined, { equality: true }),
  max: (self, other, options) => LOGIC.select(LOGIC.lessThan(self, other, options), ...[other, self]),
  min: (self, other, options) => LOGIC.select(LOGIC.lessThan(self, other, options), ...[self, other]),
  and: (self, other) => both(self, other, cell.product, knownAnd),
  or: (self, other) => both(self, other, (x, y) => inverse(cell.product(inverse(x), inverse(y))), knownOr),

  not(self) {
    const rules = new Rules().broken(self.kind !== 'boolean', 'operator.invalid');
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
      .broken(self.kind !== 'boolean' || !type, 'operator.invalid');
    rules.end();
    return elementwise(
      rules,
      [self, first, second],
      { ...type, shape },
      {
        of: cell.chosen,
        known: knownChoice,
        masks: chosenMasks(self, first, second, shape),
        levels: productLevels([self, first, second]),
      },
    );
  },
};
