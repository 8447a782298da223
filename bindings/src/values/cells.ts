/** From cells as people have them to numbers that the core reads, and back. */
import { describe, sortOf } from '../arguments.js';
import { failure } from '../errors.js';
import { decimalsOf, ExactDecimal, MOST_QUICK, toUnits } from '../exact.js';
import type { RawCells, RawGivenCells } from '../raw.js';
import { lent } from '../worker/lent.js';
import { dayDate, dayNumber, isDate } from './days.js';
import type { DigitsOf } from './digits.js';
import { cellsOf, describeType, shownNames } from './type.js';
import type { Cells, Day, Decrypted, DecryptedExact, Shape, ValueType } from './types.js';

/** What was declared of a value. */
export interface ValueRule {
  readonly name: string;
  readonly type: ValueType;
  /** In units of 10^-decimals, days, numbers; none of booleans. */
  readonly min: bigint | number | undefined;
  readonly max: bigint | number | undefined;
  /** Of one that is made of another one's cells. */
  readonly digits?: DigitsOf | undefined;
}

/** Cells that a message can carry, and which are there; undefined where none can be missing. */
export interface EncodedValue {
  readonly cells: RawGivenCells;
  readonly present: Uint8Array<ArrayBuffer> | undefined;
}

/**
 * Checks and scales a value. Errors name it and the first cell that is wrong, counted from 0; the cell itself only with
 * `showValues`, since errors reach logs: InputError, OutOfRangeError `range.value`.
 */
export function encodeValue(rule: ValueRule, given: Cells, showValues = false): EncodedValue {
  return new Encoder(rule, showValues).encode(given);
}

class Encoder {
  readonly #rule: ValueRule;
  readonly #showValues: boolean;
  readonly #cells: RawGivenCells;
  readonly #present: Uint8Array<ArrayBuffer> | undefined;
  readonly #scale: number;
  /** The numbers of categories by their names. */
  readonly #numbers: ReadonlyMap<unknown, number> | undefined;
  /** The bounds, as far as doubles hold them. */
  readonly #low: number;
  readonly #high: number;
  #next = 0;

  constructor(rule: ValueRule, showValues: boolean) {
    this.#rule = rule;
    this.#showValues = showValues;
    const count = cellsOf(rule.type.shape);
    this.#cells = room(rule, count);
    this.#present = rule.type.missing ? new Uint8Array(count) : undefined;
    this.#scale = rule.type.decimals <= 22 ? 10 ** rule.type.decimals : Number.NaN;
    this.#numbers = rule.type.names && new Map(rule.type.names.map((name, number) => [name, number]));
    this.#low = Number(rule.min ?? -Infinity);
    this.#high = Number(rule.max ?? Infinity);
  }

  encode(given: unknown): EncodedValue {
    const { shape } = this.#rule.type;
    if (ArrayBuffer.isView(given) && !(given instanceof DataView)) this.#all(given as never, cellsOf(shape));
    else this.#part(given, shape);
    return { cells: this.#cells, present: this.#present };
  }

  #part(given: unknown, shape: Shape): void {
    const [length, ...rest] = shape;
    if (length === undefined) {
      this.#put(given);
    } else if (rest.length === 0) {
      this.#all(this.#array(given, length), length);
    } else {
      const parts = this.#array(given, length);
      for (let at = 0; at < length; at++) this.#part(parts[at], rest);
    }
  }

