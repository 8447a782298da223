/** Constants beside values: numbers, booleans and dates as the core reads them. */
import { describe, wrongType } from '../arguments.js';
import { failure } from '../errors.js';
import { decimalsOf, MOST_QUICK, powerOfTen, toUnits } from '../exact.js';
import { dayNumber, isDate } from './days.js';
import { cellsOf, checkedShape, shownNames } from './type.js';
import type { Day, Shape, ValueKind, ValueType } from './types.js';

/** The core's integers have 128 bits. */
const MOST = 2n ** 127n - 1n;

/** Cells that are part of a program: integers in units of 10^-decimals, or of reals doubles. */
export interface Constant {
  readonly kind: ValueKind;
  readonly shape: Shape;
  readonly decimals: number;
  readonly categories: number | undefined;
  readonly names: readonly string[] | undefined;
  readonly cells: readonly (bigint | number)[];
}

/** What a constant stands beside. */
export interface Like extends Pick<ValueType, 'kind' | 'categories' | 'names'> {
  readonly ofDoubles: boolean;
}

/**
 * What a caller wrote, beside a value like that: categories beside such, by their names where they have names, days also as texts beside days, else integers with as many decimals as are needed, so that 0.1 is a tenth, also beside quotients of such; the
 * doubles beside what is made of reals, which are doubles, and beside quotients where one has more than 15 digits, which nobody has written. Errors: InputError `input.type`, `input.not_a_number`; OutOfRangeError `range.value` for a category that there is not; GraphError `graph.shape`.
 */
export function constantOf(where: string, value: unknown, like: Like | undefined): Constant {
  const flat: unknown[] = [];
  const shape = flatten(where, value, flat);
  const all = (test: (cell: unknown) => boolean): boolean => flat.every(test);
  const constant = (kind: ValueKind, cells: (bigint | number)[], decimals = 0): Constant => ({
    kind,
    shape,
    decimals,
    categories: kind === 'category' ? like?.categories : undefined,
    names: kind === 'category' ? like?.names : undefined,
    cells,
  });
  if (all((cell) => typeof cell === 'boolean'))
    return constant(
      'boolean',
      flat.map((cell) => BigInt(cell as boolean)),
    );
  if (all(isDate))
    return constant(
      'date',
      flat.map((cell) => BigInt(day(where, cell as Date))),
    );
  const texts = all((cell) => typeof cell === 'string');
  if (like?.kind === 'date' && texts)
    return constant(
      'date',
      flat.map((cell) => BigInt(day(where, cell as string))),
    );
  if (like?.names !== undefined && texts)
    return constant(
      'category',
      flat.map((name) => numberOf(where, like.names as readonly string[], name as string)),
    );
  if (like?.names !== undefined || !all((cell) => typeof cell === 'number' || typeof cell === 'bigint')) {
    const named = like?.names && `names of categories: ${shownNames(like.names)}`;
    const expected = `a value of this task, or ${named ?? 'numbers, booleans or dates of one sort'}`;
    const found = describe(value);
    throw wrongType(where, expected, found);
  }
  const numbers = flat as (number | bigint)[];
  const bad = numbers.find((number) => typeof number === 'number' && !Number.isFinite(number));
  if (bad !== undefined) {
    const problem = `${where}: expected finite numbers, found ${describe(bad)}`;
    throw failure('input.not_a_number', problem, { where, found: describe(bad) });
  }
  const decimals = numbers.reduce((most: number, number) => Math.max(most, decimalsOf(number)), 0);
  const units = numbers.map((number) => toUnits(number, decimals) as bigint);
  if (like?.kind === 'category' && like.names === undefined && decimals === 0) {
    const last = BigInt(like.categories ?? 0) - 1n;
    const beyond = units.find((unit) => unit < 0n || unit > last);
    if (beyond === undefined) return constant('category', units);
    const [found, expected] = [String(beyond), `a category: 0 to ${last}`];
    throw failure('range.value', `${where}: expected ${expected}, found ${found}`, {
      where,
      found,
      expected,
    });
  }
  const isWritten = (unit: bigint): boolean => unit <= MOST_QUICK && unit >= -MOST_QUICK;
  if (like?.kind === 'real' && (like.ofDoubles || !units.every(isWritten)))
    return constant('real', numbers.map(Number));
  return constant('integer', units, decimals);
}

