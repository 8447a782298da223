// How much each user may have here: bytes on their way, answers, what is given in the clear, questions that wait; lists in pages; and who may still do what.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { load } from 'cipherloom';
import { shaOf } from '../../examples/clinic/service/blobs.mjs';
import { joinAs, patient, refused, serviceHere, skip, valueBytes } from './clinic.mjs';
import { until } from '../cluster/workers.mjs';
import { skip as noPostgres, startPostgres } from './postgres.mjs';

const KIB = 1024;

let loom;
before(async () => {
  loom = await load({ threads: 1 });
});
after(() => loom.dispose());

/** Somebody with a program that takes weights in the clear. */
async function weigher(service) {
  const client = await joinAs(service, loom, 'weigher', 'client');
  const task = loom.task();
  const value = task.encrypted('value', { shape: [2, 3], min: 0, max: 9 });
  task.output('sum', value.add(task.plain('weight', { shape: [2, 3], min: 0, max: 9 })).sum());
  const program = await client.publish('weighed', await loom.compile(task));
  const key = await client.issueKeys(program);
  const values = {
    value: [
      [1, 2, 3],
      [4, 5, 6],
    ],
  };
  const { id } = await client.store({ program, key, label: 'mine', values });
  return { client, program, key, asked: { program, records: [id] } };
}

const WEIGHTS = [
  [1, 1, 1],
  [2, 2, 2],
];

test(
  'what is given in the clear fits the program, counts to who asks, and goes when the question ends',
  { skip },
  async (t) => {
    const service = await serviceHere(t, { env: { CLINIC_RUNNERS: '0', CLINIC_OPEN_QUESTIONS: '3' } });
    const { client, asked } = await weigher(service);
    const ask = (given, more) => client.call('POST', '/questions', { ...asked, given, ...more });
    for (const [given, code] of [
      [{ plain: { other: WEIGHTS } }, 'input.unknown'],
      [{ public: { weight: WEIGHTS } }, 'input.unknown'],
      [{ plain: { weight: 1 } }, 'input.shape'],
      [{ plain: { weight: [WEIGHTS[0]] } }, 'input.shape'],
      [{ plain: { weight: [WEIGHTS[0], [1, 2]] } }, 'input.shape'],
      [{ plain: { weight: [WEIGHTS[0], [1, 2, 'x'.repeat(1e6)]] } }, 'input.kind'],
      [{ plain: { weight: [WEIGHTS[0], [1, 2, [[3]]]] } }, 'input.kind'],
    ])
      await assert.rejects(ask(given), refused(422, code));
    // JSON has a way to write it, and none to keep it.
    const infinite = JSON.stringify({ ...asked, given: { plain: { weight: WEIGHTS } } }).replace('2,2,2', '2,2,1e999');
    const response = await fetch(new URL('/v1/questions', service.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' },
      body: infinite,
    });
    assert.equal((await response.json()).error.code, 'input.kind');

    const id = randomUUID();
    const given = { plain: { weight: WEIGHTS } };
    const before = await service.storage.limits(client.user);
    await ask(given, { id });
    const { left } = await service.storage.limits(client.user);
    assert.ok(before.left - left >= JSON.stringify(given).length, `${before.left - left}`);
    await client.call('DELETE', `/questions/${id}`);
    const { given: kept } = await service.database.db('questions').where({ id }).first();
    assert.ok(!kept.includes('weight'), kept);
    // It is still known from another one.
    assert.equal((await ask(given, { id })).state, 'cancelled');
    await assert.rejects(ask({ plain: { weight: WEIGHTS.toReversed() } }, { id }), refused(409, 'question.taken'));

    service.config.userBytes -= (await service.storage.limits(client.user)).left - 10;
    await assert.rejects(ask(given), refused(507, 'storage.full'));
    // Without any, three that have not ended.
    for (let count = 0; count < 3; count++) await ask({}, { id: randomUUID() });
    await assert.rejects(ask({}), refused(429, 'question.open'));
  },
);

test('lists come in pages, and read nothing that they do not show', { skip }, (t) => lists(t));

test('the same of PostgreSQL', { skip: noPostgres }, async (t) => {
  const database = await startPostgres();
  await lists(t, { CLINIC_DATABASE: database.url });
  // Behind the service.
  t.after(() => database.stop());
});

