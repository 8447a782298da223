#!/usr/bin/env node
// Load on the clinic's service: many clients at once, each asking again as soon as it has its answer; beside the same service computing in the clear.
// Usage: node bench/clinic.mjs [--clients 50] [--seconds 60] [--kills 0] [--json]
//   --kills  how often the service is killed meanwhile (SIGKILL) and started again, with forged tokens and uploads of 10 GB between; no question may be lost, or answered twice
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { load } from 'cipherloom';
import { ClinicClient } from '../examples/clinic/client.mjs';
import { columnsOf, framed, statistics, task, unframed } from './lib/clinic-question.mjs';
import { machine } from './lib/machine.mjs';

const { values: options } = parseArgs({
  options: {
    clients: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '60' },
    kills: { type: 'string', default: '0' },
    json: { type: 'boolean', default: false },
  },
});
const [count, seconds, kills] = [options.clients, options.seconds, options.kills].map(Number);
if (!(Number.isInteger(count) && count > 0 && seconds > 0 && Number.isInteger(kills) && kills >= 0)) {
  console.error(`expected --clients N and --seconds N above 0, found ${options.clients} and ${options.seconds}`);
  process.exit(2);
}
const SERVICE = fileURLToPath(new URL('lib/clinic-service.mjs', import.meta.url));
const SERVER = fileURLToPath(new URL('../examples/clinic/server.mjs', import.meta.url));

const loom = await load({ threads: 1 });
const program = await loom.compile(task());
const results = [];
// What is killed is not measured beside another one.
for (const clear of kills > 0 ? [false] : [false, true]) results.push(await measure(clear));
loom.dispose();
if (options.json) console.log(JSON.stringify({ machine: machine(), clients: count, seconds, results }));
else {
  console.log(machine());
  console.table(Object.fromEntries(results.map(({ what, ...figures }) => [what, figures])));
}

