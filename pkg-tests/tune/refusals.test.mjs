// What is refused: records that nobody allowed, of other classes, wrong kernels with wonderful times, code without consent; and what happens where there is no service.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { once } from 'node:events';
import { test } from 'node:test';
import { hashOf, sqliteCache, signRecord, tuneClient } from 'cipherloom/tune';
import { createTuneService } from 'cipherloom/tune/service';
import { join } from 'node:path';
import { temporaryFolder } from '../lib/own.mjs';
import { freePort } from '../lib/server.mjs';
import {
  counting,
  DEVICE,
  explorer,
  generated,
  handWritten,
  key,
  library,
  maintainer,
  newExplorerKeys,
  predicting,
  serve,
  skip,
  TOKEN,
  words,
} from './tune.mjs';

const keys = await newExplorerKeys();
const stranger = await newExplorerKeys();
const explorers = [keys.publicKey];

const record = (best, { by = keys, one = key('o') } = {}) =>
  signRecord({ key: one, best, at: 1, version: 'test', explorer: by.publicKey }, by);

/** A service that answers every query with what it is given, and counts. */
async function impostor(t, answer) {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end(typeof answer === 'string' ? answer : JSON.stringify(answer)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}`;
}

async function open(t, url, more = {}) {
  const client = await tuneClient({ url, device: DEVICE, explorers, predictor: predicting({}), ...more });
  t.after(() => client.close());
  return client;
}

/** What a client makes of an answer. */
async function taken(t, answer) {
  const client = await open(t, await impostor(t, answer));
  const found = await client.query(key('o'));
  return { found, counts: client.counts, error: client.lastError };
}

test('records that are not what was asked for are not taken', async (t) => {
  const good = await record({ library: library(1) });
  assert.deepEqual((await taken(t, { records: [good] })).found, good);
  const cases = {
    'tune.signature': [
      { ...good, signature: '0'.repeat(128) },
      { ...good, at: 2 },
      { ...good, best: { library: library(0.5) } },
      await record({ library: library(1) }, { by: stranger }),
      { ...(await record({ library: library(1) }, { by: stranger })), explorer: keys.publicKey },
    ],
    'tune.device': [
      await record({ library: library(1) }, { one: key('o', 'another class') }),
      await record({ library: library(1) }, { one: key('p') }),
    ],
    'tune.record': [
      { ...good, more: 1 },
      { ...good, best: {} },
      { ...good, best: { library: { ...library(1), time: -1 } } },
      { ...good, best: { library: generated(1) } },
      { ...good, signature: undefined },
      null,
      [],
    ],
    'tune.key': [{ ...good, key: { ...good.key, inputs: 'many' } }],
  };
  for (const [code, records] of Object.entries(cases))
    for (const one of records) {
      const { found, counts, error } = await taken(t, { records: [one] });
      assert.equal(found, undefined, JSON.stringify(one));
      assert.deepEqual([counts.refused, error.code], [1, code], JSON.stringify(one));
    }
  for (const answer of ['', 'no JSON', '{}', { records: [good, good] }, { records: 'many' }]) {
    const { found, error } = await taken(t, answer);
    assert.equal(found, undefined);
    assert.equal(error.code, 'tune.service');
  }
});

test('a key of another class is no question', async (t) => {
  const client = await open(t, await impostor(t, { records: [] }));
  await assert.rejects(client.query(key('o', 'another class')), { code: 'tune.device', name: 'TuneError' });
  assert.throws(() => client.peek({ ...key('o'), operator: '' }), { code: 'tune.key' });
  for (const [options, code] of [
    [{ explorers: [] }, 'tune.option'],
    [{ explorers: ['short'] }, 'tune.record'],
    [{ url: 'http://example.org' }, 'tune.option'],
    [{ url: 'nowhere' }, 'tune.option'],
    [{ device: '' }, 'tune.key'],
    [{ verify: 'yes' }, 'input.type'],
  ])
    await assert.rejects(tuneClient({ url: 'http://127.0.0.1:1', device: DEVICE, explorers, ...options }), { code });
});

// Kernels over 4 words of 32 bits, as WebAssembly: `(func (export "f") (param i32))` over a memory of its own. A right one doubles each word.
function kernel(body) {
  const code = [0, ...body, 0x0b];
  return Uint8Array.of(
    ...[0, 97, 115, 109, 1, 0, 0, 0],
    ...[1, 5, 1, 0x60, 1, 0x7f, 0],
    ...[3, 2, 1, 0],
    ...[5, 3, 1, 0, 1],
    ...[7, 9, 2, 1, 0x6d, 2, 0, 1, 0x66, 0, 0],
    ...[10, code.length + 2, 1, code.length, ...code],
  );
}
/** word = word + word, for the words that are named. */
const doubling = (some) =>
  kernel(
    some.flatMap((at) => [
      ...[0x20, 0, 0x20, 0, 0x28, 2, 4 * at, 0x20, 0, 0x28, 2, 4 * at],
      ...[0x6a, 0x36, 2, 4 * at],
    ]),
  );
const ALL = [0, 1, 2, 3];
/** What a generator makes of a schedule: which words it touches. One that leaves the last out is wrong, and faster. */
const derive = async (_record, { schedule }) => doubling(schedule.words);

let looked = 0;
/** Conformance with plain JavaScript, over random words and the largest ones. */
async function verify(_record, _implementation, code) {
  looked++;
  if (code === undefined) return true;
  const { exports } = (await WebAssembly.instantiate(code)).instance;
  for (let go = 0; go < 20; go++) {
    const given = Uint32Array.from({ length: 4 }, () => (go === 0 ? 0xffff_ffff : Math.random() * 2 ** 32));
    const memory = new Uint32Array(exports.m.buffer, 0, 4);
    memory.set(given);
    exports.f(0);
    if (given.some((word, at) => memory[at] !== (2 * word) % 2 ** 32)) return false;
  }
  return true;
}
const builtIn = (_record, call) => call === 'scalar';

test('a wrong kernel with a wonderful time is refused, and the next one runs', async (t) => {
  const right = doubling(ALL);
  const one = await record({
    library: library(100, 'scalar'),
    generated: generated(1e-3, { words: [0, 1, 2] }),
    'hand-written': handWritten(5, await hashOf(right)),
  });
  const url = await impostor(t, { records: [one] });
  const codes = new Set([await hashOf(right)]);
  const fetched = [];
  const fetchCode = async (hash) => {
    fetched.push(hash);
    return right;
  };
  const client = await open(t, url, { derive, verify, builtIn, codes, fetchCode });
  const found = await client.query(key('o'));
  const { runnable, refused } = await client.choose(found);
  assert.equal(runnable.implementation.kind, 'hand-written');
  assert.deepEqual(runnable.code, right);
  assert.deepEqual(
    refused.map(({ code, details }) => [code, details.where]),
    [['tune.conformance', 'test.o, generated']],
  );
  // Looked at once.
  const before = looked;
  await client.choose(found);
  assert.equal(looked, before);
  assert.equal(fetched.length, 1);
  // The right schedule runs.
  const fine = await record({ library: library(100, 'scalar'), generated: generated(1, { words: ALL }) });
  const other = await open(t, await impostor(t, { records: [fine] }), { derive, verify, builtIn });
  assert.equal((await other.choose(await other.query(key('o')))).runnable.implementation.kind, 'generated');
});

test('code that is not on the list, and that no schedule gives, is never fetched', async (t) => {
  // It reads what lies behind its operand.
  const beyond = kernel([0x20, 0, 0x20, 0, 0x28, 2, 0x80, 0x80, 4, 0x36, 2, 0]);
  const hash = await hashOf(beyond);
  const best = { 'hand-written': handWritten(0.001, hash), generated: generated(0.002, { words: ALL }, hash) };
  const url = await impostor(t, { records: [await record({ ...best, library: library(9, 'scalar') })] });
  const fetchCode = () => assert.fail('nobody allowed that');
  for (const [consent, kinds] of [
    [{ verify, builtIn, derive, fetchCode }, ['tune.code', 'tune.code']],
    [{ verify, builtIn, fetchCode, codes: new Set(['0'.repeat(64)]) }, ['tune.code', 'tune.code']],
  ]) {
    const client = await open(t, url, consent);
    const { runnable, refused } = await client.choose(await client.query(key('o')));
    assert.equal(runnable.implementation.kind, 'library');
    assert.deepEqual(
      refused.map(({ code }) => code),
      kinds,
    );
  }
  // Bytes that are not those of the hash; nobody who looks whether it conforms; a library's call that there is not.
  const codes = new Set([hash]);
  const lied = await open(t, url, { verify, codes, fetchCode: async () => doubling(ALL) });
  const unseen = await open(t, url, { codes, fetchCode: async () => beyond });
  for (const [client, first] of [
    [lied, 'tune.code'],
    [unseen, 'tune.conformance'],
  ]) {
    const { runnable, refused } = await client.choose(await client.query(key('o')));
    assert.equal(runnable, undefined);
    assert.deepEqual([refused.length, refused[0].code, refused[2].code], [3, first, 'tune.code']);
  }
  // With consent it is fetched, and conformance has the last word.
  const willing = await open(t, url, { verify, codes, fetchCode: async () => beyond });
  const { runnable, refused } = await willing.choose(await willing.query(key('o')));
  assert.deepEqual([runnable, refused[0].code], [undefined, 'tune.conformance']);
});

test('a service takes records of allowed explorers alone, of their tasks, signed', { skip }, async (t) => {
  const service = await serve(t, { explorers });
  const refused = explorer(t, service.url, stranger, () => ({ library: library(1) }));
  await assert.rejects(refused.running, { code: 'tune.signature' });
  assert.deepEqual(
    (await service.call('GET', '/v1/explorers')).map((one) => [one.key, one.standing]),
    [[stranger.publicKey, 'pending']],
  );
  // A maintainer allows it; then it is refused again, and what it brought is gone.
  await service.call('PUT', `/v1/explorers/${stranger.publicKey}`, { allowed: true });
  const client = await open(t, service.url, { explorers: [stranger.publicKey] });
  const code = new TextEncoder().encode('code of a kernel');
  const sha = createHash('sha256').update(code).digest('hex');
  const allowed = explorer(t, service.url, stranger, () => ({ 'hand-written': handWritten(1, sha) }), {
    code: async () => code,
  });
  await allowed.until('registered');
  await client.query(key('o'));
  await allowed.until('brought');
  assert.ok(await client.query(key('o')));
  assert.deepEqual(await client.code(sha), code);
  await allowed.end();
  await service.call('PUT', `/v1/explorers/${stranger.publicKey}`, { allowed: false });
  const later = await open(t, service.url, { explorers: [stranger.publicKey] });
  assert.equal(await later.query(key('o')), undefined);
  await assert.rejects(later.code(sha), { code: 'tune.service' });
  const again = explorer(t, service.url, stranger, () => ({}));
  await assert.rejects(again.running, { code: 'tune.signature' });

  // Requests that are not signed, or by a key that signs something else.
  for (const authorization of [
    '',
    'Bearer x',
    `Cipherloom-Explorer ${keys.publicKey} ${Date.now()} ${'0'.repeat(128)}`,
  ]) {
    const response = await fetch(`${service.url}/v1/explorers`, {
      ...{ method: 'POST', headers: { authorization, 'content-type': 'application/json' } },
      body: JSON.stringify({ device: DEVICE, room: 1 }),
    });
    assert.deepEqual([response.status, (await response.json()).error.code], [401, 'tune.signature']);
  }
});

test('what a service refuses of one operator is a failure of it, and the others go on', { skip }, async (t) => {
  const service = await serve(t, { explorers, codeBytes: 4 });
  const code = new TextEncoder().encode('more than there is room for');
  const best = { large: { 'hand-written': handWritten(1, await hashOf(code)) } };
  const found = explorer(t, service.url, keys, ({ operator }) => best[operator.slice(5)] ?? { library: library(1) }, {
    code: async () => code,
  });
  await found.until('registered');
  const client = await open(t, service.url);
  await Promise.all(['large', 'o'].map((word) => client.query(key(word))));
  await found.until('brought', 2);
  const { state, failure } = await service.operator(key('large'));
  assert.equal(state, 'failed');
  assert.match(failure, /507/);
  assert.equal((await service.operator(key('o'))).state, 'known');
  await found.end();
  // The same keys on a device of another class.
  const moved = explorer(t, service.url, keys, () => ({}), { device: 'another class of this test' });
  await assert.rejects(moved.running, { code: 'tune.device' });
  assert.deepEqual(
    (await service.call('GET', '/v1/explorers')).map((one) => one.device),
    [DEVICE],
  );
});

test('what nobody could look at is looked at again', async (t) => {
  const right = doubling(ALL);
  const hash = await hashOf(right);
  const url = await impostor(t, { records: [await record({ 'hand-written': handWritten(1, hash) })] });
  let away = true;
  const fetchCode = async () => {
    if (away) throw new Error('no network');
    return right;
  };
  const client = await open(t, url, { verify, codes: new Set([hash]), fetchCode });
  const found = await client.query(key('o'));
  assert.equal((await client.choose(found)).runnable, undefined);
  away = false;
  assert.deepEqual((await client.choose(found)).runnable.code, right);
});

test('what a service is asked is checked, and its maintainers are known', { skip }, async (t) => {
  const service = await serve(t, { explorers });
  const query = async (body, type = 'application/json') => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(`${service.url}/v1/query`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: text,
    });
    return [response.status, (await response.json()).error?.code];
  };
  const task = '0'.repeat(32);
  const good = { task, keys: [key('o')], asked: 1 };
  assert.deepEqual(await query(good), [200, undefined]);
  for (const [body, status] of [
    ['{', 400],
    ['[]', 400],
    [{ ...good, more: 1 }, 400],
    [{ ...good, task: 'mine' }, 400],
    [{ ...good, asked: -1 }, 400],
    [{ ...good, keys: Array(129).fill(key('o')) }, 400],
    [{ ...good, keys: [{ ...key('o'), attributes: 'none' }] }, 422],
    [{ ...good, keys: [{ ...key('o'), operator: 'a b' }] }, 422],
    [{ ...good, keys: [{ ...key('o'), device: undefined }] }, 400],
    [{ ...good, hits: [{ key: key('o'), count: 0 }] }, 400],
    [{ ...good, keys: [{ ...key('o'), inputs: ['\ud800'] }] }, 422],
  ])
    assert.equal((await query(body))[0], status, JSON.stringify(body));
  assert.equal((await query(good, 'text/html'))[0], 415);
  assert.equal((await fetch(`${service.url}/v1/statistics`)).status, 401);
  await assert.rejects(service.call('GET', '/v1/statistics?hours=-1'), { status: 400 });
  await assert.rejects(service.call('GET', `/v1/statistics/operators/${'0'.repeat(64)}`), { status: 404 });
  await assert.rejects(service.call('DELETE', `/v1/records/${'0'.repeat(64)}`), { status: 404 });
  assert.equal((await fetch(`${service.url}/v1/nothing`)).status, 404);
  // Nothing of these was kept; what was asked for is there once.
  assert.equal((await service.statistics()).operators, 1);

  const locked = await serve(t, { queryToken: 'what users show, of this test at least' });
  assert.equal((await fetch(`${locked.url}/v1/query`, { method: 'POST' })).status, 400);
  const without = await open(t, locked.url);
  assert.equal(await without.query(key('o')), undefined);
  assert.match(without.lastError.message, /401/);
  const withIt = await open(t, locked.url, { token: 'what users show, of this test at least' });
  await withIt.query(key('o'));
  assert.equal(withIt.counts.failed, 0);

  const tight = await serve(t, { rate: 3 });
  const statuses = [];
  for (let go = 0; go < 5; go++) statuses.push((await fetch(`${tight.url}/v1/openapi.json`)).status);
  assert.deepEqual(statuses, [200, 200, 200, 429, 429]);
  // Who asks writes what stands left of what the own proxies say, or all of it where there are none.
  for (const behindProxy of [0, 1]) {
    const { url } = await serve(t, { rate: 3, behindProxy });
    const forged = [];
    for (let go = 0; go < 5; go++) {
      const headers = { 'x-forwarded-for': `10.0.0.${go}, 9.9.9.${behindProxy === 0 ? go : 9}` };
      forged.push((await fetch(`${url}/v1/openapi.json`, { headers })).status);
    }
    assert.deepEqual(forged, [200, 200, 200, 429, 429], `${behindProxy} proxies`);
    // Each of those whom a proxy heard has requests of its own.
    const other = await fetch(`${url}/v1/openapi.json`, { headers: { 'x-forwarded-for': '8.8.8.8' } });
    assert.equal(other.status, behindProxy === 0 ? 429 : 200);
  }
  await assert.rejects(serve(t, { behindProxy: true }), { code: 'tune.option' });
  // Of what goes nowhere no body is waited for.
  const socket = connect(new URL(service.url).port, '127.0.0.1');
  t.after(() => socket.destroy());
  socket.write(
    'POST /nothing HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n{',
  );
  const [answer] = await once(socket, 'data');
  assert.match(String(answer), /^HTTP\/1.1 404 .*not\.found/s);
  const few = await serve(t, { operators: 2 });
  const curious = await open(t, few.url);
  for (const word of ['a', 'b', 'c', 'd']) await curious.query(key(word));
  assert.equal((await few.statistics()).operators, 2);
});

test('settings that cannot be are refused', async () => {
  for (const options of [
    { host: '0.0.0.0' },
    { port: -1 },
    { maintainToken: 'short' },
    { explorers: ['nobody'] },
    { database: 'mysql://somewhere' },
    { other: 1 },
    { leaseMs: 1 },
    { log: 'loud' },
    { pages: ['everything'] },
  ])
    await assert.rejects(createTuneService(options), { name: 'TuneError' }, JSON.stringify(options));
});

test('pages of named origins may ask, and no others', { skip }, async (t) => {
  const service = await serve(t, { pages: ['https://page.example'] });
  for (const [origin, expected] of [
    ['https://page.example', 'https://page.example'],
    ['https://other.example', null],
  ]) {
    const response = await fetch(`${service.url}/v1/query`, { method: 'OPTIONS', headers: { origin } });
    assert.equal(response.headers.get('access-control-allow-origin'), expected);
  }
});

test('without a service everything goes on, and it is left alone', async (t) => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const requests = [];
  const client = await open(t, url, { fetch: counting(requests) });
  const began = performance.now();
  assert.equal(await client.query(key('o')), undefined);
  assert.equal(client.lastError.code, 'tune.service');
  for (let go = 0; go < 100; go++) {
    assert.equal(await client.query(key('o')), undefined);
    assert.equal(client.peek(key('p')), undefined);
  }
  await client.settled();
  // It rests for a second, and longer each time.
  const most = 10 + (performance.now() - began) / 1000;
  assert.ok(requests.length < most, `${requests.length} requests, ${most} at most`);
  assert.deepEqual(client.counts.missed, 201);
  await client.close();
  await assert.rejects(client.query(key('o')), { code: 'disposed' });
});

test('peeks answer from memory, and are asked for together', { skip }, async (t) => {
  const service = await serve(t, { explorers });
  const requests = [];
  const client = await open(t, service.url, { fetch: counting(requests) });
  const some = Array.from({ length: 300 }, (_, at) => key(`k${at}`));
  for (const one of some) assert.equal(client.peek(one), undefined);
  assert.equal(requests.length, 0);
  await client.settled();
  assert.deepEqual(
    requests.map(({ length }) => length),
    [128, 128, 44],
  );
  // What is not known is not asked for again at once.
  for (const one of some) client.peek(one);
  await client.settled();
  assert.equal(requests.length, 3);
  const { queue, queries } = await service.statistics();
  assert.deepEqual([queue.collected, queries], [300, 300]);
});

test('a cache in a file outlives its client, and what was changed in it is thrown out', { skip }, async (t) => {
  const file = join(temporaryFolder(), 'cache.sqlite');
  const url = await impostor(t, { records: [await record({ library: library(1) })] });
  const first = await open(t, url, { cache: await sqliteCache(file) });
  assert.ok(await first.query(key('o')));
  await first.close();
  const nowhere = 'http://127.0.0.1:1';
  const second = await open(t, nowhere, { cache: await sqliteCache(file) });
  assert.equal((await second.query(key('o'))).best.library.time, 1);
  await second.close();
  const cache = await sqliteCache(file);
  const [[, kept]] = await cache.load(DEVICE, 9);
  await cache.put(new Map([['', { ...kept, best: { library: library(0.1) } }]]), 9);
  await cache.close();
  const third = await open(t, nowhere, { cache: await sqliteCache(file) });
  assert.equal(await third.query(key('o')), undefined);
  assert.equal(third.counts.refused, 1);
  await third.close();
  // Somebody who is not believed any more.
  const other = await sqliteCache(file);
  await other.put(new Map([['', kept]]), 9);
  await other.close();
  const fourth = await open(t, nowhere, { cache: await sqliteCache(file), explorers: [stranger.publicKey] });
  assert.equal(await fourth.query(key('o')), undefined);
  await fourth.close();
  // What is no record at all is forgotten too, by the key that it was kept under; and of a class the newest are kept.
  const junk = await sqliteCache(file);
  assert.deepEqual(await junk.load(DEVICE, 9), []);
  await junk.put(new Map(['a', 'b', 'c'].map((word) => [word, { key: key(word) }])), 2);
  assert.deepEqual(words((await junk.load(DEVICE, 9)).map(([, one]) => one.key)), ['b', 'c']);
  await junk.close();
  const fifth = await open(t, nowhere, { cache: await sqliteCache(file) });
  assert.equal(fifth.counts.refused, 2);
  await fifth.close();
  const empty = await sqliteCache(file);
  assert.deepEqual(await empty.load(DEVICE, 9), []);
  await empty.close();
  await assert.rejects(sqliteCache(temporaryFolder()), { code: 'tune.cache' });
});

test('the description names every interface', { skip }, async (t) => {
  const service = await serve(t);
  const { openapi, paths } = await (await fetch(`${service.url}/v1/openapi.json`)).json();
  assert.equal(openapi, '3.1.0');
  assert.deepEqual(Object.keys(paths).sort(), [
    '/v1/code/{sha}',
    '/v1/explorers',
    '/v1/explorers/{explorer}',
    '/v1/query',
    '/v1/queue/sort',
    '/v1/queue/{name}',
    '/v1/records/{name}',
    '/v1/statistics',
    '/v1/statistics/operators',
    '/v1/statistics/operators/{name}',
    '/v1/tasks',
    '/v1/tasks/{id}',
    '/v1/tasks/{id}/renew',
    '/v1/tasks/{id}/results/{name}',
  ]);
  assert.ok(maintainer(service.url) && TOKEN);
});