async function lists(t, env = {}) {
  const service = await serviceHere(t, { env: { CLINIC_RUNNERS: '0', ...env } });
  const { client, asked, record: stored } = await patient(service, loom);
  const friend = await joinAs(service, loom, 'friend', 'client');
  const { db } = service.database;
  const { id } = await client.ask(asked);
  const copies = async (table, row, change) => {
    const rows = Array.from({ length: 450 }, (_, at) => ({ ...row, id: randomUUID(), ...change(at) }));
    await db.batchInsert(table, rows, 50);
  };
  // Some of one moment.
  const change = (at) => ({ created: Math.floor(at / 7) });
  await copies('questions', await db('questions').where({ id }).first(), change);
  await copies('records', await db('records').where({ id: stored }).first(), change);
  await copies('programs', await db('programs').first(), change);
  await copies('key_sets', await db('key_sets').first(), change);
  for (const { id: each } of await db('records').select('id'))
    await db('grants').insert({
      ...{ id: randomUUID(), record: each, grantee: friend.user.id, use: 'read' },
      ...{ program: null, created: 1, revoked: null },
    });
  // People, of whom some have left, and one who may use the same record for many programs.
  await copies('users', await db('users').where({ id: friend.user.id }).first(), (at) => ({ name: `somebody-${at}` }));
  for (const at of [5, 250])
    await db('users')
      .where({ name: `somebody-${at}` })
      .update({ disabled: 1 });
  const zoe = { ...(await db('users').where({ id: friend.user.id }).first()), id: randomUUID(), name: 'zoe' };
  await db('users').insert(zoe);
  await copies('grants', await db('grants').where({ record: stored }).first(), (at) => ({
    ...change(at),
    grantee: zoe.id,
  }));
  // Of keys, too, requests that one made and that one is to answer.
  const requested = { program: asked.program, state: 'open', key_set: null };
  for (const [requester, holder] of [
    [client, friend],
    [friend, client],
    [client, client],
  ])
    await db.batchInsert(
      'key_requests',
      Array.from({ length: 150 }, (_, at) => ({
        ...{ id: randomUUID(), requester: requester.user.id, holder: holder.user.id, ...requested },
        created: Math.floor(at / 7),
      })),
      50,
    );
  await db('key_requests').insert({
    ...{ id: randomUUID(), requester: client.user.id, holder: friend.user.id, ...requested, created: 1 },
  });
  // Half of the questions are of a friend, with a key of the client's: one list has both.
  const half = db('questions').where('created', '<', 32).select('id');
  await db('questions').whereIn('id', half).update({ asker: friend.user.id });
  const said = [];
  const record = ({ sql, bindings }) => said.push({ sql, bindings });
  db.on('query', record);
  for (const [who, path] of [
    [client, '/questions'],
    [client, '/records'],
    [client, '/programs'],
    [client, '/users'],
    [client, `/records/${stored}/grants`],
    [client, '/keys'],
    [client, '/keys?holder=patient'],
    [client, `/keys?program=${asked.program}`],
    [client, `/keys?holder=patient&program=${asked.program}`],
    [client, '/key-requests'],
    [friend, '/records'],
  ]) {
    const all = await who.call('GET', path);
    assert.equal(all.length, 451, path);
    assert.equal(new Set(all.map((each) => each.id)).size, 451, path);
    const headers = { authorization: `Bearer ${who.token}` };
    const first = await fetch(new URL(`/v1${path}`, service.url), { headers });
    assert.deepEqual(
      (await first.json()).map((each) => each.id),
      all.slice(0, 200).map((each) => each.id),
    );
  }
  assert.deepEqual(await client.call('GET', `/questions/${id}`), (await client.call('GET', '/questions')).at(-1));
  db.off('query', record);
  const ofQuestions = said.filter(({ sql }) => /from .questions/.test(sql));
  assert.ok(ofQuestions.length > 3);
  for (const { sql } of ofQuestions) assert.doesNotMatch(sql, /select \*|given/, sql);
  if (env.CLINIC_DATABASE) return;
  // They read what they show, in order, and neither go through a table nor sort one.
  const pages = said.filter(({ sql }) => / order by /.test(sql));
  assert.ok(pages.length > 15, `${pages.length}`);
  for (const { sql, bindings } of pages) {
    const plan = await db.raw(`explain query plan ${sql}`, bindings);
    // Pages of two queries are sorted into one, which no table is.
    const steps = plan.map(({ detail }) => detail).join('\n');
    const read = steps.replaceAll('SCAN page\nUSE TEMP B-TREE FOR ORDER BY', '');
    assert.doesNotMatch(read, /TEMP B-TREE|^SCAN (?!\S+ USING INDEX)/m, `${sql}\n${steps}`);
  }
}

