#!/usr/bin/env node
// The service of best implementations: queries at a steady rate, and a day of use, simulated.
// Usage: node bench/tune.mjs [--rate 1000] [--seconds 10] [--known 500] [--json]
//        node bench/tune.mjs --day [--devices 12] [--write]
//   --day    a day by the service's own clock: devices join, tasks repeat, one explorer for each class; the hit rate over time, with and without guessing
//   --write  draws it into docs/tune/
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { coOccurrence, newExplorerKeys, operatorKey, runExplorer, skipGram, tuneClient } from 'cipherloom/tune';
import { createTuneService } from 'cipherloom/tune/service';
import { mulberry32 } from '../pkg-tests/lib/random.mjs';
import { machine } from './lib/machine.mjs';
import { drawnDay } from './lib/tune-plot.mjs';

const { values: options } = parseArgs({
  options: {
    rate: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '10' },
    known: { type: 'string', default: '500' },
    devices: { type: 'string', default: '12' },
    day: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const [rate, seconds, known, devices] = [options.rate, options.seconds, options.known, options.devices].map(Number);
if (![rate, seconds, known, devices].every((value) => Number.isInteger(value) && value > 0)) {
  console.error('expected whole numbers above 0 for --rate, --seconds, --known and --devices');
  process.exit(2);
}
/** A day in steps of ten minutes. */
const [STEPS, STEP_MS] = [144, 600_000];
const CLI = fileURLToPath(new URL('../bindings/dist/node/cli.js', import.meta.url));
const FOLDER = new URL('../docs/tune/', import.meta.url);
const TOKEN = 'what maintainers of this benchmark show';
const keyOf = (word, device) =>
  operatorKey({
    operator: `bench.${word}`,
    attributes: { n: 8192 },
    inputs: ['u64[8192]'],
    outputs: ['u64[8192]'],
    device,
  });
const found = { library: { kind: 'library', call: 'simd', time: 1000, spread: 10, samples: 25 } };

const result = options.day ? await day() : await load();
if (options.json) console.log(JSON.stringify({ machine: machine(), ...result }));
else {
  console.log(machine());
  console.table(options.day ? result.hours : result);
}

/** Queries at moments that are fixed before: one that waits behind others is late, and counts as late. */
async function load() {
  const folder = mkdtempSync(join(tmpdir(), 'tune-bench-'));
  const keys = await newExplorerKeys();
  const device = 'a class of this benchmark';
  const server = spawn(process.execPath, [CLI, 'tune'], {
    env: {
      ...process.env,
      ...{
        TUNE_DATA: folder,
        TUNE_PORT: '0',
        TUNE_LOG: 'warn',
        TUNE_EXPLORERS: keys.publicKey,
        TUNE_RATE: '1000000000',
      },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = new AbortController();
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  try {
    const [text] = await once(server.stdout.setEncoding('utf8'), 'data');
    const [, url] = text.match(/served at (\S+)/);
    // Learned as everything is: by misses and an explorer.
    let brought = 0;
    let all;
    const learned = new Promise((resolve) => (all = resolve));
    const exploring = runExplorer({
      ...{
        url,
        keys,
        version: 'bench',
        room: 64,
        signal: stop.signal,
        explorer: { device, explore: async () => found },
      },
      onEvent: ({ what }) => {
        if (what === 'registered') all(what);
        if (what === 'brought') brought++;
        if (brought === known) all();
      },
    });
    await learned;
    const done = new Promise((resolve) => (all = resolve));
    const words = Array.from({ length: known }, (_, at) => keyOf(`k${at}`, device));
    for (let at = 0; at < known; at += 100)
      await post(url, agent, { task: '0'.repeat(32), keys: words.slice(at, at + 100), asked: 100 }).answered;
    await done;
    stop.abort(new Error('learned'));
    await exploring;

    // Nine of ten ask for what is known, one for what nobody has asked for yet.
    const random = mulberry32(5);
    const latencies = [];
    let [failed, sent] = [0, 0];
    const before = processor(server.pid);
    const count = rate * seconds;
    const began = performance.now();
    const open = new Set();
    await new Promise((resolve) => {
      const tick = () => {
        const due = Math.min(count, Math.floor(((performance.now() - began) * rate) / 1000));
        for (; sent < due; sent++) {
          const at = began + (sent * 1000) / rate;
          const asked = random() < 0.9 ? words[Math.floor(random() * known)] : keyOf(`new${sent}`, device);
          const query = post(url, agent, { task: '0'.repeat(32), keys: [asked], asked: 1 }).answered.then(
            () => latencies.push(performance.now() - at),
            () => failed++,
          );
          open.add(query);
          query.finally(() => open.delete(query));
        }
        if (sent === count) resolve(undefined);
        else setTimeout(tick, 1);
      };
      tick();
    });
    await Promise.all(open);
    const elapsed = (performance.now() - began) / 1000;
    latencies.sort((one, other) => one - other);
    const at = (part) => Math.round((latencies[Math.floor(part * (latencies.length - 1))] ?? NaN) * 100) / 100;
    return {
      queries: latencies.length,
      failed,
      'queries/s': Math.round(latencies.length / elapsed),
      'p50 ms': at(0.5),
      'p90 ms': at(0.9),
      'p99 ms': at(0.99),
      'longest ms': at(1),
      "service's processor time %": Math.round(((processor(server.pid) - before) / elapsed) * 100),
    };
  } finally {
    stop.abort(new Error('over'));
    agent.destroy();
    server.kill('SIGTERM');
    await once(server, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One query over a connection that is kept. */
function post(url, agent, body) {
  const text = JSON.stringify(body);
  const answered = new Promise((resolve, reject) => {
    const sent = request(`${url}/v1/query`, {
      ...{ agent, method: 'POST' },
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
    });
    sent.on('response', (response) => {
      response
        .resume()
        .on('end', () => (response.statusCode === 200 ? resolve(undefined) : reject(response.statusCode)));
    });
    sent.on('error', reject);
    sent.end(text);
  });
  return { answered };
}

/** Seconds of processor time of a process, on Linux; elsewhere NaN. */
function processor(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return NaN;
  }
}

/**
 * A day in steps of ten minutes. There are 40 sorts of tasks of 30 operators each, out of 300; a device has some of the sorts, popular ones more often (Zipf), and runs two tasks in a step. Devices
 * join evenly over the first twelve hours, in three classes. An explorer of each class brings up to ten results in a step.
 */
async function day() {
  const guessing = {
    nobody: () => ({ observe() {}, related: () => [] }),
    'co-occurrence': () => coOccurrence(),
    vectors: () => skipGram(),
  };
  const lines = {};
  for (const [name, make] of Object.entries(guessing)) lines[name] = await simulate(make);
  if (options.write) {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(new URL('day.json', FOLDER), `${JSON.stringify({ devices, lines }, null, 2)}\n`);
    writeFileSync(new URL('day.svg', FOLDER), drawnDay(lines, devices));
  }
  const hours = Object.fromEntries(
    [1, 2, 4, 8, 12, 18, 24].map((hour) => [
      `hour ${hour}`,
      Object.fromEntries(Object.entries(lines).map(([name, { rates }]) => [name, rates[6 * hour - 1]])),
    ]),
  );
  const sums = (of) => Object.fromEntries(Object.entries(lines).map(([name, line]) => [name, line[of]]));
  return { hours: { ...hours, requests: sums('requests'), explorations: sums('explorations') }, lines };
}

async function simulate(makePredictor) {
  const folder = mkdtempSync(join(tmpdir(), 'tune-day-'));
  const random = mulberry32(11);
  // An explorer is a key, and of one class.
  const classes = await Promise.all(
    ['one', 'two', 'three'].map(async (name) => {
      const rest = { permits: 0, outstanding: 0, waiting: [] };
      return { name: `class ${name}`, keys: await newExplorerKeys(), ...rest };
    }),
  );
  const believed = classes.map(({ keys }) => keys.publicKey);
  let now = Date.UTC(2026, 0, 1);
  const service = await createTuneService(
    {
      ...{ data: folder, port: 0, log: 'warn', maintainToken: TOKEN, rate: 1e9, sortMs: 0, flushMs: 5 },
      ...{ leaseMs: 86_400_000, presentMs: 86_400_000, explorers: believed },
    },
    { now: () => now },
  );
  const url = await service.listen();
  const statistics = async () =>
    (await fetch(`${url}/v1/statistics`, { headers: { authorization: `Bearer ${TOKEN}` } })).json();
  const sorts = Array.from({ length: 40 }, () => Array.from({ length: 30 }, () => Math.floor(random() * 300)));
  const popular = sorts.map((_, at) => 1 / (at + 1));
  const total = popular.reduce((sum, one) => sum + one);
  const draw = () => {
    let left = random() * total;
    return popular.findIndex((one) => (left -= one) < 0);
  };
  const stop = new AbortController();
  const explorers = classes.map((one) =>
    runExplorer({
      ...{ url, keys: one.keys, version: 'bench', signal: stop.signal },
      explorer: {
        device: one.name,
        explore: async () => {
          if (one.permits > 0) one.permits--;
          else await new Promise((resolve) => one.waiting.push(resolve));
          return found;
        },
      },
      onEvent: (event) => {
        if (event.what === 'task') one.outstanding += event.operators.length;
        if (event.what === 'brought') one.outstanding--;
      },
    }),
  );
  const joined = [];
  const rates = [];
  const requests = () => joined.reduce((sum, { client }) => sum + client.counts.requests, 0);
  try {
    for (let step = 0; step < STEPS; step++) {
      now += STEP_MS;
      while (joined.length < Math.min(devices, Math.ceil((devices * (step + 1)) / (STEPS / 2)))) {
        const device = classes[joined.length % classes.length].name;
        const settings = { url, device, explorers: believed, predictor: makePredictor(), quiet: 5000 };
        joined.push({ device, client: await tuneClient(settings), own: Array.from({ length: 12 }, draw) });
      }
      let [hits, asked] = [0, 0];
      for (const { device, client, own } of joined)
        for (let task = 0; task < 2; task++) {
          client.newTask();
          for (const word of sorts[own[Math.floor(random() * own.length)]]) {
            const answer = await client.query(keyOf(`o${word}`, device));
            asked++;
            if (answer !== undefined) hits++;
          }
          await client.settled();
        }
      rates.push(Math.round((1000 * hits) / asked) / 1000);
      // What explorers get done in ten minutes.
      for (const one of classes) {
        one.permits = 10;
        while (one.permits > 0 && one.waiting.length > 0) {
          one.permits--;
          one.waiting.shift()();
        }
      }
      // Until every class has done ten, or has nothing left to do.
      for (;;) {
        const { queue } = await statistics();
        const spent = classes.filter(({ permits }) => permits === 0).length;
        const resting = classes.every(({ permits, outstanding }) => permits === 0 || outstanding === 0);
        if (resting && queue.collected === 0 && (queue.queued === 0 || spent > 0)) break;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      for (const one of classes) one.permits = 0;
    }
    const { explorations, records } = await statistics();
    if (explorations !== records) throw new Error(`${explorations} explorations for ${records} records`);
    return { rates, requests: requests(), explorations };
  } finally {
    stop.abort(new Error('the day is over'));
    for (const one of classes) for (const go of one.waiting) go();
    await Promise.allSettled(explorers);
    for (const { client } of joined) await client.close();
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
