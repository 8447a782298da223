/**
 * What is known of a program without its values, by the words of the documentation alone: what each call gives, and
 * with which code it is refused.
 *
 * A program is data:
 *   inputs   { name, options, values }: what `encrypted` and `encrypt` are given
 *   nodes    { on, method, args }: a call on an operand; these are numbered, inputs first
 *   outputs  { name, operand }
 *   lacking  which input is not encrypted, if one is not
 *   surplus  the name of a column that is encrypted although it is no input, if there is one
 * An argument is { operand }, { foreign: true } for a column of another task, or { value } for anything else.
 */
import { absolute, compare, decimalsOf, fraction, integer, plus, powerOfTen, times } from './fraction.mjs';

const MOST_ROWS = 2 ** 24;
/** Of a ring of layout `slots`. */
const MOST_LENGTH = 2 ** 14;
const MOST_DECIMALS = 18;
const LARGEST = 2n ** 62n - 1n;
/** Of a known number in units, and of the power of ten that aligns decimals. */
const LARGEST_KNOWN = 2n ** 126n - 1n;
/** Statistics of one column and of two. */
export const OF_ONE = ['count', 'sum', 'mean', 'variance'];
export const OF_TWO = ['covariance', 'correlation'];
export const STATISTICS = [...OF_ONE, ...OF_TWO];

/**
 * `{ refusal, facts, outputs }`: facts of every operand up to a refusal, which is `{ step, codes }`. Several rules may
 * be broken at once; each of their codes is right then.
 */
export function study(program) {
  const facts = [];
  const names = { input: new Set(), output: new Set() };
  const stop = (step, codes) => ({ refusal: { step, codes }, facts, outputs: [] });
  for (const [index, input] of program.inputs.entries()) {
    const codes = [...refusedName(names.input, input.name), ...refusedColumn(input.options)];
    if (codes.length > 0) return stop(`input ${index}`, codes);
    facts.push(declared(input.options));
  }
  for (const [index, node] of program.nodes.entries()) {
    const { codes, fact } = studyCall(facts, node);
    if (codes) return stop(`node ${index}`, codes);
    facts.push(fact);
  }
  for (const [index, { name, operand }] of program.outputs.entries()) {
    const codes = [...refusedName(names.output, name), ...(facts[operand].missing ? ['graph.missing'] : [])];
    if (codes.length > 0) return stop(`output ${index}`, codes);
  }
  if (program.outputs.length === 0) return stop('compile', ['graph.no_outputs']);
  return { facts, outputs: program.outputs.map(({ name, operand }) => ({ name, ...facts[operand] })) };
}

/** `{ codes }` of a call that is refused, or else `{ fact }` of what it gives. */
export function studyCall(facts, node) {
  const codes = refusedCall(facts, node);
  return codes.length > 0 ? { codes } : { fact: result(facts, node) };
}

/** The codes for values that are not what an input was declared to take. */
export function refusedValues({ options, values }) {
  const { rows, decimals, missing } = declared(options);
  if (values.length !== rows) return ['input.length'];
  return Array.from(values).flatMap((value) => {
    if (isAbsent(value)) return missing ? [] : ['input.missing_value'];
    if (!isNumber(value)) return ['input.not_a_number'];
    const outside = isLess(value, options.min) || isLess(options.max, value);
    return [...(decimalsOf(value) > decimals ? ['input.decimals'] : []), ...(outside ? ['range.value'] : [])];
  });
}

/** Shortest decimal forms are in the order of their doubles. */
function isLess(a, b) {
  return typeof a === typeof b ? a < b : compare(fraction(a), fraction(b)) < 0;
}

/** A row without a value. */
export function isAbsent(value) {
  return value === null || value === undefined || Number.isNaN(value);
}

function isNumber(value) {
  return typeof value === 'bigint' || Number.isFinite(value);
}

