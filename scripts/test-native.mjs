#!/usr/bin/env node
// Builds the addon for this processor, and tests with it what all builds do. Usage: node scripts/test-native.mjs [FILE...]
//   FILE  of tests in bindings/test, instead of those that show the least
// Needs what `npm run build` makes. Elsewhere there is no native build, and nothing is tested.
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, run } from './lib/run.mjs';

/** Kernels and bytes, secrets, statistics. */
const FILES = ['test/e2e/native.test.ts', 'test/e2e/workers.test.ts', 'test/e2e/statistics.test.ts'];

if (!['darwin', 'linux'].includes(process.platform)) {
  console.log(`there is no native build for ${process.platform}`);
  process.exit();
}
run(process.execPath, ['scripts/build-native.mjs', 'here']);
// Found as an installed package is, by these tests alone: all others are of WebAssembly.
const folder = mkdtempSync(join(tmpdir(), 'cipherloom-native-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
symlinkSync(join(ROOT, 'native'), join(folder, 'cipherloom-native'), 'dir');
const env = { ...process.env, NODE_PATH: folder };
const bindings = join(ROOT, 'bindings');
// Tests of what is not found would be left out.
const look = `import { findNative } from './dist/native.js';
const { path, problem = 'it is not found' } = findNative();
if (path === undefined) throw new Error(problem);
console.log(path);`;
run(process.execPath, ['--input-type=module', '--eval', look], { env, cwd: bindings });
const chosen = process.argv.slice(2);
run(
  join(ROOT, 'node_modules', '.bin', 'vitest'),
  ['run', ...(chosen.length > 0 ? chosen : FILES), '--testNamePattern', 'native'],
  { env, cwd: bindings },
);
