/** Columns of numbers: what they are like (of `MatrixMap` by cells, of `VectorMap` by rows), cells that are far from their column's others, and how far rows are from each other. */
import type { Data, Global, MapFunction, Position, ReduceFunction } from 'cipherloom/job';

/** What is kept of numbers: all that two of these can be put together of. `squares`: of the differences from the mean. */
export type Moments = readonly [count: number, mean: number, squares: number, least: number, most: number];

/** A row of numbers; null where one is missing. */
export type Point = readonly (number | null)[];

const momentsOf = (number: number): Moments => [1, number, 0, number, number];

/** Of a cell, to its column. */
export const cell: MapFunction = ([key, value], context) => {
  const [, column] = key as unknown as Position;
  context.emit(column, momentsOf(value as number) as Data);
};

/** Of a row, to each of its columns. */
export const spread: MapFunction = ([, value], context) => {
  for (const [column, number] of (value as unknown as Point).entries())
    if (number !== null) context.emit(column, momentsOf(number) as Data);
};

/** Without a sum of squares, which would lose digits (Chan, Golub, LeVeque 1979). */
export const merge: ReduceFunction = (_, a, b) => {
  const [count, mean, squares, least, most] = a as unknown as Moments;
  const [others, otherMean, otherSquares, otherLeast, otherMost] = b as unknown as Moments;
  const all = count + others;
  const apart = otherMean - mean;
  const both: Moments = [
    all,
    mean + (apart * others) / all,
    squares + otherSquares + (apart * apart * count * others) / all,
    Math.min(least, otherLeast),
    Math.max(most, otherMost),
  ];
  return both as Data;
};

/** As people read it. */
export const finish: MapFunction = ([, value]) => {
  const [count, mean, , least, most] = value as unknown as Moments;
  return { count, mean, deviation: deviationOf(value as unknown as Moments), least, most };
};

/** By how many standard deviations a cell is away from its column's mean, where that is at least what the global `limit` says. */
export const far: MapFunction = ([key, value], { globals }) => {
  const [, column] = key as unknown as Position;
  const away = standardOf(value as number, globals['columns']!, column);
  return Math.abs(away) >= (globals['limit']!.get('deviations') as number) ? away : undefined;
};

/** How far two rows are from each other, in standard deviations of their columns; what either has not is left out. Each pair once. */
export const distance: MapFunction = ([key, value], { globals }, other) => {
  const [otherKey, otherValue] = other!;
  if (key >= otherKey) return undefined;
  const [one, another] = [value as unknown as Point, otherValue as unknown as Point];
  let [sum, count] = [0, 0];
  for (const [column, number] of one.entries()) {
    const beside = another[column];
    if (number === null || beside === null || beside === undefined) continue;
    const columns = globals['columns']!;
    sum += (standardOf(number, columns, column) - standardOf(beside, columns, column)) ** 2;
    count += 1;
  }
  return count === 0 ? undefined : Math.sqrt(sum);
};

/** In standard deviations from the mean; 0 where all are alike. */
function standardOf(number: number, columns: Pick<Global, 'get'>, column: number): number {
  const moments = columns.get(column) as unknown as Moments;
  const deviation = deviationOf(moments);
  return deviation === 0 ? 0 : (number - moments[1]) / deviation;
}

/** Of the sample; 0 of a single number. */
function deviationOf([count, , squares]: Moments): number {
  return count < 2 ? 0 : Math.sqrt(squares / (count - 1));
}
