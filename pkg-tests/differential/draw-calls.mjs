/** Random calls on values. What they are refused for the model says: then another one is drawn. */
import { MOST_DAY, numberOf } from './draw-inputs.mjs';
import { fraction, powerOfTen } from './fraction.mjs';
import { surelyMissing } from './model/gaps.mjs';
import { spread } from './model/logic.mjs';
import { cellsOf, joint, nested } from './shapes.mjs';

const DAY_MS = 86_400_000;

/** How often what is called. */
const WEIGHTS = {
  add: 10,
  sub: 8,
  multiply: 14,
  negate: 2,
  square: 5,
  power: 3,
  polynomial: 4,
  divide: 6,
  sqrt: 4,
  finish: 3,
  approximate: 2,
  within: 3,
  lessThan: 4,
  atMost: 4,
  greaterThan: 4,
  atLeast: 4,
  equals: 5,
  max: 3,
  min: 3,
  and: 5,
  or: 5,
  not: 3,
  select: 7,
  sum: 8,
  dot: 5,
  matmul: 7,
  count: 2,
  mean: 4,
  variance: 4,
  covariance: 4,
  correlation: 3,
  regression: 3,
  counts: 2,
  histogram: 2,
  quantile: 2,
  lookup: 4,
  at: 5,
  slice: 5,
  concat: 5,
  reshape: 3,
  broadcast: 3,
  rotate: 6,
  transpose: 4,
  filled: 5,
  present: 3,
  constant: 2,
};

/** Where what there is of digits is drawn: what is compared, and on its way. */
const WIDE_WEIGHTS = {
  ...WEIGHTS,
  ...{ lessThan: 12, atMost: 12, greaterThan: 12, atLeast: 12, equals: 16, max: 6, min: 6, within: 6, negate: 5 },
  ...{ multiply: 8, square: 1, power: 0.5, polynomial: 1, approximate: 0, dot: 1, matmul: 1, count: 5 },
  ...{ variance: 1, covariance: 1, correlation: 1, regression: 1, filled: 12, present: 6 },
};

/** A value, or that of the first record. */
export const sample = (value) => value.rows?.[0] ?? value;

/** A step over these operands; undefined where none was found. */
export function randomStep(dice, operands, limits) {
  if (operands.length === 0) return undefined;
  const method = dice.weighted(limits.wide ? WIDE_WEIGHTS : WEIGHTS);
  const on = randomOperand(dice, operands, limits, argued(dice, method, limits));
  if (on === undefined) return undefined;
  const value = sample(operands[on]);
  if (method === 'constant') return { constant: { value: randomConstant(dice, value) } };
  const args = (ARGUMENTS[method] ?? none)({ dice, on: value, whole: operands[on], operands, limits });
  return args && { on, method, args };
}

const isBoolean = ({ kind }) => kind === 'boolean';
const hasAxes = ({ shape }) => shape.length > 0;
const isCategory = ({ kind, categories }) => kind === 'category' && categories <= MOST_GROUPS;
/** Of what has few units, since each number of an entry is compared. */
const isIndex = ({ kind, categories }) => kind === 'integer' || (kind === 'category' && categories <= MOST_GROUPS);
const MOST_GROUPS = 8;
/** What a method is mostly called on. */
const ARGUED = {
  and: isBoolean,
  or: isBoolean,
  not: isBoolean,
  select: isBoolean,
  filled: ({ missing }) => missing,
  present: ({ missing }) => missing,
  slice: hasAxes,
  rotate: hasAxes,
  transpose: ({ shape }) => shape.length > 1,
  at: hasAxes,
  concat: hasAxes,
  matmul: hasAxes,
  finish: ({ shape }) => shape.length === 0,
  counts: isCategory,
  lookup: isIndex,
  histogram: ({ kind }) => ['integer', 'real', 'date'].includes(kind),
  quantile: ({ kind }) => ['integer', 'real'].includes(kind),
};

function argued(dice, method, { wide }) {
  const own = ARGUED[method];
  if (!wide || !hasDigits[method] || !dice.chance(0.85)) return own;
  return (value) => isWritten(value) && (!own || own(value));
}

