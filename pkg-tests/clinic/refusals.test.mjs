// What is refused: forged, expired and foreign tokens, roles, tricks with names, uploads that are none, too much of everything, full disks. The service goes on.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createTask, load } from 'cipherloom';
import { ClinicClient, taskIn } from '../../examples/clinic/client.mjs';
import { PERMISSIONS, ROLES } from '../../examples/clinic/service/roles.mjs';
import { command, joinAs, ownTask, patient, refused, skip, startService, study, tryCommand } from './clinic.mjs';
import { temporaryFolder } from '../lib/own.mjs';
import { until } from '../cluster/workers.mjs';

const MIB = 2 ** 20;
const NOBODY = '00000000-0000-4000-8000-000000000000';

let loom;
let service;
let owner;
before(async () => {
  loom = await load({ threads: 1 });
  if (skip) return;
  service = await startService({ env: { CLINIC_MAX_BLOB_BYTES: String(MIB), CLINIC_USER_BYTES: String(3 * MIB) } });
  owner = await joinAs(service, loom, 'owner', 'owner');
});
after(async () => {
  loom.dispose();
  await service?.stop();
});

/** One request as it is; gives status, code and body. */
async function plain(method, path, { token, body, type = 'application/json', url = service.url } = {}) {
  const response = await fetch(new URL(path, url), {
    method,
    headers: {
      ...(token !== undefined && { authorization: token }),
      ...(body !== undefined && { 'content-type': type }),
    },
    body,
  });
  const text = await response.text();
  return { status: response.status, code: text && JSON.parse(text).error?.code, text };
}

test(
  'tokens that are none, forged, expired, of another service, of who has left or was disabled',
  { skip },
  async () => {
    const short = await startService({ env: { CLINIC_SESSION_MS: '1500' } });
    const foreign = await joinAs(short, loom, 'owner', 'owner');
    const said = [];
    const tokenOf = async ({ url, name, password }) => {
      const body = JSON.stringify({ name, password });
      const { text, status } = await plain('POST', '/v1/sessions', { body, url });
      assert.equal(status, 201);
      said.push(JSON.parse(text).token);
      return said.at(-1);
    };
    const theirs = await tokenOf({ url: short.url, name: 'owner', password: foreign.password });
    const mine = await tokenOf({ url: service.url, name: 'owner', password: owner.password });
    const flipped = `${mine[0] === 'A' ? 'B' : 'A'}${mine.slice(1)}`;
    const wrong = [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      'Bearer x',
      `Basic ${mine}`,
      `Bearer ${theirs}`,
      `Bearer ${flipped}`,
      `Bearer ${mine}x`,
      `Bearer ${'x'.repeat(4000)}`,
    ];
    for (const token of wrong) {
      const { status, text } = await plain('GET', '/v1/me', { token });
      assert.ok([400, 401].includes(status), `${token}: ${status} ${text}`);
      assert.ok(!text.includes(mine));
    }
    assert.equal((await plain('GET', '/v1/me', { token: `Bearer ${mine}` })).status, 200);
    // It expires: asked until it has.
    for (let status = 200; status !== 401;)
      ({ status } = await plain('GET', '/v1/me', { token: `Bearer ${theirs}`, url: short.url }));
    // Who leaves, changes the password, is disabled or gets another role has no old tokens.
    const admin = await joinAs(service, loom, 'admin', 'admin');
    for (const ends of [
      (someone) => someone.logout(),
      (someone, name) => admin.call('PATCH', `/users/${name}`, { disabled: true }),
      (someone, name) => admin.call('PATCH', `/users/${name}`, { role: 'analyst' }),
    ]) {
      const name = `leaver${said.length}`;
      const someone = await joinAs(service, loom, name, 'owner');
      const token = await tokenOf({ url: service.url, name, password: someone.password });
      const other = `Bearer ${token}`;
      assert.equal((await plain('GET', '/v1/me', { token: other })).status, 200);
      await ends(someone, name);
      if (ends.length > 1) assert.equal((await plain('GET', '/v1/me', { token: other })).status, 401);
      else await assert.rejects(someone.call('GET', '/me'), refused(401, 'token.invalid'));
    }
    const changer = await joinAs(service, loom, 'changer', 'owner');
    const old = await tokenOf({ url: service.url, name: 'changer', password: changer.password });
    await changer.call('POST', '/password', { old: changer.password, password: 'another long password' });
    assert.equal((await plain('GET', '/v1/me', { token: `Bearer ${old}` })).status, 401);
    await changer.login({ name: 'changer', password: 'another long password' });
    await assert.rejects(changer.login({ name: 'changer', password: changer.password }), refused(401, 'login.wrong'));
    await assert.rejects(admin.call('PATCH', '/users/admin', { disabled: true }), refused(409, 'user.self'));
  },
);

