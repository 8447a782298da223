// Services and explorers that are killed in each phase: the store is intact, no exploration is lost for ever, none is doubled.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { saveExplorerKeys, tuneClient } from 'cipherloom/tune';
import { startPostgres, skip as noPostgres } from '../clinic/postgres.mjs';
import { endWithThis } from '../lib/own.mjs';
import { DEVICE, explorer, fileOf, key, library, newExplorerKeys, serve, skip, startServer } from './tune.mjs';

const keys = await newExplorerKeys({ extractable: true });
const explorers = [keys.publicKey];
const find = () => ({ library: library(1) });
/** A lease that ends when a test moves the clock, and never by itself: signs of life come thrice in it. */
const HOUR = 3_600_000;

/** Asks once, as a client that has just been started. */
async function ask(url, word) {
  const client = await tuneClient({ url, device: DEVICE, explorers });
  const record = await client.query(key(word));
  const { failed } = client.counts;
  await client.close();
  return { record, failed };
}

/** That an operator was explored once, and is where it belongs. */
async function checkOnce(service, word) {
  const { state, explorations } = await service.operator(key(word));
  assert.deepEqual([state, explorations], ['known', 1]);
  const { queue, records } = await service.statistics();
  assert.deepEqual([queue, records], [{ collected: 0, queued: 0, leased: 0 }, 1]);
  assert.ok((await ask(service.url, word)).record);
}

function checkFile(data) {
  const Database = createRequire(import.meta.url)('better-sqlite3');
  const db = new Database(fileOf(data), { readonly: true });
  assert.deepEqual(db.pragma('integrity_check'), [{ integrity_check: 'ok' }]);
  db.close();
}

/** Kills the service at a place, starts it again at the same address, and asks again. */
async function killAt(t, place, { env = {}, file = true } = {}) {
  const first = await startServer({ explorers, stuck: place, env });
  const found = explorer(t, first.url, keys, find);
  await found.until('registered');
  // Where it stands still it may not answer this.
  const asked = ask(first.url, 'o').catch(() => undefined);
  await first.printed(/stands at/);
  await first.kill();
  await asked;
  if (file) checkFile(first.data);
  const second = await startServer({ data: first.data, explorers, env: { ...env, TUNE_PORT: first.port } });
  // What was noted and not written comes with the next miss (R20).
  await ask(second.url, 'o');
  await found.until('brought');
  await checkOnce(second, 'o');
  await found.end();
  assert.equal(await second.kill('SIGTERM'), 0);
}

for (const place of ['noted', 'collected', 'leased', 'received', 'stored'])
  test(`a service that is killed: ${place}`, { skip }, (t) => killAt(t, place));

test('a service that is killed when it has sorted', { skip }, async (t) => {
  const first = await startServer({ explorers, stuck: 'sorted' });
  // An explorer that is there, and asks for nothing yet: it has a task.
  let go;
  const busy = new Promise((resolve) => (go = resolve));
  const found = explorer(t, first.url, keys, async ({ operator }) => {
    if (operator === 'test.busy') await busy;
    return find();
  });
  await found.until('registered');
  await ask(first.url, 'busy');
  await found.until('task');
  await ask(first.url, 'o');
  const sorting = first.sort().catch(() => undefined);
  await first.printed(/stands at/);
  await first.kill();
  await sorting;
  checkFile(first.data);
  const second = await startServer({ data: first.data, explorers, env: { TUNE_PORT: first.port } });
  assert.equal((await second.operator(key('o'))).state, 'queued');
  go();
  await found.until('brought', 2);
  const { records, explorations } = await second.statistics();
  assert.deepEqual([records, explorations], [2, 2]);
  await found.end();
  await second.kill('SIGTERM');
});

