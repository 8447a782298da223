/** The catalogue of programs. */
import * as schemas from '../schemas.mjs';

export function closed(app, { programs, may }) {
  app.get('/programs', may('programs.read'), async () => programs.list());
  app.get(
    '/programs/:id',
    { ...may('programs.read'), schema: { params: schemas.byId } },
    async ({ params }) => programs.get(params.id),
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
