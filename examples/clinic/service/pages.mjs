/** Lists in pages: a page says where the next one begins, by a header `link` (RFC 8288), and has none where it is the last. */

/** Of one answer. */
const PAGE = 200;

/**
 * The rows of a query that come behind a place, by when they were made. Of several queries the rows of any, each once: each has an index, which one with `or` does not have.
 * @param {import('knex').Knex.QueryBuilder | import('knex').Knex.QueryBuilder[]} queries
 * @param {string | undefined} after what `next` of the page before was
 * @param {string} table whose columns `created` and `id` say the order
 * @param {(row: any) => any[]} place what these are in a row
 */
export async function pageOf(queries, after, table, place = ({ created, id }) => [created, id]) {
  const columns = [`${table}.created`, `${table}.id`];
  const pages = [queries].flat().map((query) => {
    if (after !== undefined) {
      const [created, id] = after.split('_');
      query.whereRaw('(??, ??) > (?, ?)', [...columns, Number(created), id]);
    }
    return query.orderBy(columns).limit(PAGE + 1);
  });
  return cut(await (pages.length > 1 ? merged(pages, ['created', 'id'], PAGE + 1) : pages[0]), (row) =>
    place(row).join('_'),
  );
}

/** The same of rows in order of their names, of which there are no two. */
export async function pageByName(query, after) {
  if (after !== undefined) query.where('name', '>', after);
  return cut(await query.orderBy('name').limit(PAGE + 1), ({ name }) => name);
}

/** One row more than a page says that there is another page. */
function cut(rows, place) {
  if (rows.length <= PAGE) return { rows, next: undefined };
  rows.pop();
  return { rows, next: place(rows.at(-1)) };
}

/** Pages of several queries as one, in the order of the database: of texts this language has another one. */
export function merged(pages, order, most) {
  const [one, ...others] = pages.map((page) =>
    page.client.queryBuilder().select('page.*').from(page.as('page')),
  );
  return one.union(others).orderBy(order).limit(most);
}

/** Sends a page; `query`: what was asked besides. */
export function sendPage(reply, { items, next }, query = {}) {
  if (next !== undefined)
    reply.header('link', `<?${new URLSearchParams({ ...query, after: next })}>; rel="next"`);
  return items;
}
