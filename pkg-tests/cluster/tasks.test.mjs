// What a cluster does with tasks: ends them, runs them twice, prefers some, refuses others.
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { load, u32 } from 'cipherloom';
import { cluster, clusterWorker, folderStore } from 'cipherloom/cluster';
import {
  DirMap,
  fromCircuit,
  fromModule,
  fromProgram,
  inline,
  loadJob,
  PVar,
  SparseValueVector,
  VariableLenVector,
  VectorMap,
} from 'cipherloom/job';
import { MODULE, run } from './jobs.mjs';
import { temporaryFolder } from '../lib/own.mjs';
import { skip, startRedis } from './redis.mjs';
import { cli, startWorker, startWorkers, until } from './workers.mjs';
import { storeBut } from './store-but.mjs';

const options = { skip, timeout: 300_000 };
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

let redis;
before(async () => {
  if (!skip) redis = await startRedis();
});
after(() => redis?.stop('SIGKILL'));

/** Workers and a crew of their own for one test. */
async function started(t, prefix, { count = 1, args = ['--allow-any'], env, ...more } = {}) {
  const workers = await startWorkers(count, { redis: redis.url, args: [...args, '--prefix', prefix], env });
  t.after(() => Promise.all(workers.map((worker) => worker.stop('SIGKILL'))));
  const crew = await cluster({ redis: redis.url, prefix, ...more });
  t.after(() => crew.close());
  return { workers, crew };
}

const code = (expected) => (error) => {
  assert.equal(error.code, expected, error.message);
  return true;
};
/** Tasks of a prefix that wait, and with those that are begun: looked at in one go, since they move from one to the other. */
const queued = (prefix) => count(prefix, 'prioritized', 'wait');
const inFlight = (prefix) => count(prefix, 'prioritized', 'wait', 'active');
const SUM = `local sum = 0
for _, key in ipairs(KEYS) do sum = sum + redis.call(redis.call('type', key).ok == 'zset' and 'zcard' or 'llen', key) end
return sum`;
const count = (prefix, ...states) =>
  Number(redis.ask('eval', SUM, String(states.length), ...states.map((state) => `${prefix}:tasks-0.1.0-cpu:${state}`)));

test('a job like on one machine: values, log, statistics; threads of one process', options, async (t) => {
  const { crew } = await started(t, 'same', { args: ['--allow-any', '--threads', '3'] });
  assert.deepEqual(crew.workers, { cpu: 3 });
  const settings = { operator: 'slowly', rows: 120, parts: 12, add: true };
  const [there, here] = [await run(crew, settings), await run(inline(), settings)];
  assert.deepEqual(there.rows, here.rows);
  assert.deepEqual(there.texts.sort(), here.texts.sort());
  assert.equal(there.statistics.calls, here.statistics.calls);
  // All three, unless the machine held one of them up.
  let took = there.statistics.workers.length;
  for (let time = 0; time < 10 && took < 3; time++) took = (await run(crew, settings)).statistics.workers.length;
  assert.equal(took, 3);
  // The same crew once more, with the same tasks, of which it keeps nothing.
  assert.deepEqual((await run(crew, settings)).rows, here.rows);
  assert.equal(crew.state().taken, 0);
  await crew.close();
  const keys = redis.ask('keys', 'same:*').split('\n');
  assert.deepEqual(
    keys.filter((key) => /bytes|outcomes|held|deaths|:events$/.test(key) && !key.includes('tasks-')),
    [],
    'nothing is left',
  );
});

test('a function that throws, one that never ends', options, async (t) => {
  const { crew } = await started(t, 'fails');
  await assert.rejects(run(crew, { operator: 'fails', rows: 10, parts: 2 }), (error) => {
    assert.match(error.message, /five is not to my taste/);
    return code('job.operator')(error);
  });
  const hasty = await cluster({ redis: redis.url, prefix: 'fails', timeout: 1500 });
  t.after(() => hasty.close());
  await assert.rejects(run(hasty, { operator: 'forEver', rows: 1, parts: 1 }), code('job.timeout'));
  // Its thread was ended, and another one took its place.
  assert.equal((await run(crew, { operator: 'square', rows: 10, parts: 2 })).rows.length, 10);
});