test('key sets are looked up, however many there are, and there are not too many', { skip }, async (t) => {
  const service = await serviceHere(t, { env: { CLINIC_RUNNERS: '0', CLINIC_KEY_SETS: '40' } });
  const { client, program, key, record } = await patient(service, loom, 'patient', { long: true });
  const task = loom.task();
  task.output(
    'twice',
    task
      .encrypted('value', { shape: [4], min: 0, max: 63 })
      .multiply(2)
      .sum(),
  );
  const other = await client.publish('another question', await loom.compile(task));
  // Those of other secret keys, as the service sees them: it reads identities alone (FORMAT.md).
  const evaluation = async (fill) => [
    await client.upload(Buffer.concat([Buffer.from('cipherloom'), Buffer.of(9), Buffer.alloc(90, fill)])),
  ];
  const add = (of, which) => client.call('POST', '/keys', { program: of, evaluation: which });
  const own = await service.database.db('key_sets').where({ id: key }).first();
  const all = [JSON.parse(own.evaluation)[0]];
  const { id: ours } = await add(other, all);
  for (let fill = 0; fill < 38; fill++) await add(other, await evaluation(fill));
  const { blobs } = service.storage;
  const { identity } = blobs;
  let read = 0;
  blobs.identity = function (sha) {
    read++;
    return identity.call(this, sha);
  };
  const { id } = await client.ask({ program: other, records: [record] });
  const job = await service.questions.claim({ worker: 'this test', runner: null, id });
  assert.deepEqual(job.evaluation, all);
  // Asked and claimed: of the record alone.
  assert.equal(read, 2);
  await add(other, []);
  await assert.rejects(add(other, []), refused(429, 'key.many'));
  // Of each program; and what is retired counts as well, until it is deleted.
  await add(program, []);
  await client.call('POST', `/keys/${ours}/retire`);
  await assert.rejects(add(other, []), refused(429, 'key.many'));
  await client.call('DELETE', `/keys/${ours}`);
  await add(other, []);
});

/** An upload that stops in the middle: gives its request. */
function holdOpen(service, client, length) {
  const open = request(new URL('/v1/blobs', service.url), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${client.token}`,
      'content-type': 'application/octet-stream',
      ...(length && { 'content-length': String(length) }),
    },
  });
  open.on('error', () => {});
  open.write(valueBytes(20));
  return open;
}

test('uploads have their room from the start, and what is there already needs none', { skip }, async (t) => {
  const env = { CLINIC_USER_BYTES: String(100 * KIB), CLINIC_STORE_BYTES: String(150 * KIB) };
  const service = await serviceHere(t, { env });
  const someone = await joinAs(service, loom, 'someone', 'owner');
  const other = await joinAs(service, loom, 'other', 'owner');
  const incoming = () => readdirSync(join(service.data, 'blobs', 'incoming')).length;
  // With a length, and without one: then all that may come has its room.
  for (const [length, mine, theirs] of [
    [80 * KIB, 30, 80],
    [undefined, 1, 60],
  ]) {
    const open = holdOpen(service, someone, length);
    await until(() => incoming() === 1, 'the upload has begun');
    await assert.rejects(someone.upload(valueBytes(mine * KIB, 1)), refused(507, 'storage.full'));
    // Nor is there so much room in all.
    await assert.rejects(other.upload(valueBytes(theirs * KIB, 2)), refused(507, 'storage.full'));
    open.destroy();
    await until(() => incoming() === 0, 'what came is gone');
  }
  const damaged = await someone.upload(valueBytes(40 * KIB, 4));
  // Where there is room, what was damaged is whole again.
  writeFileSync(join(service.data, 'blobs', damaged.slice(0, 2), damaged), 'other bytes');
  await someone.upload(valueBytes(40 * KIB, 4));
  assert.ok(valueBytes(40 * KIB, 4).equals(await someone.download(damaged)));
  await someone.upload(valueBytes(60 * KIB, 3));
  await assert.rejects(someone.upload(valueBytes(11, 5)), refused(507, 'storage.full'));
  // The same again; and what is announced as it, and is something else.
  await someone.upload(valueBytes(60 * KIB, 3));
  assert.deepEqual((await service.storage.limits(other.user)).left, 50 * KIB);
  const sha = await someone.upload(valueBytes(40 * KIB, 4));
  const digest = `sha-256=:${Buffer.from(sha, 'hex').toString('base64')}:`;
  const lying = await fetch(new URL('/v1/blobs', service.url), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${someone.token}`,
      'content-type': 'application/octet-stream',
      'content-digest': digest,
    },
    body: valueBytes(40 * KIB, 6),
  });
  assert.equal((await lying.json()).error.code, 'upload.digest');
  assert.equal(incoming(), 0);
});

