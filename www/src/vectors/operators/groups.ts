/** Numbers of a CSV column by group: an operator of `VectorMap` over records, its reducer, and one that makes means of sums. */
import type { Data, MapFunction, ReduceFunction } from 'cipherloom/job';
import { cellsOf } from './records.js';

/** Where a table has what is asked for: one for each table, in the global `tables`. */
export interface Columns {
  readonly delimiter: string;
  /** Numbers of the columns. */
  readonly group: number;
  readonly value: number;
}

/** A row's value: the number of its table, and the record. */
export type TableRecord = readonly [table: number, record: string];

/** Cells that mean "no value", in lower case. */
const MISSING = new Set(['', 'na', 'n/a', 'null', 'nan']);

/** What is kept of a group: all that two of them can be added to. */
type Sums = readonly [count: number, sum: number, least: number, most: number];

export const read: MapFunction = ([, value], context) => {
  const [table, record] = value as unknown as TableRecord;
  const columns = context.globals['tables']!.get(table) as unknown as Columns;
  const cells = cellsOf(record, columns.delimiter);
  const text = cells[columns.value]?.trim() ?? '';
  if (MISSING.has(text.toLowerCase())) return;
  const number = Number(text);
  if (!Number.isFinite(number)) throw new Error(`“${text}” is no number`);
  context.emit(cells[columns.group]?.trim() ?? '', [1, number, number, number] satisfies Sums);
};

export const add: ReduceFunction = (_, a, b) => {
  const [some, others] = [a as unknown as Sums, b as unknown as Sums];
  const sums: Sums = [
    some[0] + others[0],
    some[1] + others[1],
    Math.min(some[2], others[2]),
    Math.max(some[3], others[3]),
  ];
  return sums as Data;
};

export const finish: MapFunction = ([, value]) => {
  const [count, sum, least, most] = value as unknown as Sums;
  return { count, sum, mean: sum / count, least, most };
};
