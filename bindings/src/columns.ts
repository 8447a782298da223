/** From values as people have them to the scaled integers that are encrypted. */
import { checkArgument, describe, sortOf, VALUES } from './arguments.js';
import { type CipherloomError, failure } from './errors.js';
import { decimalsOf, ExactDecimal, quickUnits, toUnits } from './exact.js';
import type { Integers } from './raw.js';
import type { InputInfo, Values } from './types.js';

/** What was declared of a column. Bounds in units of 10^-decimals. */
export interface ColumnRule {
  readonly name: string;
  readonly rows: number;
  readonly decimals: number;
  readonly missing: boolean;
  readonly min: bigint;
  readonly max: bigint;
}

/** What an input of a program declares. */
export function ruleOf({ name, rows, decimals, missing, min, max }: InputInfo): ColumnRule {
  return { name, rows, decimals, missing, min: min.units, max: max.units };
}

/** A column as integers of 10^-decimals, 0 where a row is missing. */
export interface UnitColumn {
  readonly units: Integers;
  /** 1 where a row is there; undefined if the column has no missing rows by declaration. */
  readonly present: Uint8Array<ArrayBuffer> | undefined;
}

/** The largest magnitude that the core takes as an input. */
export const MAX_UNITS = 2n ** 62n - 1n;

/**
 * Checks and scales a column. Errors name the column and the first row that is wrong, counted from 0; the value that
 * stands there only with `showValues`, since errors reach logs.
 */
export function encodeColumn(rule: ColumnRule, values: Values, showValues = false): UnitColumn {
  checkLength(rule, values);
  const present = rule.missing ? new Uint8Array(rule.rows) : undefined;
  const put = (set: (row: number, value: number | bigint) => void): void => {
    for (let row = 0; row < rule.rows; row++) {
      const value = values[row];
      if (isMissing(value)) {
        if (present === undefined) throw missingValue(rule, row, value);
        continue;
      }
      set(row, value);
      if (present !== undefined) present[row] = 1;
    }
  };
  const [min, max] = [Number(rule.min), Number(rule.max)];
  if (!Number.isSafeInteger(min) || !Number.isSafeInteger(max)) {
    const units = new BigInt64Array(rule.rows);
    put((row, value) => {
      units[row] = encodeValue(rule, row, value, showValues);
    });
    return { units, present };
  }
  const units = new Float64Array(rule.rows);
  const scale = 10 ** rule.decimals;
  put((row, value) => {
    // Most values need no integer of many digits.
    const quick = typeof value === 'number' && rule.decimals <= 22 ? quickUnits(value, scale) : undefined;
    units[row] =
      quick !== undefined && quick >= min && quick <= max
        ? quick
        : Number(encodeValue(rule, row, value, showValues));
  });
  return { units, present };
}

function isMissing(value: number | bigint | null | undefined): value is null | undefined {
  return value === null || value === undefined || Number.isNaN(value);
}

function encodeValue(rule: ColumnRule, row: number, value: number | bigint, showValues: boolean): bigint {
  const units = scaled(rule.name, row, value, rule.decimals, showValues);
  if (units < rule.min || units > rule.max) {
    const min = new ExactDecimal(rule.min, rule.decimals).toString();
    const max = new ExactDecimal(rule.max, rule.decimals).toString();
    const shown = showValues ? String(value) : 'a value';
    throw failure('range.value', `${place(rule.name, row)}: ${shown} is not in ${min}..${max}`, {
      column: rule.name,
      row,
      ...(showValues && { found: String(value) }),
      expected: { min, max },
    });
  }
  return units;
}

/**
 * A value as an integer of 10^-decimals. Errors: not a number, too many decimals; they tell the value with
 * `showValues`.
 */
export function scaled(
  column: string,
  row: number,
  value: number | bigint,
  decimals: number,
  showValues: boolean,
): bigint {
  if (typeof value !== 'bigint' && !Number.isFinite(value)) {
    const found = showValues ? describe(value) : sortOf(value);
    throw failure('input.not_a_number', `${place(column, row)}: expected a finite number, found ${found}`, {
      column,
      row,
      found,
    });
  }
  const units = toUnits(value, decimals);
  if (units !== undefined) return units;
  const shown = showValues ? `${value} has ${decimalsOf(value)} decimals` : 'too many decimals';
  throw failure('input.decimals', `${place(column, row)}: ${shown}, at most ${decimals} were declared`, {
    column,
    row,
    ...(showValues && { value: String(value), found: decimalsOf(value) }),
    expected: decimals,
  });
}

/** Where a value stands, for people. */
function place(column: string, row: number): string {
  return `Column "${column}", row ${row} (counted from 0)`;
}

function checkLength(rule: ColumnRule, values: Values): void {
  checkArgument(`Column ${describe(rule.name)}`, values, VALUES);
  if (values.length === rule.rows) return;
  throw failure('input.length', `Column "${rule.name}": expected ${rule.rows} rows, found ${values.length}`, {
    column: rule.name,
    found: values.length,
    expected: rule.rows,
  });
}

function missingValue(rule: ColumnRule, row: number, value: unknown): CipherloomError {
  return failure(
    'input.missing_value',
    `${place(rule.name, row)}: no value, but the column was declared without missing rows`,
    { column: rule.name, row, found: String(value) },
  );
}