test('a task of which a worker dies is done by another; one of which all die is not', options, async (t) => {
  const mark = join(temporaryFolder(), 'mark');
  const args = ['--allow-any', '--lease', '1'];
  const { crew, workers } = await started(t, 'dies', { count: 5, args, env: { CLUSTER_TEST_MARK: mark }, attempts: 3 });
  const { rows } = await run(crew, { operator: 'killsOnce', rows: 10, parts: 5 });
  assert.equal(rows.length, 10);
  assert.ok(existsSync(mark));
  assert.equal(workers.filter((worker) => worker.alive()).length, 4);
  await assert.rejects(run(crew, { operator: 'kills', rows: 10, parts: 5 }), (error) => {
    assert.match(error.message, /3 workers died of it/);
    return code('job.worker')(error);
  });
  assert.equal(workers.filter((worker) => worker.alive()).length, 1);
  assert.equal((await run(crew, { operator: 'square', rows: 10, parts: 2 })).rows.length, 10);
});

test('a slow worker: its part is done by another one, and counts once', options, async (t) => {
  const { crew } = await started(t, 'slow', { count: 3, speculate: { times: 3, least: 500 } });
  const slow = await startWorker({
    redis: redis.url,
    args: ['--allow-any', '--prefix', 'slow'],
    env: { CLUSTER_TEST_SLOW: '1' },
  });
  // Again, where the others were through before the slow one had a part. A part takes it twenty minutes, which is longer than this test has.
  let second = 0;
  for (let time = 0; time < 10 && second === 0; time++) {
    const { rows, statistics } = await run(crew, { operator: 'slowHere', rows: 60, parts: 30 });
    ({ second } = crew.state());
    assert.deepEqual(rows[59], [59, 60]);
    assert.equal(statistics.done, 30);
    assert.equal(statistics.calls, 60);
  }
  assert.ok(second >= 1);
  // The slow one was told, and does something else.
  await until(() => inFlight('slow') === 0, 'nothing is in flight');
  assert.equal(await slow.stop(), 0);
});

test('cancelling removes what is queued, and ends what is begun', options, async (t) => {
  const { crew } = await started(t, 'cancel', { count: 2 });
  const controller = new AbortController();
  const reason = new Error('enough');
  const job = run(crew, { operator: 'long', rows: 200, parts: 20, signal: controller.signal });
  job.catch(() => {});
  await until(() => inFlight('cancel') > queued('cancel'), 'a task is begun');
  controller.abort(reason);
  await assert.rejects(job, (error) => error === reason);
  await until(() => inFlight('cancel') === 0, 'nothing is in flight');
  assert.equal((await run(crew, { operator: 'square', rows: 10, parts: 2 })).rows.length, 10);
});

test('at most so many tasks are in flight', options, async (t) => {
  const { crew } = await started(t, 'bounded', { count: 2, inFlight: 1 });
  // Rounds would give four at a time.
  const tasks = run(crew, { operator: 'long', rows: 16, parts: 16 });
  let over = false;
  void tasks.finally(() => (over = true)).catch(() => {});
  let most = 0;
  while (!over) {
    most = Math.max(most, inFlight('bounded'));
    await sleep(20);
  }
  await tasks;
  assert.equal(most, 1);
});

