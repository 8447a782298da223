// Jobs that are equal to each other: each has what it gave for as long as it wants, whoever is disposed of first.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { cluster, folderStore } from 'cipherloom/cluster';
import { loadJob } from 'cipherloom/job';
import { definition } from './jobs.mjs';
import { endWithThis, temporaryFolder } from '../lib/own.mjs';
import { skip, startRedis } from './redis.mjs';
import { startWorkers, until } from './workers.mjs';
import { storeBut } from './store-but.mjs';

const options = { skip, timeout: 300_000 };
const PARTS = 12;
const EXPECTED = Array.from({ length: PARTS }, (_, key) => [key, key]);

let redis;
before(async () => {
  if (!skip) redis = await startRedis();
});
after(() => redis?.stop('SIGKILL'));

/** Workers of a prefix, and what makes managers of them, which all have one folder. */
async function started(t, prefix, count = 2) {
  const folder = temporaryFolder();
  const args = ['--allow-any', '--prefix', prefix, '--store', `folder:${folder}`];
  const workers = await startWorkers(count, { redis: redis.url, args });
  t.after(() => Promise.all(workers.map((worker) => worker.stop('SIGKILL'))));
  const manager = async (more) => {
    const crew = await cluster({ redis: redis.url, prefix, store: folderStore(folder), ...more });
    t.after(() => crew.close());
    return crew;
  };
  return { folder, manager };
}

/** One of any number of jobs that are equal. */
async function equal(crew, operator = 'soon', first = 0) {
  const job = await loadJob(definition({ operator, parts: PARTS }), { crew });
  for (let key = 0; key < PARTS; key++) await job.inputs.x.emit(key, first + key);
  return job;
}

async function rowsOf(result) {
  const rows = [];
  for await (const row of result.getItr()) rows.push(row);
  return rows;
}

/** Chunks that lie in a folder. */
const chunksIn = (folder) =>
  readdirSync(join(folder, 'chunks')).flatMap((part) => readdirSync(join(folder, 'chunks', part)));

for (const [name, run] of [
  ['without a name', undefined],
  ['under a name', 'name'],
])
  test(`two jobs at once in one crew ${name}`, options, async (t) => {
    const { folder, manager } = await started(t, `crew-${run}`);
    const crew = await manager(run && { run });
    const [a, b] = [await equal(crew), await equal(crew)];
    const [ofA, ofB] = await Promise.all([a.run(), b.run()]);
    assert.deepEqual([a.statistics().done, b.statistics().done], [PARTS, PARTS]);
    assert.deepEqual(await rowsOf(ofA), EXPECTED);
    a.dispose();
    await until(() => chunksIn(folder).length <= PARTS, 'the rows of one are gone');
    assert.deepEqual(await rowsOf(ofB), EXPECTED);

    // One is aborted while the other one goes on, as early and as late as it comes.
    for (const milliseconds of [0, 30, 60, 90]) {
      const [c, d] = [await equal(crew, 'long'), await equal(crew, 'long')];
      const stop = new AbortController();
      const ofC = c.run({ signal: stop.signal });
      const ofD = d.run();
      setTimeout(() => stop.abort(new Error('enough')), milliseconds);
      await assert.rejects(ofC, /enough/);
      c.dispose();
      assert.deepEqual(await rowsOf(await ofD), EXPECTED);
      d.dispose();
    }

    // One after the other, while the first one has its rows.
    const e = await equal(crew);
    assert.deepEqual(await rowsOf(await e.run()), EXPECTED);
    e.dispose();
    await until(() => chunksIn(folder).length <= PARTS, 'its rows are gone');
    assert.deepEqual(await rowsOf(ofB), EXPECTED);
    assert.equal(crew.state().again, 0, 'nothing of one was taken for the other');
    b.dispose();
    await until(() => chunksIn(folder).length === 0, 'nothing is left');
  });