test('uploads at once that fit together are all taken', { skip }, async (t) => {
  const env = { CLINIC_USER_BYTES: String(100 * KIB), CLINIC_STORE_BYTES: String(200 * KIB) };
  const service = await serviceHere(t, { env });
  const names = ['one', 'two'];
  const users = await Promise.all(names.map((name) => joinAs(service, loom, name, 'owner')));
  const all = users.flatMap((user, at) => [1, 2, 3, 4].map((seed) => user.upload(valueBytes(25 * KIB, 4 * at + seed))));
  assert.equal(new Set(await Promise.all(all)).size, 8);
  for (const { user } of users) assert.equal((await service.storage.limits(user)).left, 0);
});

test('what was being received when a service ended goes while the next one runs', { skip }, async (t) => {
  const service = await serviceHere(t);
  const left = join(service.data, 'blobs', 'incoming', randomUUID());
  const fresh = join(service.data, 'blobs', 'incoming', randomUUID());
  for (const file of [left, fresh]) writeFileSync(file, 'some bytes');
  const old = new Date(Date.now() - 24 * 3_600_000);
  utimesSync(left, old, old);
  await service.storage.sweepAll();
  assert.deepEqual(readdirSync(join(service.data, 'blobs', 'incoming')), [fresh.slice(-36)]);
});

test('answers count to who asked', { skip }, async (t) => {
  let fill = 0;
  const run = async () => ({ sum: valueBytes(100 * KIB, fill++) });
  const service = await serviceHere(t, { run });
  const { client, asked } = await patient(service, loom);
  const friend = await joinAs(service, loom, 'friend', 'client');
  const { left } = await service.storage.limits(client.user);
  service.config.userBytes -= left - 250 * KIB;
  const ids = [];
  for (let count = 0; count < 2; count++) {
    const { id } = await client.ask(asked);
    await client.wait(id);
    ids.push(id);
  }
  const third = await client.ask(asked);
  await assert.rejects(client.wait(third.id), refused(0, 'storage.full'));
  await friend.upload(valueBytes(100 * KIB, 99));
  // An answer that goes makes room for one; one that is there already needs none.
  await client.call('DELETE', `/questions/${ids[0]}/answer`);
  for (let count = 0; count < 3; count++) {
    fill = 1;
    const { id } = await client.ask(asked);
    await client.wait(id);
  }
});

test('a program that its author removed stays known to whom it is of use', { skip }, async (t) => {
  const service = await serviceHere(t, { env: { CLINIC_RUNNERS: '0' } });
  const author = await joinAs(service, loom, 'author', 'analyst');
  const task = loom.task();
  task.output('sum', task.encrypted('value', { shape: [4], min: 0, max: 9 }).sum());
  const program = await author.publish('for all', await loom.compile(task, { publicKey: true }));
  const holder = await joinAs(service, loom, 'holder', 'client');
  const clinic = await joinAs(service, loom, 'clinic', 'owner');
  const asker = await joinAs(service, loom, 'asker', 'analyst');
  const key = await holder.issueKeys(program);
  const sealed = await holder.exportKeys(key, 'words that nobody thinks of');
  const about = { program, holder: 'holder', fingerprint: await holder.fingerprint(key) };
  const { id } = await clinic.storeFor({ ...about, label: 'mine', values: { value: [1, 2, 3, 4] } });
  await clinic.grant(id, { to: 'asker', use: 'ask', program });
  await asker.ask({ program, records: [id] });
  await author.call('DELETE', `/programs/${program}`);
  for (const someone of [holder, clinic, asker]) {
    assert.equal((await someone.call('GET', `/programs/${program}`)).id, program);
    assert.deepEqual(await someone.call('GET', '/programs'), []);
  }
  // Keys that were saved elsewhere open there.
  holder.forgetAllKeys();
  await holder.importKeys(key, program, sealed, 'words that nobody thinks of');
  const stranger = await joinAs(service, loom, 'stranger', 'analyst');
  await assert.rejects(stranger.call('GET', `/programs/${program}`), refused(404, 'not.found'));
  await assert.rejects(asker.ask({ program, records: [id] }), refused(404, 'not.found'));
});