test('tasks of a manager that comes first', options, async (t) => {
  const mark = join(temporaryFolder(), 'mark');
  const { crew } = await started(t, 'first', { env: { CLUSTER_TEST_MARK: mark }, inFlight: 100, priority: 2000 });
  const urgent = await cluster({ redis: redis.url, prefix: 'first', inFlight: 100, priority: 10 });
  t.after(() => urgent.close());
  // All that both have is there before the worker goes on from its first task: what is given later than others is not the point.
  writeFileSync(`${mark}.most`, '1');
  const parts = 30;
  const jobs = (crew, first) =>
    Array.from({ length: parts / 2 }, (_, job) =>
      run(crew, { operator: 'told', rows: 2, parts: 2, value: () => first + job }),
    );
  const all = jobs(crew, 100);
  await until(() => inFlight('first') === parts, 'tasks wait');
  all.push(...jobs(urgent, 200));
  await until(() => inFlight('first') === 2 * parts, 'tasks of both wait');
  rmSync(`${mark}.most`);
  await Promise.all(all);
  const order = readFileSync(mark, 'utf8').trim().split('\n');
  assert.equal(order.length, 2 * parts);
  const last = order.findLastIndex((line) => Number(line) >= 200);
  const before = order.slice(0, last).filter((line) => Number(line) < 200).length;
  assert.ok(before <= 2, order.join(', '));
});

test('workers run what is on their list, and nothing else', options, async (t) => {
  const folder = temporaryFolder();
  const module = join(folder, 'functions.mjs');
  copyFileSync(fileURLToPath(MODULE), module);
  const { output } = await cli(['hash', module]);
  const list = join(folder, 'allowed');
  const loom = await load({ threads: 1 });
  t.after(() => loom.dispose());
  const graph = loom.graph({ unit: 32 });
  const input = graph.input('x', u32());
  graph.output('y', graph.op('u32.add', [input, input]));
  const circuit = await graph.build();
  const bytes = await circuit.toBytes();
  writeFileSync(list, `# what we looked at\n\n${output}`);

  const { crew } = await started(t, 'list', { args: ['--allow', list] });
  const of = (operator) => ({
    inputs: { x: SparseValueVector({ parts: 2 }) },
    rounds: [VectorMap(operator, { over: 'x' })],
  });
  const done = async (crew, operator) => {
    const job = await loadJob(of(operator), { crew });
    t.after(() => job.dispose());
    for (let key = 0; key < 4; key++) job.inputs.x.emit(key, key + 1);
    const rows = [];
    for await (const row of (await job.run()).getItr()) rows.push(row);
    return rows;
  };
  const refused = (operator) => assert.rejects(done(crew, operator), code('job.refused'));
  const square = fromModule(pathToFileURL(module), { name: 'square' });
  assert.deepEqual(await done(crew, square), [0, 1, 2, 3].map((key) => [key, (key + 1) ** 2])); // prettier-ignore
  await refused(fromCircuit(bytes));
  await refused(fromModule('data:text/javascript,export default ([, value]) => value'));
  await refused(fromModule('node:fs', { name: 'existsSync' }));
  await refused(fromModule('https://example.org/x.mjs'));
  // One byte more, and it is another module.
  writeFileSync(module, `${readFileSync(module, 'utf8')}\n`);
  await refused(square);

  // A circuit whose hash is known, a list in the program itself.
  const { createHash } = await import('node:crypto');
  const hash = createHash('sha256').update(bytes).digest('hex');
  const places = { redis: redis.url, prefix: 'hash' };
  const store = folderStore(join(folder, 'store'));
  const worker = await clusterWorker({ ...places, store, allow: [hash] });
  t.after(() => worker.close(true));
  const other = await cluster({ ...places, store });
  t.after(() => other.close());
  assert.deepEqual(await done(other, fromCircuit(bytes)), [0, 1, 2, 3].map((key) => [key, 2 * (key + 1)])); // prettier-ignore
  await assert.rejects(done(other, square), code('job.refused'));

  // Files, too, are read where it was said.
  const folders = [join(folder, 'data'), join(folder, 'secret')];
  for (const place of folders) {
    mkdirSync(place);
    writeFileSync(join(place, 'a.txt'), 'one');
  }
  symlinkSync(folders[1], join(folders[0], 'out'));
  writeFileSync(list, (await cli(['hash', fileURLToPath(MODULE)])).output);
  const reading = await started(t, 'files', { args: ['--allow', list, '--files', folders[0]] });
  const read = async (directory) => {
    const job = await loadJob(
      { rounds: [DirMap(fromModule(MODULE, { name: 'size' }), { directory })] },
      { crew: reading.crew },
    );
    t.after(() => job.dispose());
    const rows = [];
    for await (const row of (await job.run()).getItr()) rows.push(row);
    return rows;
  };
  await assert.rejects(read(folders[1]), (error) => {
    assert.equal(error.details.found, folders[1]);
    return code('job.refused')(error);
  });
  await assert.rejects(read(join(folders[0], 'out')), code('job.refused'));
  assert.deepEqual(await read(folders[0]), [[join(folders[0], 'a.txt'), 3]]);

  // Without a list, nothing.
  const closed = await started(t, 'closed', { args: [] });
  await assert.rejects(run(closed.crew, { operator: 'square', rows: 4, parts: 1 }), code('job.refused'));
});

