// The packed package as programs and tests in TypeScript have it, as runners of tests load it, as pnpm and Yarn's Plug'n'Play install it, on a thread of one's
// own, and in Bun: right numbers and bytes, on two threads, and every process ends by itself.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bun } from '../../scripts/lib/bun.mjs';
import { writeGiven } from '../lib/given.mjs';
import { install } from '../lib/package.mjs';
import { copyWork } from './copy-work.mjs';
import { MEAN, PRODUCT } from './work.mjs';

const TIMEOUT = { timeout: 300_000 };
const ON_TWO = { mode: 'threads', threads: 2 };
let folder;
let expected;
before(async () => {
  folder = install(fileURLToPath(new URL('./hosts', import.meta.url)));
  copyWork(folder);
  expected = await writeGiven(join(folder, 'given'));
  writeFileSync(join(folder, 'expected.json'), JSON.stringify(expected));
  const { exports } = JSON.parse(readFileSync(join(folder, 'node_modules', 'cipherloom', 'package.json'), 'utf8'));
  const entries = Object.keys(exports).filter((entry) => exports[entry].types !== undefined);
  const lines = entries.map((entry, at) => `export * as entry${at} from 'cipherloom${entry.slice(1)}';\n`);
  writeFileSync(join(folder, 'entries.ts'), lines.join(''));
});

/** Runs a program. The timeout also shows one that does not end by itself. */
async function runIn(cwd, env, program, ...args) {
  try {
    return await promisify(execFile)(program, args, { cwd, timeout: 600_000, env: { ...process.env, ...env } });
  } catch (error) {
    throw new Error(`${program} ${args.join(' ')}\n${error.stdout}\n${error.stderr}`, { cause: error });
  }
}

/** Runs a Node program there. */
const run = (...args) => runIn(folder, {}, process.execPath, ...args);

for (const version of ['typescript-5.4', 'typescript', 'typescript-7'])
  // Projects for Node have no names of the DOM's; those of version 6 are those of 7.
  for (const lib of version === 'typescript' ? ['es2022'] : ['es2022', 'es2022,dom'])
    test(`${version}, ${lib}: types of all entries`, TIMEOUT, async () => {
      const bin = join('node_modules', version, 'bin', 'tsc');
      const skipped = String(version === 'typescript-5.4');
      await run(bin, '--project', '.', '--lib', lib, '--skipLibCheck', skipped);
    });

for (const [name, ...args] of [
  ['tsx', join('node_modules', 'tsx', 'dist', 'cli.mjs'), 'main.ts'],
  ['ts-node', '--no-warnings', '--loader', 'ts-node/esm', 'main.ts'],
])
  test(name, TIMEOUT, async () => {
    const { stdout } = await run(...args);
    assert.deepEqual(JSON.parse(stdout), { mean: MEAN, threads: 2 });
  });

test('Jest with modules', TIMEOUT, async () => {
  const { stderr } = await run(
    ...['--no-warnings', '--experimental-vm-modules', join('node_modules', 'jest', 'bin', 'jest.js')],
    ...['--ci', '--testMatch', '**/jest.test.mjs'],
  );
  assert.match(stderr, /Tests: +1 passed, 1 total/);
});

test('Vitest, with and without workers of its own', TIMEOUT, async () => {
  const { stdout } = await run(join('node_modules', 'vitest', 'vitest.mjs'), 'run', 'vitest');
  assert.match(stdout.replaceAll(/\u001b\[\d+m/g, ''), /Tests +2 passed \(2\)/);
});

/** Of what `main.mjs` printed with these options. */
function check({ stdout }, { mode: variant, threads = 1 }) {
  const { mode, mean, squares, product, outputs, error } = JSON.parse(stdout);
  assert.equal(error, undefined);
  assert.deepEqual([mode.variant, mode.threads], [variant, threads], mode.reasons.join(' '));
  assert.equal(mean, MEAN);
  assert.deepEqual([squares, product], [PRODUCT, PRODUCT]);
  assert.deepEqual(outputs, expected);
}

/** A folder within, which wants the packed package installed, and nothing else. */
function project(name) {
  const made = join(folder, name);
  mkdirSync(made);
  const packed = readdirSync(folder).find((file) => file.endsWith('.tgz'));
  const dependencies = { cipherloom: `file:../${packed}` };
  writeFileSync(join(made, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }));
  for (const part of ['main.mjs', 'work.mjs', 'given'])
    cpSync(join(folder, part), join(made, part), { recursive: true });
  return made;
}

test('pnpm', TIMEOUT, async () => {
  const cwd = project('by-pnpm');
  const pnpm = join(folder, 'node_modules', 'pnpm', 'bin', 'pnpm.mjs');
  // What it keeps for others stays in the folder.
  const env = { XDG_CACHE_HOME: join(folder, 'cache'), XDG_STATE_HOME: join(folder, 'state') };
  await runIn(cwd, env, process.execPath, pnpm, 'install', '--offline', '--store-dir', join(folder, 'store'));
  check(await runIn(cwd, {}, process.execPath, 'main.mjs', JSON.stringify(ON_TWO)), ON_TWO);
});

test("Yarn's Plug'n'Play", TIMEOUT, async () => {
  const cwd = project('by-yarn');
  // Else it takes the folder for a part of the one around it.
  writeFileSync(join(cwd, 'yarn.lock'), '');
  const yarn = [process.execPath, join(folder, 'node_modules', '@yarnpkg', 'cli-dist', 'bin', 'yarn.js')];
  const env = {
    YARN_COMPRESSION_LEVEL: '0',
    YARN_ENABLE_GLOBAL_CACHE: '0',
    // In CI it refuses to make the list of what it installed.
    YARN_ENABLE_IMMUTABLE_INSTALLS: '0',
    YARN_ENABLE_NETWORK: '0',
    YARN_ENABLE_TELEMETRY: '0',
    YARN_GLOBAL_FOLDER: join(folder, 'yarn'),
  };
  await runIn(cwd, env, ...yarn, 'install');
  check(await runIn(cwd, env, ...yarn, 'node', 'main.mjs', JSON.stringify(ON_TWO)), ON_TWO);
});

test('a thread of node:worker_threads', TIMEOUT, async () => {
  check(await run('in-thread.mjs', JSON.stringify(ON_TWO)), ON_TWO);
});

const { path: bunPath, reason } = bun();
for (const [title, program, options] of [
  ['Bun', 'main.mjs', ON_TWO],
  ['Bun, on a thread of its own', 'in-thread.mjs', ON_TWO],
  ['Bun, without workers', 'main.mjs', { mode: 'single', workers: false }],
])
  test(title, { ...TIMEOUT, skip: reason ?? false }, async () => {
    assert.ok(bunPath, 'Bun is not installed. Run: node scripts/setup.mjs --tests');
    check(await runIn(folder, {}, bunPath, program, JSON.stringify(options)), options);
  });
