/** The service: what it is made of, as HTTP. */
import { join } from 'node:path';
import bearer from '@fastify/bearer-auth';
import rateLimit from '@fastify/rate-limit';
import fastify from 'fastify';
import { BlobStore } from './blobs.mjs';
import { linger, textOf } from './bodies.mjs';
import { Database } from './database.mjs';
import { noToken, ServiceError } from './errors.mjs';
import { identify, Keys } from './keys.mjs';
import { Programs } from './programs.mjs';
import { EmbeddedQueue } from './queue.mjs';
import { RedisQueue } from './queue-redis.mjs';
import { Questions } from './questions.mjs';
import { Records } from './records.mjs';
import { allow } from './roles.mjs';
import * as audit from './routes/audit.mjs';
import * as blobRoutes from './routes/blobs.mjs';
import * as page from './routes/page.mjs';
import * as keyRoutes from './routes/keys.mjs';
import * as programRoutes from './routes/programs.mjs';
import * as questionRoutes from './routes/questions.mjs';
import * as recordRoutes from './routes/records.mjs';
import * as userRoutes from './routes/users.mjs';
import * as work from './routes/work.mjs';
import { Runner } from './runner.mjs';
import { Storage } from './storage.mjs';
import { Users } from './users.mjs';

/** JSON bodies; blobs have limits of their own. Tasks with constants may be large. */
const JSON_BYTES = 4 * 2 ** 20;
/** For all of a blob to come: the largest one, on a slow line. */
const BLOB_MS = 1_800_000;
/** How often what is part of nothing is removed. */
const SWEEP_MS = 3_600_000;
const BASE = '/v1';

/**
 * Makes a service; `listen` starts it.
 * @param {import('./config.mjs').Config} config
 * @param {{blobs?: BlobStore, startEvaluator?: ConstructorParameters<typeof Runner>[4]}} [own] another place for blobs, other evaluators of questions
 */
