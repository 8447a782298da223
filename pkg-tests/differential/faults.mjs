/**
 * Faults that the package could have: as changes of the program that it is told, of which the model still gets the one that was meant, and as changes of what it
 * gives. Each has the name that it would have if it were in the package.
 */
import { flattened, nested } from './shapes.mjs';
import { PROMISED, shortOf } from './imitation.mjs';
import { backwards } from './subject.mjs';

const steps = (change) => {
  const changed = (step) => {
    if (step.records) return { ...step, steps: step.steps.map(changed) };
    return change(step);
  };
  return (program) => ({ ...program, steps: program.steps.map(changed) });
};
const calls = (methods, change) =>
  steps((step) => ([methods].flat().includes(step.method) ? { ...step, ...change(step) } : step));
const argument = (methods, change) =>
  calls(methods, ({ args }) => ({
    args: args.map((arg, at) => (at === 0 && 'value' in arg ? { value: change(arg.value) } : arg)),
  }));
const cells = (change) => (program) => {
  const changed = (input) => {
    const { shape = [] } = input.options;
    const list = ArrayBuffer.isView(input.cells) ? Array.from(input.cells) : flattened(input.cells).cells;
    return { ...input, cells: nested(shape, change(list, input.options)) };
  };
  return { ...program, inputs: program.inputs.map(changed) };
};
/** Called on its argument, with what it is called on as the argument. */
const exchanged = ({ on, args: [first, ...rest] }) =>
  'operand' in first ? { on: first.operand, args: [{ operand: on }, ...rest] } : {};
const isAbsent = (cell) => cell === null || cell === undefined || Number.isNaN(cell);
const isNumber = (value) => typeof value === 'number';
const COMPARISONS = ['lessThan', 'atMost', 'greaterThan', 'atLeast', 'equals', 'max', 'min'];
/** Cells of inputs so wide that these are compared by digits. */
const wide = (change) =>
  cells((list, options) => {
    const { min, max } = options;
    const isWide =
      max !== undefined && options.kind !== 'real' && options.kind !== 'date' && Number(max) - Number(min) > 511;
    return isWide ? list.map((cell) => (isAbsent(cell) ? cell : change(cell, options))) : list;
  });
const edges = (change) =>
  calls(['histogram', 'quantile'], ({ args }) => ({
    args: args.map((arg) => (Array.isArray(arg.value) ? { ...arg, value: change(arg.value) } : arg)),
  }));
const called = (from, to) => calls(from, () => ({ method: to }));

export const FAULTS = {
  'rotations turn the other way': argument('rotate', (steps) => -steps),
  'rotations turn by one too much': argument('rotate', (steps) => steps + 1),
  'slices begin one cell later': argument('slice', (start) => (isNumber(start) ? start + 1 : start)),
  'a cell is taken from the other end': argument('at', (index) => -1 - index),
  'sums are along the next dimension': argument('sum', (axis) => axis + 1),
  'sums are of all cells': calls('sum', () => ({ args: [] })),
  'others come first': calls('concat', exchanged),
  'differences are taken the other way': calls('sub', exchanged),
  'the divisor is divided': calls('divide', exchanged),
  'matrices are multiplied the other way': calls('matmul', exchanged),
  'lists of constants are read backwards': argument(['add', 'sub', 'multiply', 'divide', 'dot'], (value) =>
    Array.isArray(value) ? value.toReversed() : value,
  ),
  'constants lose their decimals': argument(['add', 'sub', 'multiply'], (value) =>
    isNumber(value) ? Math.trunc(value) : value,
  ),
  'powers are one higher': argument('power', (exponent) => exponent + 1),
  'coefficients are read backwards': argument('polynomial', (all) => (all[0] === 0 ? all : all.toReversed())),
  'what is below is also what is equal': called('lessThan', 'atMost'),
  'what is above is also what is equal': called('greaterThan', 'atLeast'),
  'at most is below': called('atMost', 'lessThan'),
  'at least is above': called('atLeast', 'greaterThan'),
  'equal is at most': called('equals', 'atMost'),
  'the larger one is the smaller one': called('max', 'min'),
  'the smaller one is the larger one': called('min', 'max'),
  'the highest digit is lost': wide((cell) => (typeof cell === 'bigint' ? cell % 64n : Math.trunc(cell % 64))),
  'the lowest digit is lost': wide((cell) => (typeof cell === 'bigint' ? cell - (cell % 8n) : cell - (cell % 8))),
  'what is below 0 is compared as if it were above': wide((cell, { max }) => {
    const size = cell < 0 ? -cell : cell;
    return size <= max ? size : cell;
  }),
  'known numbers between two units are the lower one': argument(COMPARISONS, (value) =>
    isNumber(value) ? Math.floor(value) : value,
  ),
  'known numbers are compared without their last decimal': argument(COMPARISONS, (value) =>
    isNumber(value) ? Math.floor(value * 10) / 10 : value,
  ),
  'cells are compared before they are turned': calls('rotate', () => ({ args: [{ value: 0 }] })),
  'known numbers are added with the other sign': argument('add', (value) => (isNumber(value) ? -value : value)),
  'factors lose their sign': argument('multiply', (value) => (isNumber(value) ? Math.abs(value) : value)),
  'what is not there is compared as 1': calls('filled', ({ on }) => ({ on, method: 'present', args: [] })),
  'names of categories are in another order': cells((list, { categories }) =>
    Array.isArray(categories)
      ? list.map((cell) => (isAbsent(cell) ? cell : categories.at(categories.indexOf(cell) - 1)))
      : list,
  ),
  'the next name is compared': (program) => {
    const lists = program.inputs.flatMap(({ options: { categories } }) =>
      Array.isArray(categories) ? [categories] : [],
    );
    const next = (name) => {
      const names = lists.find((all) => all.includes(name));
      return names ? names.at(names.indexOf(name) - 1) : name;
    };
    return argument('equals', (value) => (Array.isArray(value) ? value.map(next) : next(value)))(program);
  },
  'the table is read from its end': argument('lookup', (value) => (Array.isArray(value) ? value.toReversed() : value)),
  'bins lie one higher': edges((all) => all.map((edge) => (isNumber(edge) ? edge + 1 : edge))),
  'the last bin has no end': edges((all) => (isNumber(all.at(-1)) ? all.with(-1, all.at(-1) - 1e-6) : all)),
  'the quantile is that of the larger ones': argument('quantile', (share) => (share < 1 ? 1 - share : share)),
  'what is not true is counted': calls('count', ({ on }) => ({ on, method: 'sum', args: [] })),
  'and is or': called('and', 'or'),
  'or is and': called('or', 'and'),
  'not is nothing': calls('not', () => ({ method: 'and', args: [{ value: true }] })),
  'the other one is selected': calls('select', ({ args: [a, b] }) => ({ args: [b, a] })),
  'the divisor of moments is the other one': calls(['variance', 'covariance'], ({ method, args }) => {
    const [mate, given] = method === 'covariance' ? args : [undefined, args[0]];
    const of = given?.value.of === 'population' ? 'sample' : 'population';
    return { args: [...(mate ? [mate] : []), { value: { of } }] };
  }),
  'the covariance is the variance': calls('covariance', ({ on, args }) => ({
    args: [{ operand: on }, ...args.slice(1)],
  })),
  'correlation is of ranks of itself': calls('correlation', ({ on }) => ({ args: [{ operand: on }] })),
  'the line is of y': calls('regression', exchanged),
  'missing cells are the least number': cells((list, { min }) =>
    list.map((cell) => (isAbsent(cell) ? (min ?? cell) : cell)),
  ),
  'the last cell is the first': cells((list) => list.with(-1, list[0])),
  'the greatest number is not reached': cells((list, { min, max }) =>
    list.map((cell) => (isNumber(cell) && cell === max ? min : cell)),
  ),
  'cells are in reverse order': backwards,
  'each record is the first': (program) => ({
    ...program,
    steps: program.steps.map((step) =>
      step.records ? { ...step, results: step.results.map(() => step.results[0]) } : step,
    ),
  }),
};

