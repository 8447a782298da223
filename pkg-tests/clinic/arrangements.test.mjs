// The roles of devices: who takes the task, who selects the base set, who runs it, the service, one device or several, or a third party that is trusted.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { load } from 'cipherloom';
import { taskIn } from '../../examples/clinic/client.mjs';
import { startProcess } from '../lib/started.mjs';
import { told } from '../../examples/clinic/service/runner.mjs';
import {
  FOLDER,
  joinAs,
  ownTask,
  patient,
  refused,
  serviceHere,
  SHORT_LEASE,
  skip,
  startService,
  study,
  valueBytes,
} from './clinic.mjs';

const WORKER = join(FOLDER, 'worker.mjs');

let loom;
before(async () => {
  loom = await load({ threads: 1 });
});
after(() => loom.dispose());

function startWorker(service, { name, password }) {
  const env = { CLINIC_URL: service.url, CLINIC_NAME: name, CLINIC_PASSWORD: password, CLINIC_THREADS: '1' };
  return startProcess(WORKER, [], env, /waits for (questions)/);
}

const values = [5, 21, 40, 63];

test('one device takes the task and selects, the service runs', { skip }, async () => {
  const service = await startService();
  const someone = await patient(service, loom);
  const { id } = await someone.client.ask(someone.asked);
  await someone.client.wait(id);
  assert.deepEqual(await someone.client.answer(id, someone.key), { sum: someone.sum });
});

test(
  'one device takes the task, the service selects and runs; another task in its place is found',
  { skip },
  async () => {
    const service = await startService();
    const client = await joinAs(service, loom, 'patient', 'client');
    const program = await client.compileThere('mine', ownTask());
    const key = await client.issueKeys(program);
    const { id: record } = await client.store({ program, key, label: 'x', values: { value: values } });
    const { id } = await client.ask({ program, records: [record] });
    await client.wait(id);
    assert.deepEqual(await client.answer(id, key), { sum: 129 });
    // What a service would do that changes the task.
    const { blob } = await client.call('GET', `/programs/${program}`);
    assert.deepEqual(taskIn(await client.download(blob)), ownTask().literal());
    await assert.rejects(
      client.checkedProgram(program, blob, ownTask({ long: true }).literal()),
      refused(0, 'program.other'),
    );
  },
);

test(
  'three devices: one has task and data, one selects, several run; the service only hands on',
  { skip },
  async () => {
    const service = await startService({ env: { CLINIC_RUNNERS: '0' } });
    const client = await joinAs(service, loom, 'patient', 'client');
    const compiler = await joinAs(service, loom, 'compiler', 'compiler');
    // The task comes to who selects by any way; here it is in this process.
    const literal = ownTask().literal();
    const selected = await loom.compile({ literal: () => literal, ties: () => ({ results: new Map(), kept: [] }) });
    const program = await compiler.publish('selected', selected);
    const { blob } = await client.call('GET', `/programs/${program}`);
    await client.checkedProgram(program, blob, literal);
    const key = await client.issueKeys(program);
    const { id: record } = await client.store({ program, key, label: 'x', values: { value: values } });
    // Two devices that log in as one.
    const device = await joinAs(service, loom, 'device', 'worker');
    const credentials = { name: 'device', password: device.password };
    const devices = await Promise.all([startWorker(service, credentials), startWorker(service, credentials)]);
    const ids = [];
    for (let at = 0; at < 6; at++) ids.push((await client.ask({ program, records: [record], runner: 'device' })).id);
    for (const id of ids) {
      const { attempt } = await client.wait(id);
      assert.equal(attempt, 1);
      assert.deepEqual(await client.answer(id, key), { sum: 129 });
    }
    const ran = devices.flatMap((each) => [...each.output().matchAll(/ran (\S+)/g)].map(([, id]) => id));
    assert.ok(new Set(ran).size === ran.length && ran.every((id) => ids.includes(id)));
    for (const each of devices) assert.equal(await each.stop(), 0);
  },
);

