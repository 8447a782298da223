// What goes wrong around a cluster: each in an error that says what, within a time, and without a password.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { inspect } from 'node:util';
import { spawnSync } from 'node:child_process';
import { cluster, clusterWorker, folderStore, redisStore, s3Store } from 'cipherloom/cluster';
import { ROOT } from '../../scripts/lib/run.mjs';
import { run } from './jobs.mjs';
import { selfSigned, temporaryFolder } from '../lib/own.mjs';
import { freePort } from '../lib/server.mjs';
import { skip, startRedis } from './redis.mjs';
import { CLI, cli, startWorker, until } from './workers.mjs';
import { storeBut } from './store-but.mjs';

const options = { skip, timeout: 300_000 };
/** Of passwords in these tests. */
const SECRET = 'topsecret';

/** Milliseconds that `connectTimeout` is where nobody says it. */
const USUAL_MS = 10_000;

/** The error that a promise is rejected with, within a time; nothing that is printed of it has a secret. */
async function refusal(promise, code, most = Infinity) {
  const began = performance.now();
  const error = await promise.then(
    () => assert.fail('no error'),
    (error) => error,
  );
  const took = performance.now() - began;
  assert.equal(error.code, code, inspect(error));
  assert.ok(took < most, `${took} ms`);
  assert.doesNotMatch(inspect(error, { depth: 9, showHidden: true }), new RegExp(SECRET));
  return error;
}

let redis;
before(async () => {
  if (!skip) redis = await startRedis();
});
after(() => redis?.stop('SIGKILL'));

test('a wrong password, none, and an unknown user', options, async () => {
  const locked = await startRedis({ password: `right-${SECRET}` });
  const at = (login) => `redis://${login}localhost:${locked.port}`;
  for (const login of [`:${SECRET}@`, '', `nobody:${SECRET}@`]) {
    for (const start of [cluster, redisStore])
      assert.equal((await refusal(start({ redis: at(login) }), 'job.store')).details.reason, 'password');
    const store = folderStore(temporaryFolder());
    await refusal(clusterWorker({ redis: at(login), store }), 'job.store');
  }
  const { status, output } = await cli(['worker'], { CIPHERLOOM_REDIS: at(`:${SECRET}@`) });
  assert.equal(status, 1);
  assert.match(output, /does not accept user and password \[job\.store\]/);
  assert.doesNotMatch(output, new RegExp(SECRET));
  // The right one opens, from the URL.
  const store = await redisStore({ redis: locked.url });
  await store.get(await store.put(new Uint8Array(9)));
  await store.close();
  await locked.stop();
});

test('no Redis there, one that says nothing, and addresses that are none', options, async () => {
  const gone = `redis://:${SECRET}@localhost:${await freePort()}`;
  const error = await refusal(cluster({ redis: gone, connectTimeout: 1000 }), 'job.store', USUAL_MS);
  assert.match(error.message, /ECONNREFUSED/);
  const silent = createServer().listen(0, '127.0.0.1').unref();
  await once(silent, 'listening');
  const { port } = silent.address();
  const mute = `redis://:${SECRET}@127.0.0.1:${port}`;
  await refusal(cluster({ redis: mute, connectTimeout: 1000 }), 'job.store', USUAL_MS);
  silent.close();
  for (const redis of [SECRET, `http://:${SECRET}@localhost`, `redis://:${SECRET}@localhost/${'x'}`])
    await refusal(cluster({ redis }), 'job.store');
  await refusal(cluster({ redis: 'redis://localhost', tls: {} }), 'job.store');
});

/** A text as Redis sends it. */
const bulk = (text) => `$${text.length}\r\n${text}\r\n`;

test('a Redis that is too old', options, async () => {
  const answers = {
    info: bulk('redis_version:5.0.14\r\nredis_mode:standalone\r\n'),
    hello: '-ERR unknown command `HELLO`, with args beginning with: `3`, \r\n',
  };
  const old = createServer((socket) =>
    socket.on('data', (data) => {
      for (const [, command] of data.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g))
        socket.write(answers[command.toLowerCase()] ?? '+OK\r\n');
    }),
  );
  old.listen(0, '127.0.0.1').unref();
  await once(old, 'listening');
  const error = await refusal(cluster({ redis: `redis://127.0.0.1:${old.address().port}` }), 'job.store');
  assert.match(error.message, /is 5\.0\.14, expected 6\.2 or newer/);
  old.close();
});