test('invitations and passwords', { skip }, async () => {
  const register = (code, more) =>
    ClinicClient.register(service.url, loom, { code, name: 'guest', password: 'a long password', ...more });
  await assert.rejects(register('x'.repeat(43)), refused(403, 'invite.invalid'));
  const code = service.invite('client');
  await assert.rejects(register(code, { password: 'short' }), refused(422, 'password.short'));
  await assert.rejects(register(code, { name: 'owner' }), refused(409, 'user.taken'));
  await register(code);
  await assert.rejects(register(code, { name: 'guest2' }), refused(403, 'invite.invalid'));
  const late = command({ ...service.env, CLINIC_INVITE_MS: '1' }, 'invite', 'client');
  await assert.rejects(register(late.code, { name: 'guest3' }), refused(403, 'invite.invalid'));
  assert.equal(tryCommand(service.env, 'invite', 'emperor').status, 1);
  assert.equal(tryCommand(service.env, 'reign').status, 2);
  // Who there is, nobody learns by trying.
  const guest = new ClinicClient(service.url, loom);
  for (const name of ['guest', 'nobody'])
    await assert.rejects(guest.login({ name, password: 'not this one' }), refused(401, 'login.wrong'));
});

test('each role may do what the table says, and nothing else', { skip }, async () => {
  const calls = {
    'users.manage': ['POST', '/invites', { role: 'client' }],
    'audit.read': ['GET', '/audit'],
    'programs.read': ['GET', '/programs'],
    'programs.write': ['DELETE', `/programs/${NOBODY}`],
    'keys.write': ['DELETE', `/keys/${NOBODY}`],
    'keys.read': ['GET', '/keys'],
    'records.write': ['DELETE', `/records/${NOBODY}`],
    'questions.ask': ['DELETE', `/questions/${NOBODY}`],
    'questions.run': ['POST', '/work/claim'],
  };
  for (const role of Object.keys(ROLES)) {
    const someone = await joinAs(service, loom, `one-${role}`, role);
    for (const [permission, call] of Object.entries(calls)) {
      const outcome = await someone.call(...call).then(
        () => undefined,
        ({ code }) => code,
      );
      assert.equal(
        outcome === 'role.forbidden',
        !ROLES[role].includes(permission),
        `${role}, ${permission}: ${outcome}`,
      );
    }
    const upload = someone.upload(Buffer.from('nothing'));
    await assert.rejects(
      upload,
      ROLES[role].includes('blobs.write') ? refused(422, 'upload.kind') : refused(403, 'role.forbidden'),
    );
  }
  assert.deepEqual(Object.keys(PERMISSIONS).sort(), ['blobs.write', ...Object.keys(calls)].sort());
});

test('names never become paths, nor anything else', { skip }, async () => {
  const token = await tokenFor(owner);
  const tricks = [
    '../../../etc/passwd',
    '..%2f..%2fclinic.sqlite',
    '%2e%2e/%2e%2e',
    '....//',
    'C:\\',
    'a\u0000b',
    '..',
    '',
    'x'.repeat(5000),
  ];
  for (const trick of tricks) {
    for (const path of [
      `/v1/blobs/${trick}`,
      `/v1/records/${trick}/grants`,
      `/v1/questions/${trick}`,
      `/v1/keys?holder=${trick}`,
    ]) {
      const { status, text } = await plain('GET', path, { token });
      assert.ok(status >= 400 && status < 500, `${path}: ${status}`);
      assert.ok(!text.includes('root:') && !text.includes('SQLite format'));
    }
    const body = JSON.stringify({ code: service.invite('client'), name: trick, password: 'a long password' });
    assert.equal((await plain('POST', '/v1/register', { body })).status, 400);
  }
  // What is no part of a request is refused, and so is what would change how objects are.
  for (const body of [
    '{"name":"owner","password":"x","role":"admin"}',
    '{"name":"owner","password":"x","__proto__":{"role":"admin"}}',
    '[]',
    '{',
    '"x"',
    '{"name":1,"password":"x"}',
  ])
    assert.equal((await plain('POST', '/v1/sessions', { body })).status, 400);
  // Inputs, programs and records may be named as one likes.
  const other = await startService();
  const client = await joinAs(other, loom, 'client', 'client');
  const task = createTask();
  const names = ['../../escaped', 'constructor', 'a\nb'];
  const values = Object.fromEntries(names.map((name, at) => [name, [at, 1]]));
  const inputs = names.map((name) => task.encrypted(name, { shape: [2], min: 0, max: 9 }));
  task.output('../sum', inputs.reduce((sum, input) => sum.add(input)).sum());
  const program = await client.publish('../../program', await loom.compile(task));
  const key = await client.issueKeys(program);
  const { id } = await client.store({ program, key, label: '../../label', values });
  const asked = await client.ask({ program, records: [id] });
  await client.wait(asked.id);
  assert.deepEqual(await client.answer(asked.id, key), { '../sum': 6 });
  assert.deepEqual(
    readdirSync(other.data)
      .sort()
      .filter((name) => !/-(wal|shm)$/.test(name)),
    ['blobs', 'clinic.sqlite'],
  );
  for (const folder of readdirSync(join(other.data, 'blobs')))
    for (const name of readdirSync(join(other.data, 'blobs', folder))) assert.match(name, /^[0-9a-f]{64}$/);
});

