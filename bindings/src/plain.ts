/** The plain reference: computes a task without encryption, on BigInt, with the same finishing formulas. */
import { checkArgument, COLUMNS, TASK } from './arguments.js';
import { type ColumnRule, encodeColumn } from './columns.js';
import { failure } from './errors.js';
import { outcome, type Parts } from './statistics.js';
import type { DecryptedOutput, StatisticKind, Task, TaskLiteral, Values } from './types.js';

/** One output of the plain reference: see {@link DecryptedOutput}. */
export type PlainOutput = Omit<DecryptedOutput, 'noiseBudgetBits'>;

type Node = TaskLiteral['nodes'][number];

/** Exact integers, 0 where a row is missing, and which of them count; all if undefined. */
interface Column {
  readonly units: readonly bigint[];
  readonly present: Uint8Array | undefined;
  readonly rings: number;
}

/** A statistic before its last division. */
interface Sums {
  readonly kind: StatisticKind;
  readonly population: boolean;
  readonly parts: Parts;
}

/**
 * What decryption of the task's outputs must give, bit for bit. `columns` as for `Client.encrypt`; all inputs
 * are needed. Errors: as of `Client.encrypt`.
 */
export function plainStatistics(
  task: Task,
  columns: Readonly<Record<string, Values>>,
): Record<string, PlainOutput> {
  checkArgument('plainStatistics, task', task, TASK);
  checkArgument('plainStatistics, columns', columns, COLUMNS);
  const literal = task.literal();
  const operands: (Column | Sums)[] = literal.inputs.map((input) => plainInput(input, columns));
  for (const node of literal.nodes) {
    operands.push(
      compute(
        node,
        node.inputs.map((operand) => operands[operand] as Column),
      ),
    );
  }
  return Object.fromEntries(
    literal.outputs.map(({ name, operand, decimals }) => {
      return [name, finished(name, operands[operand] as Column | Sums, decimals)];
    }),
  );
}

function plainInput(input: TaskLiteral['inputs'][number], columns: Readonly<Record<string, Values>>): Column {
  const values = Object.hasOwn(columns, input.name) ? columns[input.name] : undefined;
  if (values === undefined)
    throw failure('input.missing', `Input "${input.name}" was not given`, { input: input.name });
  const rule: ColumnRule = { ...input, min: BigInt(input.min), max: BigInt(input.max) };
  const { units, present } = encodeColumn(rule, values);
  return { units: Array.from<number | bigint, bigint>(units, BigInt), present, rings: input.rings };
}

function compute(node: Node, operands: readonly Column[]): Column | Sums {
  const [a, b] = operands as [Column, Column];
  switch (node.op) {
    case 'column.add':
      return pairwise(a, b, (x, y) => x + y);
    case 'column.sub':
      return pairwise(a, b, (x, y) => x - y);
    case 'column.multiply':
      return pairwise(a, b, (x, y) => x * y);
    case 'column.negate':
      return { ...a, units: a.units.map((x) => -x) };
    case 'column.add_plain':
      return withPlain(node, a, (x, y) => x + y);
    case 'column.multiply_plain':
      return withPlain(node, a, (x, y) => x * y);
    case 'column.rotate_rows':
      return turned(a, Number(node.attrs?.['steps']));
    case 'column.rotate_columns':
      return turned({ ...a, rings: 1 }, a.units.length / 2, a.rings);
    default:
      return statistic(node, a, b ?? a);
  }
}

function statistic(node: Node, a: Column, b: Column): Sums {
  const sums = rowSums(a, b);
  const { n, sumX, sumY, sumXX, sumYY, sumXY } = sums;
  const parts: Record<string, Record<string, bigint>> = {
    count: { n },
    sum: { sum: sumX },
    mean: { n, sum: sumX },
    variance: { n, sum: sumX, sumSquares: sumXX },
    covariance: { n, sumX, sumY, sumXY },
    correlation: { n, sumX, sumY, sumXX, sumYY, sumXY },
  };
  const kind = node.op.replace(/^stats\./, '');
  const found = parts[kind];
  if (found === undefined)
    throw failure('graph.plain', `The plain reference cannot compute ${node.op}`, { found: node.op });
  return {
    kind: kind as StatisticKind,
    population: node.attrs?.['population'] === 1,
    parts: Object.fromEntries(Object.entries(found).map(([name, integer]) => [name, [integer]])),
  };
}

/** All sums over the rows that are in both columns. */
function rowSums(a: Column, b: Column): Record<'n' | 'sumX' | 'sumY' | 'sumXX' | 'sumYY' | 'sumXY', bigint> {
  const sums = { n: 0n, sumX: 0n, sumY: 0n, sumXX: 0n, sumYY: 0n, sumXY: 0n };
  const present = inBoth(a, b);
  for (let row = 0; row < a.units.length; row++) {
    if (present?.[row] === 0) continue;
    const x = a.units[row] as bigint;
    const y = b.units[row] as bigint;
    sums.n += 1n;
    sums.sumX += x;
    sums.sumY += y;
    sums.sumXX += x * x;
    sums.sumYY += y * y;
    sums.sumXY += x * y;
  }
  return sums;
}

function finished(name: string, operand: Column | Sums, decimals: number): PlainOutput {
  const isColumn = 'units' in operand;
  const { kind, population, parts } = isColumn
    ? { kind: 'column' as const, population: false, parts: { values: operand.units } }
    : operand;
  const shape = { name, kind, population, decimals, mostRows: Number.MAX_SAFE_INTEGER };
  return { ...outcome(shape, parts), parts };
}

/** Operations by rows are for columns without missing rows only. */
function pairwise(a: Column, b: Column, combine: (x: bigint, y: bigint) => bigint): Column {
  return { ...a, units: a.units.map((x, row) => combine(x, b.units[row] as bigint)), present: undefined };
}

/** Each ring turned to the left; the result has `rings` rings. */
function turned(a: Column, steps: number, rings = a.rings): Column {
  const length = a.units.length / a.rings;
  const by = ((steps % length) + length) % length;
  const from = (row: number): number => row - (row % length) + (((row % length) + by) % length);
  return { ...a, units: a.units.map((_, row) => a.units[from(row)] as bigint), rings };
}

function inBoth(a: Column, b: Column): Uint8Array | undefined {
  if (a.present === undefined || b.present === undefined) return a.present ?? b.present;
  const other = b.present;
  return a.present.map((bit, row) => bit & (other[row] as number));
}

/** A known number for each row, or one for all. */
function withPlain(node: Node, a: Column, combine: (x: bigint, y: bigint) => bigint): Column {
  const { scalar, values } = node.attrs ?? {};
  const plain = scalar === undefined ? (values as string[]).map(BigInt) : undefined;
  const one = BigInt((scalar ?? 0) as string);
  return {
    ...a,
    units: a.units.map((x, row) => combine(x, plain === undefined ? one : (plain[row] as bigint))),
  };
}