test('who is disabled waits for nothing, and hears nothing more', { skip }, async (t) => {
  const service = await serviceHere(t, { env: { CLINIC_RUNNERS: '0' } });
  const { client, asked } = await patient(service, loom);
  const admin = await joinAs(service, loom, 'admin', 'admin');
  const waiting = await client.ask(asked);
  const running = await client.ask(asked);
  const job = await service.questions.claim({ worker: 'this test', runner: null, id: running.id });
  const heard = [];
  const listening = (async () => {
    for await (const { state } of client.events(waiting.id)) heard.push(state);
  })();
  await until(() => heard.length === 1, 'the stream has begun');
  const cancelled = once(service.questions.changes, `cancel ${running.id}`);
  await admin.call('PATCH', '/users/patient', { disabled: true });
  await Promise.all([listening, cancelled]);
  assert.deepEqual(heard, ['queued']);
  assert.equal(await service.questions.claim({ worker: 'this test', runner: null }), undefined);
  await assert.rejects(service.questions.finish(job, {}, 'service'), ({ code }) => code === 'question.lost');
  await admin.call('PATCH', '/users/patient', { disabled: false });
  await client.login({ name: 'patient', password: client.password });
  for (const { id } of [waiting, running])
    assert.equal((await client.call('GET', `/questions/${id}`)).state, 'cancelled');
});

test('who was a worker for a while reads what is theirs', { skip }, async (t) => {
  const service = await serviceHere(t, { env: { CLINIC_UNUSED_MS: '1' } });
  const { client, record, asked } = await patient(service, loom);
  const admin = await joinAs(service, loom, 'admin', 'admin');
  await admin.call('PATCH', '/users/patient', { role: 'worker' });
  await new Promise((resolve) => setTimeout(resolve, 5));
  await service.storage.sweepAll();
  await admin.call('PATCH', '/users/patient', { role: 'client' });
  await client.login({ name: 'patient', password: client.password });
  const own = (await client.call('GET', '/records')).find(({ id }) => id === record);
  assert.ok((await client.download(own.inputs.value)).length > 0);
  // Also where nobody brought it any more.
  await service.database.db('uploads').delete();
  assert.ok((await client.download(own.inputs.value)).length > 0);
  await client.ask(asked);
});

test('an upload asks the database few times', { skip }, async (t) => {
  const service = await serviceHere(t, { env: { CLINIC_RUNNERS: '0' } });
  const owner = await joinAs(service, loom, 'owner', 'owner');
  const { db } = service.database;
  const said = [];
  const record = ({ sql }) => said.push(sql);
  db.on('query', record);
  await owner.upload(valueBytes(KIB));
  db.off('query', record);
  assert.ok(said.length <= 12, said.join('\n'));
});

test('whether somebody may read bytes is asked once, however much has them', { skip }, async (t) => {
  const service = await serviceHere(t, { env: { CLINIC_RUNNERS: '0' } });
  const owner = await joinAs(service, loom, 'owner', 'owner');
  const other = await joinAs(service, loom, 'other', 'owner');
  const sha = await owner.upload(valueBytes(KIB));
  const { db } = service.database;
  const uses = Array.from({ length: 300 }, () => ({ sha, kind: 'record', id: randomUUID() }));
  await db.batchInsert('uses', uses, 50);
  let asked = 0;
  const record = () => (asked += 1);
  db.on('query', record);
  await assert.rejects(other.download(sha), refused(404, 'not.found'));
  db.off('query', record);
  assert.ok(asked <= 4, `${asked} questions`);
});

test('changes do not wait for all that is swept', { skip }, async (t) => {
  const service = await serviceHere(t, { env: { CLINIC_RUNNERS: '0', CLINIC_UNUSED_MS: '1' } });
  const { database, storage } = service;
  const shas = Array.from({ length: 400 }, (_, at) => shaOf(String(at)));
  const rows = shas.slice(200).map((sha) => ({ sha, bytes: 1, kind: 8, created: 1 }));
  await database.db.batchInsert('blobs', rows, 50);
  for (const sha of shas) {
    const path = storage.blobs.path(sha);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, 'x');
  }
  const { locked } = database;
  const turns = [];
  const record = () => (turns[turns.length - 1] += 1);
  database.db.on('query', record);
  database.locked = function (work) {
    turns.push(0);
    return locked.call(this, work);
  };
  await storage.sweepAll();
  database.db.off('query', record);
  assert.ok(Math.max(...turns) <= 6, turns.join());
  assert.deepEqual(await database.db('blobs').select(), []);
  for await (const left of storage.blobs.list()) assert.equal(left.length, 0);
});

