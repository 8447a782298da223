#!/usr/bin/env node
// What many machines cost, measured on one: milliseconds and bytes of each part, of manager, worker and Redis. `node bench/cluster.mjs [--json]`; needs redis-server.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cluster, folderStore } from 'cipherloom/cluster';
import { fromModule, inline, loadJob, SparseValueVector, threads, VectorMap } from 'cipherloom/job';
import { machine } from './lib/machine.mjs';
import { skip, startRedis } from '../pkg-tests/cluster/redis.mjs';
import { startWorkers } from '../pkg-tests/cluster/workers.mjs';

if (skip) {
  console.error(skip);
  process.exit(1);
}

const PARTS = 500;
const IDLE_MS = 5000;
const MODULE = new URL('../pkg-tests/cluster/functions.mjs', import.meta.url);

/** A job of parts that compute next to nothing; seconds of processor and of the clock. */
async function run(crew, rows) {
  const definition = {
    inputs: { x: SparseValueVector({ parts: PARTS }) },
    rounds: [VectorMap(fromModule(MODULE, { name: 'square' }), { over: 'x' })],
  };
  const job = await loadJob(definition, { crew });
  for (let key = 0; key < PARTS * rows; key++) await job.inputs.x.emit(key, key);
  const cpu = process.cpuUsage();
  const began = performance.now();
  const result = await job.run();
  const milliseconds = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  if (result.rows !== PARTS * rows) throw new Error(`${result.rows} rows`);
  job.dispose();
  return { milliseconds, cpu: (user + system) / 1000 };
}

/** What Redis has counted. */
function counts(redis) {
  const text = redis.ask('info', 'everything');
  const number = (name) => Number(text.match(new RegExp(`^${name}:([\\d.]+)`, 'm'))[1]);
  const calls = [...text.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)].map(([, name, calls]) => [name, Number(calls)]);
  return {
    in: number('total_net_input_bytes'),
    out: number('total_net_output_bytes'),
    cpu: 1000 * (number('used_cpu_sys') + number('used_cpu_user')),
    // What scripts call is counted beside them.
    commands: number('total_commands_processed'),
    calls: Object.fromEntries(calls),
  };
}

/** Milliseconds of processor that a process has used. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Milliseconds of processor that Redis takes in a second in which nothing is to be done. */
async function rest(redis) {
  const before = counts(redis).cpu;
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  return (counts(redis).cpu - before) / (IDLE_MS / 1000);
}

async function measure(count, storeName, rows) {
  const redis = await startRedis({ settings: { appendonly: 'yes' } });
  const folder = mkdtempSync(join(tmpdir(), 'cipherloom-bench-'));
  const place = storeName === 'folder' ? `folder:${folder}` : 'redis';
  const alone = await rest(redis);
  const workers = await startWorkers(count, { redis: redis.url, args: ['--allow-any', '--store', place] });
  const store = storeName === 'folder' ? { store: folderStore(folder) } : {};
  const crew = await cluster({ redis: redis.url, workers: { cpu: count }, ...store });
  // Modules are loaded, and scripts known.
  await run(crew, 1);
  const before = counts(redis);
  const workersBefore = workers.map(({ pid }) => cpuOf(pid));
  const { milliseconds, cpu } = await run(crew, rows);
  const after = counts(redis);
  const workersCpu = workers.reduce((sum, { pid }, index) => sum + cpuOf(pid) - workersBefore[index], 0);
  await crew.close();
  const rested = await rest(redis);
  await Promise.all(workers.map((worker) => worker.stop()));
  await redis.stop();
  rmSync(folder, { recursive: true, force: true });
  const each = (value) => value / PARTS;
  const calls = Object.entries(after.calls)
    .map(([name, calls]) => [name, each(calls - (before.calls[name] ?? 0))])
    .filter(([, calls]) => calls > 0.05)
    .sort(([, a], [, b]) => b - a);
  return {
    workers: count,
    store: storeName,
    rows,
    msPerPart: each(milliseconds),
    managerMs: each(cpu),
    workerMs: each(workersCpu),
    redisMs: each(after.cpu - before.cpu),
    redisCommands: each(after.commands - before.commands),
    bytesToRedis: each(after.in - before.in),
    bytesFromRedis: each(after.out - before.out),
    // Of a worker that has nothing to do, a second.
    idleRedisMs: (rested - alone) / count,
    calls: Object.fromEntries(calls.map(([name, value]) => [name, Number(value.toFixed(1))])),
  };
}

const shown = (value) => (typeof value === 'number' ? Number(value.toFixed(2)) : value);
const results = [];
for (const [name, crew] of [
  ['inline', inline()],
  ['threads, 2', threads({ cpu: 2 })],
]) {
  await run(crew, 1);
  const { milliseconds } = await run(crew, 1);
  console.log(`${name}: ${shown(milliseconds / PARTS)} ms a part`);
  await crew.close();
}
console.log(machine());
for (const [count, store, rows] of [
  [1, 'redis', 1],
  [2, 'redis', 1],
  [4, 'redis', 1],
  [1, 'folder', 1],
  [2, 'folder', 1],
  [2, 'redis', 1000],
]) {
  const found = await measure(count, store, rows);
  results.push(found);
  const { calls, ...rest } = found;
  console.log(Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, shown(value)])));
  if (results.length === 1) console.log('commands a part:', calls);
}
if (process.argv.includes('--json')) console.log(JSON.stringify(results));
process.exit();
