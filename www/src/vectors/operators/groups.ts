/** Numbers of a CSV column by group: an operator of `VectorMap` over records, its reducer, and one that makes means of sums. */
import type { Data, MapFunction, ReduceFunction } from 'cipherloom/job';
import { exactly, meanOf, numberOf, sumOf } from './decimals.js';
import { cellsOf } from './records.js';

/** How a table is written, and where it has what is asked for: one for each table, in the global `tables`. */
export interface Columns {
  readonly delimiter: string;
  readonly mark: '.' | ',';
  /** How many there are. */
  readonly width: number;
  /** Numbers of the columns. */
  readonly group: number;
  readonly value: number;
}

/** A row's value: the number of its table, and the record. */
export type TableRecord = readonly [table: number, record: string];

/** What is kept of a group: all that two of them can be added to. The sum is a decimal, so that it is exact. */
type Sums = readonly [count: number, sum: string, least: number, most: number];

export const read: MapFunction = ([, value], context) => {
  const [table, record] = value as unknown as TableRecord;
  const columns = context.globals['tables']!.get(table) as unknown as Columns;
  const cells = cellsOf(record, columns.delimiter);
  if (cells.length !== columns.width)
    throw new Error(`it has ${cells.length} fields, the table has ${columns.width} columns`);
  const number = numberOf(cells[columns.value]!, columns.mark);
  if (number === undefined) return;
  context.emit(cells[columns.group]!.trim(), [1, String(number), number, number] satisfies Sums);
};

export const add: ReduceFunction = (_, a, b) => {
  const [some, others] = [a as unknown as Sums, b as unknown as Sums];
  const sums: Sums = [
    some[0] + others[0],
    sumOf(some[1], others[1]),
    Math.min(some[2], others[2]),
    Math.max(some[3], others[3]),
  ];
  return sums as Data;
};

/** A sum that no double is comes as text, with all digits. */
export const finish: MapFunction = ([, value]) => {
  const [count, sum, least, most] = value as unknown as Sums;
  return { count, sum: exactly(sum), mean: meanOf(sum, count), least, most };
};