test('what does not travel is refused before it is queued', options, async (t) => {
  const { crew } = await started(t, 'travels');
  const count = fromModule(MODULE, { name: 'square' });
  const files = await loadJob({ rounds: [DirMap(count, { directory: [new File(['x'], 'x')] })] }, { crew });
  t.after(() => files.dispose());
  await assert.rejects(files.run(), code('job.definition'));
});

test("directories of each worker's own", options, async (t) => {
  // One path, and another folder for each, as on machines with disks of their own.
  const folders = [0, 1, 2].map((number) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'data'));
    for (let file = 0; file < 5; file++)
      writeFileSync(join(folder, 'data', `${number}-${file}.txt`), 'x'.repeat(number + 1));
    return folder;
  });
  const args = ['--allow-any', '--threads', '2', '--prefix', 'directories'];
  const workers = await Promise.all(folders.map((cwd) => startWorker({ redis: redis.url, args, cwd })));
  t.after(() => Promise.all(workers.map((worker) => worker.stop('SIGKILL'))));
  const crew = await cluster({ redis: redis.url, prefix: 'directories', workers: { cpu: 6 } });
  t.after(() => crew.close());
  const done = async (name) => {
    const operator = fromModule(MODULE, { name });
    const job = await loadJob(
      { rounds: [DirMap(operator, { directory: 'data', shared: false, threads: 2 })] },
      { crew },
    );
    t.after(() => job.dispose());
    const rows = [];
    for await (const [path, size] of (await job.run()).getItr()) rows.push([path.replace(/.*data/, ''), size]);
    return rows.sort(([a], [b]) => (a < b ? -1 : 1));
  };
  const expected = [0, 1, 2].flatMap((number) => [0, 1, 2, 3, 4].map((file) => [`/${number}-${file}.txt`, number + 1]));
  assert.deepEqual(await done('size'), expected);
  // What is gone with its worker is not had from another one: that is said. The next job is one of those that are left.
  const job = done('slowSize');
  await sleep(700);
  await workers[1].stop('SIGKILL');
  await assert.rejects(job, (error) => {
    assert.match(error.message, /shared: false/);
    return code('job.worker')(error);
  });
  const left = await done('size');
  assert.deepEqual(left.map(([, size]) => size).sort(), [1, 1, 1, 1, 1, 3, 3, 3, 3, 3]);
});

