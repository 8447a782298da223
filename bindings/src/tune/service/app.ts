/** The front (SPEC T3; seed 003 ¶169-170): query for platforms, statistics and operation for maintainers, tasks for explorers, as HTTP. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { checkOptions } from '../../arguments.js';
import { packageVersion } from '../../cluster/version.js';
import { checkKey, keyText } from '../key.js';
import type { OperatorKey } from '../key.js';
import { SERVICE_PARTS } from '../options.js';
import { checkSigned, checkAuthorization } from '../sign.js';
import type { TuneRecord } from '../record.js';
import { wrong } from '../wrong.js';
import { Codes } from './codes.js';
import { answerOf, Refusal } from './errors.js';
import { Explorers } from './explorers.js';
import { Ledger } from './ledger.js';
import { libraries } from './libraries.js';
import { describeRoutes } from './openapi.js';
import type { Described } from './openapi.js';
import { defaultPolicy } from './policy.js';
import { Queue } from './queue.js';
import * as schemas from './schemas.js';
import { checkSettings } from './settings.js';
import { StatisticsOf } from './statistics.js';
import type { Order } from './statistics-types.js';
import { Store } from './store.js';
import type { Priority, TuneService, TuneServiceOptions, TuneServiceParts } from './types.js';

/** JSON bodies: keys with long attributes. */
const JSON_BYTES = 16 * 2 ** 20;
/** By how much clocks may differ. */
const SKEW_MS = 300_000;
/** How long a request for a task sleeps before it looks again: at leases that have ended, and what another process has collected. */
const LOOK_MS = 1000;
const SWEEP_MS = 3_600_000;

