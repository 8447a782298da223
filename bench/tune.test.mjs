// The load on the service of best implementations runs, and every query is answered. Says nothing of speed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { skip } from '../pkg-tests/tune/tune.mjs';
import { drawnDay } from './lib/tune-plot.mjs';

const SCRIPT = fileURLToPath(new URL('tune.mjs', import.meta.url));

test('a hundred queries a second for two seconds', { skip }, () => {
  const args = [SCRIPT, '--rate', '100', '--seconds', '2', '--known', '20', '--json'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 300_000 });
  assert.equal(status, 0, stderr);
  const { queries, failed } = JSON.parse(stdout);
  assert.deepEqual([queries, failed], [200, 0]);
});

test('a figure has a line for each way of guessing', () => {
  const svg = drawnDay({ nobody: { rates: [0, 0.5] }, somebody: { rates: [0, 1] } }, 3);
  assert.equal(svg.match(/<path class="line/g).length, 2);
  assert.match(svg, /3 devices/);
});
