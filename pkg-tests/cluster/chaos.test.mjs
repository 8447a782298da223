// Eight worker processes, three of which are killed at random moments, and Redis is restarted once: the result is that of one process, and each part counts once.
// CLUSTER_RUNS=20 says how often, CLUSTER_SEED which moments.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cluster, folderStore } from 'cipherloom/cluster';
import { inline } from 'cipherloom/job';
import { mulberry32 } from '../lib/random.mjs';
import { run } from './jobs.mjs';
import { temporaryFolder } from '../lib/own.mjs';
import { skip, startRedis } from './redis.mjs';
import { startWorkers, until } from './workers.mjs';

const RUNS = Number(process.env.CLUSTER_RUNS ?? 2);
const SEED = Number(process.env.CLUSTER_SEED ?? 2026);
const JOB = { operator: 'slowly', rows: 2400, parts: 240, add: true };
const KILLED = 3;

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

test('workers die and Redis is restarted', { skip, timeout: RUNS * 600_000 }, async (t) => {
  const expected = (await run(inline(), { ...JOB, operator: 'quickly' })).rows;
  for (let index = 0; index < RUNS; index++) {
    const seed = SEED + index;
    await t.test(`run ${index + 1} of ${RUNS}, seed ${seed}`, () => once(mulberry32(seed), expected, index));
  }
});

async function once(next, expected, index) {
  const redis = await startRedis();
  const folder = temporaryFolder();
  const store = folderStore(folder);
  const workers = await startWorkers(8, { redis: redis.url, args: ['--allow-any', '--store', `folder:${folder}`] });
  // Second runs would hide it if the first ones never came back: every other time there are none.
  const speculate = index % 2 === 0 ? {} : false;
  const crew = await cluster({ redis: redis.url, store, workers: { cpu: 8 }, speculate });
  try {
    const doomed = [...workers].sort(() => next() - 0.5).slice(0, KILLED);
    const disturbances = [
      ...doomed.map(async (worker) => {
        await sleep(500 + next() * 6000);
        await worker.stop('SIGKILL');
      }),
      (async () => {
        await sleep(500 + next() * 6000);
        // As an administrator does it, or a power cut.
        await redis.stop(index % 4 < 2 ? 'SIGTERM' : 'SIGKILL');
        await sleep(next() * 3000);
        await redis.start();
      })(),
    ];
    const { rows, statistics } = await run(crew, JOB);
    await Promise.all(disturbances);
    assert.deepEqual(rows, expected);
    assert.equal(statistics.done, statistics.tasks, 'tasks');
    // Each row by the task that has it; what a killed worker did a second time does not count.
    assert.equal(crew.state().done, statistics.tasks, 'outcomes');
    assert.equal(workers.filter((worker) => worker.alive()).length, 8 - KILLED);
    const left = workers.find((worker) => worker.alive());
    await until(() => /Redis at redis:\/\/localhost:\d+ is back/.test(left.output()), 'Redis is back');
  } catch (error) {
    console.error(crew.state(), workers.map((worker) => worker.output()).join('\n'));
    throw error;
  } finally {
    await crew.close();
    await Promise.all(workers.map((worker) => worker.stop('SIGKILL')));
    await redis.stop('SIGKILL');
  }
}