/** Makes a service; `listen` starts it. Errors: TuneError `tune.option`, `tune.library` (what to install), `tune.service` of a database that does not open. */
export async function createTuneService(
  options: TuneServiceOptions = {},
  parts: TuneServiceParts = {},
): Promise<TuneService> {
  const settings = checkSettings(options);
  checkOptions('createTuneService, parts', parts, SERVICE_PARTS);
  const { now = Date.now, policy = defaultPolicy, at = () => undefined } = parts;
  const libs = await libraries();
  const store = await Store.open(libs, settings.data, settings.database);
  const queue = new Queue(store, { ...settings, now, policy, at });
  const explorers = new Explorers(store, new Set(settings.explorers), now);
  const codes = new Codes(store, settings.codeBytes);
  const statistics = new StatisticsOf(store, now);

  const app = libs.fastify({
    logger: settings.log === 'silent' ? false : { level: settings.log },
    // One line for each of a thousand queries a second tells nobody anything.
    logController: new libs.LogController({ disableRequestLogging: true }),
    ...(settings.tls && { https: settings.tls }),
    // What is left of what the own proxies say, whoever asks wrote.
    trustProxy: (_address: string, hop: number) => hop < settings.behindProxy,
    bodyLimit: JSON_BYTES,
    requestTimeout: 120_000,
    routerOptions: { maxParamLength: 100 },
    // What is sent is taken as it is, or refused.
    ajv: {
      customOptions: { removeAdditional: false, coerceTypes: false, useDefaults: false, allErrors: false },
    },
    forceCloseConnections: true,
  } as object);
  const failed = (error: unknown): void => app.log.error({ err: error }, 'something was not written');
  const ledger = new Ledger(store, queue, { ...settings, now, failed });
  await ledger.open();
  await explorers.open();
  const ends = new AbortController();
  let origin = settings.origin;

  app.setErrorHandler((error, request, reply) => {
    const { status, ...told } = answerOf(error);
    if (status >= 500) request.log.error({ code: told.code, err: error }, 'a request failed');
    return reply.code(status).send({ error: { code: told.code, message: told.message } });
  });
  const pages = new Set(settings.pages);
  app.addHook('onRequest', async (request, reply) => {
    const { origin: from } = request.headers;
    if (from === undefined || !pages.has(from)) return undefined;
    reply.headers({
      'access-control-allow-origin': from,
      vary: 'origin',
      'access-control-allow-headers': 'authorization, content-type',
      'access-control-allow-methods': 'GET, POST, PUT, DELETE',
      'access-control-max-age': '600',
    });
    return request.method === 'OPTIONS' ? reply.code(204).send() : undefined;
  });
  await app.register(
    libs.rateLimit as never,
    {
      max: settings.rate,
      timeWindow: 60_000,
      errorResponseBuilder: (_request: unknown, { after }: { after: string }) =>
        new Refusal(429, 'rate.limit', `Too many requests; come again in ${after}`),
    } as never,
  );
  const limited = (app as unknown as { rateLimit(): (...of: unknown[]) => Promise<void> })
    .rateLimit()
    .bind(app);
  // Of what goes nowhere no body is read.
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return;
    await limited(request, reply);
    throw new Refusal(404, 'not.found', 'There is no such address');
  });
  app.addContentTypeParser(
    'application/octet-stream',
    { parseAs: 'buffer', bodyLimit: settings.oneCodeBytes },
    (_request: unknown, body: unknown, done: (error: null, body: unknown) => void) => done(null, body),
  );

  const routes: Described[] = [];
  app.addHook('onRoute', ({ method, url, schema }) => {
    if (schema !== undefined && typeof method === 'string' && method !== 'HEAD')
      routes.push({ method, url, schema: schema as Described['schema'] });
  });
  const asked = tokenGuard(settings.queryToken, false);
  const maintained = tokenGuard(settings.maintainToken, true);
  /** Whose request it is; the explorer's key is in the request from then on. */
  const exploring = async (request: FastifyRequest): Promise<void> => {
    const { method, url, body } = request;
    const signed = Buffer.isBuffer(body) ? null : (body ?? null);
    const what = { origin: origin ?? '', method, path: url, body: signed };
    // Signed by the wall clock, whatever time a simulation has.
    callers.set(request, await checkAuthorization(request.headers.authorization, what, Date.now(), SKEW_MS));
  };
  const callers = new WeakMap<FastifyRequest, string>();
  const caller = (request: FastifyRequest): string => callers.get(request) as string;
  const closed = { security: [{ maintain: [] }] };

  app.get('/health', async () => {
    await store.db.raw('select 1');
    return { ok: true };
  });
  const description = (): object => describeRoutes(routes, packageVersion(), schemas.failure);
  app.get('/v1/openapi.json', async () => description());

  // Query.

  app.post<{ Body: QueryBody }>(
    '/v1/query',
    {
      preHandler: asked,
      schema: {
        ...{ summary: 'What is known of operators now; what is not is explored later', tags: ['query'] },
        ...{ security: [{ query: [] }, {}], body: schemas.query },
      } as FastifySchema,
    },
    async ({ body }, reply) => {
      const keys = body.keys.map((key, at) => checkKey(key, `keys ${at}`));
      const hits = (body.hits ?? []).map(({ key, count }, at) => ({
        key: checkKey(key, `hits ${at}`),
        count,
      }));
      const names = keys.map(nameOf);
      const found = await recordsOf(store, [...names, ...hits.map(({ key }) => nameOf(key))]);
      keys.forEach((key, index) => {
        const name = names[index] as string;
        ledger.note({ name, key, task: body.task, asked: index < body.asked, hit: found.has(name) });
      });
      // A cache can have what was forgotten here since.
      for (const { key, count } of hits)
        if (found.has(nameOf(key)))
          ledger.note({ name: nameOf(key), key, task: body.task, asked: true, hit: true, times: count });
      const records = [...new Set(names)].flatMap((name) => found.get(name) ?? []);
      // They are JSON already, as they were checked when they came.
      return reply.type('application/json; charset=utf-8').send(`{"records":[${records.join(',')}]}`);
    },
  );
  app.get<{ Params: { sha: string } }>(
    '/v1/code/:sha',
    {
      preHandler: asked,
      schema: {
        ...{ summary: 'Code by its SHA-256', tags: ['query'], security: [{ query: [] }, {}] },
        params: schemas.bySha,
      } as FastifySchema,
    },
    async ({ params }, reply) =>
      reply
        .headers({ 'content-type': 'application/octet-stream', 'x-content-type-options': 'nosniff' })
        .send(await codes.get(params.sha)),
  );

  // Explorers.

  const own = { security: [{ explorer: [] }], tags: ['explorers'] };
  app.post<{ Body: { device: string; room: number } }>(
    '/v1/explorers',
    {
      preHandler: exploring,
      schema: { ...own, summary: 'An explorer is there', body: schemas.registration } as FastifySchema,
    },
    async (request) => ({
      allowed: await explorers.register(caller(request), request.body.device, request.body.room),
    }),
  );
  app.post<{ Body: { device: string; room: number; wait: number } }>(
    '/v1/tasks',
    {
      preHandler: exploring,
      schema: { ...own, summary: 'A task, or none within the wait', body: schemas.taking } as FastifySchema,
    },
    async (request) => {
      const { device, room, wait } = request.body;
      const explorer = caller(request);
      const gone = new AbortController();
      const leave = (): void => gone.abort();
      request.raw.socket.once('close', leave);
      const signal = AbortSignal.any([gone.signal, ends.signal]);
      const until = performance.now() + wait;
      try {
        for (;;) {
          await explorers.seen(explorer, { device, room });
          const task = (await queue.stirs(device)) ? await queue.take(explorer, device, room) : undefined;
          if (task !== undefined && gone.signal.aborted) {
            // Nobody is there to hear of it.
            await queue.release(explorer, task.id);
            return { task: null };
          }
          const left = until - performance.now();
          if (task !== undefined || left <= 0 || signal.aborted) return { task: task ?? null };
          await queue.changed(device, Math.min(left, LOOK_MS), signal);
        }
      } finally {
        request.raw.socket.off('close', leave);
      }
    },
  );
  app.post<{ Params: { id: string } }>(
    '/v1/tasks/:id/renew',
    {
      preHandler: exploring,
      schema: { ...own, summary: 'A sign of life', params: schemas.byTask } as FastifySchema,
    },
    async (request, reply) => {
      await explorers.seen(caller(request));
      await queue.renew(caller(request), request.params.id);
      return reply.code(204).send();
    },
  );
  app.delete<{ Params: { id: string } }>(
    '/v1/tasks/:id',
    {
      preHandler: exploring,
      schema: {
        ...own,
        summary: 'Gives back what is left of a task',
        params: schemas.byTask,
      } as FastifySchema,
    },
    async (request, reply) => {
      await queue.release(caller(request), request.params.id);
      return reply.code(204).send();
    },
  );
  app.put<{
    Params: { id: string; name: string };
    Body: { record?: TuneRecord; failure?: { reason: string } };
  }>(
    '/v1/tasks/:id/results/:name',
    {
      preHandler: exploring,
      schema: {
        ...{ ...own, summary: 'What came of one operator: a signed record, or why there is none' },
        ...{ params: schemas.byResult, body: schemas.result },
      } as FastifySchema,
    },
    async (request, reply) => {
      const { id, name } = request.params;
      const { record, failure } = request.body;
      const explorer = caller(request);
      const device = await explorers.seen(explorer);
      if ((record === undefined) === (failure === undefined))
        throw wrong(
          'tune.record',
          'result',
          record === undefined ? 'neither' : 'both',
          'a record or a failure',
        );
      if (record !== undefined) {
        const checked = await checkSigned(record, new Set([explorer]));
        if (checked.key.device !== device)
          throw wrong(
            'tune.device',
            'record, device',
            `"${checked.key.device}"`,
            `"${device}", as the explorer is`,
          );
        await queue.finish(explorer, id, name, checked);
      } else await queue.fail(explorer, id, name, (failure as { reason: string }).reason);
      return reply.code(204).send();
    },
  );
  app.put<{ Params: { sha: string }; Body: Buffer }>(
    '/v1/code/:sha',
    {
      preHandler: exploring,
      schema: { ...own, summary: 'Code of a record, by its SHA-256', params: schemas.bySha } as FastifySchema,
    },
    async (request, reply) => {
      await explorers.seen(caller(request));
      if (!Buffer.isBuffer(request.body))
        throw wrong('tune.code', 'code', 'no bytes', 'application/octet-stream');
      await codes.put(request.params.sha, request.body, caller(request));
      return reply.code(204).send();
    },
  );

  // Statistics.

  const looking = { ...closed, tags: ['statistics'] };
  const hoursOf = (hours: string | undefined): number =>
    Math.min(Math.max(Number(hours ?? settings.keptHours), 1), settings.keptHours);
  app.get<{ Querystring: { hours?: string } }>(
    '/v1/statistics',
    {
      preHandler: maintained,
      schema: {
        ...looking,
        summary: 'Of all operators, and of the kinds',
        querystring: schemas.window,
      } as FastifySchema,
    },
    async ({ query }) => {
      await ledger.flush();
      return statistics.all(hoursOf(query.hours));
    },
  );
  app.get<{ Querystring: { hours?: string; order?: Order; limit?: string; offset?: string } }>(
    '/v1/statistics/operators',
    {
      preHandler: maintained,
      schema: {
        ...looking,
        summary: 'Operators, the most wanted first',
        querystring: schemas.page,
      } as FastifySchema,
    },
    async ({ query }) => {
      await ledger.flush();
      const { hours, order = 'queries', limit = '100', offset = '0' } = query;
      return statistics.operators(hoursOf(hours), order, Math.min(Number(limit), 500), Number(offset));
    },
  );
  app.get<{ Params: { name: string }; Querystring: { hours?: string } }>(
    '/v1/statistics/operators/:name',
    {
      preHandler: maintained,
      schema: {
        ...{ ...looking, summary: 'One operator: hit rate, reuse, and where it stands' },
        ...{ params: schemas.byName, querystring: schemas.window },
      } as FastifySchema,
    },
    async ({ params, query }) => {
      await ledger.flush();
      return statistics.operator(params.name, hoursOf(query.hours));
    },
  );

  // Operation.

  const changing = { ...closed, tags: ['operation'] };
  app.post(
    '/v1/queue/sort',
    {
      preHandler: maintained,
      schema: {
        ...changing,
        summary: 'Sorts what was collected now: into explore queues, or out',
      } as FastifySchema,
    },
    async () => {
      await ledger.flush();
      return queue.sort();
    },
  );
  app.put<{ Params: { name: string }; Body: { priority: Priority } }>(
    '/v1/queue/:name',
    {
      preHandler: maintained,
      schema: {
        ...{ ...changing, summary: 'Priority of an operator in a queue' },
        ...{ params: schemas.byName, body: schemas.priority },
      } as FastifySchema,
    },
    async ({ params, body }, reply) => {
      await ledger.flush();
      await queue.prioritize(params.name, body.priority);
      return reply.code(204).send();
    },
  );
  app.delete<{ Params: { name: string } }>(
    '/v1/records/:name',
    {
      preHandler: maintained,
      schema: {
        ...{ ...changing, summary: 'Forgets a record or a failure: the next miss has it explored again' },
        params: schemas.byName,
      } as FastifySchema,
    },
    async ({ params: { name } }, reply) => {
      const gone = await store.locked(
        async (trx) =>
          (await trx('records').where({ name }).delete()) + (await trx('failures').where({ name }).delete()),
      );
      if (gone === 0) throw new Refusal(404, 'not.found', 'There is no such record');
      return reply.code(204).send();
    },
  );
  app.get(
    '/v1/explorers',
    {
      preHandler: maintained,
      schema: { ...changing, summary: 'Explorers, and who is believed' } as FastifySchema,
    },
    async () => explorers.list(),
  );
  app.put<{ Params: { explorer: string }; Body: { allowed: boolean } }>(
    '/v1/explorers/:explorer',
    {
      preHandler: maintained,
      schema: {
        ...{ ...changing, summary: 'Believes an explorer, or not: then its records are forgotten' },
        ...{ params: schemas.byExplorer, body: schemas.standing },
      } as FastifySchema,
    },
    async ({ params, body }, reply) => {
      await explorers.set(params.explorer, body.allowed);
      return reply.code(204).send();
    },
  );

  const timers: NodeJS.Timeout[] = [];
  const every = (ms: number, work: () => Promise<unknown>): void => {
    let busy = false;
    const turn = async (): Promise<void> => {
      if (busy) return;
      busy = true;
      await work()
        .catch(failed)
        .finally(() => (busy = false));
    };
    timers.push(setInterval(() => void turn(), ms));
  };
  app.addHook('preClose', async () => {
    ends.abort();
    for (const timer of timers) clearInterval(timer);
  });
  app.addHook('onClose', async () => {
    await ledger.flush().catch(failed);
    await store.close();
  });
  return {
    async listen() {
      try {
        const address = await app.listen({ host: settings.host, port: settings.port });
        origin ??= address;
        if (settings.sortMs > 0)
          every(settings.sortMs, async () => (await queue.stirs()) && (await queue.sort()));
        every(SWEEP_MS, () => ledger.sweep(settings.keptHours));
        return address;
      } catch (cause) {
        await app.close();
        const { code = 'an error' } = cause as { code?: string };
        throw wrong(
          'tune.service',
          `${settings.host}:${settings.port}`,
          code,
          'an address to listen at',
          cause,
        );
      }
    },
    close: () => app.close().then(() => undefined),
    openapi: description,
  };
}

