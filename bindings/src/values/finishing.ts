/** What statistics are put together from: sums that the client has where it may, so that what is made of them costs the server nothing. */
import type { Value } from './types.js';

/** The sum of the cells that are there. */
export function total(cells: Value): Value {
  return single(cells.sum());
}

/** A single value, the client's where it may be. */
export function single(value: Value): Value {
  return value.place === 'encrypted' && !value.finished ? value.finish() : value;
}

/** Single values as a vector. */
export function together(all: readonly Value[]): Value {
  const [first, ...others] = all.map((one) => one.reshape([1])) as [Value, ...Value[]];
  return others.length > 0 ? first.concat(others) : first;
}
