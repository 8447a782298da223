// A job on many machines, all of which are this one: a Redis, four worker processes of which one is killed in the middle, and a manager. The workers compute on
// what they cannot read, and run nothing but one program, whose hash they were told. Run it after `npm run build`; it needs `redis-server` on PATH:
//   node examples/cluster.mjs
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from 'cipherloom';
import { cluster, folderStore } from 'cipherloom/cluster';
import { fromProgram, loadJob, PVar, VariableLenVector, VectorMap } from 'cipherloom/job';

const CLI = fileURLToPath(new URL('../bindings/dist/node/cli.js', import.meta.url));
const WORKERS = 4;
const CHUNKS = 60;
const ROWS = 1000;

const folder = mkdtempSync(join(tmpdir(), 'cluster-'));
const children = [];
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

// The question: what all of many tables come to. Its bytes are what workers see of it.
const loom = await load();
const task = loom.task();
const paid = task.encrypted('paid', { shape: [ROWS], min: 0, max: 9999 });
task.output('sum', paid.sum());
task.output('squares', paid.square().sum());
const program = await task.compile();
const client = await program.client();

// What the workers accept.
const file = join(folder, 'program');
writeFileSync(file, program.toBytes());
const { stdout } = spawnSync(process.execPath, [CLI, 'hash', file], { encoding: 'utf8' });
writeFileSync(join(folder, 'allowed'), stdout);

const redis = await startRedis();
const chunks = join(folder, 'chunks');
const workers = await Promise.all(Array.from({ length: WORKERS }, startWorker));

const crew = await cluster({ redis, store: folderStore(chunks), workers: { cpu: WORKERS } });
const job = await loadJob(
  {
    inputs: { tables: VariableLenVector({ parts: CHUNKS }) },
    globals: { keys: PVar() },
    rounds: [VectorMap(fromProgram(program.toBytes(), 'keys'))],
  },
  { crew },
);
for (const [index, key] of Object.values(client.evaluationKeys).entries())
  await job.globals.keys.emit(index, key);
const all = [];
for (let chunk = 0; chunk < CHUNKS; chunk++) {
  const values = Array.from({ length: ROWS }, (_, row) => (chunk * 7919 + row * 104_729) % 10_000);
  all.push(...values);
  await job.inputs.tables.emit(chunk, await client.encrypt({ paid: values }));
}

const running = job.run();
// One dies while it has work to do: another one does its part again.
await crowded(WORKERS);
workers[0].kill('SIGKILL');
const result = await running;

let sum = 0;
let squares = 0;
for await (const [, outputs] of result.getItr()) {
  const found = await client.decrypt(outputs);
  sum += found.sum;
  squares += found.squares;
}
assert.equal(result.rows, CHUNKS);
assert.equal(sum, all.reduce((total, value) => total + value, 0)); // prettier-ignore
assert.equal(squares, all.reduce((total, value) => total + value * value, 0)); // prettier-ignore

const { tasks, done } = job.statistics();
assert.equal(done, tasks);
console.log(
  `${all.length} encrypted numbers in ${CHUNKS} parts, of ${WORKERS} workers one killed: sum ${sum}`,
);
for (const { worker, tasks } of job.statistics().workers)
  console.log(`worker ${worker} ended ${tasks} parts`);

job.dispose();
await crew.close();
for (const worker of workers.slice(1)) {
  const ended = once(worker, 'exit');
  worker.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
}
loom.dispose();
process.exit();

/** A Redis on a free port, which ends with this process. */
async function startRedis() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  const child = spawn('redis-server', [
    '--port',
    port,
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--appendonly',
    'yes',
  ]);
  children.push(child);
  child.on('error', () => {
    console.error('redis-server is not on PATH: on Debian, apt-get install redis-server');
    process.exit(1);
  });
  await said(child, 'Ready to accept connections');
  return `redis://127.0.0.1:${port}`;
}

/** What `npx cipherloom worker` starts. */
async function startWorker() {
  const args = ['worker', '--store', `folder:${chunks}`, '--allow', join(folder, 'allowed')];
  const child = spawn(process.execPath, [CLI, ...args], { env: { ...process.env, CIPHERLOOM_REDIS: redis } });
  child.stderr.pipe(process.stderr);
  children.push(child);
  await said(child, 'waits for tasks');
  return child;
}

/** Waits until a process has printed a text. */
function said(child, text) {
  return new Promise((resolve) => {
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (more) => {
      output += more;
      if (output.includes(text)) resolve();
    });
  });
}

/** Waits until so many parts are being done. */
async function crowded(count) {
  const running = () => crew.state().running;
  while (running() < count && job.statistics().done < CHUNKS / 2)
    await new Promise((resolve) => setTimeout(resolve, 10));
}
