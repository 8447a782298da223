// The packed package as programs and tests in TypeScript have it, and as runners of tests load it: right numbers and bytes, on two threads, and every process ends by itself.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { writeGiven } from '../lib/given.mjs';
import { install } from '../lib/package.mjs';
import { copyWork } from './copy-work.mjs';
import { MEAN } from './work.mjs';

const TIMEOUT = { timeout: 300_000 };
let folder;
before(async () => {
  folder = install(fileURLToPath(new URL('./hosts', import.meta.url)));
  copyWork(folder);
  writeFileSync(join(folder, 'expected.json'), JSON.stringify(await writeGiven(join(folder, 'given'))));
});

/** Runs a Node program there. The timeout also shows one that does not end by itself. */
async function run(...args) {
  try {
    return await promisify(execFile)(process.execPath, args, { cwd: folder, timeout: 600_000 });
  } catch (error) {
    throw new Error(`${args.join(' ')}\n${error.stdout}\n${error.stderr}`, { cause: error });
  }
}

for (const version of ['typescript-5.4', 'typescript', 'typescript-7'])
  test(`${version}: types`, TIMEOUT, async () => {
    const bin = join('node_modules', version, 'bin', 'tsc');
    await run(bin, '--project', '.', '--skipLibCheck', String(version === 'typescript-5.4'));
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
