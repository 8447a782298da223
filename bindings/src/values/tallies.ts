/** Statistics that count in groups: made of comparisons and sums. What is encrypted the client puts together, after decryption, as other statistics. */
import { describe, wrongType } from '../arguments.js';
import { dayNumber, isDate } from './days.js';
import { single, together, total } from './finishing.js';
import type { ComparisonOptions, Day, Value } from './types.js';

type Edge = number | bigint | Day;
const MOST_EDGES = 257;

/** How many cells are of each category, from the first one on; of those that are there. */
export function counts(x: Value): Value {
  const where = 'counts';
  if (x.categories === undefined) throw wrongType(where, 'a value of categories', `kind ${x.kind}`);
  return together(Array.from({ length: x.categories }, (_, at) => total(x.equals(x.names?.[at] ?? at))));
}

/** How many cells lie from each edge up to the next one; the last one's end is in it. */
export function histogram(x: Value, edges: readonly Edge[], options?: ComparisonOptions): Value {
  checkEdges('histogram', x, edges, ['integer', 'real', 'date']);
  return together(bins(x, edges, options));
}

/**
 * The least y such that `share` of the cells are at most y, as far as counts in bins tell: in the bin that it falls into cells are taken to lie evenly.
 * No value where it falls into none.
 */
export function quantile(
  x: Value,
  share: number,
  edges: readonly Edge[],
  options?: ComparisonOptions,
): Value {
  const where = 'quantile';
  if (typeof share !== 'number' || !(share > 0 && share <= 1))
    throw wrongType(where, 'a share above 0, at most 1', describe(share));
  checkEdges(where, x, edges, ['integer', 'real']);
  const numbers = edges as readonly (number | bigint)[];
  const [least] = numbers as [number | bigint];
  const wanted = single(x.count()).multiply(share);
  let below = total(x.lessThan(least, options));
  const inside: Value[] = [];
  const values: Value[] = [];
  for (const [bin, count] of bins(x, numbers, options).entries()) {
    const [from, to] = [numbers[bin], numbers[bin + 1]] as [number | bigint, number | bigint];
    const [start, end] = [below, below.add(count)];
    const isIn = start.lessThan(wanted).and(end.atLeast(wanted));
    // A bin without cells is not chosen, whatever it is divided by.
    const part = wanted.sub(start).divide(count.max(1));
    inside.push(isIn.select(1, 0));
    values.push(isIn.select(part.multiply(to).sub(part.multiply(from)).add(from), 0));
    below = end;
  }
  // One bin has it, or none, and then there is nothing to divide by.
  return summed(values).divide(summed(inside));
}

/** Of each bin how many cells lie in it. */
function bins(x: Value, edges: readonly Edge[], options?: ComparisonOptions): Value[] {
  const last = edges.length - 1;
  const from = edges.map((edge, at) =>
    at === last ? x.greaterThan(edge, options) : x.atLeast(edge, options),
  );
  return from.slice(0, last).map((cell, at) => total(cell.sub(from[at + 1] as Value)));
}

function summed(all: readonly Value[]): Value {
  return all.reduce((sum, one) => sum.add(one));
}

function checkEdges(where: string, { kind }: Value, edges: readonly Edge[], kinds: readonly string[]): void {
  if (!kinds.includes(kind)) throw wrongType(where, `a value of kind ${kinds.join(' or ')}`, `kind ${kind}`);
  const what = kind === 'date' ? 'days' : 'numbers';
  const expected = `2 to ${MOST_EDGES} increasing ${what}, the edges of bins`;
  if (!Array.isArray(edges) || edges.length < 2 || edges.length > MOST_EDGES)
    throw wrongType(where, expected, describe(edges));
  const numberOf = (edge: unknown): number | bigint | undefined => {
    if (kind === 'date') return typeof edge === 'string' || isDate(edge) ? dayNumber(edge) : undefined;
    return typeof edge === 'bigint' || Number.isFinite(edge) ? (edge as number | bigint) : undefined;
  };
  for (const [at, edge] of edges.entries()) {
    const [before, own] = [at === 0 ? undefined : numberOf(edges[at - 1]), numberOf(edge)];
    if (own === undefined || (before !== undefined && !(before < own)))
      throw wrongType(where, expected, `${describe(edge)} as number ${at} of them, counted from 0`);
  }
}