/** Clients at once, for so many seconds, on a service of its own. Every answer of the first round, and each client's last one, is checked. */
async function measure(clear) {
  const folder = mkdtempSync(join(tmpdir(), 'clinic-bench-'));
  const limits = { CLINIC_RATE: '100000000', CLINIC_LOGIN_RATE: '1000000' };
  const own = { CLINIC_DATA: folder, CLINIC_PORT: '0', CLINIC_LOG: 'warn', CLINIC_CLEAR: clear ? '1' : '0', ...limits };
  const env = { ...process.env, ...own };
  let server;
  const end = () => {
    server?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', end);
  const start = async (port) => {
    server = spawn(process.execPath, [SERVICE], {
      env: { ...env, CLINIC_PORT: port },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return new Promise((resolve, reject) => {
      server.once('exit', (code, signal) => reject(new Error(`the service ended with ${code ?? signal}`)));
      server.stdout.setEncoding('utf8').on('data', (text) => {
        const [, address] = text.match(/listens on (\S+)/) ?? [];
        if (address) resolve(address);
      });
    });
  };
  const stop = async (signal) => {
    const over = once(server, 'exit');
    server.kill(signal);
    await over;
  };
  const url = await start('0');
  const invite = (role) =>
    JSON.parse(execFileSync(process.execPath, [SERVER, 'invite', role], { env, encoding: 'utf8' })).code;
  const clients = await ready(url, invite, clear);
  const latencies = [];
  const asking = [];
  const until = performance.now() + 1000 * seconds;
  const began = performance.now();
  const disturbed = (async () => {
    for (let kill = 1; kill <= kills; kill++) {
      await pause((1000 * seconds) / (kills + 1));
      await disturb(url);
      await stop('SIGKILL');
      await start(new URL(url).port);
    }
  })();
  await Promise.all(
    clients.map(async (one) => {
      let last;
      while (performance.now() < until) {
        const asked = performance.now();
        const { id } = await one.client.ask({ program: one.program, records: [one.record] });
        asking.push(performance.now() - asked);
        await one.client.wait(id);
        await one.fetch(id);
        latencies.push(performance.now() - asked);
        if (last === undefined) await one.check(id);
        last = id;
      }
      await one.check(last);
    }),
  );
  const elapsed = (performance.now() - began) / 1000;
  await disturbed;
  await checkLog(
    await ClinicClient.register(url, loom, { code: invite('admin'), name: 'admin', password: 'the password of admin' }),
    latencies.length,
  );
  const [rss] = execFileSync('ps', ['-o', 'rss=', '-p', String(server.pid)], { encoding: 'utf8' })
    .trim()
    .split(/\s+/);
  await stop('SIGTERM');
  process.off('exit', end);
  rmSync(folder, { recursive: true, force: true });
  const at = (list, share) => Math.round(list.toSorted((a, b) => a - b)[Math.floor(share * (list.length - 1))]);
  return {
    what: clear ? 'in the clear' : 'encrypted',
    questions: latencies.length,
    'a second': Number((latencies.length / elapsed).toFixed(1)),
    'ms, median': at(latencies, 0.5),
    p90: at(latencies, 0.9),
    p99: at(latencies, 0.99),
    most: at(latencies, 1),
    'ms to be accepted, median': at(asking, 0.5),
    'MB of the service': Math.round(Number(rss) / 1024),
  };
}

/** Clients with keys and records. Without encryption the record is the numbers, and a key that is never used. */
async function ready(url, invite, clear) {
  const names = Array.from({ length: count }, (_, at) => `client-${at}`);
  const clients = [];
  for (const [at, name] of names.entries()) {
    const client = await ClinicClient.register(url, loom, {
      code: invite('client'),
      name,
      password: `the password of ${name}`,
    });
    const offered = clients[0]?.program ?? (await client.publish('statistics', program));
    const key = await client.issueKeys(offered);
    const columns = columnsOf(at);
    const record = clear
      ? await plainRecord(client, offered, key, columns)
      : await client.store({ program: offered, key, label: 'mine', values: columns });
    const expected = statistics(columns.age, columns.pressure);
    const outputs = async (id) => (await client.patiently(() => client.call('GET', `/questions/${id}`))).outputs;
    clients.push({
      client,
      program: offered,
      record: record.id,
      async fetch(id) {
        for (const sha of new Set(Object.values(await outputs(id)))) await client.patiently(() => client.download(sha));
      },
      async check(id) {
        const found = clear
          ? unframed(await client.patiently(async () => client.download((await outputs(id)).statistics)))
          : Object.values(await client.patiently(() => client.answer(id, key)));
        const right =
          found.length === 3 &&
          found.every((value, i) => Math.abs(value - expected[i]) <= 1e-6 * Math.abs(expected[i]));
        if (!right) throw new Error(`${found} is not ${expected}`);
      },
    });
  }
  return clients;
}

/** A forged token and an upload of 10 GB, which are refused. */
async function disturb(url) {
  const send = async (path, headers) => {
    const asked = request(new URL(`/v1${path}`, url), { method: 'POST', headers });
    asked.on('error', () => {}).flushHeaders();
    const [response] = await once(asked, 'response');
    asked.destroy();
    return response.statusCode;
  };
  const type = { 'content-type': 'application/octet-stream', 'content-length': String(10 * 2 ** 30) };
  const forged = await send('/blobs', { authorization: `Bearer ${'A'.repeat(43)}`, ...type });
  if (forged !== 401) throw new Error(`a forged token gave ${forged}`);
  const { token } = await (
    await post(url, '/sessions', { name: 'client-0', password: 'the password of client-0' })
  ).json();
  const large = await send('/blobs', { authorization: `Bearer ${token}`, ...type });
  if (large !== 413) throw new Error(`10 GB gave ${large}`);
}

function post(url, path, body) {
  const headers = { 'content-type': 'application/json' };
  return fetch(new URL(`/v1${path}`, url), { method: 'POST', headers, body: JSON.stringify(body) });
}

/** That as many questions were asked as answered, each once, and that the log's chain holds. */
async function checkLog(admin, answered) {
  const seen = { 'question.ask': [], 'question.done': [], 'question.fail': [] };
  for (
    let after = 0, page;
    (page = await admin.call('GET', `/audit?after=${after}`)).length > 0;
    after = page.at(-1).seq
  )
    for (const { action, subject } of page) seen[action]?.push(subject);
  const { intact } = await admin.call('GET', '/audit/check');
  const once = Object.values(seen).every((ids) => new Set(ids).size === ids.length);
  const [asked, done, failed] = Object.values(seen).map((ids) => ids.length);
  if (!intact || !once || asked !== answered || done !== answered || failed > 0)
    throw new Error(
      `${answered} answers, but ${asked} asked, ${done} done, ${failed} failed; chain ${intact}, each once ${once}`,
    );
}

async function plainRecord(client, offered, key, columns) {
  const inputs = {};
  for (const [name, values] of Object.entries(columns)) inputs[name] = await client.upload(framed(values));
  return client.call('POST', '/records', { program: offered, key, label: 'mine', inputs });
}