test('a trusted third party runs what names it, and sees nothing else', { skip }, async () => {
  const service = await startService({ env: SHORT_LEASE });
  const all = await study(service, loom);
  const { department, asked, key, sum, clinics } = all;
  const party = await joinAs(service, loom, 'party', 'worker');
  const other = await joinAs(service, loom, 'other', 'worker');
  await assert.rejects(department.ask({ ...asked, runner: 'north' }), refused(422, 'question.runner'));
  await assert.rejects(department.ask({ ...asked, runner: 'nobody' }), refused(404, 'not.found'));
  const { id } = await department.ask({ ...asked, runner: 'party' });
  assert.equal(await other.call('POST', '/work/claim'), undefined);
  const job = await party.call('POST', '/work/claim');
  assert.equal(job.id, id);
  assert.equal(await party.call('POST', '/work/claim'), undefined);
  // Each names other work than its own, to read or to answer.
  const [mine] = await clinics.north.call('GET', '/records');
  const blob = mine.inputs.north;
  assert.ok((await party.download(blob, `/work/${id}/1/blobs/${blob}`)).length > 0);
  for (const [who, path] of [
    [other, `/work/${id}/1/blobs/${blob}`],
    [party, `/work/${id}/2/blobs/${blob}`],
    [party, `/work/${id}/1/blobs/${'0'.repeat(64)}`],
    [party, `/blobs/${blob}`],
  ])
    await assert.rejects(who.download(blob, path), refused(404, 'not.found'));
  const result = { attempt: 1, outputs: { sum: blob } };
  await assert.rejects(other.call('POST', `/work/${id}/result`, result), refused(404, 'not.found'));
  await assert.rejects(party.call('POST', `/work/${id}/result`, result), refused(422, 'blob.missing'));
  assert.deepEqual(await other.call('POST', `/work/${id}/progress`, { attempt: 1 }), { go: false });
  assert.deepEqual(await party.call('POST', `/work/${id}/progress`, { attempt: 1, done: 1, total: 2 }), { go: true });
  assert.equal((await department.call('GET', `/questions/${id}`)).done, 1);
  // It goes silent. Whoever logs in as it goes on, and what the first one brings later is not taken.
  const late = await party.upload(valueBytes(100), undefined, `/work/${id}/1/blobs`);
  const stranger = other.upload(valueBytes(100), undefined, `/work/${id}/1/blobs`);
  await assert.rejects(stranger, refused(404, 'not.found'));
  await assert.rejects(party.upload(valueBytes(100)), refused(403, 'role.forbidden'));
  const device = await startWorker(service, { name: 'party', password: party.password });
  await department.wait(id);
  assert.deepEqual(await department.answer(id, key), { sum });
  await assert.rejects(
    party.call('POST', `/work/${id}/result`, { attempt: 1, outputs: { sum: late } }),
    refused(409, 'question.lost'),
  );
  const later = party.upload(valueBytes(100, 1), undefined, `/work/${id}/1/blobs`);
  await assert.rejects(later, refused(409, 'question.lost'));
  assert.deepEqual(await department.answer(id, key), { sum });
  assert.equal(await device.stop(), 0);
  // What it could not run, it says.
  const bad = await clinics.north.upload(Buffer.concat([Buffer.from('cipherloom'), Buffer.of(8), Buffer.from('junk')]));
  const { id: record } = await clinics.north.call('POST', '/records', {
    program: asked.program,
    key,
    label: 'x',
    inputs: { north: bad },
  });
  await clinics.north.grant(record, { to: 'department', use: 'ask', program: asked.program });
  const again = await startWorker(service, { name: 'party', password: party.password });
  const failing = await department.ask({ program: asked.program, records: [record, all.records[1]], runner: 'party' });
  await assert.rejects(department.wait(failing.id), ({ code }) => code.startsWith('format.'));
  assert.equal(await again.stop(), 0);
});

test('a device that is killed in the middle loses nothing', { skip }, async () => {
  const service = await startService({ env: { ...SHORT_LEASE, CLINIC_RUNNERS: '0' } });
  const someone = await patient(service, loom, 'patient', { long: true });
  const device = await joinAs(service, loom, 'device', 'worker');
  const credentials = { name: 'device', password: device.password };
  const first = await startWorker(service, credentials);
  const { id } = await someone.client.ask({ ...someone.asked, runner: 'device' });
  for await (const { state } of someone.client.events(id)) if (state === 'running') break;
  await first.stop('SIGKILL');
  const second = await startWorker(service, credentials);
  const { attempt } = await someone.client.wait(id);
  assert.ok(attempt >= 2);
  assert.deepEqual(await someone.client.answer(id, someone.key), { sum: 129, more: 3 });
  assert.equal(await second.stop(), 0);
});

