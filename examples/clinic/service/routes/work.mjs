/** Questions, as devices of others see them that run these: a trusted third party, or one's own. They get the questions that name them, and nothing else. */
import * as schemas from '../schemas.mjs';
import { piecesOf, saidOf, sendBlob, takeBlobs } from './blobs.mjs';

export function closed(app, { questions, config, may }) {
  const run = may('questions.run');
  app.post('/work/claim', run, async ({ user }, reply) => {
    const job = await questions.claim({ worker: user.session, runner: user.id });
    // How often it has to say that it is there.
    return job ? { ...job, beatMs: config.leaseMs / 4 } : reply.code(204).send();
  });
  const blob = { schema: { params: schemas.byWork }, ...run };
  app.get('/work/:id/:attempt/blobs/:sha', blob, async ({ user, params }, reply) => {
    const attempt = Number(params.attempt);
    return sendBlob(reply, await questions.readFor(user, { id: params.id, attempt }, params.sha));
  });
  // What a device brings for a question is the question's, and counts to who asked.
  takeBlobs(app, '/work/:id/:attempt/blobs', {
    permission: 'questions.run',
    schema: { params: schemas.byAttempt },
    take: async (request) => {
      const { user, params } = request;
      await questions.checkOf(user, params.id);
      const { declared } = saidOf(request);
      const question = { id: params.id, attempt: Number(params.attempt) };
      const sha = await questions.store(question, piecesOf(request), { declared, most: config.maxBlobBytes });
      return { sha };
    },
  });
  const ofId = (body) => ({ schema: { params: schemas.byId, body }, ...run });
  app.post('/work/:id/progress', ofId(schemas.progress), async ({ user, params, body }) => {
    const mine = await questions.isOf(user, params.id);
    return { go: mine && (await questions.renew({ id: params.id, attempt: body.attempt }, body)) };
  });
  app.post('/work/:id/result', ofId(schemas.result), async ({ user, params, body }, reply) => {
    await questions.checkOf(user, params.id);
    await questions.finish({ id: params.id, attempt: body.attempt }, body.outputs, user);
    return reply.code(204).send();
  });
  app.post('/work/:id/failure', ofId(schemas.failure), async ({ user, params, body }, reply) => {
    await questions.checkOf(user, params.id);
    await questions.fail({ id: params.id, attempt: body.attempt }, body, user);
    return reply.code(204).send();
  });
}