/** What digits are of, and is on its way to be compared. */
const isWritten = ({ factor, constant }) => factor !== undefined && !constant;
const COMPARED = [
  'lessThan',
  'atMost',
  'greaterThan',
  'atLeast',
  'equals',
  'max',
  'min',
  'histogram',
  'quantile',
  'lookup',
];
const MOVING = [
  'add',
  'sub',
  'multiply',
  'negate',
  'within',
  'at',
  'slice',
  'concat',
  'reshape',
  'broadcast',
  'rotate',
  'transpose',
];
const hasDigits = Object.fromEntries([...COMPARED, ...MOVING].map((method) => [method, true]));

/** Later ones are drawn more often, and encrypted ones; in a long row mostly the last one. */
function randomOperand(dice, operands, { inRow }, fits = () => true) {
  const all = [...operands.keys()].filter((at) => fits(sample(operands[at])));
  if (all.length === 0) return undefined;
  if (dice.chance(0.2)) return dice.pick(all);
  const hidden = all.filter((at) => sample(operands[at]).isCiphertext);
  const likely = hidden.length > 0 ? hidden : all;
  return dice.pick(likely.slice(inRow ? -1 : -3));
}

const none = () => [];

/** Another operand that goes together with one, or a constant. */
function mate(
  { dice, on, operands },
  fits = () => true,
  shapes = (shape) => joint(on.shape, shape),
  constants = randomConstant,
) {
  const likely = [...operands.keys()].filter((at) => {
    const other = sample(operands[at]);
    return shapes(other.shape) && fits(other);
  });
  if (likely.length > 0 && dice.chance(0.75)) return { operand: dice.pick(likely) };
  return {
    value: constants(dice, on, dice.chance(0.5) ? on.shape : on.shape.slice(dice.below(on.shape.length + 1))),
  };
}

const isNumeric = ({ isNumber }) => isNumber;
const sameKind = (on) => (other) => other.kind === on.kind || (on.isNumber && other.isNumber);

/** Constants that suit a value. */
function randomConstant(dice, { kind, cells: data, reach, categories, names }, shape = []) {
  // Comparisons tell equal ones apart from others.
  const wholes = Array.isArray(data)
    ? data.filter((cell) => cell && cell.low.n % cell.low.d === 0n && cell.low.n ** 2n < 10_000n * cell.low.d ** 2n)
    : [];
  const cells = Array.from({ length: cellsOf(shape) }, () => {
    if (kind === 'boolean' && dice.chance(0.7)) return dice.chance(0.5);
    if (kind === 'category') return names ? dice.pick(names) : dice.below(categories);
    if (kind === 'date' && reach) return new Date(dayIn(dice, reach[0]) * DAY_MS);
    if (kind === 'real') return dice.chance(0.5) ? dice.between(-4, 4) / 2 : dice.between(-999, 999) / 500;
    if (wholes.length > 0 && dice.chance(0.3)) {
      const { n, d } = dice.pick(wholes).low;
      return Number(n / d);
    }
    return numberOf(dice, dice.bigBetween(-5n, 9n), dice.chance(0.8) ? 0 : dice.between(1, 2));
  });
  // Booleans are of one sort.
  const list =
    new Set(cells.map((cell) => (typeof cell === 'boolean' ? 'boolean' : 'number'))).size > 1
      ? cells.map(Number)
      : cells;
  if (shape.length === 1 && list.every((cell) => typeof cell === 'number') && dice.chance(0.1))
    return Float64Array.from(list);
  return nested(shape, list);
}

/** Constants as near to cells, and to what these may be, as it can matter; else one for all, as mostly. */
function nearConstant(dice, on, shape = []) {
  const { kind, cells: data, reach, decimals } = on;
  const isKnown = Array.isArray(data) && [...data, ...reach].every((one) => one);
  if (!isKnown || !['integer', 'date', 'category'].includes(kind) || on.names || dice.chance(0.15))
    return randomConstant(dice, on, shape);
  const scale = powerOfTen(kind === 'integer' ? decimals : 0);
  const ends = [...data, ...reach].flatMap(({ low, high }) => [low, high]);
  if (ends.some(({ n, d }) => n * scale > MOST_KNOWN * d || n * scale < -MOST_KNOWN * d))
    return randomConstant(dice, on, shape);
  const near = () => {
    const { n, d } = dice.pick(ends);
    const own = (n * scale) / d;
    const units = own + BigInt(dice.pick([0, 0, 0, 1, -1, dice.between(-70, 70)]));
    if (kind === 'date') return dayOf(dice, units);
    if (kind === 'category') return Math.min(Math.max(Number(units), 0), on.categories - 1);
    // Between two that there can be.
    const isBetween = dice.chance(0.2) && decimals <= 2 && units < 10n ** 12n && units > -(10n ** 12n);
    if (isBetween) return numberOf(dice, units * 10n + BigInt(dice.between(1, 9)), decimals + 1);
    return decimals > 0 && (units > MOST_WRITTEN || units < -MOST_WRITTEN) ? 0 : numberOf(dice, units, decimals);
  };
  const own = dice.chance(0.6) ? [] : shape;
  const one = dice.chance(0.3) ? near() : undefined;
  const cells = Array.from({ length: cellsOf(own) }, () => one ?? near());
  return nested(own, cells);
}

