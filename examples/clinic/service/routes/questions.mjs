/** Questions, as who asks sees them. */
import { sendEvents, Streams } from '../events.mjs';
import { sendPage } from '../pages.mjs';
import * as schemas from '../schemas.mjs';

export function closed(app, { questions, users, may, config }) {
  const streams = new Streams(config.streams);
  const ofId = { schema: { params: schemas.byId } };
  app.get('/questions', { schema: { querystring: schemas.page } }, async ({ user, query }, reply) =>
    sendPage(reply, await questions.list(user, query)),
  );
  app.post(
    '/questions',
    { schema: { body: schemas.question }, ...may('questions.ask') },
    async ({ user, body }, reply) => {
      const { question, created } = await questions.ask(user, body);
      reply.code(created ? 201 : 200);
      return question;
    },
  );
  app.get('/questions/:id', ofId, async ({ user, params }) => questions.get(user, params.id));
  app.get('/questions/:id/events', ofId, async ({ user, params }, reply) =>
    sendEvents(reply, { questions, users, streams }, user, params.id),
  );
  app.delete(
    '/questions/:id/answer',
    { ...ofId, ...may('questions.ask') },
    async ({ user, params }, reply) => {
      await questions.deleteAnswer(user, params.id);
      return reply.code(204).send();
    },
  );
  app.delete('/questions/:id', { ...ofId, ...may('questions.ask') }, async ({ user, params }, reply) => {
    await questions.cancel(user, params.id);
    return reply.code(204).send();
  });
}