test('an explorer that is killed in the middle of a task: another one gets it', { skip }, async (t) => {
  let now = Date.now();
  const service = await serve(t, { explorers, leaseMs: HOUR }, { now: () => now });
  const saved = Buffer.from(await saveExplorerKeys(keys)).toString('hex');
  const script = fileURLToPath(new URL('stuck-explorer.mjs', import.meta.url));
  const env = { ...process.env, EXPLORER_URL: service.url, EXPLORER_KEYS: saved, EXPLORER_DEVICE: DEVICE };
  const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  endWithThis(child);
  const explores = once(child.stdout, 'data');
  await once(child, 'spawn');
  // It is collected again and again until the explorer is there.
  let line;
  explores.then(([text]) => (line = String(text)));
  while (line === undefined) {
    await ask(service.url, 'o');
    await Promise.race([explores, new Promise((resolve) => setTimeout(resolve, 50))]);
  }
  assert.match(line, /explores test\.o/);
  assert.equal((await service.operator(key('o'))).state, 'leased');
  child.kill('SIGKILL');
  await once(child, 'exit');
  now += HOUR + 1000;
  const found = explorer(t, service.url, keys, find);
  await found.until('brought');
  await checkOnce(service, 'o');
});

test('an explorer that was silent for too long brings nothing any more', { skip }, async (t) => {
  const other = await newExplorerKeys();
  let now = Date.now();
  const service = await serve(t, { explorers: [keys.publicKey, other.publicKey], leaseMs: HOUR }, { now: () => now });
  let go;
  const asleep = new Promise((resolve) => (go = resolve));
  const slow = explorer(t, service.url, keys, async () => {
    await asleep;
    return { library: library(0.001) };
  });
  await slow.until('registered');
  await ask(service.url, 'o');
  await slow.until('task');
  // Its lease ends, by the service's clock.
  now += HOUR + 1000;
  const fast = explorer(t, service.url, other, find);
  await fast.until('brought');
  go();
  const [{ error }] = await slow.until('trouble');
  assert.equal(error.code, 'tune.lease');
  const { explorations } = await service.operator(key('o'));
  assert.equal(explorations, 1);
  const client = await tuneClient({ url: service.url, device: DEVICE, explorers: [other.publicKey] });
  t.after(() => client.close());
  assert.equal((await client.query(key('o'))).best.library.time, 1);
});

test(
  'an operator whose explorers end again and again is set aside, and tried again a day later',
  { skip },
  async (t) => {
    let now = Date.now();
    const parts = { now: () => now };
    const service = await serve(t, { explorers, attempts: 2, leaseMs: HOUR }, parts);
    // By hand: leases that nobody keeps.
    const never = (_one, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const hang = explorer(t, service.url, keys, never);
    await hang.until('registered');
    await ask(service.url, 'o');
    await hang.until('task');
    now += HOUR + 1000;
    const second = explorer(t, service.url, keys, never);
    await second.until('task');
    now += HOUR + 1000;
    await service.sort();
    const { state, failure } = await service.operator(key('o'));
    assert.equal(state, 'failed');
    assert.match(failure, /2 times/);
    await ask(service.url, 'o');
    assert.equal((await service.operator(key('o'))).state, 'failed');
    now += 86_400_000;
    await ask(service.url, 'o');
    assert.equal((await service.operator(key('o'))).state, 'collected');
  },
);

test('PostgreSQL: killed while a record comes, and two services on one database', { skip: noPostgres }, async (t) => {
  const database = await startPostgres();
  t.after(() => database.stop());
  const env = { TUNE_DATABASE: database.url };
  await killAt(t, 'received', { env, file: false });
  const [one, two] = await Promise.all([startServer({ explorers, env }), startServer({ explorers, env })]);
  // What one service collects, an explorer at the other one explores; both know it then.
  const found = explorer(t, two.url, keys, find);
  await found.until('registered');
  await Promise.all([ask(one.url, 'p'), ask(two.url, 'p')]);
  await found.until('brought');
  assert.ok((await ask(one.url, 'p')).record);
  assert.equal((await one.operator(key('p'))).explorations, 1);
  await found.end();
  await Promise.all([one.kill('SIGTERM'), two.kill('SIGTERM')]);
});