test('files that go while they are listed are none', { skip }, async (t) => {
  const { storage } = await serviceHere(t, { env: { CLINIC_RUNNERS: '0' } });
  const [one, other] = ['a', 'b'].map((end) => storage.blobs.path(`${'0'.repeat(63)}${end}`));
  mkdirSync(join(one, '..'));
  for (const path of [one, other]) writeFileSync(path, 'x');
  let listed = 0;
  for await (const some of storage.blobs.list()) {
    listed += [some].flat().length;
    rmSync(one, { force: true });
    rmSync(other, { force: true });
  }
  assert.equal(listed, 2);
});

test('granting twice is granting once, and is taken back once', { skip }, async (t) => {
  const service = await serviceHere(t, { env: { CLINIC_RUNNERS: '0' } });
  const { client, record, asked, program } = await patient(service, loom);
  const friend = await joinAs(service, loom, 'friend', 'client');
  const grant = { to: 'friend', use: 'ask', program };
  const [one, other] = await Promise.all([client.grant(record, grant), client.grant(record, grant)]);
  assert.deepEqual(one, other);
  // Older services kept both.
  const { db } = service.database;
  const row = await db('grants').where({ id: one.id }).first();
  await db('grants').insert({ ...row, id: `${row.id.slice(0, -4)}twin` });
  const read = await client.grant(record, { to: 'friend', use: 'read' });
  assert.notEqual(read.id, one.id);
  await client.call('DELETE', `/records/${record}/grants/${one.id}`);
  await assert.rejects(friend.ask(asked), refused(404, 'not.found'));
  assert.deepEqual(await client.call('GET', `/records/${record}/grants`), [{ id: read.id, to: 'friend', use: 'read' }]);
  assert.notEqual((await client.grant(record, grant)).id, one.id);
  await friend.ask(asked);
});

test('of the log one’s own entries are looked up', { skip }, async (t) => {
  const service = await serviceHere(t, { env: { CLINIC_RUNNERS: '0' } });
  const { client, record, program, asked } = await patient(service, loom);
  const friend = await joinAs(service, loom, 'friend', 'client');
  await client.grant(record, { to: 'friend', use: 'ask', program });
  const { id } = await friend.ask(asked);
  const { db } = service.database;
  const said = [];
  const note = ({ sql, bindings }) => said.push({ sql, bindings });
  db.on('query', note);
  const own = await client.call('GET', '/audit/own');
  db.off('query', note);
  // What a friend asked, which one's key opens, is among them, and all in order.
  assert.ok(own.some(({ action, subject }) => action === 'question.ask' && subject === id));
  assert.deepEqual(
    own.map(({ seq }) => seq),
    own.map(({ seq }) => seq).toSorted((one, other) => one - other),
  );
  const [, { seq }, next] = own;
  assert.deepEqual((await client.call('GET', `/audit/own?after=${seq}`))[0], next);
  const { sql, bindings } = said.find(({ sql }) => sql.includes('audit'));
  const plan = (await db.raw(`explain query plan ${sql}`, bindings)).map(({ detail }) => detail).join('\n');
  assert.doesNotMatch(plan, /SCAN (audit|questions)|audit USING INDEX sqlite_autoindex/, plan);
});

test('a holder is asked for a key once, until it is answered', { skip }, async (t) => {
  const service = await serviceHere(t, { env: { CLINIC_RUNNERS: '0' } });
  const department = await joinAs(service, loom, 'department', 'analyst');
  const task = loom.task();
  task.output('sum', task.encrypted('value', { shape: [2], min: 0, max: 9 }).sum());
  const program = await department.publish('sum', await loom.compile(task, { publicKey: true }));
  const owner = await joinAs(service, loom, 'owner', 'owner');
  const request = () => owner.call('POST', '/key-requests', { holder: 'department', program });
  const [one, other] = await Promise.all([request(), request()]);
  assert.deepEqual(one, other);
  assert.equal(await department.answerRequests(), 1);
  assert.notEqual((await request()).id, one.id);
});