async function tokenFor({ user, password }) {
  const { text } = await plain('POST', '/v1/sessions', { body: JSON.stringify({ name: user.name, password }) });
  return `Bearer ${JSON.parse(text).token}`;
}

test('uploads of the wrong type', { skip }, async () => {
  const token = await tokenFor(owner);
  const post = (body, type) => plain('POST', '/v1/blobs', { token, body, type });
  const program = await loom.compile(ownTask());
  const bytes = Buffer.from(program.toBytes());
  for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x'])
    assert.deepEqual([(await post('{}', type)).status, (await post('{}', type)).code], [415, 'upload.type']);
  const kinds = [
    [Buffer.alloc(0), 'upload.empty'],
    [Buffer.from('cipherloom'), 'upload.kind'],
    [Buffer.from('#!/bin/sh\nexit\n'), 'upload.kind'],
  ];
  for (const kind of [0, 1, 3, 6, 12, 255])
    kinds.push([Buffer.concat([Buffer.from('cipherloom'), Buffer.of(kind), bytes.subarray(11)]), 'upload.kind']);
  for (const kind of [2, 10])
    kinds.push([Buffer.concat([Buffer.from('cipherloom'), Buffer.of(kind), bytes.subarray(11)]), 'upload.secret']);
  for (const [body, code] of kinds)
    assert.deepEqual([(await post(body, 'application/octet-stream')).code, code], [code, code]);
  // Of the right kind, and broken: opened before it is offered.
  const someone = await joinAs(service, loom, 'someone', 'client');
  const changed = Buffer.from(bytes);
  changed[60] ^= 1;
  for (const [broken, code] of [
    [bytes.subarray(0, bytes.length - 1), 'format.truncated'],
    [changed, 'format.checksum'],
  ]) {
    const blob = await someone.upload(broken);
    await assert.rejects(someone.call('POST', '/programs', { name: 'broken', blob }), refused(422, code));
  }
  const weak = await loom.compile(ownTask(), { n: 64, allowInsecure: true });
  await assert.rejects(someone.publish('weak', weak), refused(422, 'parameters.insecure'));
  const blob = await someone.upload(bytes);
  // Nobody offers or uses what others brought.
  const stranger = await joinAs(service, loom, 'stranger', 'client');
  await assert.rejects(stranger.call('POST', '/programs', { name: 'mine', blob }), refused(422, 'blob.missing'));
  await assert.rejects(stranger.download(blob), refused(404, 'not.found'));
  const id = await someone.publish('right', program);
  // One kind in place of another.
  await assert.rejects(someone.call('POST', '/keys', { program: id, evaluation: [blob] }), refused(422, 'blob.kind'));
  const key = await someone.issueKeys(id);
  const record = { program: id, key, label: 'x' };
  await assert.rejects(
    someone.call('POST', '/records', { ...record, inputs: { value: blob } }),
    refused(422, 'blob.kind'),
  );
  await assert.rejects(
    someone.call('POST', '/records', { ...record, inputs: { other: blob } }),
    refused(422, 'record.input'),
  );
  await assert.rejects(
    someone.compileThere('nonsense', { literal: () => ({ inputs: [], nodes: 7, outputs: [] }) }),
    ({ status }) => status === 422,
  );
  assert.deepEqual(taskIn(program.toBytes()), ownTask().literal());
});

