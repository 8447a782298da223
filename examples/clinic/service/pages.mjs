/** Lists in pages: a page says where the next one begins, by a header `link` (RFC 8288), and has none where it is the last. */

/** Of one answer. */
const PAGE = 200;

/**
 * The rows of a query that come behind a place, by when they were made. Of several queries, no row of which is another's, all rows: each has its own index, as one with `or` has none.
 * @param {import('knex').Knex.QueryBuilder | import('knex').Knex.QueryBuilder[]} queries
 * @param {string | undefined} after what `next` of the page before was
 * @param {string} table whose columns `created` and `id` say the order
 * @param {(row: any) => any[]} place what these are in a row
 */
export async function pageOf(queries, after, table, place = ({ created, id }) => [created, id]) {
  const columns = [`${table}.created`, `${table}.id`];
  const all = [queries].flat();
  const [query, ...others] = all;
  if (after !== undefined) {
    const [created, id] = after.split('_');
    for (const each of all) each.whereRaw('(??, ??) > (?, ?)', [...columns, Number(created), id]);
  }
  if (others.length > 0) query.unionAll(others);
  // Of a union they have no table.
  for (const column of others.length > 0 ? ['created', 'id'] : columns) query.orderBy(column);
  const rows = await query.limit(PAGE + 1);
  if (rows.length <= PAGE) return { rows, next: undefined };
  rows.pop();
  return { rows, next: place(rows.at(-1)).join('_') };
}

/** Sends a page; `query`: what was asked besides. */
export function sendPage(reply, { items, next }, query = {}) {
  if (next !== undefined)
    reply.header('link', `<?${new URLSearchParams({ ...query, after: next })}>; rel="next"`);
  return items;
}