/** Changes the first number of the outputs that `fits`; the same results where there is none. */
const number = (fits, change) => (found) => {
  const name = Object.keys(found.details).find((name) => fits(first(found.details[name].value)));
  if (name === undefined) return found;
  const replaced = (value) => (Array.isArray(value) ? value.with(0, replaced(value[0])) : change(value));
  const details = { ...found.details, [name]: { ...found.details[name], value: replaced(found.details[name].value) } };
  return { ...found, details, short: shortOf(details) };
};
const first = (value) => (Array.isArray(value) ? first(value[0]) : value);
const isDecimal = (value) => typeof value?.units === 'bigint';
const double = new Float64Array(1);
const bits = new BigInt64Array(double.buffer);
const next = (value) => {
  double[0] = value;
  bits[0] += 1n;
  return double[0];
};
const budgets = (change) => (found) => ({
  ...found,
  details: Object.fromEntries(
    Object.entries(found.details).map(([name, { budgetBits, ...rest }]) => [
      name,
      { ...rest, budgetBits: change(budgetBits) },
    ]),
  ),
});

export const WRONG_RESULTS = {
  'an integer is one unit more': number(isDecimal, (value) =>
    Object.assign(Object.create(Object.getPrototypeOf(value)), { ...value, units: value.units + 1n }),
  ),
  'a quotient is the next double': number((value) => isNumber(value) && !Number.isInteger(value), next),
  'a real is off by more than its bound': number(isNumber, (value) => value + 2 ** (PROMISED.errorBits + 1)),
  'a boolean is the other one': number(
    (value) => typeof value === 'boolean',
    (value) => !value,
  ),
  'a day is the next one': number(
    (value) => value instanceof Date,
    (value) => new Date(value.getTime() + 86_400_000),
  ),
  'a category is another one': number(
    (value) => typeof value === 'string',
    (value) => `${value}'`,
  ),
  'inputs that are given for each other are taken by their names': ({ exchanged, ...found }) =>
    exchanged ? { ...found, exchanged: { details: found.details } } : found,
  'a result is taken for what it was before': ({ passed, ...found }) =>
    passed ? { ...found, passed: { ...passed, details: found.details } } : found,
  'digits of other inputs are refused': ({ exchanged, ...found }) =>
    exchanged ? { ...found, exchanged: { refused: { code: 'input.missing' } } } : found,
  'a missing cell is there': number(
    (value) => value === null,
    () => 0,
  ),
  'less noise budget is left than was promised': budgets((bits) => bits - 2),
  'a budget of reals is told': budgets((bits) => bits ?? 5),
  'decrypt gives something else': (found) => ({
    ...found,
    short: Object.fromEntries(Object.keys(found.short).map((name) => [name, 'else'])),
  }),
  'an output is lost': ({ details, ...found }) => ({
    ...found,
    details: Object.fromEntries(Object.entries(details).slice(1)),
  }),
  'two threads give other bytes': (found) => ({ ...found, threads: false }),
  'a type is another one': ({ info, ...found }) => ({
    ...found,
    info: { ...info, outputs: info.outputs.map((output) => ({ ...output, decimals: output.decimals + 1 })) },
  }),
  'a bound is another one': ({ info, ...found }) => ({
    ...found,
    info: { ...info, inputs: info.inputs.map((input) => ({ ...input, min: input.max, max: input.max })) },
  }),
};
