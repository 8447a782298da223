// A service that is killed in each phase of a question, and starts again: nothing is lost, nothing happens twice.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { load } from 'cipherloom';
import { skip as noRedis, startRedis } from '../cluster/redis.mjs';
import { joinAs, patient, refused, SHORT_LEASE, skip, startService as start } from './clinic.mjs';
import { skip as noPostgres, startPostgres } from './postgres.mjs';

const STUCK = fileURLToPath(new URL('stuck-server.mjs', import.meta.url));

/** Who is killed is soon known to be gone. */
const startService = ({ env, ...options } = {}) => start({ ...options, env: { ...SHORT_LEASE, ...env } });

let loom;
before(async () => {
  loom = await load({ threads: 1 });
});
after(() => loom.dispose());

/** Waits until a question runs. */
async function runs(client, id) {
  for await (const { state } of client.events(id)) {
    if (state === 'running') return;
    assert.equal(state, 'queued');
  }
}

/** That a question came to its end once, and that nothing is left lying about. */
async function checkOnce(service, someone, { attempts }) {
  const { client, key, id, sum } = someone;
  client.url = new URL(service.url);
  const { attempt } = await client.wait(id);
  // More of them where this machine is slower than the lease.
  if (attempts) assert.ok(attempt >= attempts, `${attempt} attempts`);
  assert.equal((await client.answer(id, key)).sum, sum);
  const admin = await joinAs(service, loom, `admin-${Math.random().toString(36).slice(2)}`, 'admin');
  const all = [];
  for (
    let after = 0, page;
    (page = await admin.call('GET', `/audit?after=${after}`)).length > 0;
    after = page.at(-1).seq
  )
    all.push(...page);
  const of = (action) => all.filter((entry) => entry.action === action && entry.subject === id).length;
  assert.deepEqual([of('question.ask'), of('question.done'), of('question.fail')], [1, 1, 0]);
  assert.equal((await admin.call('GET', '/audit/check')).intact, true);
  // A file for each row, and no other.
  const blobs = join(service.data, 'blobs');
  const files = readdirSync(blobs)
    .filter((name) => name !== 'incoming')
    .flatMap((name) => readdirSync(join(blobs, name)));
  const stored = new Set(all.filter(({ action }) => action === 'blob.store').map(({ subject }) => subject));
  const { outputs } = await client.call('GET', `/questions/${id}`);
  assert.deepEqual(files.sort(), [...new Set([...stored, ...Object.values(outputs)])].sort());
}

async function ask(service, options) {
  const someone = await patient(service, loom, 'patient', options);
  const { id } = await someone.client.ask(someone.asked);
  return { ...someone, id };
}

test('killed while it waits', { skip }, async () => {
  const first = await startService({ env: { CLINIC_RUNNERS: '0' } });
  const someone = await ask(first);
  await first.stop('SIGKILL');
  const second = await startService({ data: first.data });
  await checkOnce(second, someone, { attempts: 1 });
});

test('killed while it runs', { skip }, async () => {
  const first = await startService();
  const someone = await ask(first, { long: true });
  await runs(someone.client, someone.id);
  await first.stop('SIGKILL');
  const second = await startService({ data: first.data });
  await checkOnce(second, someone, { attempts: 2 });
});

for (const place of ['received', 'kept', 'finished']) {
  test(`killed while it stores the answer: ${place}`, { skip }, async () => {
    const first = await startService({ script: STUCK, env: { CLINIC_STUCK: place } });
    const someone = await ask(first);
    await first.printed(/stands at/);
    await first.stop('SIGKILL');
    const second = await startService({ data: first.data });
    await checkOnce(second, someone, { attempts: 2 });
  });
}

test('ended in good order while it runs', { skip }, async () => {
  const first = await startService();
  const someone = await ask(first, { long: true });
  await runs(someone.client, someone.id);
  assert.equal(await first.stop(), 0);
  const second = await startService({ data: first.data });
  await checkOnce(second, someone, {});
});

test('a question that ends its runners, or takes too long, fails and says so', { skip }, async () => {
  const env = { CLINIC_ATTEMPTS: '1' };
  const first = await startService({ env });
  const { client, id } = await ask(first, { long: true });
  await runs(client, id);
  await first.stop('SIGKILL');
  const second = await startService({ data: first.data, env: { ...env, CLINIC_QUESTION_MS: '1' } });
  client.url = new URL(second.url);
  await assert.rejects(client.wait(id), refused(0, 'question.attempts'));
  const { program, records } = await client.call('GET', `/questions/${id}`);
  const slow = await client.ask({ program, records });
  await assert.rejects(client.wait(slow.id), refused(0, 'question.time'));
});

test(
  'two services on PostgreSQL and Redis: one is killed while it runs, the other one goes on',
  { skip: noRedis || noPostgres },
  async () => {
    const [database, redis] = await Promise.all([startPostgres(), startRedis()]);
    const env = { CLINIC_DATABASE: database.url, CLINIC_REDIS: redis.url };
    const first = await startService({ env });
    const someone = await ask(first, { long: true });
    await runs(someone.client, someone.id);
    const second = await startService({ env, data: first.data });
    await first.stop('SIGKILL');
    await checkOnce(second, someone, {});
    // Redis forgets everything, and a question is asked while it is away.
    await redis.stop('SIGKILL');
    const { client, asked, key, sum } = someone;
    const { id } = await client.ask(asked);
    await redis.start();
    await client.wait(id);
    assert.equal((await client.answer(id, key)).sum, sum);
    assert.equal(await second.stop(), 0);
    await database.stop();
  },
);