/** Units of a known number, with room for some decimals. */
const MOST_KNOWN = 2n ** 120n;
/** Units that a double has, with decimals. */
const MOST_WRITTEN = 10n ** 14n;

/** Mostly such a cell as there may be. */
function fillOf(dice, on) {
  const one = dice.chance(0.5) ? nearConstant(dice, on) : randomConstant(dice, on);
  return on.kind === 'boolean' ? dice.chance(0.5) : [one].flat(Infinity)[0];
}

/** As people write it, or a day next to those that there are. */
function dayOf(dice, day) {
  const date = new Date(Math.min(Math.max(Number(day), -MOST_DAY), MOST_DAY) * DAY_MS);
  const text = date.toISOString();
  return text.length === 24 && dice.chance(0.3) ? text.slice(0, 10) : date;
}

function dayIn(dice, one) {
  if (!one) return dice.between(0, 20_000);
  return dice.between(Number(one.low.n / one.low.d), Number(one.high.n / one.high.d));
}

function comparison({ dice, on, operands, limits }) {
  const other = mate({ dice, on, operands }, sameKind(on), undefined, nearConstant);
  if (limits.scheme !== 'CKKS') return dice.chance(0.1) ? [other, { value: { gap: dice.pick([0.5, 1]) } }] : [other];
  const second = 'operand' in other ? sample(operands[other.operand]) : undefined;
  // What is whole needs no gap.
  if (on.kind !== 'real' && second?.kind !== 'real' && dice.chance(0.5)) return [other];
  const width = second
    ? spread(on, second)
    : spread(on, { reach: [{ low: { n: -5n, d: 1n }, high: { n: 9n, d: 1n } }] });
  const gap = Number((width / dice.pick([4, 8, 16])).toPrecision(3));
  return gap > 0 && Number.isFinite(gap) ? [other, { value: { gap } }] : undefined;
}

/** Edges of bins about what a value may be, and a gap where reals are encrypted. */
function groups({ dice, on, limits }, count) {
  const { kind, reach, decimals } = on;
  if (!reach.every(Boolean)) return undefined;
  const edges = Array.from({ length: count }, () => [nearConstant(dice, on)].flat(3)[0]);
  const number = (edge) => (kind === 'date' ? new Date(edge).getTime() : Number(edge));
  if (kind === 'real') for (const at of edges.keys()) edges[at] = Number(edges[at]) + at / 8;
  const sorted = edges.toSorted((a, b) => number(a) - number(b));
  if (sorted.some((edge, at) => at > 0 && !(number(sorted[at - 1]) < number(edge))) || decimals > 20) return undefined;
  if (limits.scheme !== 'CKKS' || (kind !== 'real' && dice.chance(0.7))) return [{ value: sorted }];
  // From what it has to be right on depends on how much there is between.
  const ends = [sorted[0], sorted.at(-1)].map((edge) => fraction(number(edge)));
  const gap = Number((spread(on, { reach: [{ low: ends[0], high: ends[1] }] }) / dice.pick([4, 8])).toPrecision(3));
  return gap > 0 && Number.isFinite(gap) ? [{ value: sorted }, { value: { gap } }] : undefined;
}

function randomAxis(dice, { shape }) {
  return dice.below(shape.length);
}

