/** Keys, and requests for them. */
import * as schemas from '../schemas.mjs';

export function closed(app, { keys, may }) {
  const ofId = { schema: { params: schemas.byId } };
  app.get('/keys', { schema: { querystring: schemas.keyQuery }, ...may('keys.read') }, async ({ query }) =>
    keys.list(query),
  );
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
  app.get('/key-requests', may('keys.read'), async ({ user }) => keys.requests(user));
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