test('no workers, and workers of another version', options, async () => {
  const none = await refusal(cluster({ redis: redis.url, prefix: 'none', wait: 300 }), 'job.kind');
  assert.match(none.message, /npx cipherloom worker/);

  const copy = temporaryFolder();
  const from = dirname(dirname(dirname(CLI)));
  cpSync(join(from, 'dist'), join(copy, 'dist'), { recursive: true });
  const description = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
  writeFileSync(join(copy, 'package.json'), JSON.stringify({ ...description, version: '99.1.2' }));
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const program = join(copy, 'dist', 'node', 'cli.js');
  const worker = await startWorker({ redis: redis.url, args: ['--allow-any', '--prefix', 'other'], program });
  const other = await refusal(cluster({ redis: redis.url, prefix: 'other', wait: 300 }), 'job.worker');
  assert.match(other.message, /99\.1\.2/);
  assert.match(other.message, new RegExp(description.version.replaceAll('.', '\\.')));
  // Beside one of this version it gets no task.
  const ours = await startWorker({ redis: redis.url, args: ['--allow-any', '--prefix', 'other'] });
  const mixed = await cluster({ redis: redis.url, prefix: 'other' });
  assert.deepEqual(mixed.workers, { cpu: 1 });
  assert.equal((await run(mixed, { operator: 'long', rows: 8, parts: 8 })).statistics.workers.length, 1);
  await mixed.close();
  await ours.stop();
  await worker.stop();
  assert.match(ours.output(), /8 tasks done/);
  assert.doesNotMatch(worker.output(), /tasks done|task /);

  const worked = await startWorker({ redis: redis.url, args: ['--allow-any', '--prefix', 'kinds'] });
  const crew = await cluster({ redis: redis.url, prefix: 'kinds', wait: 1500 });
  await refusal(cluster({ redis: redis.url, prefix: 'kinds', wait: 300, workers: { gpu: 1 } }), 'job.kind');
  // All go in the middle of a job.
  const job = run(crew, { operator: 'long', rows: 40, parts: 40 });
  await worked.stop('SIGKILL');
  await refusal(job, 'job.kind');
  await crew.close();
});

test('Redis that is full: of chunks, and of tasks', options, async () => {
  const small = await startRedis({ settings: { maxmemory: '3mb' } });
  const store = await redisStore({ redis: small.url });
  const error = await refusal(
    (async () => {
      for (let index = 0; index < 10; index++) await store.put(new Uint8Array(500_000).fill(index));
    })(),
    'job.store',
  );
  assert.equal(error.details.reason, 'full');
  await refusal(store.put(new Uint8Array(65 * 2 ** 20)), 'job.store');
  await store.close();
  small.ask('flushall');

  const folder = temporaryFolder();
  const worker = await startWorker({ redis: small.url, args: ['--allow-any', '--store', `folder:${folder}`] });
  const crew = await cluster({ redis: small.url, store: folderStore(folder) });
  const job = run(crew, { operator: 'long', rows: 100, parts: 100 });
  job.catch(() => {});
  await until(() => crew.state().done > 0, 'a part is done');
  small.ask('config', 'set', 'maxmemory', '1mb');
  assert.equal((await refusal(job, 'job.store')).details.reason, 'full');
  // With room again, it works as before.
  small.ask('config', 'set', 'maxmemory', '100mb');
  assert.equal((await run(crew, { operator: 'square', rows: 10, parts: 2 })).rows.length, 10);
  await crew.close();
  await worker.stop();
  await small.stop();
});

test('Redis that goes in the middle of a job, and stays away', options, async () => {
  const passing = await startRedis();
  const folder = temporaryFolder();
  const worker = await startWorker({ redis: passing.url, args: ['--allow-any', '--store', `folder:${folder}`] });
  const crew = await cluster({ redis: passing.url, store: folderStore(folder), outage: 2000 });
  const job = run(crew, { operator: 'long', rows: 50, parts: 50 });
  job.catch(() => {});
  await until(() => crew.state().done > 0, 'a part is done');
  await passing.stop('SIGKILL');
  const error = await refusal(job, 'job.store');
  assert.match(error.message, /away for longer than 2000 ms/);
  await crew.close();
  await worker.stop('SIGKILL');
});