test('two managers under one run share what is done, and neither has the chunks of the other', options, async (t) => {
  const { folder, manager } = await started(t, 'managers');
  const [one, two] = [await manager({ run: 'both' }), await manager({ run: 'both' })];
  const [a, b] = [await equal(one, 'long'), await equal(two, 'long')];
  const [ofA, ofB] = await Promise.all([a.run(), b.run()]);
  assert.deepEqual([a.statistics().done, b.statistics().done], [PARTS, PARTS]);
  assert.deepEqual([a.statistics().calls, b.statistics().calls], [PARTS, PARTS]);
  // A third one comes when the first is closed, whose job still has its rows.
  await one.close();
  const three = await manager({ run: 'both' });
  const c = await equal(three, 'long');
  const ofC = await c.run();
  assert.equal(three.state().taken, PARTS);
  for (const [job, others] of [
    [a, [ofB, ofC]],
    [b, [ofC]],
  ]) {
    const before = chunksIn(folder).length;
    job.dispose();
    await until(() => chunksIn(folder).length <= before - PARTS, 'its rows are gone');
    for (const result of others) assert.deepEqual(await rowsOf(result), EXPECTED);
  }
  c.dispose();
  await until(() => chunksIn(folder).length === 0, 'nothing is left');
});

test('a manager whose connection broke off keeps its chunks when it comes back', options, async (t) => {
  const { folder, manager } = await started(t, 'away');
  const owners = 'away:run:both:owners';
  const one = await manager({ run: 'both' });
  const a = await equal(one);
  await a.run();
  // It is another process's that the chunks are, which has no connection just now.
  await one.close();
  const taken = redis.ask('hkeys', owners).split('\n');
  assert.equal(taken.length, PARTS);
  const give = (id) => redis.ask('hset', owners, ...taken.flatMap((chunk) => [chunk, id]));
  give('elsewhere');
  const two = await manager({ run: 'both' });
  const b = await equal(two);
  const running = b.run();
  const comes = setTimeout(() => {
    endWithThis(
      spawn('redis-cli', ['-p', String(redis.port), 'subscribe', 'away:run:both:manager:elsewhere'], {
        stdio: 'ignore',
      }),
    );
  }, 500);
  t.after(() => clearTimeout(comes));
  assert.deepEqual(await rowsOf(await running), EXPECTED);
  assert.equal(two.state().taken, PARTS);
  const ownedBy = (id) =>
    redis
      .ask('hvals', owners)
      .split('\n')
      .filter((owner) => owner === id).length;
  assert.equal(ownedBy('elsewhere'), PARTS);
  b.dispose();
  await until(() => chunksIn(folder).length <= PARTS, 'its copies are gone, and nothing else');
  await two.close();

  // One that does not come back has them no longer.
  give('nowhere');
  const three = await manager({ run: 'both' });
  const c = await equal(three);
  assert.deepEqual(await rowsOf(await c.run()), EXPECTED);
  assert.equal(ownedBy('nowhere'), 0);
  c.dispose();
  a.dispose();
});

test('what one manager took from under a task, the other one of its run does with its own', options, async (t) => {
  const { folder, manager } = await started(t, 'own-chunks', 1);
  const busy = await manager();
  const store = folderStore(folder);
  const losing = storeBut(store, {
    put: async (bytes) => {
      const ref = await store.put(bytes);
      await store.drop([ref]);
      return ref;
    },
  });
  const [harmed, sound] = [await manager({ run: 'both', store: losing }), await manager({ run: 'both' })];
  // Other rows, since a worker keeps what it has fetched.
  const before = await equal(busy, 'long', 100);
  const first = before.run();
  await until(() => busy.state().running > 0, 'the worker has something to do');
  // Its tasks are the ones that are queued, and their rows are gone.
  const a = await equal(harmed);
  const failing = a.run();
  failing.catch(() => {});
  await until(() => harmed.state().waiting > 0, 'tasks wait');
  const b = await equal(sound);
  const done = b.run();
  await until(() => sound.state().waiting > 0, 'tasks of the other one wait for the same');
  await first;
  await assert.rejects(failing, { code: 'job.store' });
  assert.deepEqual(await rowsOf(await done), EXPECTED);
  for (const job of [before, a, b]) job.dispose();
});
