/** The catalogue of programs. */
import { sendPage } from '../pages.mjs';
import * as schemas from '../schemas.mjs';

export function closed(app, { programs, may }) {
  const page = { ...may('programs.read'), schema: { querystring: schemas.page } };
  app.get('/programs', page, async ({ query }, reply) => sendPage(reply, await programs.list(query)));
  app.get(
    '/programs/:id',
    { ...may('programs.read'), schema: { params: schemas.byId } },
    async ({ user, params }) => programs.told(user, params.id),
  );
  app.post(
    '/programs',
    { ...may('programs.write'), schema: { body: schemas.program } },
    async ({ user, body }, reply) => {
      reply.code(201);
      return programs.add(user, body);
    },
  );
  app.post(
    '/programs/compile',
    { ...may('programs.write'), schema: { body: schemas.compile } },
    async ({ user, body }, reply) => {
      reply.code(201);
      return programs.compile(user, body);
    },
  );
  app.delete(
    '/programs/:id',
    { ...may('programs.write'), schema: { params: schemas.byId } },
    async ({ user, params }, reply) => {
      await programs.remove(user, params.id);
      return reply.code(204).send();
    },
  );
}
