// What requests may take of a service before they are known: bodies that nobody reads, that do not come, that nest without end; addresses that proxies say; streams of events.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { load } from 'cipherloom';
import { readConfig } from '../../examples/clinic/service/config.mjs';
import { Runner } from '../../examples/clinic/service/runner.mjs';
import { joinAs, patient, refused, skip, startService } from './clinic.mjs';

const PATIENCE_MS = 60_000;

let loom;
before(async () => {
  loom = await load({ threads: 1 });
});
after(() => loom.dispose());

/** A request as bytes, which may never come whole. Gives its connection; `answer`: status and code, once they came. */
function begin(url, method, path, headers, body) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // What is not answered is told as such.
  socket.setTimeout(PATIENCE_MS, () => socket.destroy()).on('error', () => {});
  const lines = Object.entries({ host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  socket.write(body);
  let text = '';
  const answer = new Promise((resolve, reject) => {
    socket.once('close', () => reject(new Error(`no answer: ${text}`)));
    socket.setEncoding('utf8').on('data', (part) => {
      text += part;
      const said = text.match(/\r\n\r\n(\{.*\})$/);
      if (said) resolve({ status: Number(text.split(' ')[1]), code: JSON.parse(said[1]).error?.code });
    });
  });
  // Asked for or not.
  answer.catch(() => {});
  return { socket, answer };
}

const json = (length) => ({ 'content-type': 'application/json', 'content-length': String(length) });

test('of addresses that are none no body is read, and they are counted', { skip }, async () => {
  const calm = await startService({ env: { CLINIC_RATE: '3' } });
  const said = [];
  for (let time = 0; time < 4; time++) {
    const { socket, answer } = begin(calm.url, 'POST', '/v1/nothing', json(4_000_000), '{');
    said.push(await answer);
    socket.destroy();
  }
  const none = { status: 404, code: 'not.found' };
  assert.deepEqual(said, [none, none, none, { status: 429, code: 'rate.limit' }]);
});

test('JSON comes whole in time and is of a size; a blob has its time', { skip }, async () => {
  const service = await startService({ env: { CLINIC_REQUEST_MS: '700' } });
  const owner = await joinAs(service, loom, 'owner', 'owner');
  const blob = Buffer.concat([Buffer.from('cipherloom'), Buffer.of(8), Buffer.alloc(20)]);
  const authorization = `Bearer ${owner.token}`;
  const upload = begin(
    service.url,
    'POST',
    '/v1/blobs',
    { authorization, 'content-type': 'application/octet-stream', 'content-length': String(blob.length) },
    blob.subarray(0, 15),
  );
  for (const [path, headers] of [
    ['/v1/sessions', {}],
    ['/v1/records', { authorization }],
  ]) {
    const { socket, answer } = begin(service.url, 'POST', path, { ...headers, ...json(100) }, '{');
    const closed = once(socket, 'close');
    assert.deepEqual(await answer, { status: 408, code: 'request.slow' });
    await closed;
  }
  upload.socket.write(blob.subarray(15));
  assert.deepEqual(await upload.answer, { status: 201, code: undefined });
  // Who has no token has little to say.
  const chunked = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
  for (const [headers, body] of [
    [json(20_000), '{'],
    [chunked, `4e20\r\n${'x'.repeat(20_000)}\r\n`],
  ]) {
    const large = begin(service.url, 'POST', '/v1/sessions', headers, body);
    assert.deepEqual(await large.answer, { status: 413, code: 'request.invalid' });
  }
});

test('JSON that nests without end, and addresses that are no text', { skip }, async () => {
  const service = await startService();
  const { client, asked } = await patient(service, loom);
  const authorization = `Bearer ${client.token}`;
  const deep = `${'['.repeat(500_000)}${']'.repeat(500_000)}`;
  const body = `{"program":"${asked.program}","records":["${asked.records[0]}"],"given":{"plain":{"w":${deep}}}}`;
  const nested = begin(service.url, 'POST', '/v1/questions', { authorization, ...json(body.length) }, body);
  assert.deepEqual(await nested.answer, { status: 400, code: 'request.invalid' });
  // Brackets in texts are none.
  const label = `"\\"${'['.repeat(150)}\\\\`;
  const [{ key, inputs }] = await client.call('GET', '/records');
  const of = { program: asked.program, key, inputs };
  assert.equal((await client.call('POST', '/records', { ...of, label })).label, label);
  // Nor is there a text with U+0000, which PostgreSQL would not take.
  const { blob } = await client.call('GET', `/programs/${asked.program}`);
  for (const [path, wrong] of [
    ['/records', { ...of, label: 'a\u0000' }],
    ['/programs', { name: 'a\u0000', blob }],
    ['/programs/compile', { name: 'a\u0000', task: {} }],
    ['/sessions', { name: 'a\u0000', password: 'a long password' }],
  ])
    await assert.rejects(client.call('POST', path, wrong), refused(400, 'request.invalid'), path);
  for (const path of ['/v1/questions/%E0%A4%A', `/v1/questions/${'x'.repeat(5000)}`]) {
    const bad = begin(service.url, 'GET', path, { authorization }, '');
    const { status, code } = await bad.answer;
    assert.ok(status >= 400 && status < 500, `${path}: ${status}`);
    assert.equal(code, 'request.invalid');
  }
});

test('behind proxies an address is what the outermost of these saw', { skip }, async () => {
  const times = { CLINIC_LOGIN_RATE: '3' };
  const [none, one, two] = await Promise.all(
    ['0', '1', '2'].map((proxies) => startService({ env: { ...times, CLINIC_BEHIND_PROXY: proxies } })),
  );
  // As proxies hand them on: each appends whom it heard.
  for (const [{ url }, seen] of [
    [none, (at) => `10.0.0.${at}`],
    [one, (at) => `10.0.0.${at}, 9.9.9.9`],
    [two, (at) => `10.0.0.${at}, 9.9.9.9, 10.1.1.1`],
  ]) {
    const statuses = [];
    for (let at = 1; at <= 4; at++) {
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': seen(at) };
      const body = JSON.stringify({ name: 'admin', password: 'a guess' });
      statuses.push((await fetch(`${url}/v1/sessions`, { method: 'POST', headers, body })).status);
    }
    assert.deepEqual(statuses, [401, 401, 401, 429]);
  }
  const body = JSON.stringify({ name: 'admin', password: 'a guess' });
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': '10.0.0.1, 9.9.9.8' };
  assert.equal((await fetch(`${one.url}/v1/sessions`, { method: 'POST', headers, body })).status, 401);
});

test('each user has so many streams of events open', { skip }, async () => {
  const service = await startService({ env: { CLINIC_RUNNERS: '0', CLINIC_STREAMS: '2' } });
  const { client, asked } = await patient(service, loom);
  const { id } = await client.ask(asked);
  const listen = () =>
    begin(service.url, 'GET', `/v1/questions/${id}/events`, { authorization: `Bearer ${client.token}` }, '');
  const streams = [];
  for (let at = 0; at < 2; at++) {
    streams.push(listen());
    await once(streams.at(-1).socket, 'data');
  }
  const many = { status: 429, code: 'events.many' };
  assert.deepEqual(await listen().answer, many);
  // What is none, or ends at once, does not count for ever.
  streams[0].socket.destroy();
  const none = (await client.call('GET', '/me')).id;
  for (let refusals = 0, at = 0; at < 3; refusals++) {
    const { answer } = begin(
      service.url,
      'GET',
      `/v1/questions/${none}/events`,
      { authorization: `Bearer ${client.token}` },
      '',
    );
    const { status } = await answer;
    if (status === 404) at++;
    else assert.ok(status === 429 && refusals < 1000, String(status));
  }
  const heard = once(streams[1].socket, 'data');
  await client.call('DELETE', `/questions/${id}`);
  await heard;
  for (let at = 0; at < 3; at++) await assert.rejects(client.wait(id), refused(0, 'question.cancelled'));
});

test('settings that timers cannot hold, and a yes where a number is asked for, are refused at the start', () => {
  for (const [name, value] of Object.entries({
    CLINIC_QUESTION_MS: '3000000000',
    CLINIC_LEASE_MS: '9000000000',
    CLINIC_REQUEST_MS: '2147483648',
    CLINIC_BEHIND_PROXY: 'yes',
  }))
    assert.throws(
      () => readConfig({ [name]: value }),
      ({ code, message }) => code === 'config.invalid' && message.includes(name) && message.includes(`found ${value}`),
    );
});

test('a run that cannot begin fails, and its question with it', async () => {
  const failed = [];
  const questions = {
    changes: { on() {}, off() {} },
    claim: async () => ({ id: 'one', attempt: 1 }),
    fail: async (job, { code }) => failed.push([job.id, code]),
    renew: async () => true,
  };
  const log = { warn() {}, error() {} };
  const evaluator = { run: async () => ({}), stop() {} };
  const config = { leaseMs: 60_000, questionMs: 2 ** 40, threads: 1 };
  const runner = new Runner(questions, {}, config, log, async () => evaluator);
  assert.equal(await runner.work(), true);
  assert.deepEqual(failed, [['one', 'service.failed']]);
});

test('a runner whose evaluator could not be started starts another one for the next question', async () => {
  const ended = [];
  const questions = {
    changes: { on() {}, off() {} },
    claim: async () => ({ id: 'one', attempt: 1 }),
    fail: async (_job, { code }) => ended.push(code),
    finish: async () => ended.push('done'),
    renew: async () => true,
  };
  const log = { warn() {}, error() {} };
  const config = { leaseMs: 60_000, questionMs: 60_000, threads: 1 };
  let tries = 0;
  const start = async () => {
    tries += 1;
    if (tries === 1) throw Object.assign(new Error('no memory for now'), { code: 'memory.full' });
    return { run: async () => ({}), stop() {} };
  };
  const runner = new Runner(questions, {}, config, log, start);
  for (let at = 0; at < 3; at++) await runner.work();
  assert.deepEqual(ended, ['memory.full', 'done', 'done']);
  assert.equal(tries, 2);
});
