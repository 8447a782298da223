// Jobs in native processes, alone and four of them by MPI, against the package's own threads: the same rows, bit for bit.
import { load } from 'cipherloom';
import { FixValueVector, fromModule, loadJob, loadJobFile, readRows, threads, VectorMap } from 'cipherloom/job';
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { mpi } from '../../scripts/lib/mpi.mjs';
import { nativeTests, testedPackages, testedRunner } from '../../scripts/lib/native-tests.mjs';
import { ROOT } from '../../scripts/lib/run.mjs';
import { temporaryFolder } from '../lib/own.mjs';
import { mulberry32 } from '../lib/random.mjs';
import * as jobs from './jobs.mjs';

const { mpirun, reason } = mpi();
const RUNNER = testedRunner();
const folder = temporaryFolder();
let loom;
let crew;

before(async () => {
  if (!existsSync(RUNNER)) {
    const { args, env } = nativeTests();
    const build = [...args, '--no-run', ...testedPackages()];
    const { status } = spawnSync('cargo', build, { cwd: ROOT, env, stdio: 'inherit' });
    assert.equal(status, 0, 'the runner is compiled');
  }
  loom = await load({ threads: 1 });
  crew = threads({ cpu: 2 });
});
after(async () => {
  loom?.dispose();
  await crew?.close();
});

/** As root, and on fewer processors than processes, Open MPI asks for consent. */
function consent() {
  return ['--oversubscribe', ...(process.getuid?.() === 0 ? ['--allow-run-as-root'] : [])];
}

/** Runs the runner: `processes` of it where that is given. */
function start(processes, ...args) {
  const [program, before] =
    processes === undefined ? [RUNNER, []] : [mpirun, [...consent(), '-n', String(processes), RUNNER]];
  const ended = spawnSync(program, [...before, ...args], { encoding: 'utf8', timeout: 120_000 });
  // Open MPI says that a process ended all of them, in the middle of what that process says.
  return { ...ended, stderr: ended.stderr?.replace(/-{20,}\nMPI_ABORT[^]*?\n-{20,}\n/, '') };
}

/** What a job file gives: the bytes of a file of rows. */
function run(processes, file, ...options) {
  const result = join(folder, 'rows');
  const { status, stderr } = start(processes, ...options, file, result);
  assert.equal(status, 0, stderr);
  return new Uint8Array(readFileSync(result));
}

async function loaded({ definition, inputs, globals = {} }) {
  const job = await loadJob(definition, { crew });
  for (const [name, rows] of Object.entries(inputs)) job.inputs[name].read(rows);
  for (const [name, rows] of Object.entries(globals))
    for (const [key, value] of rows) await job.globals[name].emit(key, value);
  return job;
}

function saved(bytes) {
  const file = join(folder, 'job');
  writeFileSync(file, bytes);
  return file;
}

async function all(result) {
  const rows = [];
  for await (const row of result.getItr()) rows.push(row);
  return { template: result.template.template, rows };
}

/** Runs a job everywhere, and compares. Gives what it came to. */
async function same(given, processes, names = [], options = []) {
  const job = await loaded(given);
  const file = saved(await job.toBytes());
  const expected = await all(await job.run());
  for (const count of [undefined, ...processes]) {
    const bytes = run(count, file, ...options);
    // Strict: also -0 and NaN, and the kinds of arrays.
    assert.deepEqual(await all(readRows(bytes)), expected);
    for (const name of names) assert.deepEqual(await all(readRows(bytes, name)), await all(job.result(name)), name);
  }
  job.dispose();
  return expected.rows;
}

const four = mpirun ? [4] : [];
if (!mpirun) console.warn(`${reason}: jobs run in one process alone`);

test('encrypted tables of several people, by a program', async () => {
  const given = await jobs.tables(loom);
  await given.check(await same(given, mpirun ? [2, 4] : []));
});

test('sums of doubles, by a circuit', async () => {
  const rows = await same(await jobs.sums(loom), mpirun ? [1, 3, 4] : []);
  assert.equal(rows.length, 13);
});

test('each row with the others', async () => {
  await same(await jobs.distances(loom), four, ['sums']);
});

test('bytes, lists and objects', async () => {
  await same(await jobs.bits(loom), four);
});

test('chunks as large as they get, and rows that are larger', async () => {
  for (const parts of [undefined, 1, 3]) await same(await jobs.long(loom, parts), four);
  await same(await jobs.large(loom), four);
});