  #all(cells: ArrayLike<unknown>, length: number): void {
    if (cells.length !== length) throw this.#wrongShape(`an array of ${cells.length}`, `one of ${length}`);
    for (let at = 0; at < length; at++) {
      at = this.#quick(cells, at, length);
      if (at < length) this.#put(cells[at]);
    }
  }

  /** Takes numbers that need no integer of many digits, which most do not, up to the first other cell, whose place it returns. */
  #quick(given: ArrayLike<unknown>, from: number, length: number): number {
    const [cells, present, scale] = [this.#cells, this.#present, this.#scale];
    const { kind } = this.#rule.type;
    if (!(cells instanceof Float64Array) || (kind !== 'integer' && kind !== 'real')) return from;
    const first = this.#next - from;
    const isReal = kind === 'real';
    const most = isReal ? Number.MAX_VALUE : MOST_QUICK;
    const [low, high] = [Math.max(this.#low, -most), Math.min(this.#high, most)];
    let at = from;
    // As quickUnits, with nothing in the loops that is no number; Math.round alone would take three times as long as the rest.
    if (isReal || scale === 1) {
      for (; at < length; at++) {
        const cell = given[at];
        if (typeof cell !== 'number' || !(cell >= low && cell <= high)) break;
        if (!isReal && Math.floor(cell) !== cell) break;
        cells[first + at] = cell;
      }
    } else {
      for (; at < length; at++) {
        const cell = given[at];
        if (typeof cell !== 'number') break;
        const units = Math.floor(cell * scale + 0.5);
        if (!(units >= low && units <= high && units / scale === cell)) break;
        cells[first + at] = units;
      }
    }
    present?.fill(1, first + from, first + at);
    this.#next = first + at;
    return at;
  }

  #array(given: unknown, length: number): ArrayLike<unknown> {
    const isArray =
      typeof given === 'object' && typeof (given as ArrayLike<unknown> | null)?.length === 'number';
    if (isArray && (given as ArrayLike<unknown>).length === length) return given as ArrayLike<unknown>;
    const found = isArray ? `an array of ${(given as ArrayLike<unknown>).length}` : sortOf(given);
    throw this.#wrongShape(found, `an array of ${length}`);
  }

  #put(cell: unknown): void {
    const at = this.#next;
    this.#next += 1;
    if (cell === null || cell === undefined || Number.isNaN(cell)) {
      if (this.#present === undefined) {
        const problem = `${this.#at(at)}: no value, but the input was declared without missing cells`;
        throw failure('input.missing_value', problem, {
          input: this.#rule.name,
          cell: at,
          found: String(cell),
        });
      }
      if (Array.isArray(this.#cells)) this.#cells[at] = '0';
      return;
    }
    if (this.#present !== undefined) this.#present[at] = 1;
    const { min, max, type } = this.#rule;
    const units = this.#units(cell, at, type.decimals);
    if ((min !== undefined && units < min) || (max !== undefined && units > max))
      throw this.#outside(cell, at);
    if (this.#cells instanceof Float64Array) this.#cells[at] = Number(units);
    else if (this.#cells instanceof BigInt64Array) this.#cells[at] = BigInt(units);
    else this.#cells[at] = String(units);
  }

  #units(cell: unknown, at: number, decimals: number): bigint | number {
    switch (this.#rule.type.kind) {
      case 'boolean':
        if (typeof cell === 'boolean') return Number(cell);
        // As a typed array has them.
        if (cell === 0 || cell === 1) return cell;
        throw this.#wrongKind(cell, at, 'true or false');
      case 'date': {
        const day = typeof cell === 'string' || isDate(cell) ? dayNumber(cell as Day) : undefined;
        if (day !== undefined) return day;
        throw this.#wrongKind(
          cell,
          at,
          'a day of the calendar, such as "2024-02-29", or a Date at midnight UTC',
        );
      }
      case 'category':
        if (this.#numbers !== undefined) {
          const number = this.#numbers.get(cell);
          if (number !== undefined) return number;
          throw this.#wrongKind(cell, at, `one of ${shownNames(this.#rule.type.names ?? [])}`);
        }
        if (typeof cell === 'number' && Number.isInteger(cell)) return cell;
        throw this.#wrongKind(cell, at, 'the whole number of a category');
      case 'real':
        if (typeof cell === 'bigint') return Number(cell);
        if (typeof cell === 'number' && Number.isFinite(cell)) return cell;
        throw this.#wrongKind(cell, at, 'a finite number');
      case 'integer': {
        if (typeof cell !== 'bigint' && !(typeof cell === 'number' && Number.isFinite(cell)))
          throw this.#wrongKind(cell, at, 'a finite number');
        const units = toUnits(cell, decimals);
        if (units !== undefined) return units;
        const shown = this.#showValues ? `${cell} has ${decimalsOf(cell)} decimals` : 'too many decimals';
        throw failure('input.decimals', `${this.#at(at)}: ${shown}, at most ${decimals} were declared`, {
          input: this.#rule.name,
          cell: at,
          ...(this.#showValues && { value: String(cell), found: decimalsOf(cell) }),
          expected: decimals,
        });
      }
    }
  }

  #wrongKind(cell: unknown, at: number, expected: string): Error {
    const found = this.#showValues ? describe(cell) : sortOf(cell);
    return failure('input.kind', `${this.#at(at)}: expected ${expected}, found ${found}`, {
      input: this.#rule.name,
      cell: at,
      found,
      expected,
    });
  }

  #outside(cell: unknown, at: number): Error {
    const { min, max, type, name } = this.#rule;
    const [low, high] = [min, max].map((bound) => bound !== undefined && String(shownBound(bound, type)));
    const shown = this.#showValues ? String(cell) : 'a value';
    return failure('range.value', `${this.#at(at)}: ${shown} is not in ${low}..${high}`, {
      input: name,
      cell: at,
      ...(this.#showValues && { found: String(cell) }),
      expected: { min: low, max: high },
    });
  }

  #wrongShape(found: string, expected: string): Error {
    const { name, type } = this.#rule;
    const problem = `Input "${name}" (${describeType(type)}): expected ${expected}, found ${found}`;
    return failure('input.shape', problem, { input: name, found, expected, shape: type.shape });
  }

  /** Where a cell stands, for people. */
  #at(index: number): string {
    const { name, type } = this.#rule;
    let rest = index;
    const place = type.shape.toReversed().map((length) => {
      const at = rest % length;
      rest = (rest - at) / length;
      return at;
    });
    return `Input "${name}"${place.length === 0 ? '' : `, cell [${place.reverse().join(', ')}] (counted from 0)`}`;
  }
}