test('10 GB, declared and streamed, are refused early', { skip }, async () => {
  const token = await tokenFor(owner);
  const send = async (headers, body) => {
    const asked = request(new URL('/v1/blobs', service.url), {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/octet-stream', ...headers },
    });
    asked.on('error', () => {});
    const answered = once(asked, 'response').then(async ([response]) => {
      response.setEncoding('utf8');
      let text = '';
      for await (const part of response) text += part;
      return { status: response.statusCode, code: JSON.parse(text).error.code };
    });
    const sent = await body(asked, answered);
    const answer = await answered;
    asked.destroy();
    return { ...answer, sent };
  };
  // No byte of it has to be sent.
  const declared = await send({ 'content-length': String(10 * 2 ** 30) }, async (asked) => {
    asked.flushHeaders();
    return 0;
  });
  assert.deepEqual([declared.status, declared.code], [413, 'upload.large']);
  const streamed = await send({ 'transfer-encoding': 'chunked' }, async (asked, answered) => {
    let over = false;
    let next = () => {};
    const end = () => {
      over = true;
      next();
    };
    answered.then(end, end);
    asked.once('close', end).on('drain', () => next());
    asked.write(Buffer.concat([Buffer.from('cipherloom'), Buffer.of(8)]));
    let sent = 0;
    while (!over && sent < 1024 * MIB) {
      sent += 65_536;
      if (!asked.write(Buffer.alloc(65_536))) await new Promise((resolve) => (next = resolve));
    }
    return sent;
  });
  assert.deepEqual([streamed.status, streamed.code], [413, 'upload.large']);
  assert.ok(streamed.sent < 64 * MIB, `${streamed.sent} bytes were taken`);
  assert.deepEqual(readdirSync(join(service.data, 'blobs', 'incoming')), []);
});

test('what was refused and had come whole does not end the connection', { skip }, async () => {
  const token = await tokenFor(owner);
  const send = () =>
    plain('POST', '/v1/blobs', { token, body: Buffer.from('nothing'), type: 'application/octet-stream' });
  // For longer than who goes on to send is heard. A connection that is ended beside a request is an error of fetch.
  for (const began = performance.now(); performance.now() - began < 7000;)
    for (const { code } of await Promise.all(Array.from({ length: 10 }, send))) assert.equal(code, 'upload.kind');
});

test('an upload that ends early leaves nothing', { skip }, async () => {
  const incoming = () => readdirSync(join(service.data, 'blobs', 'incoming')).length;
  const asked = request(new URL('/v1/blobs', service.url), {
    method: 'POST',
    headers: {
      authorization: await tokenFor(owner),
      'content-type': 'application/octet-stream',
      'content-length': '1000',
    },
  });
  asked.on('error', () => {});
  asked.write(Buffer.concat([Buffer.from('cipherloom'), Buffer.of(8)]));
  await until(() => incoming() === 1, 'the upload has begun');
  asked.destroy();
  await until(() => incoming() === 0, 'what came is gone');
});

test('a user, and a store, have room for so much', { skip }, async () => {
  const someone = await joinAs(service, loom, 'hoarder', 'owner');
  const value = (fill) => Buffer.concat([Buffer.from('cipherloom'), Buffer.of(8), Buffer.alloc(MIB - 11, fill)]);
  for (let fill = 0; fill < 3; fill++) await someone.upload(value(fill));
  await assert.rejects(someone.upload(value(3)), refused(507, 'storage.full'));
  const other = await joinAs(service, loom, 'modest', 'owner');
  await other.upload(value(3));
});

test('a full disk is an answer, and no end', { skip }, async (t) => {
  const data = temporaryFolder();
  const blobs = join(data, 'blobs');
  mkdirSync(blobs);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', blobs]);
  if (mounted.status !== 0) {
    t.skip('this process may not mount a small file system');
    return;
  }
  const unmount = () => spawnSync('umount', ['-l', blobs]);
  process.once('exit', unmount);
  t.after(unmount);
  const small = await startService({ data });
  const someone = await patient(small, loom);
  const value = Buffer.concat([Buffer.from('cipherloom'), Buffer.of(8), Buffer.alloc(3 * MIB, 5)]);
  await assert.rejects(someone.client.upload(value), refused(507, 'storage.full'));
  // Nearly full: the answer of a question finds no room.
  let filled = 0;
  for (let bytes = MIB; bytes >= 4096; bytes = Math.floor(bytes / 2)) {
    for (let full = false; !full;) {
      await someone.client
        .upload(Buffer.concat([value.subarray(0, bytes), Buffer.from(String(filled++))]))
        .catch((error) => {
          refused(507, 'storage.full')(error);
          full = true;
        });
    }
  }
  const { id } = await someone.client.ask(someone.asked);
  await assert.rejects(someone.client.wait(id), refused(0, 'storage.full'));
  assert.deepEqual(readdirSync(join(blobs, 'incoming')), []);
  assert.equal((await someone.client.call('GET', '/records')).length, 1);
  assert.equal(await small.stop(), 0);
});