test('a module that was edited: what was hashed is what runs', options, async (t) => {
  const folder = temporaryFolder();
  const module = join(folder, 'rate.mjs');
  const rate = (number) => `export default ([, value]) => value * ${number};\n`;
  // Edits itself in the middle of a job.
  const editing = `import { writeFileSync } from 'node:fs';
export default ([key, value]) => {
  if (key === 0) writeFileSync(new URL(import.meta.url), ${JSON.stringify(rate(3))});
  return value * 4;
};
`;
  const list = join(folder, 'allowed');
  for (const text of [rate(2), rate(3), editing]) {
    writeFileSync(module, text);
    writeFileSync(list, (await cli(['hash', module])).output, { flag: 'a' });
  }
  const parts = 6;
  const done = async (crew) => {
    const rounds = [VectorMap(fromModule(pathToFileURL(module)), { over: 'x' })];
    const job = await loadJob({ inputs: { x: SparseValueVector({ parts }) }, rounds }, { crew });
    t.after(() => job.dispose());
    for (let key = 0; key < parts; key++) await job.inputs.x.emit(key, 1);
    const values = [];
    for await (const [, value] of (await job.run()).getItr()) values.push(value);
    return values;
  };
  const all = (value) => Array.from({ length: parts }, () => value);
  const { crew } = await started(t, 'edited', { args: ['--allow', list], inFlight: 1 });
  for (const number of [2, 3, 2]) {
    writeFileSync(module, rate(number));
    assert.deepEqual(await done(crew), all(number));
  }
  // Both are on the list, but a job is of one of them.
  writeFileSync(module, editing);
  await assert.rejects(done(crew), (error) => {
    assert.match(error.message, /another one here than where its job took it from.*run the job again/);
    return code('job.refused')(error);
  });
  assert.deepEqual(await done(crew), all(3));

  // One that takes everything has what the job began with, and goes on with that.
  const any = await started(t, 'edited-any', { inFlight: 1 });
  writeFileSync(module, editing);
  assert.deepEqual(await done(any.crew), all(4));
  assert.deepEqual(await done(any.crew), all(3));
});

test('SIGTERM: a worker ends after what it has, and another one does the rest', options, async (t) => {
  const { crew, workers } = await started(t, 'term', { count: 2 });
  const job = run(crew, { operator: 'long', rows: 40, parts: 20 });
  await sleep(700);
  assert.equal(await workers[0].stop('SIGTERM'), 0);
  assert.match(workers[0].output(), /ended\n$/);
  assert.equal((await job).rows.length, 40);
  assert.equal(crew.state().again, 0);
});

test('a program over ciphertexts: program and keys travel once to a worker', options, async (t) => {
  const loom = await load({ threads: 1 });
  t.after(() => loom.dispose());
  const task = loom.task();
  const readings = task.encrypted('readings', { shape: [4], min: 0, max: 99 });
  task.output('products', readings.multiply(readings.rotate(1)));
  const program = await task.compile();
  const client = await program.client();
  const keys = Object.values(client.evaluationKeys);
  assert.ok(keys.length > 0);

  const store = folderStore(temporaryFolder());
  /** How often each blob was fetched, by its hash. */
  const fetched = new Map();
  const counting = storeBut(store, {
    get: (ref) => {
      const hash = ref.name.slice(0, 64);
      fetched.set(hash, (fetched.get(hash) ?? 0) + 1);
      return store.get(ref);
    },
  });
  const places = { redis: redis.url, prefix: 'program' };
  const worker = await clusterWorker({ ...places, store: counting, threads: 2, allow: 'any' });
  t.after(() => worker.close(true));
  const crew = await cluster({ ...places, store });
  t.after(() => crew.close());
  const job = await loadJob(
    {
      inputs: { tables: VariableLenVector({ parts: 6 }) },
      globals: { keys: PVar() },
      rounds: [VectorMap(fromProgram(program.toBytes(), 'keys'))],
    },
    { crew },
  );
  t.after(() => job.dispose());
  for (const [index, key] of keys.entries()) await job.globals.keys.emit(index, key);
  for (let row = 0; row < 6; row++)
    await job.inputs.tables.emit(row, await client.encrypt({ readings: [row, 1, 2, 3] }));
  const found = [];
  for await (const [row, outputs] of (await job.run()).getItr())
    found.push([row, (await client.decrypt(outputs)).products]);
  assert.deepEqual(
    found,
    Array.from({ length: 6 }, (_, row) => [row, [row, 2, 6, 3 * row]]),
  );
  assert.ok(job.statistics().workers.length > 1);
  // Six chunks of rows, the program, the keys: each once, though two threads do six tasks.
  assert.deepEqual([...fetched.values()], Array(8).fill(1));
});

