/** A private look-up: entries of a table by encrypted numbers, which whoever computes it does not see. */
import { unexpected } from '../arguments.js';
import type { Value } from './types.js';

/**
 * table[x], cell by cell: sum over k of (x = k) table[k], 0 where x is no number of an entry. A single x is compared with all numbers at once, in slots of its own; `many` of
 * them fill slots themselves, and are compared with one number after the other.
 */
export function lookup(x: Value, table: Value, many: boolean): Value {
  const where = 'lookup';
  if (table.missing) throw unexpected('graph.missing', where, 'a complete table', 'one with missing cells');
  if (!['integer', 'category'].includes(x.kind))
    throw unexpected(
      'operator.invalid',
      where,
      'integers or categories, the numbers of entries',
      `kind ${x.kind}`,
    );
  if (!['integer', 'real'].includes(table.kind))
    throw unexpected('operator.invalid', where, 'a table of numbers', `one of kind ${table.kind}`);
  const [entries, ...rest] = table.shape;
  if (entries === undefined) throw unexpected('graph.shape', where, 'a table', 'a single value');
  const { categories = 0, names, shape } = x;
  if (categories > entries)
    throw unexpected(
      'graph.shape',
      where,
      `an entry for each of ${categories} categories`,
      `${entries} entries`,
    );
  const numbers: readonly (number | string)[] =
    names ?? Array.from({ length: categories || entries }, (_, at) => at);
  if (!many) {
    const is = x.broadcast([numbers.length]).equals(numbers);
    const own = is.reshape([numbers.length, ...rest.map(() => 1)]);
    return own.multiply(table.slice(0, numbers.length)).sum(0);
  }
  const of = numbers.map((number, at) => {
    const is = x.equals(number).reshape([...shape, ...rest.map(() => 1)]);
    return is.multiply(table.at(at));
  });
  return of.reduce((sum, one) => sum.add(one));
}