function refusedName(taken, name) {
  if (typeof name !== 'string' || name === '' || name === '__proto__' || taken.has(name)) return ['graph.name'];
  taken.add(name);
  return [];
}

const OPTIONS = ['rows', 'min', 'max', 'decimals', 'missing', 'layout', 'rings'];

function refusedColumn(options) {
  const { rows, min, max, decimals = 0, missing = false, layout = 'column', rings } = options;
  const codes = [];
  if (Object.keys(options).some((name) => !OPTIONS.includes(name))) codes.push('input.option');
  if (!['column', 'slots'].includes(layout) || typeof missing !== 'boolean') codes.push('input.type');
  codes.push(...refusedRows(rows, layout, rings));
  if (layout === 'slots' && missing) codes.push('graph.missing');
  if (!(Number.isInteger(decimals) && decimals >= 0 && decimals <= MOST_DECIMALS))
    return [...codes, 'parameters.decimals'];
  if (![min, max].every((bound) => isNumber(bound) && decimalsOf(bound) <= decimals))
    return [...codes, 'parameters.bounds'];
  const [low, high] = [min, max].map((bound) => unitsOf(fraction(bound), decimals));
  if (low > high) codes.push('parameters.bounds');
  if (low < -LARGEST || high > LARGEST) codes.push('range.integer');
  return codes;
}

function refusedRows(rows, layout, rings = 1) {
  const { [rings]: most } = layout === 'slots' ? { 1: MOST_LENGTH, 2: 2 * MOST_LENGTH } : { 1: MOST_ROWS };
  if (most === undefined) return ['parameters.rings'];
  return Number.isInteger(rows) && rows >= 1 && rows <= most && rows % rings === 0 ? [] : ['parameters.rows'];
}

function declared({ rows, min, max, decimals = 0, missing = false, layout = 'column', rings = 1 }) {
  return { kind: 'column', rows, decimals, missing, layout, rings, bound: largestOf([min, max]), levels: 0 };
}

function refusedCall(facts, { on, method, args }) {
  const column = facts[on];
  if (STATISTICS.includes(method)) {
    const needs = OF_TWO.includes(method) ? refusedMate(facts, column, args[0]) : [];
    return [...needs, ...refusedOptions(method, args)];
  }
  const codes = column.missing ? ['graph.missing'] : [];
  if (method === 'rotateRows')
    codes.push(...needsSlots(column, 1), ...(Number.isSafeInteger(args[0].value) ? [] : ['graph.steps']));
  if (method === 'rotateColumns') codes.push(...needsSlots(column, 2));
  if (['add', 'sub', 'multiply'].includes(method)) codes.push(...refusedOther(facts, column, method, args[0]));
  return codes;
}

function needsSlots({ layout, rings }, least) {
  return layout === 'slots' && rings >= least ? [] : ['graph.layout'];
}

function refusedOptions(method, args) {
  const given = args[OF_TWO.includes(method) ? 1 : 0];
  return Object.keys(given?.value ?? {}).every((name) => name === 'population') ? [] : ['input.option'];
}

/** Of an operand by rows: a column or plain numbers. */
function refusedOther(facts, column, method, arg) {
  const codes = 'value' in arg ? refusedPlain(column, arg.value) : refusedMate(facts, column, arg);
  if (codes.length > 0) return codes;
  const other = facts[arg.operand] ?? plain(arg.value);
  if (other.missing) return ['graph.missing'];
  const known = method === 'multiply' ? knownIn(arg, other, other.decimals) : aligning(arg, column, other);
  return known.some((units) => units > LARGEST_KNOWN) ? ['range.integer'] : [];
}

/** What a sum multiplies its columns by, and its plain numbers in the finer units. */
function aligning(arg, column, other) {
  const decimals = Math.max(column.decimals, other.decimals);
  const columns = 'value' in arg ? [column] : [column, other];
  return [...columns.map((one) => powerOfTen(decimals - one.decimals)), ...knownIn(arg, other, decimals)];
}