test('SIGTERM while Redis is away: one without tasks ends, one with a task at the second', options, async () => {
  const passing = await startRedis();
  const folder = temporaryFolder();
  const args = ['--allow-any', '--store', `folder:${folder}`];
  const busy = await startWorker({ redis: passing.url, args });
  const crew = await cluster({ redis: passing.url, store: folderStore(folder) });
  const job = run(crew, { operator: 'forEver', rows: 1, parts: 1 });
  job.catch(() => {});
  await until(() => crew.state().running > 0, 'a part is begun');
  const idle = await startWorker({ redis: passing.url, args });
  // Each has a queue of its own, and that of all: three that wait, beside the one whose task is done.
  await until(() => passing.ask('info', 'clients').includes('blocked_clients:3'), 'queues wait');
  await passing.stop('SIGKILL');
  for (const { printed } of [busy, idle]) await printed(/is lost/);
  assert.equal(await idle.stop('SIGTERM'), 0);
  assert.match(idle.output(), /ended\n$/);
  busy.signal('SIGTERM');
  await busy.printed(/ends after 1 more tasks/);
  assert.equal(await busy.stop('SIGTERM'), 0);
  assert.match(busy.output(), /ends now.*\n.*ended\n$/);
  await crew.close();
});

test('chunks that were changed, lost, or are of another store', options, async () => {
  const folder = temporaryFolder();
  const store = folderStore(folder);
  const worker = await startWorker({
    redis: redis.url,
    args: ['--allow-any', '--prefix', 'chunks', '--store', `folder:${folder}`],
  });
  const path = ({ name }) => join(folder, 'chunks', name.slice(0, 2), name);
  /** A store that does something to what was put. */
  const harmful = (harm) =>
    storeBut(store, {
      put: async (bytes) => {
        const ref = await store.put(bytes);
        await harm(ref, bytes);
        return ref;
      },
    });
  const failing = async (store, code) => {
    const crew = await cluster({ redis: redis.url, prefix: 'chunks', store });
    const error = await refusal(run(crew, { operator: 'square', rows: 10, parts: 2 }), code);
    await crew.close();
    return error;
  };
  const changed = harmful((ref, bytes) =>
    writeFileSync(
      path(ref),
      bytes.map((byte, index) => byte ^ (index === 3)),
    ),
  );
  assert.match((await failing(changed, 'job.chunk')).message, /others than were put there/);
  await failing(
    harmful((ref, bytes) => writeFileSync(path(ref), bytes.subarray(1))),
    'job.chunk',
  );
  await failing(
    harmful((ref) => store.drop([ref])),
    'job.store',
  );
  assert.match((await failing(undefined, 'job.store')).message, /start it with the same store/);
  await worker.stop();
});

test('the store in Redis notices changed bytes, too', options, async () => {
  const store = await redisStore({ redis: redis.url, prefix: 'changed' });
  const ref = await store.put(new Uint8Array([1, 2, 3]));
  redis.ask('set', `changed:bytes:${ref.name}`, 'abc');
  await refusal(store.get(ref), 'job.chunk');
  await refusal(store.get({ name: '../../etc/passwd', bytes: 1 }), 'job.chunk');
  await store.drop([ref, ref]);
  await refusal(store.get(ref), 'job.store');
  assert.equal(await store.has([ref]), false);
  await store.close();
});

test('a database that Redis has not', options, async () => {
  const at = `${redis.url}/99`;
  for (const start of [cluster, redisStore]) {
    const error = await refusal(start({ redis: at }), 'job.store', USUAL_MS);
    assert.match(error.message, /has no database 99/);
    assert.equal(error.details.reason, 'database');
  }
  const { status, output } = await cli(['worker'], { CIPHERLOOM_REDIS: at });
  assert.equal(status, 1);
  assert.match(output, /has no database 99: .*\[job\.store\]/);
  // One that it has is another one than 0.
  const [third, first] = [await redisStore({ redis: `${redis.url}/3` }), await redisStore({ redis: redis.url })];
  const ref = await third.put(new Uint8Array(3));
  assert.deepEqual([await third.has([ref]), await first.has([ref])], [true, false]);
  for (const store of [third, first]) await store.close();
});

test('an address whose escapes are none', options, async () => {
  const wrong = {
    password: `redis://u:${SECRET}%zz@localhost`,
    user: `redis://%zz:${SECRET}@localhost`,
    host: `redis://:${SECRET}@local%ffhost`,
  };
  for (const [what, redis] of Object.entries(wrong)) {
    for (const start of [cluster, redisStore])
      assert.match((await refusal(start({ redis }), 'job.store')).message, new RegExp(`the ${what} in the address`));
    const { status, output } = await cli(['worker', '--redis', redis]);
    assert.equal(status, 1);
    assert.match(output, /is not well-formed.*\[job\.store\]/);
    assert.doesNotMatch(output, new RegExp(SECRET));
  }
});

