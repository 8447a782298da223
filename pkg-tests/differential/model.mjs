/** What a program gives: plain definitions on exact fractions, and one rounding at the end of quotients and roots. */
import { fraction, minus, nearest, nearestRoot, negative, over, plus, sum, times } from './fraction.mjs';
import { isAbsent, refusedValues, STATISTICS, study, unitsOf } from './rules.mjs';

/**
 * `{ refusal }` where a call is refused, or else `{ outputs }`: of each its facts, and `value` or the code that is its
 * `problem`. A value is a double, { units, decimals }, or a list of these.
 */
export function predict(program) {
  const studied = study(program);
  if (studied.refusal) return studied;
  const codes = program.inputs.flatMap(refusedValues);
  if (codes.length > 0) return { ...studied, refusal: { step: 'encrypt', codes } };
  if (program.surplus !== undefined) return { ...studied, refusal: { step: 'encrypt', codes: ['input.unknown'] } };
  if (program.lacking !== undefined) return { ...studied, refusal: { step: 'run', codes: ['input.missing'] } };
  const operands = program.inputs.map(({ values }) =>
    Array.from(values, (value) => (isAbsent(value) ? null : fraction(value))),
  );
  for (const node of program.nodes) operands.push(compute(operands, studied.facts, node));
  const outputs = studied.outputs.map((facts, index) => ({
    ...facts,
    ...shown(facts, operands[program.outputs[index].operand]),
  }));
  return { ...studied, outputs };
}

/** A column as its rows, a statistic as `{ value }` or `{ problem }`. */
function compute(operands, facts, { on, method, args }) {
  const column = operands[on];
  if (STATISTICS.includes(method)) return statistic(method, column, operands[args[0]?.operand] ?? column, args);
  const { rows, rings } = facts[on];
  switch (method) {
    case 'negate':
      return column.map(negative);
    case 'rotateRows':
      return inRings(column, rings, (ring) =>
        ring.map((_, row) => ring[turned(row + (args[0].value % ring.length), ring.length)]),
      );
    case 'rotateColumns':
      return [...column.slice(rows / 2), ...column.slice(0, rows / 2)];
  }
  const other = operands[args[0].operand] ?? plain(args[0].value, rows);
  const combine = { add: plus, sub: minus, multiply: times }[method];
  return column.map((value, row) => combine(value, other[row]));
}

function plain(value, rows) {
  return typeof value === 'object' ? Array.from(value, fraction) : Array(rows).fill(fraction(value));
}

function inRings(column, rings, turn) {
  const length = column.length / rings;
  return Array.from({ length: rings }, (_, ring) => turn(column.slice(ring * length, (ring + 1) * length))).flat();
}

/** A row before 0 or after the last one, in a ring. */
function turned(row, length) {
  return ((row % length) + length) % length;
}

/** Over the rows that are in both. */
function statistic(kind, first, second, args) {
  const both = first.flatMap((value, row) => (value === null || second[row] === null ? [] : [row]));
  const [x, y] = [first, second].map((column) => both.map((row) => column[row]));
  if (kind === 'count') return { value: both.length };
  if (kind === 'sum') return { value: sum(x) };
  const population = args.some(({ value }) => value?.population === true);
  const fewest = kind === 'mean' || population ? 1 : 2;
  if (both.length === 0) return { problem: 'statistic.empty' };
  if (both.length < fewest) return { problem: 'statistic.too_few' };
  if (kind === 'mean') return { value: nearest(mean(x)) };
  if (kind === 'correlation') return correlation(x, y);
  return { value: nearest(over(products(x, kind === 'variance' ? x : y), whole(both.length - (population ? 0 : 1)))) };
}

function correlation(x, y) {
  const [xx, yy, xy] = [products(x, x), products(y, y), products(x, y)];
  if (xx.n === 0n || yy.n === 0n) return { problem: 'statistic.zero_variance' };
  const size = nearestRoot(over(times(xy, xy), times(xx, yy)));
  return { value: xy.n < 0n ? -size : size };
}

/** The sum of the products of what two columns are away from their means. */
function products(x, y) {
  const [ofX, ofY] = [mean(x), mean(y)];
  return sum(x.map((value, row) => times(minus(value, ofX), minus(y[row], ofY))));
}

function mean(values) {
  return over(sum(values), whole(values.length));
}

function whole(value) {
  return { n: BigInt(value), d: 1n };
}

function shown({ kind, decimals }, computed) {
  const decimal = (value) => ({ units: unitsOf(value, decimals), decimals });
  if (kind === 'column') return { value: computed.map(decimal) };
  if (kind === 'sum') return { value: decimal(computed.value) };
  return computed;
}