export async function createService(
  config,
  { blobs = new BlobStore(join(config.data, 'blobs')), startEvaluator } = {},
) {
  const database = await Database.open(config);
  await blobs.open();
  // Of key sets from before identities were kept.
  await identify(database.db, blobs);
  const storage = new Storage(database, blobs, config);
  const users = new Users(database, config);
  const programs = new Programs(database, storage, config);
  const keys = new Keys(database, storage, programs, users, config);
  const records = new Records(database, storage, programs, keys, users);
  const questions = new Questions(database, storage, programs, keys, records, users, config);
  const may = (permission) => ({ preHandler: async ({ user }) => allow(user, permission) });
  const parts = { config, database, storage, users, programs, keys, records, questions, may };

  const app = fastify({
    logger: {
      level: config.logLevel,
      // Without what stands behind `?`, where somebody may put a token that belongs into a header.
      serializers: {
        req: ({ method, url, ip }) => ({ method, url: url.split('?', 1)[0], remoteAddress: ip }),
      },
    },
    ...(config.tls && { https: config.tls }),
    // Addresses that cannot be read.
    frameworkErrors: refuse,
    // What is left of what the own proxies say, whoever asks wrote.
    trustProxy: (_address, hop) => hop < config.proxies,
    bodyLimit: JSON_BYTES,
    requestTimeout: BLOB_MS,
    routerOptions: { maxParamLength: 100 },
    // Where the page looks for the service: below itself, where a proxy may put it as well.
    rewriteUrl: ({ url }) => (config.page ? url.replace(/^\/clinic(?=\/)/, '') : url),
    // What is sent is taken as it is, or refused.
    ajv: {
      customOptions: { removeAdditional: false, coerceTypes: false, useDefaults: false, allErrors: false },
    },
    // Streams of events would keep the service from ending.
    forceCloseConnections: true,
  });
  app.setErrorHandler(refuse);
  app.decorateRequest('user', null);
  await app.register(rateLimit, {
    max: config.rate,
    timeWindow: 60_000,
    errorResponseBuilder: (_request, { after }) =>
      new ServiceError(429, 'rate.limit', `Too many requests; come again in ${after}`, { expected: after }),
  });
  const limited = app.rateLimit().bind(app);
  // Of what goes nowhere no body is read.
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return;
    await limited(request, reply);
    throw new ServiceError(404, 'not.found', 'There is no such address');
  });
  app.addHook('onResponse', async ({ raw }) => {
    if (!raw.complete) linger(raw);
  });
  app.removeAllContentTypeParsers();
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', (request, payload, done) => {
    textOf(request, payload, config.requestMs).then(
      (text) => parseJson(request, text, done),
      (error) => done(error),
    );
  });
  app.get('/health', async () => {
    await database.db.raw('select 1');
    return { ok: true, demo: config.demo };
  });
  if (config.page) page.open(app, config.page);
  await app.register(async (scope) => userRoutes.open(scope, parts), { prefix: BASE });
  await app.register(
    async (scope) => {
      await scope.register(bearer, {
        keys: new Set(),
        // Behind the limit of requests, so that trying tokens is limited, too.
        addHook: 'preParsing',
        specCompliance: 'rfc6750',
        verifyErrorLogLevel: 'debug',
        /** @param {any} request */
        auth: async (token, request) => {
          request.user = await users.of(token);
          return request.user !== undefined;
        },
        errorResponse: () => {
          const { code, message, details } = noToken();
          // Its type wants a text there.
          return /** @type {any} */ ({ error: { code, message, details } });
        },
        contentType: 'application/json; charset=utf-8',
      });
      for (const routes of [
        userRoutes,
        blobRoutes,
        programRoutes,
        keyRoutes,
        recordRoutes,
        questionRoutes,
        work,
        audit,
      ])
        routes.closed(scope, parts);
    },
    { prefix: BASE },
  );

  const runners = Array.from(
    { length: config.runners },
    () => new Runner(questions, storage, config, app.log, startEvaluator),
  );
  const Queue = config.redis === undefined ? EmbeddedQueue : RedisQueue;
  const queue = new Queue(questions, runners, config, app.log);
  let sweeping;
  app.addHook('onClose', async () => {
    clearInterval(sweeping);
    await queue.stop();
    await programs.stop();
    await database.close();
  });
  return {
    ...parts,
    app,
    /** Listens, and goes on with what waits. Gives its address. */
    async listen() {
      await storage.sweepAll();
      sweeping = setInterval(
        () => void storage.sweepAll().catch((error) => app.log.error(error, 'nothing was swept')),
        SWEEP_MS,
      );
      await queue.start();
      return app.listen({ host: config.host, port: config.port });
    },
    close: () => app.close(),
  };
}

/** Answers with an error. */
function refuse(error, request, reply) {
  const { status, ...told } = answer(error);
  if (status >= 500) request.log.error({ code: told.code, err: error }, 'a request failed');
  // What was said of bytes that do not come after all.
  reply.raw.removeHeader('content-length');
  reply.removeHeader('content-length').type('application/json; charset=utf-8');
  return reply.code(status).send({ error: told });
}

/** What an error is to who asked. */
function answer(error) {
  if (error instanceof ServiceError)
    return { status: error.statusCode, code: error.code, message: error.message, details: error.details };
  if (error.validation)
    return {
      ...{ status: 400, code: 'request.invalid', message: error.message },
      details: { where: `${error.validationContext}${error.validation[0]?.instancePath ?? ''}` },
    };
  if (['ENOSPC', 'EDQUOT', 'EFBIG', 'SQLITE_FULL', '53100'].includes(error.code))
    return { status: 507, code: 'storage.full', message: 'The disk is full', details: {} };
  if (['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'].includes(error.code))
    return { status: 400, code: 'upload.broken', message: 'The upload ended early', details: {} };
  // Of cipherloom: `family.kind`.
  if (typeof error.code === 'string' && /^[a-z]+\.[a-z_]+$/.test(error.code)) {
    const ours = ['worker', 'memory'].includes(error.code.split('.')[0]);
    return { status: ours ? 503 : 422, code: error.code, message: error.message, details: {} };
  }
  if (error.name === 'TimeoutError')
    return { status: 422, code: 'program.slow', message: 'It took too long to open or compile', details: {} };
  if (error.statusCode >= 400 && error.statusCode < 500)
    return { status: error.statusCode, code: 'request.invalid', message: error.message, details: {} };
  return {
    status: 500,
    code: 'service.failed',
    message: 'The service failed; its log says where',
    details: {},
  };
}