test('stored bytes that were changed are found before they are used', { skip }, async () => {
  const other = await startService();
  const someone = await patient(other, loom);
  const [{ inputs }] = await someone.client.call('GET', '/records');
  const path = join(other.data, 'blobs', inputs.value.slice(0, 2), inputs.value);
  const bytes = readFileSync(path);
  bytes[bytes.length - 30] ^= 1;
  writeFileSync(path, bytes);
  await assert.rejects(someone.client.download(inputs.value), refused(500, 'storage.damaged'));
  const { id } = await someone.client.ask(someone.asked);
  await assert.rejects(someone.client.wait(id), refused(0, 'storage.damaged'));
  assert.match(tryCommand(other.env, 'backup', join(temporaryFolder(), 'backup')).stderr, /backup\.damaged/);
  assert.deepEqual(
    readdirSync(join(other.data, 'blobs')).filter((name) => name.startsWith('pinned')),
    [],
  );
});

test('too many requests', { skip }, async () => {
  const calm = await startService({ env: { CLINIC_LOGIN_RATE: '3', CLINIC_RATE: '40' } });
  const guest = new ClinicClient(calm.url, loom);
  for (let time = 0; time < 3; time++)
    await assert.rejects(guest.login({ name: 'x', password: 'y' }), refused(401, 'login.wrong'));
  await assert.rejects(guest.login({ name: 'x', password: 'y' }), refused(429, 'rate.limit'));
  let last;
  for (let time = 0; time < 41; time++) last = await plain('GET', '/v1/me', { url: calm.url });
  assert.deepEqual([last.status, last.code], [429, 'rate.limit']);
});

test('questions that fail say why, and the next one has its answer', { skip }, async () => {
  const roomy = await startService();
  const all = await study(roomy, loom);
  const { department, clinics, program, fingerprint, records, key } = all;
  // A value of the right form that was encrypted for somebody else.
  const thief = await joinAs(roomy, loom, 'thief', 'analyst');
  const theirs = await thief.issueKeys(program);
  const foreign = await (
    await (await clinics.north.program(program)).owner(await clinics.north.download(await thief.fingerprint(theirs)))
  ).encrypt({ north: [1, 1, 1, 1] });
  const blob = await clinics.north.upload(foreign.north);
  const bad = await clinics.north.call('POST', '/records', { program, key, label: 'bad', inputs: { north: blob } });
  await clinics.north.grant(bad.id, { to: 'department', use: 'ask', program });
  const asked = await department.ask({ program, records: [bad.id, records[1]] });
  await assert.rejects(department.wait(asked.id), refused(0, 'key.foreign'));
  // Bytes that claim to be a value.
  const junk = await clinics.north.upload(
    Buffer.concat([Buffer.from('cipherloom'), Buffer.of(8), Buffer.alloc(5000, 1)]),
  );
  const worse = await clinics.north.call('POST', '/records', { program, key, label: 'worse', inputs: { north: junk } });
  await clinics.north.grant(worse.id, { to: 'department', use: 'ask', program });
  const junked = await department.ask({ program, records: [worse.id, records[1]] });
  await assert.rejects(department.wait(junked.id), ({ code }) => code.startsWith('format.'));
  // The public key of somebody else, by the wrong fingerprint.
  const other = {
    program,
    holder: 'department',
    fingerprint: await thief.fingerprint(theirs),
    label: 'x',
    values: { north: [1, 1, 1, 1] },
  };
  await assert.rejects(clinics.north.storeFor(other), refused(0, 'key.other'));
  const right = await department.ask(all.asked);
  await department.wait(right.id);
  assert.deepEqual(await department.answer(right.id, key), { sum: all.sum });
  assert.ok(fingerprint.length === 64);
});

test('settings that are none are refused, and tokens do not travel in the clear', { skip }, () => {
  for (const env of [
    { CLINIC_PORT: 'x' },
    { CLINIC_RATE: '0' },
    { CLINIC_HOST: '0.0.0.0' },
    { CLINIC_MAX_BLOB_BYTES: '1.5' },
  ]) {
    const { status, stderr } = tryCommand({ ...service.env, ...env }, 'serve');
    assert.equal(status, 1);
    assert.match(stderr, /config\.invalid/);
    assert.ok(stderr.includes(Object.keys(env)[0]));
  }
});
