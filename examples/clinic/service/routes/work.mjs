/** Questions, as devices of others see them that run these: a trusted third party, or one's own. They get the questions that name them, and nothing else. */
import * as schemas from '../schemas.mjs';
import { sendBlob } from './blobs.mjs';

export function closed(app, { questions, storage, database, config, may }) {
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
  const ofId = (body) => ({ schema: { params: schemas.byId, body }, ...run });
  app.post('/work/:id/progress', ofId(schemas.progress), async ({ user, params, body }) => {
    const mine = await questions.isOf(user, params.id);
    return { go: mine && (await questions.renew({ id: params.id, attempt: body.attempt }, body)) };
  });
  app.post('/work/:id/result', ofId(schemas.result), async ({ user, params, body }, reply) => {
    await questions.checkOf(user, params.id);
    await storage.brought(database.db, user, Object.values(body.outputs), 'value');
    await questions.finish({ id: params.id, attempt: body.attempt }, body.outputs, user.id);
    return reply.code(204).send();
  });
  app.post('/work/:id/failure', ofId(schemas.failure), async ({ user, params, body }, reply) => {
    await questions.checkOf(user, params.id);
    await questions.fail({ id: params.id, attempt: body.attempt }, body, user.id);
    return reply.code(204).send();
  });
}
