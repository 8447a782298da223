/** The audit log. */
import { verifyChain } from '../audit.mjs';
import * as schemas from '../schemas.mjs';

const PAGE = 200;

export function closed(app, { database, may }) {
  app.get(
    '/audit',
    { schema: { querystring: schemas.auditQuery }, ...may('audit.read') },
    async ({ query }) =>
      database
        .db('audit')
        .where('seq', '>', Number(query.after ?? 0))
        .orderBy('seq')
        .limit(PAGE),
  );
  app.get('/audit/check', may('audit.read'), async () => verifyChain(entries(database.db)));
}

/** All entries, a page at a time. */
export async function* entries(db) {
  for (let after = 0; ;) {
    const page = await db('audit').where('seq', '>', after).orderBy('seq').limit(PAGE);
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1).seq;
  }
}