test('settings that are none', options, async () => {
  const store = folderStore('x');
  const longest = 2 ** 31 - 1;
  const wrong = [
    { inFlight: 0 },
    { attempts: 1.5 },
    { priority: 0 },
    { timeout: -1 },
    { timeout: longest + 1 },
    { wait: Infinity },
    { outage: NaN },
    { connectTimeout: 0 },
    { connectTimeout: longest + 1 },
    { workers: { cpus: 1 } },
    { run: 'a b' },
    { prefix: '' },
    { prefix: 'a b' },
  ];
  for (const one of wrong) await refusal(cluster({ redis: redis.url, ...one }), 'job.definition');
  const ofWorkers = [
    { threads: 0 },
    { kind: 'car' },
    { lease: 5 },
    { lease: longest + 1 },
    { lease: Infinity },
    { prefix: '' },
    { prefix: 'a b' },
  ];
  for (const one of ofWorkers) await refusal(clusterWorker({ redis: redis.url, store, ...one }), 'job.definition');
  for (const prefix of ['', 'a b']) await refusal(redisStore({ redis: redis.url, prefix }), 'job.definition');
  const told = await refusal(clusterWorker({ redis: redis.url, store, lease: Infinity }), 'job.definition');
  assert.match(told.message, /lease is Infinity, expected a number of milliseconds, at least 1000, up to 2147483647/);
});

test('options that there are not, or of another type, and null', options, async () => {
  const at = { redis: redis.url };
  const store = folderStore(temporaryFolder());
  const unknown = [
    () => cluster({ ...at, speculat: false }),
    () => cluster({ ...at, speculate: { factor: -1 } }),
    () => clusterWorker({ ...at, store, thread: 1 }),
    () => redisStore({ ...at, kept: 1 }),
    () => folderStore('x', { kept: 1 }),
    () => s3Store({ bucket: 'x', region: 'y' }),
  ];
  const wrong = [
    ...[undefined, null, 'x'].flatMap((options) => [
      () => cluster(options),
      () => clusterWorker(options),
      () => redisStore(options),
      () => s3Store(options),
    ]),
    () => folderStore('x', null),
    () => cluster({ redis: SECRET.split('') }),
    () => cluster({ ...at, store: {} }),
    () => cluster({ ...at, wait: '5' }),
    () => cluster({ ...at, speculate: null }),
    ...[{ times: 0.5 }, { times: NaN }, { least: -1 }].map((speculate) => () => cluster({ ...at, speculate })),
    () => clusterWorker(at),
    () => clusterWorker({ ...at, store, allow: 5 }),
    () => clusterWorker({ ...at, store, allow: 'some' }),
    () => clusterWorker({ ...at, store, files: 'x' }),
    () => clusterWorker({ ...at, store, cache: NaN }),
    ...[0, -1, 1.5, NaN].map((keep) => () => redisStore({ ...at, keep })),
    ...[0, -1, NaN, null].map((keep) => () => folderStore('x', { keep })),
    ...[null, 'abc', [1]].map((bytes) => () => store.put(bytes)),
    () => store.get(null),
    () => store.has(null),
    () => store.drop([null]),
  ];
  for (const [all, code] of [
    [unknown, 'input.option'],
    [wrong, 'input.type'],
  ])
    for (const one of all) await refusal((async () => one())(), code);
});

test('TLS: rediss:// with a certificate that is given, and not without', options, async (t) => {
  if (selfSigned(temporaryFolder()) === null) return t.skip('openssl is not there');
  const secured = await startRedis({ tls: true, password: SECRET }).catch(() => undefined);
  if (secured === undefined) return t.skip('this redis-server has no TLS');
  await refusal(cluster({ redis: secured.url, connectTimeout: 1000 }), 'job.store');
  const worker = await startWorker({ redis: secured.url, args: ['--allow-any', '--ca', secured.ca] });
  assert.doesNotMatch(worker.output(), new RegExp(SECRET));
  const crew = await cluster({ redis: secured.url, tls: { ca: readFileSync(secured.ca) } });
  const { rows } = await run(crew, { operator: 'square', rows: 10, parts: 2 });
  assert.deepEqual(rows[3], [3, 9]);
  await crew.close();
  await worker.stop();
  await secured.stop();
});

test('without the libraries, what to install is said', { timeout: 300_000 }, () => {
  const copy = temporaryFolder();
  const from = dirname(dirname(dirname(CLI)));
  cpSync(join(from, 'dist'), join(copy, 'dist'), { recursive: true });
  cpSync(join(from, 'package.json'), join(copy, 'package.json'));
  const program = join(copy, 'dist', 'node', 'cli.js');
  const { status, stderr } = spawnSync(process.execPath, [program, 'worker'], { encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(stderr, /npm install bullmq ioredis \[job\.store\]/);
});