function knownIn(arg, { bound }, decimals) {
  return 'value' in arg ? [unitsOf(bound, decimals)] : [];
}

function refusedPlain({ rows }, value) {
  if (typeof value === 'number' || typeof value === 'bigint') return isNumber(value) ? [] : ['input.not_a_number'];
  if (typeof value !== 'object' || value === null) return ['input.type'];
  return [
    ...(value.length === rows ? [] : ['input.length']),
    ...(Array.from(value).every(isNumber) ? [] : ['input.not_a_number']),
  ];
}

/** Of the second column. */
function refusedMate(facts, column, arg) {
  if (arg.foreign) return ['graph.foreign'];
  const mate = facts[arg.operand];
  if (mate?.kind !== 'column') return ['input.type'];
  const codes = [];
  if (mate.rows !== column.rows) codes.push('graph.rows');
  if (mate.layout !== column.layout || mate.rings !== column.rings) codes.push('graph.layout');
  return codes;
}

function result(facts, { on, method, args }) {
  const column = facts[on];
  if (STATISTICS.includes(method)) return statistic(method, column, facts[args[0]?.operand], args);
  const [arg] = args;
  switch (method) {
    case 'negate':
    case 'rotateColumns':
      return column;
    case 'rotateRows':
      return { ...column, levels: column.levels + (isPowerOfTwo(column.rows / column.rings) ? 0 : 1) };
  }
  const other = facts[arg.operand] ?? plain(arg.value);
  const levels = Math.max(column.levels, other.levels) + (method === 'multiply' && !other.isScalar ? 1 : 0);
  return { ...column, ...combined(method, column, other), levels };
}

function isPowerOfTwo(length) {
  return Number.isInteger(Math.log2(length));
}

/** Decimals of what two operands give, and the greatest size of its values. */
function combined(method, a, b) {
  if (method === 'multiply') return { decimals: a.decimals + b.decimals, bound: times(a.bound, b.bound) };
  return { decimals: Math.max(a.decimals, b.decimals), bound: plus(a.bound, b.bound) };
}

/** Of plain numbers, which have the fewest decimals that all of them need. */
function plain(value) {
  const values = typeof value === 'object' ? Array.from(value) : [value];
  return {
    decimals: Math.max(...values.map(decimalsOf)),
    bound: largestOf(values),
    levels: 0,
    isScalar: typeof value !== 'object',
  };
}

function largestOf(values) {
  return values.map((value) => absolute(fraction(value))).reduce((a, b) => (compare(a, b) < 0 ? b : a));
}

/**
 * `size` is of the integers that it is made of; `levels`, as with columns, counts products in a row: with columns,
 * lists and the masks of rotations.
 */
function statistic(kind, column, mate, args) {
  const [x, y] = [sizeOf(column), sizeOf(mate ?? column)];
  const rows = BigInt(column.rows);
  const squares = {
    count: 1n,
    sum: x,
    mean: x,
    variance: x * (x + 1n),
    covariance: (x + 1n) * (y + 1n),
    correlation: (x + y) ** 2n,
  };
  const decimals = {
    count: 0,
    variance: 2 * column.decimals,
    covariance: column.decimals + mate?.decimals,
    correlation: 0,
  };
  const multiplies = ['variance', 'covariance', 'correlation'].includes(kind);
  return {
    kind,
    population: args.some(({ value }) => value?.population === true),
    decimals: decimals[kind] ?? column.decimals,
    size: rows * squares[kind],
    levels: Math.max(column.levels, mate?.levels ?? 0) + (multiplies ? 1 : 0),
  };
}

/** The greatest integer, up to its sign, that an operand can have in its units. */
export function sizeOf({ size, bound, decimals }) {
  return size ?? unitsOf(bound, decimals);
}

export function unitsOf(value, decimals) {
  return integer(times(value, { n: powerOfTen(decimals), d: 1n }));
}
