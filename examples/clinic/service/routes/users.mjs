/** Users and sessions. */
import { notFound } from '../errors.mjs';
import { sendPage } from '../pages.mjs';
import * as schemas from '../schemas.mjs';

/** Bodies of those who have no token yet: a name, a password, a code. */
const OPEN_BYTES = 8192;

/** Without a token: what leads to one. */
export function open(app, { users, config }) {
  const rate = { rateLimit: { max: config.loginRate, timeWindow: 60_000, groupId: 'login' } };
  const small = { config: rate, bodyLimit: OPEN_BYTES };
  app.post('/register', { schema: { body: schemas.register }, ...small }, async ({ body }, reply) => {
    reply.code(201);
    return users.register(body);
  });
  if (config.demo)
    app.post('/demo', small, async (request, reply) => {
      const { host = '', origin } = request.headers;
      // A name that leads to this machine, but is another one, is that of a foreign page; so is an origin that is not the address asked.
      if (!/^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(host)) throw notFound('address');
      if (origin !== undefined && hostOf(origin) !== host) throw notFound('address');
      reply.code(201);
      return users.invite(undefined, 'client', 'demo');
    });
  app.post('/sessions', { schema: { body: schemas.login }, ...small }, async ({ body }, reply) => {
    reply.code(201);
    return users.login(body);
  });
}

/** Undefined for an opaque origin, which says `null`. */
function hostOf(origin) {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

export function closed(app, { users, questions, may, config }) {
  const rate = { rateLimit: { max: config.loginRate, timeWindow: 60_000, groupId: 'login' } };
  app.get('/me', async ({ user: { id, name, role } }) => ({ id, name, role }));
  app.get('/users', { schema: { querystring: schemas.userPage } }, async ({ query }, reply) =>
    sendPage(reply, await users.list(query)),
  );
  app.delete('/sessions/current', async ({ user }, reply) => {
    await users.logout(user);
    return reply.code(204).send();
  });
  app.post(
    '/password',
    { schema: { body: schemas.newPassword }, config: rate },
    async ({ user, body }, reply) => {
      await users.changePassword(user, body);
      return reply.code(204).send();
    },
  );
  app.post(
    '/invites',
    { ...may('users.manage'), schema: { body: schemas.invite } },
    async ({ user, body }, reply) => {
      reply.code(201);
      return users.invite(user, body.role);
    },
  );
  const change = { ...may('users.manage'), schema: { body: schemas.userSet, params: schemas.byUser } };
  app.patch('/users/:name', change, async ({ user, params, body }, reply) => {
    const stop = (trx, changed) => questions.stopFor(trx, changed);
    await questions.endedAll(await users.set(user, params.name, body, stop));
    return reply.code(204).send();
  });
}
