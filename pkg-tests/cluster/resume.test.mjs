// A manager that is killed: the next one of the same run takes over what was done, and nothing is done twice but what was under way.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { endWithThis, skip, startRedis, temporaryFolder } from './redis.mjs';
import { startWorkers } from './workers.mjs';

const ROWS = 60;
const EXPECTED = Array.from({ length: ROWS }, (_, key) => [key, key]);

/** Starts a manager. Gives its process, and a promise of what it printed last. */
function manager(...args) {
  const child = spawn(process.execPath, [fileURLToPath(new URL('./manager.mjs', import.meta.url)), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  endWithThis(child);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  const ended = once(child, 'exit').then(() => output.trim().split('\n').at(-1));
  return { child, ended, output: () => output };
}

test('state survives the death of the manager', { skip, timeout: 120_000 }, async () => {
  const redis = await startRedis();
  const folder = temporaryFolder();
  const mark = join(temporaryFolder(), 'mark');
  const workers = await startWorkers(2, {
    redis: redis.url,
    args: ['--allow-any', '--store', `folder:${folder}`],
    env: { CLUSTER_TEST_MARK: mark },
  });
  const calls = () => readFileSync(mark, 'utf8').trim().split('\n').length;
  const kill = async () => {
    const { child, ended, output } = manager(redis.url, folder, 'monday');
    while (!output().includes('begins')) await new Promise((resolve) => setTimeout(resolve, 20));
    await new Promise((resolve) => setTimeout(resolve, 600));
    child.kill('SIGKILL');
    await ended;
  };
  await kill();
  // Redis itself is restarted in between.
  await redis.stop();
  await redis.start();
  await kill();
  const done = calls();
  assert.ok(done > 5 && done < ROWS, `${done} of ${ROWS} were done`);

  const { state, ...last } = JSON.parse(await manager(redis.url, folder, 'monday').ended);
  assert.deepEqual(last.rows, EXPECTED);
  assert.deepEqual([last.tasks, last.done, state.done], [ROWS, ROWS, ROWS]);
  assert.ok(state.taken >= done - 16 && state.taken < ROWS, `${state.taken} of ${done} were taken over`);
  // What was under way when Redis went may have been done twice, and nothing else.
  assert.ok(calls() <= ROWS + 4, `${calls()} calls`);

  // Another run of the same job shares nothing with it.
  const other = JSON.parse(await manager(redis.url, folder, 'tuesday').ended);
  assert.deepEqual([other.rows, other.state.taken], [EXPECTED, 0]);

  // A journal whose chunks are gone is no harm.
  const { ended, child, output } = manager(redis.url, folder, 'wednesday');
  while (!output().includes('begins')) await new Promise((resolve) => setTimeout(resolve, 20));
  await new Promise((resolve) => setTimeout(resolve, 600));
  child.kill('SIGKILL');
  await ended;
  for (const name of readdirSync(join(folder, 'chunks')))
    rmSync(join(folder, 'chunks', name), { recursive: true, force: true });
  // Those that were queued have no rows any more: that is said, and the next try finds all new.
  await manager(redis.url, folder, 'wednesday').ended;
  const again = JSON.parse(await manager(redis.url, folder, 'wednesday').ended);
  assert.deepEqual(again.rows, EXPECTED);

  await Promise.all(workers.map((worker) => worker.stop()));
  await redis.stop();
});
