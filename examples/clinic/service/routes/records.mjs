/** Encrypted records and grants. */
import { sendPage } from '../pages.mjs';
import * as schemas from '../schemas.mjs';

export function closed(app, { records, may }) {
  const ofId = { schema: { params: schemas.byId } };
  const write = may('records.write');
  app.get('/records', { schema: { querystring: schemas.recordPage } }, async ({ user, query }, reply) => {
    const page = await records.list(user, query);
    return sendPage(reply, page, page.query);
  });
  app.post('/records', { schema: { body: schemas.record }, ...write }, async ({ user, body }, reply) => {
    reply.code(201);
    return records.add(user, body);
  });
  app.delete('/records/:id', { ...ofId, ...write }, async ({ user, params }, reply) => {
    await records.delete(user, params.id);
    return reply.code(204).send();
  });
  const grants = { schema: { params: schemas.byId, querystring: schemas.page }, ...write };
  app.get('/records/:id/grants', grants, async ({ user, params, query }, reply) =>
    sendPage(reply, await records.grants(user, params.id, query)),
  );
  const grant = { schema: { params: schemas.byId, body: schemas.grant }, ...write };
  app.post('/records/:id/grants', grant, async ({ user, params, body }, reply) => {
    reply.code(201);
    return records.grant(user, params.id, body);
  });
  const ofGrant = { schema: { params: schemas.byGrant }, ...write };
  app.delete('/records/:id/grants/:grant', ofGrant, async ({ user, params }, reply) => {
    await records.revoke(user, params.id, params.grant);
    return reply.code(204).send();
  });
}
