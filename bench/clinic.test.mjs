// The clinic's load runs, with kills and without, and its answers are right. Says nothing of speed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { skip } from '../pkg-tests/clinic/clinic.mjs';

const SCRIPT = fileURLToPath(new URL('clinic.mjs', import.meta.url));

function run(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], {
    encoding: 'utf8',
    timeout: 300_000,
  });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

test('five clients for five seconds, encrypted and in the clear', { skip }, () => {
  const { results } = run('--clients', '5', '--seconds', '5', '--json');
  assert.deepEqual(
    results.map(({ what }) => what),
    ['encrypted', 'in the clear'],
  );
  // Each client has at least one answer, which was checked.
  for (const { questions } of results) assert.ok(questions >= 5);
});

test('with a kill in the middle nothing is lost', { skip }, () => {
  const { results } = run('--clients', '5', '--seconds', '5', '--kills', '1', '--json');
  assert.ok(results[0].questions >= 5);
});