test('random jobs', async (t) => {
  const seed = Number(process.env.JOBS_SEED ?? 1);
  for (let number = 0; number < 24; number++) {
    const next = mulberry32(1000 * seed + number);
    await t.test(`JOBS_SEED=${seed}, ${number}`, async () => {
      const given = await jobs.randomJob(loom, (n) => Math.floor(next() * n));
      const threads = ['--threads', String(1 + (number % 3))];
      await same(given, number % 4 === 0 ? four : [], [], threads);
    });
  }
});

test('a job file is a job in TypeScript, too', async () => {
  const job = await loaded(await jobs.distances(loom));
  const bytes = await job.toBytes();
  const again = await loadJobFile(bytes, { crew });
  // Properties of the definition may be in another order once; data are the same bytes.
  const saved = await again.toBytes();
  const third = await loadJobFile(saved, { crew });
  assert.equal(saved.length, bytes.length);
  assert.deepEqual(await third.toBytes(), saved);
  assert.deepEqual(await all(await again.run()), await all(await job.run()));
});

describe('what cannot be done ends with 2, and says why', () => {
  async function refused(given, processes, expected) {
    const file = given instanceof Uint8Array ? saved(given) : saved(await (await loaded(given)).toBytes());
    const { status, stderr } = start(processes, file, join(folder, 'none'));
    assert.equal(status, 2, stderr);
    assert.match(stderr, expected);
    assert.ok(!existsSync(join(folder, 'none')));
  }

  const inputs = { rows: FixValueVector({ parts: 3 }) };
  const rows = Array.from({ length: 30 }, (_, row) => [row, row === 17 ? -1 : row]);

  test('functions of modules', async () => {
    const round = VectorMap(fromModule('file:///somewhere.mjs'));
    const given = { definition: { inputs, rounds: [round] }, inputs: { rows } };
    for (const count of [undefined, ...four])
      await refused(given, count, /rounds\[0\]\.operator: a function of a module does not run in a native process/);
  });

  test('a row that an operator does not take, which is named', async () => {
    const { only } = await jobs.ofBits(loom);
    const given = { definition: { inputs, rounds: [VectorMap(only)] }, inputs: { rows } };
    for (const count of [undefined, ...four])
      await refused(
        given,
        count,
        /job\.operator: .*round 0, part 1, key 17: circuit .*element 0 .*expected a whole number/,
      );
  });

  test('other bytes, missing files', async () => {
    for (const count of [undefined, ...four]) {
      await refused(new TextEncoder().encode('no job'), count, /format\.job: A job file/);
      const { status, stderr } = start(count, join(folder, 'nothing'), join(folder, 'none'));
      assert.equal(status, 2);
      assert.match(stderr, /job\.store: .*nothing: No such file/);
    }
    assert.equal(start(undefined).status, 2);
  });

  test('a process that dies ends all of them', { skip: mpirun ? process.platform !== 'linux' : reason }, async () => {
    // A million calls: seconds, so that there is something to be killed.
    const { definition, inputs } = await jobs.many(loom);
    const file = saved(await (await loaded({ definition, inputs })).toBytes());
    const args = [...consent(), '-n', '4', RUNNER, file, join(folder, 'none')];
    const run = spawn(mpirun, args, { stdio: 'ignore' });
    const ended = new Promise((resolve) => run.once('exit', (code, signal) => resolve({ code, signal })));
    const children = () => readFileSync(`/proc/${run.pid}/task/${run.pid}/children`, 'utf8').trim().split(' ');
    while (children().length < 4) await setTimeout(20);
    const one = Number(children()[2]);
    // By the processor's time, in hundredths of a second, it is at its calls.
    const worked = () => Number(readFileSync(`/proc/${one}/stat`, 'utf8').replace(/^.*\)/s, '').split(' ')[12]);
    while (worked() < 5) await setTimeout(5);
    process.kill(one, 'SIGKILL');
    const { code } = await ended;
    assert.notEqual(code, 0);
    assert.ok(!existsSync(join(folder, 'none')));
  });

  test('bytes that were changed anywhere: an error or a result, and no crash', async () => {
    const bytes = await (await loaded(await jobs.bits(loom))).toBytes();
    const next = mulberry32(7);
    for (let change = 0; change < 12; change++) {
      const changed = bytes.slice(0, next() < 0.2 ? Math.floor(next() * bytes.length) : bytes.length);
      changed[Math.floor(next() * changed.length)] = Math.floor(next() * 256);
      const { status, signal, stderr } = start(undefined, saved(changed), join(folder, 'changed'));
      assert.ok(signal === null && (status === 0 || status === 2), `${change}: ${status} ${signal} ${stderr}`);
      assert.doesNotMatch(stderr, /panicked/);
    }
  });
});
