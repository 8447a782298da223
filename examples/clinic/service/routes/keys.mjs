/** Keys, and requests for them. */
import { sendPage } from '../pages.mjs';
import * as schemas from '../schemas.mjs';

export function closed(app, { keys, may }) {
  const ofId = { schema: { params: schemas.byId } };
  const keyList = { schema: { querystring: schemas.keyQuery }, ...may('keys.read') };
  app.get('/keys', keyList, async ({ query }, reply) => sendPage(reply, await keys.list(query), query));
  app.post(
    '/keys',
    { schema: { body: schemas.key }, ...may('keys.write') },
    async ({ user, body }, reply) => {
      reply.code(201);
      return keys.add(user, body);
    },
  );
  app.post('/keys/:id/retire', { ...ofId, ...may('keys.write') }, async ({ user, params }, reply) => {
    await keys.retire(user, params.id);
    return reply.code(204).send();
  });
  app.delete('/keys/:id', { ...ofId, ...may('keys.write') }, async ({ user, params }, reply) => {
    await keys.delete(user, params.id);
    return reply.code(204).send();
  });
  const requestList = { schema: { querystring: schemas.page }, ...may('keys.read') };
  app.get('/key-requests', requestList, async ({ user, query }, reply) =>
    sendPage(reply, await keys.requests(user, query)),
  );
  app.post(
    '/key-requests',
    { schema: { body: schemas.keyRequest }, ...may('keys.read') },
    async ({ user, body }, reply) => {
      reply.code(201);
      return keys.request(user, body);
    },
  );
  app.post(
    '/key-requests/:id/decline',
    { ...ofId, ...may('keys.write') },
    async ({ user, params }, reply) => {
      await keys.decline(user, params.id);
      return reply.code(204).send();
    },
  );
}