test("workers of one's own: another kind, and who does its tasks", options, async (t) => {
  const store = folderStore(temporaryFolder());
  const places = { redis: redis.url, prefix: 'own', store };
  const said = [];
  const worker = await clusterWorker({
    ...places,
    kind: 'fpga',
    allow: 'any',
    crew: (store, kind) => {
      const here = inline({ store });
      return {
        store,
        workers: { [kind]: 1 },
        run: (task, hearing) => here.run({ ...task, kind: 'cpu' }, hearing),
        close: () => here.close(),
      };
    },
    print: (text) => said.push(text),
  });
  const crew = await cluster(places);
  assert.deepEqual(crew.workers, { fpga: 1 });
  assert.equal((await run(crew, { operator: 'square', rows: 10, parts: 2 })).rows.length, 10);
  await crew.close();
  await worker.close();
  assert.match(said.join('\n'), /fpga[^]*2 tasks done[^]*ended/);
});

test('a Redis that has forgotten everything', options, async (t) => {
  const folder = temporaryFolder();
  const own = await startRedis();
  const workers = await startWorkers(2, { redis: own.url, args: ['--allow-any', '--store', `folder:${folder}`] });
  const crew = await cluster({ redis: own.url, store: folderStore(folder) });
  t.after(async () => {
    await crew.close();
    await Promise.all(workers.map((worker) => worker.stop('SIGKILL')));
    await own.stop('SIGKILL');
  });
  const settings = { operator: 'slowly', rows: 300, parts: 60, add: true };
  const job = run(crew, settings);
  await until(() => crew.state().done > 0, 'a part is done');
  // In the moment in which a task waits, so that one is lost.
  const forget = `for _, key in ipairs(redis.call('keys', '*:prioritized')) do
    if redis.call('zcard', key) > 0 then redis.call('flushall') return 1 end
  end return 0`;
  await until(() => own.ask('eval', forget, '0') === '1', 'a task waits');
  const { rows, statistics } = await job;
  assert.deepEqual(rows, (await run(inline(), { ...settings, operator: 'quickly' })).rows);
  assert.equal(statistics.done, statistics.tasks);
  assert.ok(crew.state().again > 0);
});

test('connections that break again and again', options, async (t) => {
  const { crew, workers } = await started(t, 'breaks', { count: 2 });
  const settings = { operator: 'slowly', rows: 300, parts: 60, add: true };
  const job = run(crew, settings);
  let over = false;
  void job.finally(() => (over = true)).catch(() => {});
  await until(() => crew.state().done > 0, 'a part is done');
  for (let time = 0; time < 6 && !over; time++) {
    if (time > 0) await sleep(400);
    for (const type of ['normal', 'pubsub']) redis.ask('client', 'kill', 'type', type);
  }
  const { rows, statistics } = await job;
  assert.deepEqual(rows, (await run(inline(), { ...settings, operator: 'quickly' })).rows);
  assert.equal(statistics.done, statistics.tasks);
  await until(() => workers.every((worker) => worker.output().includes('is back')), 'Redis is back');
});

test('a crew that is closed in the middle of a job', options, async (t) => {
  const { crew } = await started(t, 'closed-crew');
  const job = run(crew, { operator: 'long', rows: 40, parts: 20 });
  await sleep(500);
  await Promise.all([crew.close(), assert.rejects(job, code('disposed'))]);
  await assert.rejects(run(crew, { operator: 'square', rows: 1, parts: 1 }), code('disposed'));
  assert.equal(queued('closed-crew'), 0);
});
