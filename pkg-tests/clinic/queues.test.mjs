// Who hands out questions by Redis, when many wait.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { RedisQueue } from '../../examples/clinic/service/queue-redis.mjs';
import { skip as noRedis, startRedis } from '../cluster/redis.mjs';
import { until } from '../cluster/workers.mjs';
import { serviceHere, skip } from './clinic.mjs';

test('what waits is announced once at a time, however long that takes', { skip: noRedis }, async () => {
  const redis = await startRedis();
  let now = 0;
  let times = 0;
  let most = 0;
  const questions = {
    changes: new EventEmitter(),
    async waiting() {
      most = Math.max(most, ++now);
      // The first time is waited for.
      if (times++ > 0) await new Promise((resolve) => setTimeout(resolve, 300));
      now -= 1;
      return [];
    },
  };
  const queue = new RedisQueue(questions, [], { redis: redis.url, leaseMs: 100 }, { warn() {}, error() {} });
  await queue.start();
  await until(() => times === 4, 'it is done again and again');
  await queue.stop();
  await redis.stop();
  assert.equal(most, 1);
});

test('of many that wait the oldest are told', { skip }, async (t) => {
  const { database, questions } = await serviceHere(t, { env: { CLINIC_RUNNERS: '0' } });
  const row = {
    ...{ asker: 'a', program: 'p', key_set: 'k', holder: 'h', records: '[]', given: '{}', state: 'queued' },
    ...{ attempt: 0, done: 0, total: 0 },
  };
  const rows = Array.from({ length: 1500 }, (_, at) => ({ ...row, id: randomUUID(), created: 1500 - at }));
  await database.db.batchInsert('questions', rows, 50);
  const told = await questions.waiting();
  assert.deepEqual(
    told.map(({ id }) => id),
    rows
      .toReversed()
      .slice(0, 1000)
      .map(({ id }) => id),
  );
});
