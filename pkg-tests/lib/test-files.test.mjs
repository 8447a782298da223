// The runner of all these files: what it counts, how it ends, and what in CI alone runs a second time.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { nodes } from '../../scripts/lib/nodes.mjs';
import { temporaryFolder } from './own.mjs';

const RUNNER = fileURLToPath(new URL('../../scripts/test-files.mjs', import.meta.url));
const FILES = fileURLToPath(new URL('./files', import.meta.url));
/** This one and the newest, whose runners differ. */
const releases = [{ release: process.versions.node, path: process.execPath }, ...nodes().slice(-1)];

/** Runs files by their names: `{ code, output, counts }`. */
function runs(path, names, { ci = false, args = [] } = {}) {
  const { CI, NODE_TEST_CONTEXT, NODE_OPTIONS, ...env } = process.env; // of the run that this one is in
  Object.assign(env, { FAILED_ONCE: join(temporaryFolder(), 'failed'), ...(ci && { CI: '1' }) });
  const options = { cwd: FILES, env, timeout: 120_000 };
  return new Promise((resolve) =>
    execFile(path, [RUNNER, ...args, ...names.map((name) => `${name}.mjs`)], options, (error, stdout, stderr) => {
      const counts = Object.fromEntries(
        [...stdout.matchAll(/^# (\w+) ([\d.]+)$/gm)].map(([, name, count]) => [name, Number(count)]),
      );
      resolve({ code: error ? (error.code ?? error.signal) : 0, output: stdout + stderr, counts });
    }),
  );
}

for (const { release, path } of releases) {
  test(`Node ${release}: what passes, what fails and what ends in the middle is counted`, async () => {
    assert.ok(path, `Node ${release} is not installed. Run: node scripts/setup.mjs --tests`);
    const good = await runs(path, ['good']);
    assert.equal(good.code, 0, good.output);
    const { tests, pass, fail, skipped } = good.counts;
    assert.deepEqual({ tests, pass, fail, skipped }, { tests: 2, pass: 1, fail: 0, skipped: 1 });
    assert.match(good.output, /\n# duration_ms [\d.]+\n$/);
    const bad = await runs(path, ['good', 'never', 'ends', 'nowhere']);
    assert.deepEqual([bad.code, bad.counts.fail], [1, 3], bad.output);
    for (const name of ['never', 'ends', 'nowhere'])
      assert.match(bad.output, new RegExp(`^failed: ${name}\\.mjs$`, 'm'));
  });

  test(`Node ${release}: in CI alone, files that failed run once more, and are named`, async () => {
    const there = await runs(path, ['good', 'once'], { ci: true });
    assert.equal(there.code, 0, there.output);
    assert.deepEqual([there.counts.tests, there.counts.pass, there.counts.fail], [4, 3, 0]);
    assert.match(there.output, /^once more: once\.mjs$/m);
    assert.match(there.output, /^unsteady, passed only the second time: once\.mjs$/m);
    const here = await runs(path, ['once']);
    assert.deepEqual([here.code, /once more|unsteady/.test(here.output)], [1, false], here.output);
    const again = await runs(path, ['once', 'never', 'ends'], { ci: true });
    assert.deepEqual([again.code, again.counts.fail], [1, 2], again.output);
    assert.match(again.output, /^once more: once\.mjs, never\.mjs, ends\.mjs$/m);
    assert.match(again.output, /^unsteady.*: once\.mjs\nfailed: never\.mjs\nfailed: ends\.mjs$/m);
    const many = await runs(path, ['once', 'never', 'ends', 'nowhere'], { ci: true });
    assert.deepEqual([many.code, /once more|unsteady/.test(many.output)], [1, false], many.output);
  });
}

test('two at a time: the same counts, all that each says in one piece, failures in the order of the files', async () => {
  const names = ['good', 'never', 'ends', 'nowhere'];
  const { code, output, counts } = await runs(process.execPath, names, { args: ['--at-once', '2'] });
  assert.deepEqual([code, counts.pass, counts.fail], [1, 1, 3], output);
  for (const name of names) assert.match(output, new RegExp(`^begins: ${name}\\.mjs$`, 'm'));
  assert.match(output, /^failed: never\.mjs\nfailed: ends\.mjs\nfailed: nowhere\.mjs$/m);
  const again = await runs(process.execPath, ['once', 'good'], { ci: true, args: ['--at-once', '2'] });
  assert.deepEqual([again.code, again.counts.pass, again.counts.fail], [0, 3, 0], again.output);
  assert.match(again.output, /^unsteady, passed only the second time: once\.mjs$/m);
  const wrong = await runs(process.execPath, ['good'], { args: ['--at-once', 'many'] });
  assert.equal(wrong.code, 1);
  assert.match(wrong.output, /--at-once: expected a number of files, found many/);
});

test('a file that does not end is ended, and has failed', async () => {
  const { code, output } = await runs(process.execPath, ['hangs'], { args: ['--timeout', '1000'] });
  assert.equal(code, 1, output);
  assert.match(output, /^failed: hangs\.mjs$/m);
});
