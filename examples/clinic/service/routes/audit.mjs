/** The audit log. */
import { verifyChain } from '../audit.mjs';
import { merged } from '../pages.mjs';
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
  // What one did oneself, and what became of the questions that one asked or whose answers one's key opens.
  app.get('/audit/own', { schema: { querystring: schemas.auditQuery } }, async ({ user, query }) => {
    const { db } = database;
    const mine = db('questions').where({ asker: user.id }).orWhere({ holder: user.id }).select('id');
    const pages = [db('audit').where({ actor: user.id }), db('audit').whereIn('subject', mine)].map((own) =>
      own
        .where('seq', '>', Number(query.after ?? 0))
        .orderBy('seq')
        .limit(PAGE)
        .select('seq', 'at', 'action', 'subject', 'details'),
    );
    return merged(pages, ['seq'], PAGE);
  });
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