/** Bounds that the data lie in. */
function within({ dice, on, whole }) {
  const values = whole.rows ?? [whole];
  const cells = values.flatMap(({ views: [view] }) =>
    Array.isArray(view.cells) ? view.cells.filter((_, at) => !surelyMissing(view, at)) : [undefined],
  );
  if (!['integer', 'real', 'date'].includes(on.kind) || cells.includes(undefined) || cells.length === 0)
    return undefined;
  const numbers = cells.flatMap(({ low, high }) => [low, high]).map(({ n, d }) => ({ n, d }));
  if (on.kind === 'real') {
    const all = numbers.map(({ n, d }) => Number(n) / Number(d));
    if (!all.every(Number.isFinite)) return undefined;
    return [Math.floor(Math.min(...all)) - dice.below(2), Math.ceil(Math.max(...all)) + dice.below(2)].map((value) => ({
      value,
    }));
  }
  const scale = 10n ** BigInt(on.decimals);
  const units = numbers.map(({ n, d }) => (n * scale) / d).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const [low, high] = [units[0] - BigInt(dice.below(3)), units.at(-1) + BigInt(dice.below(3))];
  if (on.kind === 'date') return [low, high].map((day) => ({ value: new Date(Number(day) * DAY_MS) }));
  if (on.decimals > 0 && [low, high].some((bound) => bound > 10n ** 14n || bound < -(10n ** 14n))) return undefined;
  return [low, high].map((bound) => ({ value: numberOf(dice, bound, on.decimals) }));
}

/** A polynomial in Chebyshev's form, on an interval that a value is in. */
function approximation({ dice, on }) {
  if (on.reach.includes(undefined)) return undefined;
  const ends = on.reach.flatMap(({ low, high }) => [low, high]).map(({ n, d }) => Number(n) / Number(d));
  const [from, to] = [Math.floor(Math.min(...ends)) - 1, Math.ceil(Math.max(...ends)) + dice.between(1, 2)];
  const coefficients = Array.from({ length: dice.between(2, 9) }, () => dice.between(-100, 100) / 64);
  if (!Number.isFinite(from + to) || coefficients.at(-1) === 0) return undefined;
  return [{ value: { from, to, degree: coefficients.length - 1, coefficients, error: 0 } }];
}

const two = (fits) => (how) => [mate(how, fits)];
const statistic = (how) => [mate(how, isNumeric, (shape) => `${shape}` === `${how.on.shape}`)];
const along = (dice, { shape }) =>
  shape.length === 0 || dice.chance(0.5) ? [] : [{ value: dice.below(shape.length) }];
const moments = (dice) => (dice.chance(0.5) ? [] : [{ value: { of: dice.pick(['sample', 'population']) } }]);