interface QueryBody {
  readonly task: string;
  readonly keys: readonly unknown[];
  readonly asked: number;
  readonly hits?: readonly { readonly key: unknown; readonly count: number }[];
}

/** A key's name: SHA-256 of its canonical text. */
export function nameOf(key: OperatorKey): string {
  return createHash('sha256').update(keyText(key)).digest('hex');
}

async function recordsOf(store: Store, names: readonly string[]): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const rows = (await store
    .db('records')
    .whereIn('name', [...new Set(names)])
    .select('name', 'record')) as {
    name: string;
    record: string;
  }[];
  return new Map(rows.map(({ name, record }) => [name, record]));
}

/** Who has a token may. `closed`: without a token in the settings, nobody may. */
function tokenGuard(token: string | undefined, closed: boolean) {
  const sha = (text: string): Buffer => createHash('sha256').update(text).digest();
  const expected = token === undefined ? undefined : sha(`Bearer ${token}`);
  return async (request: FastifyRequest, _reply: FastifyReply): Promise<void> => {
    if (expected === undefined) {
      if (closed) throw new Refusal(403, 'token.none', 'This service was given no token for maintainers');
      return;
    }
    if (!timingSafeEqual(sha(request.headers.authorization ?? ''), expected))
      throw new Refusal(401, 'token.invalid', 'This needs a token that is valid');
  };
}