/** Passes requests on to a service, but for those of which `instead` gives another answer: status, headers and body. */
async function between(t, service, instead) {
  const proxy = createServer((near, response) => {
    const other = instead(near.method, near.url);
    if (other) {
      near.resume().once('end', () => response.writeHead(other.status, other.headers).end(JSON.stringify(other.body)));
      return;
    }
    const { method, headers } = near;
    const far = request(new URL(near.url, service.url), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    far.on('error', () => response.destroy());
    near.pipe(far);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.after(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return { ...service, url: `http://127.0.0.1:${proxy.address().port}` };
}

test(
  'what a device brings counts to who asked, and what the service does not take fails the question at once',
  { skip },
  async (t) => {
    const service = await serviceHere(t, { env: { CLINIC_RUNNERS: '0' } });
    const someone = await patient(service, loom);
    const { client, asked, key, sum } = someone;
    const party = await joinAs(service, loom, 'party', 'worker');
    // Each of the requests that bring an answer is too many once; later one of them is refused.
    const calm = new Set();
    let refusing = false;
    const through = await between(t, service, (method, path) => {
      const [what] = /\/(claim|blobs|result)$/.exec(path) ?? [];
      if (method !== 'POST' || what === undefined) return undefined;
      const error = { code: 'request.invalid', message: 'what comes is none', details: {} };
      if (refusing && what === '/result') return { status: 400, headers: {}, body: { error } };
      if (calm.has(what)) return undefined;
      calm.add(what);
      return { status: 429, headers: { 'retry-after': '1' }, body: { error: { ...error, code: 'rate.limit' } } };
    });
    const device = await startWorker(through, { name: 'party', password: party.password });
    const ask = async () => (await client.ask({ ...asked, runner: 'party' })).id;
    const first = await ask();
    assert.equal((await client.wait(first)).attempt, 1);
    assert.deepEqual(await client.answer(first, key), { sum });
    assert.equal(calm.size, 3);
    const brought = async (user) => (await service.database.db('uploads').where({ user: user.id })).length;
    assert.equal(await brought(party.user), 0);
    // Nothing is left to who asks, so there is no answer.
    const { left } = await service.storage.limits(client.user);
    await client.call('DELETE', `/questions/${first}/answer`);
    service.config.userBytes -= (await service.storage.limits(client.user)).left - 100;
    assert.ok(left > 100);
    const second = await ask();
    await assert.rejects(client.wait(second), refused(0, 'storage.full'));
    assert.equal((await client.call('GET', `/questions/${second}`)).attempt, 1);
    service.config.userBytes += left;
    refusing = true;
    const third = await ask();
    await assert.rejects(client.wait(third), refused(0, 'request.invalid'));
    assert.equal((await client.call('GET', `/questions/${third}`)).attempt, 1);
    // It says so after the service has heard of it.
    assert.equal(await device.stop(), 0);
    assert.match(device.output(), new RegExp(`failed ${third}: request.invalid`));
  },
);

test('progress that no database can keep is refused', { skip }, async (t) => {
  const service = await serviceHere(t, { env: { CLINIC_RUNNERS: '0' } });
  const { client, asked } = await patient(service, loom);
  const party = await joinAs(service, loom, 'party', 'worker');
  const { id } = await client.ask({ ...asked, runner: 'party' });
  const { attempt } = await party.call('POST', '/work/claim');
  const say = (progress) => party.call('POST', `/work/${id}/progress`, { attempt, ...progress });
  for (const progress of [{ total: 5 }, { done: 5 }, { done: 1e300, total: 1e300 }, { attempt: 1e300 }])
    await assert.rejects(say(progress), refused(400, 'request.invalid'));
  assert.deepEqual(await say({ done: 2.5, total: 5 }), { go: true });
  const { done, total } = await client.call('GET', `/questions/${id}`);
  assert.deepEqual([done, total], [2, 5]);
});

test('what is said of a failure is no longer than the service takes it', () => {
  for (const length of [0, 500, 20_000]) {
    const { message } = told(Object.assign(new Error('x'.repeat(length)), { code: 'input.unknown' }));
    assert.ok(message.length > 0 && message.length <= 500, `${message.length}`);
  }
});