const ARGUMENTS = {
  add: (how) => [mate(how, (other) => sameKind(how.on)(other) || how.on.kind === 'date')],
  sub: (how) => [mate(how, (other) => sameKind(how.on)(other) || how.on.kind === 'date')],
  multiply: two(isNumeric),
  divide: two(isNumeric),
  power: ({ dice }) => [{ value: Number(dice.weighted({ 1: 0.5, 2: 2, 3: 4, 4: 2, 5: 1, 8: 0.5 })) }],
  polynomial({ dice }) {
    const all = Array.from({ length: dice.between(2, 6) }, () =>
      dice.chance(0.3) ? 0 : dice.between(-9, 9) / dice.pick([1, 1, 1, 2, 10]),
    );
    return all.at(-1) === 0 ? undefined : [{ value: all }];
  },
  approximate: approximation,
  within,
  lessThan: comparison,
  atMost: comparison,
  greaterThan: comparison,
  atLeast: comparison,
  max: comparison,
  min: comparison,
  equals: (how) => [mate(how, sameKind(how.on), undefined, nearConstant)],
  and: two(isBoolean),
  or: two(isBoolean),
  select(how) {
    const first = mate(how, ({ kind }) => kind !== 'boolean' || how.dice.chance(0.3));
    const like =
      'operand' in first ? sample(how.operands[first.operand]) : { ...how.on, kind: 'integer', isNumber: true };
    const second = mate({ ...how, on: { ...like, shape: how.on.shape } }, sameKind(like));
    return how.dice.chance(0.5) ? [first, second] : [second, first];
  },
  sum: ({ dice, on }) => (on.shape.length === 0 || dice.chance(0.5) ? [] : [{ value: randomAxis(dice, on) }]),
  dot: statistic,
  matmul: (how) => {
    const inner = how.on.shape.at(-1);
    return [mate(how, isNumeric, (shape) => shape.at(-2) === inner || (shape.length === 1 && shape[0] === inner))];
  },
  covariance: (how) => [...statistic(how), ...moments(how.dice)],
  mean: ({ dice, on }) => along(dice, on),
  count: ({ dice, on }) => along(dice, on),
  variance({ dice, on }) {
    const [[axis], [options]] = [along(dice, on), moments(dice)];
    const both = { ...options?.value, ...(axis && { axis: axis.value }) };
    return axis || options ? [{ value: both }] : [];
  },
  correlation: statistic,
  regression(how) {
    const { dice, on } = how;
    const several = on.shape.length === 2;
    return several
      ? [mate({ ...how, on: { ...on, shape: [on.shape[0]] } }, isNumeric, (shape) => `${shape}` === `${on.shape[0]}`)]
      : statistic(how);
  },
  histogram: (how) => groups(how, how.dice.between(2, 5)),
  quantile(how) {
    const share = how.dice.pick([0.5, 0.25, 0.75, 0.1, 0.9, 1, 1 / 3, 0.999]);
    const rest = groups(how, how.dice.between(2, 4));
    return rest && [{ value: share }, ...rest];
  },
  lookup(how) {
    const { dice, on, operands } = how;
    const least = on.categories ?? 1;
    const fits = ({ kind, shape, missing }) =>
      ['integer', 'real'].includes(kind) &&
      !missing &&
      shape.length > 0 &&
      shape[0] >= least &&
      shape[0] <= MOST_GROUPS;
    const tables = [...operands.keys()].filter((at) => fits(sample(operands[at])));
    if (tables.length > 0 && dice.chance(0.6)) return [{ operand: dice.pick(tables) }];
    const shape = [Math.max(least, dice.between(1, 5)), ...(dice.chance(0.25) ? [2] : [])];
    const cells = Array.from({ length: cellsOf(shape) }, () => dice.between(-9, 9) / dice.pick([1, 1, 10]));
    return [{ value: nested(shape, cells) }];
  },
  at({ dice, on: { shape } }) {
    const some = shape.slice(0, dice.between(1, shape.length));
    return some.map((length) => ({ value: dice.between(-length, length - 1) }));
  },
  slice({ dice, on: { shape } }) {
    const bound = (length) => dice.between(-length - 1, length + 1);
    if (dice.chance(0.4)) return [{ value: bound(shape[0]) }];
    if (dice.chance(0.4)) return [{ value: bound(shape[0]) }, { value: bound(shape[0]) }];
    const some = shape.slice(0, dice.between(1, shape.length));
    return [{ value: some.map(bound) }, { value: some.map(bound) }];
  },
  concat(how) {
    const { dice, on, operands } = how;
    const axis = dice.chance(0.5) ? 0 : randomAxis(dice, on);
    const fits = (shape) =>
      shape.length === on.shape.length && shape.every((length, at) => at === axis || length === on.shape[at]);
    const others = [...operands.keys()].filter(
      (at) => fits(sample(operands[at]).shape) && sameKind(on)(sample(operands[at])),
    );
    const args =
      dice.chance(0.3) || others.length === 0
        ? { value: randomConstant(dice, on, on.shape.with(axis, dice.between(1, 2))) }
        : dice.chance(0.5)
          ? { operand: dice.pick(others) }
          : { operands: Array.from({ length: dice.between(1, 3) }, () => dice.pick(others)) };
    return axis === 0 && dice.chance(0.7) ? [args] : [args, { value: axis }];
  },
  reshape({ dice, on: { shape } }) {
    const cells = cellsOf(shape);
    const divisors = [...Array(cells).keys()].map((one) => one + 1).filter((one) => cells % one === 0);
    const first = dice.pick(divisors);
    return [
      {
        value: dice.pick([
          [cells],
          [first, cells / first],
          [1, ...shape],
          cells === 1 ? [] : [cells / first, 1, first],
        ]),
      },
    ];
  },
  broadcast({ dice, on: { shape } }) {
    const filled = shape.map((length) => (length === 1 ? dice.between(1, 3) : length));
    return [{ value: dice.chance(0.5) ? [dice.between(1, 3), ...filled] : filled }];
  },
  transpose({ dice, on: { shape } }) {
    if (dice.chance(0.5)) return [];
    const left = [...shape.keys()];
    return [{ value: shape.map(() => left.splice(dice.below(left.length), 1)[0]) }];
  },
  filled: ({ dice, on }) => (dice.chance(0.4) ? [] : [{ value: fillOf(dice, on) }]),
  rotate({ dice, on }) {
    const axis = randomAxis(dice, on);
    const steps = dice.chance(0.9) ? dice.between(-on.shape[axis], on.shape[axis]) : dice.between(-1e6, 1e6);
    return axis === 0 && dice.chance(0.7) ? [{ value: steps }] : [{ value: steps }, { value: axis }];
  },
};