function numberOf(where: string, names: readonly string[], name: string): bigint {
  const number = names.indexOf(name);
  if (number >= 0) return BigInt(number);
  const [found, expected] = [describe(name), `one of ${shownNames(names)}`];
  throw failure('range.value', `${where}: expected ${expected}, found ${found}`, { where, found, expected });
}

/** The nearest numbers with so many decimals that are not below, or not above; others as they are. */
export function roundedTo(constant: Constant, decimals: number, up: boolean): Constant {
  const more = constant.decimals - decimals;
  if (constant.kind !== 'integer' || more <= 0) return constant;
  const unit = powerOfTen(more);
  const rounded = (cell: bigint): bigint => {
    const whole = cell / unit;
    const rest = cell % unit;
    if (rest === 0n || rest > 0n !== up) return whole;
    return up ? whole + 1n : whole - 1n;
  };
  return { ...constant, decimals, cells: constant.cells.map((cell) => rounded(BigInt(cell))) };
}

/** Whether each number has no more decimals: booleans. */
export function haveNoMore(constant: Constant, decimals: number): Constant {
  const unit = powerOfTen(Math.max(constant.decimals - decimals, 0));
  const cells = constant.cells.map((cell) => (BigInt(cell) % unit === 0n ? 1n : 0n));
  return { ...constant, kind: 'boolean', decimals: 0, cells };
}

/** Reals, of the double that is the nearest to each cell. */
export function mapDoubles(constant: Constant, to: (cell: number) => number): Constant {
  const { cells, decimals } = constant;
  const double = (cell: bigint | number): number =>
    typeof cell === 'number' ? cell : Number(`${cell}e-${decimals}`);
  return { ...constant, kind: 'real', decimals: 0, cells: cells.map((cell) => to(double(cell))) };
}

/** The attributes of `value.constant`, with at least so many decimals; a single cell in that shape. Errors: OutOfRangeError. */
export function constantAttributes(
  where: string,
  { kind, shape, categories, names, cells, decimals: own }: Constant,
  decimals = own,
  filled: Shape = shape,
): Record<string, unknown> {
  const factor = kind === 'integer' ? powerOfTen(decimals - own) : 1n;
  const scaled = cells.map((cell) => (typeof cell === 'bigint' ? exact(where, cell * factor) : cell));
  const [first] = scaled;
  const same = scaled.every((cell) => cell === first);
  return {
    kind,
    shape: shape.length === 0 ? filled : shape,
    decimals: kind === 'integer' && decimals > 0 ? decimals : undefined,
    categories,
    names,
    value: same ? first : kind === 'real' ? doubles(scaled as number[]) : scaled,
  };
}

/** An integer that the core can take. Errors: OutOfRangeError `range.integer`. */
export function exact(where: string, units: bigint): bigint {
  if (units >= -MOST && units <= MOST) return units;
  throw failure('range.integer', `${where}: a known number with all decimals exceeds 127 bits`, {
    where,
    expected: { max: `${MOST}` },
  });
}

function day(where: string, date: Day): number {
  const days = dayNumber(date);
  if (days !== undefined) return days;
  const found = typeof date === 'string' ? describe(date) : 'a time within one';
  const problem = `${where}: expected days, as midnight UTC, found ${found}`;
  throw failure('input.not_a_number', problem, { where, found });
}

/** As the core reads doubles. */
export function doubles(cells: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(8 * cells.length));
  for (const [at, cell] of cells.entries()) view.setFloat64(8 * at, cell, true);
  return new Uint8Array(view.buffer);
}

/** Appends the cells, and gives the shape that their nesting has. */
function flatten(where: string, value: unknown, flat: unknown[]): Shape {
  if (ArrayBuffer.isView(value) && 'length' in value) {
    const cells = value as unknown as ArrayLike<number | bigint>;
    for (let at = 0; at < cells.length; at++) flat.push(cells[at]);
    return checkedShape(where, [cells.length]);
  }
  if (!Array.isArray(value)) {
    flat.push(value);
    return [];
  }
  let inner: Shape | undefined;
  for (const part of value as unknown[]) {
    const shape = flatten(where, part, flat);
    if (inner === undefined) inner = shape;
    if (`${inner}` === `${shape}` && inner.length === shape.length) continue;
    const problem = `${where}: an array of parts of unequal shapes, [${inner.join(', ')}] and [${shape.join(', ')}]`;
    throw failure('graph.shape', problem, { where, found: [inner, shape] });
  }
  const shape = [value.length, ...(inner ?? [])];
  checkedShape(where, shape);
  return cellsOf(shape) === 0 ? [] : shape;
}