/** A bound as it was declared. */
export function shownBound(
  bound: bigint | number,
  { kind, decimals }: ValueType,
): ExactDecimal | number | Date {
  if (kind === 'integer') return new ExactDecimal(BigInt(bound), decimals);
  return kind === 'date' ? dayDate(Number(bound)) : Number(bound);
}

/** Doubles where they hold all that there can be. */
function room({ type, min = 0, max = 0 }: ValueRule, count: number): RawGivenCells {
  const unbounded = type.kind === 'integer' && (typeof min === 'number' || typeof max === 'number');
  const within = (least: bigint | number, most: bigint | number): boolean => min >= least && max <= most;
  if (type.kind === 'real' || (!unbounded && within(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)))
    return new Float64Array(lent('cleared', 8 * count), 0, count);
  if (!unbounded && within(-(2n ** 63n), 2n ** 63n - 1n))
    return new BigInt64Array(lent('cleared', 8 * count), 0, count);
  return Array<string>(count).fill('0');
}

/** A decrypted value as people have it; `exact`: integers as decimals. */
export function decodeValue(type: ValueType, raw: RawCells, exact: true): DecryptedExact;
export function decodeValue(type: ValueType, raw: RawCells, exact: false): Decrypted;
export function decodeValue(type: ValueType, raw: RawCells, exact: boolean): Decrypted | DecryptedExact {
  const { integers, present } = raw;
  const unit = (at: number): bigint => BigInt(integers?.[at] ?? 0n);
  const cell = (at: number): Decrypted | DecryptedExact => {
    if (present !== undefined && present[at] === 0) return null;
    switch (type.kind) {
      case 'integer': {
        if (!exact && type.decimals === 0) return raw.cells[at] as number;
        const decimal = new ExactDecimal(unit(at), type.decimals);
        return exact ? decimal : decimal.toNumber();
      }
      case 'boolean':
        return raw.cells[at] === 1;
      case 'date':
        return dayDate(raw.cells[at] as number);
      case 'category':
        return type.names?.[raw.cells[at] as number] ?? (raw.cells[at] as number);
      case 'real':
        return raw.cells[at] as number;
    }
  };
  let next = 0;
  const part = (shape: Shape): DecryptedExact => {
    const [length, ...rest] = shape;
    if (length === undefined) return cell(next++) as DecryptedExact;
    return Array.from({ length }, () => part(rest));
  };
  return part(type.shape) as Decrypted | DecryptedExact;
}
