// A manager that is killed: the next one of the same run takes over what was done, and nothing is done twice but what was under way.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { cluster, folderStore } from 'cipherloom/cluster';
import { fromModule, loadJob, SparseValueVector, VectorMap } from 'cipherloom/job';
import { endWithThis, temporaryFolder } from '../lib/own.mjs';
import { MODULE } from './jobs.mjs';
import { skip, startRedis } from './redis.mjs';
import { startWorker, startWorkers, until } from './workers.mjs';

const ROWS = 120;
const EXPECTED = Array.from({ length: ROWS }, (_, key) => [key, key]);

/** Starts a manager of `ROWS` rows. Gives its process, and a promise of what it printed last. */
function manager(...args) {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('./manager.mjs', import.meta.url)), ...args, String(ROWS)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  endWithThis(child);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  const ended = once(child, 'exit').then(() => output.trim().split('\n').at(-1));
  return { child, ended };
}

test('state survives the death of the manager', { skip, timeout: 600_000 }, async () => {
  const redis = await startRedis();
  const folder = temporaryFolder();
  const mark = join(temporaryFolder(), 'mark');
  const workers = await startWorkers(2, {
    redis: redis.url,
    args: ['--allow-any', '--store', `folder:${folder}`],
    env: { CLUSTER_TEST_MARK: mark },
  });
  const calls = () => (existsSync(mark) ? readFileSync(mark, 'utf8').trim().split('\n').length : 0);
  /** Starts a manager, and kills it when so many calls were begun in all: there are no more meanwhile. */
  const killedAt = async (run, least) => {
    writeFileSync(`${mark}.most`, String(least));
    const { child, ended } = manager(redis.url, folder, run);
    await until(() => calls() >= least, `${least} calls`);
    child.kill('SIGKILL');
    await ended;
    rmSync(`${mark}.most`);
  };
  await killedAt('monday', 10);
  // Redis itself is restarted in between.
  await redis.stop();
  await redis.start();
  await killedAt('monday', 25);
  const done = calls();
  assert.ok(done < ROWS, `${done} of ${ROWS} were done`);

  const { state, ...last } = JSON.parse(await manager(redis.url, folder, 'monday').ended);
  assert.deepEqual(last.rows, EXPECTED);
  assert.deepEqual([last.tasks, last.done, state.done], [ROWS, ROWS, ROWS]);
  assert.ok(state.taken >= done - 16 && state.taken < ROWS, `${state.taken} of ${done} were taken over`);
  // The chunks of managers that are gone are its own now, and not copied.
  const owners = redis.ask('hvals', 'cipherloom:run:monday:owners').split('\n');
  const own = owners.map((owner) => owners.filter((other) => other === owner).length);
  assert.equal(Math.max(...own), ROWS);
  // What was under way when Redis went may have been done twice, and nothing else.
  assert.ok(calls() <= ROWS + 4, `${calls()} calls`);

  // Another run of the same job shares nothing with it.
  const other = JSON.parse(await manager(redis.url, folder, 'tuesday').ended);
  assert.deepEqual([other.rows, other.state.taken], [EXPECTED, 0]);

  // A journal whose chunks are gone is no harm.
  await killedAt('wednesday', calls() + 10);
  for (const name of readdirSync(join(folder, 'chunks')))
    rmSync(join(folder, 'chunks', name), { recursive: true, force: true });
  // Those that were queued have no rows any more: that is said, and the next try finds all new.
  await manager(redis.url, folder, 'wednesday').ended;
  const again = JSON.parse(await manager(redis.url, folder, 'wednesday').ended);
  assert.deepEqual(again.rows, EXPECTED);

  await Promise.all(workers.map((worker) => worker.stop()));
  await redis.stop();
});

test('what a module gave before it was edited is not taken over', { skip, timeout: 300_000 }, async (t) => {
  const redis = await startRedis();
  t.after(() => redis.stop('SIGKILL'));
  const folder = temporaryFolder();
  const module = join(temporaryFolder(), 'operators.mjs');
  copyFileSync(fileURLToPath(MODULE), module);
  const parts = 6;
  // One all the time: it, too, does not take what it had imported before for what is there now.
  const worker = await startWorker({ redis: redis.url, args: ['--allow-any', '--store', `folder:${folder}`] });
  t.after(() => worker.stop('SIGKILL'));
  /** The rows of a manager, and how many parts it took over; what it has is left as it would be by one that was killed. */
  const done = async () => {
    const crew = await cluster({ redis: redis.url, store: folderStore(folder), run: 'edited' });
    const rounds = [VectorMap(fromModule(pathToFileURL(module), { name: 'square' }), { over: 'x' })];
    const job = await loadJob({ inputs: { x: SparseValueVector({ parts }) }, rounds }, { crew });
    for (let key = 0; key < parts; key++) await job.inputs.x.emit(key, key);
    const rows = [];
    for await (const row of (await job.run()).getItr()) rows.push(row);
    const { taken } = crew.state();
    await crew.close();
    t.after(() => job.dispose());
    return { rows, taken };
  };
  const squares = Array.from({ length: parts }, (_, key) => [key, key * key]);
  assert.deepEqual(await done(), { rows: squares, taken: 0 });
  assert.deepEqual(await done(), { rows: squares, taken: parts });
  const text = readFileSync(module, 'utf8');
  writeFileSync(module, text.replace('value * value;', '1000 + value * value;'));
  assert.notEqual(readFileSync(module, 'utf8'), text);
  assert.deepEqual(await done(), { rows: squares.map(([key, value]) => [key, 1000 + value]), taken: 0 });
});
