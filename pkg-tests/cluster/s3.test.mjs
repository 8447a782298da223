// Chunks in a bucket: the store by itself, and a job whose workers and manager meet there, by a real client and a server of S3's protocol.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { before, test } from 'node:test';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { cluster, s3Store } from 'cipherloom/cluster';
import { inline } from 'cipherloom/job';
import { run } from './jobs.mjs';
import { skip as noRedis, startRedis } from './redis.mjs';
import { skip as noS3, startS3 } from './s3.mjs';
import { startWorkers } from './workers.mjs';

const skip = noS3 || noRedis;
let server;
let client;
if (!skip)
  before(async () => {
    server = await startS3('chunks', 'other');
    client = {
      endpoint: server.endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'of-a-test', secretAccessKey: 'of-a-test' },
      forcePathStyle: true,
      maxAttempts: 1,
    };
  });

test('a store in a bucket', { skip, timeout: 120_000 }, async () => {
  const store = await s3Store({ bucket: 'chunks', client });
  const bytes = new Uint8Array([5, 6, 7]);
  const [one, two] = [await store.put(bytes), await store.put(bytes)];
  const hash = createHash('sha256').update(bytes).digest('hex');
  assert.ok(one.name.startsWith(hash) && two.name.startsWith(hash));
  assert.deepEqual(await store.get(one), bytes);
  assert.equal(await store.has([one, two, one]), true);
  assert.equal(await store.has([{ ...one, bytes: 4 }]), false);
  // Who drops one does not drop the other's, and twice is once.
  await store.drop([one, one]);
  await store.drop([one]);
  await store.drop([]);
  assert.deepEqual(await store.get(two), bytes);
  assert.equal(await store.has([one, two]), false);
  await assert.rejects(store.get(one), { code: 'job.store', message: /nothing is stored/ });
  for (const name of ['../x', '', `${hash}-0/../../..`, undefined])
    await assert.rejects(store.get({ name, bytes: 1 }), { code: 'job.chunk' });
  // Somebody writes there.
  const another = { Bucket: 'chunks', Key: `cipherloom/chunks/${two.name}`, Body: 'abc' };
  const aws = new S3Client(client);
  await aws.send(new PutObjectCommand(another));
  aws.destroy();
  await assert.rejects(store.get(two), { code: 'job.chunk' });
  const large = new Uint8Array(randomBytes(3_000_001));
  assert.deepEqual(await store.get(await store.put(large)), large);

  // Those that open it at once agree on what it is; another prefix or bucket is another store.
  const opened = (options) => s3Store({ client, ...options }).then((other) => other.identity());
  const same = await Promise.all(Array.from({ length: 8 }, () => opened({ bucket: 'other' })));
  assert.equal(new Set(same).size, 1);
  assert.equal(new Set([same[0], await store.identity(), await opened({ bucket: 'other', prefix: 'x/' })]).size, 3);

  await store.close();
  await assert.rejects(store.put(bytes), { code: 'disposed' });
});

test('what is wrong with a bucket', { skip, timeout: 120_000 }, async () => {
  await assert.rejects(s3Store({ bucket: '' }), { code: 'job.store' });
  const absent = await s3Store({ bucket: 'nowhere', client });
  await assert.rejects(absent.put(new Uint8Array(1)), { code: 'job.store', message: /nowhere.*NoSuchBucket/s });
  await assert.rejects(absent.identity(), { code: 'job.store', message: /nowhere.*NoSuchBucket/s });
  const one = { name: `${'0'.repeat(64)}-${'0'.repeat(16)}`, bytes: 1 };
  await assert.rejects(absent.has([one]), { code: 'job.store', message: /nowhere.*NotFound/s });
  const silent = await s3Store({ bucket: 'chunks', client: { ...client, endpoint: 'http://127.0.0.1:9' } });
  await assert.rejects(silent.put(new Uint8Array(1)), (error) => {
    assert.equal(error.code, 'job.store');
    assert.equal(error.details.bucket, 'chunks');
    // No credential is in what is told.
    assert.doesNotMatch(JSON.stringify([error.message, error.details]), /of-a-test/);
    return true;
  });
});

test('who accepts and says nothing is not waited for', { skip: noS3, timeout: 60_000 }, async (t) => {
  const mute = createServer().listen(0, '127.0.0.1');
  t.after(() => mute.close());
  await once(mute, 'listening');
  const endpoint = `http://127.0.0.1:${mute.address().port}`;
  const settings = { ...client, endpoint, requestHandler: { socketTimeout: 100 } };
  const store = await s3Store({ bucket: 'chunks', client: settings });
  await assert.rejects(store.put(new Uint8Array(1)), { code: 'job.store', message: /TimeoutError/ });
  await store.close();
});

test('a job whose chunks lie in a bucket', { skip, timeout: 300_000 }, async (t) => {
  const redis = await startRedis();
  const options = { redis: redis.url, args: ['--allow-any', '--store', 's3://chunks/jobs/'], env: server.env };
  await startWorkers(2, options);
  const store = await s3Store({ bucket: 'chunks', prefix: 'jobs/', client });
  const crew = await cluster({ redis: redis.url, store, workers: { cpu: 2 } });
  t.after(() => crew.close());
  const settings = { operator: 'quickly', rows: 1000, parts: 10, add: true };
  const [there, here] = [await run(crew, settings), await run(inline(), settings)];
  assert.deepEqual(there.rows, here.rows);
  await store.close();
});
