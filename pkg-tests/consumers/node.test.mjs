// The packed package in every Node release: import and require, with and without threads, the same bytes from all.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { nodes } from '../../scripts/lib/nodes.mjs';
import { writeGiven } from '../lib/given.mjs';
import { install } from '../lib/package.mjs';
import { MEAN } from './work.mjs';

const WAYS = [
  { mode: 'threads', threads: 2 },
  { mode: 'threads', threads: 1 },
  { mode: 'single', threads: 1 },
];
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
let folder;
let expected;

before(async () => {
  folder = install(here('./node'));
  cpSync(here('./work.mjs'), join(folder, 'work.mjs'));
  expected = await writeGiven(join(folder, 'given'));
});

const releases = [{ release: process.versions.node, path: process.execPath }, ...nodes()];
for (const { release, path } of releases) {
  for (const script of ['esm.mjs', 'cjs.cjs']) {
    test(`Node ${release}, ${script}`, { timeout: 120_000 }, async () => {
      assert.ok(path, `Node ${release} is not installed. Run: node scripts/setup.mjs --browsers`);
      const args = [join(folder, script), JSON.stringify(WAYS)];
      // The timeout also shows a consumer that does not end by itself.
      const { stdout, stderr } = await promisify(execFile)(path, args, { timeout: 100_000 });
      assert.equal(stderr, '');
      const results = JSON.parse(stdout);
      for (const [index, { mode, mean, outputs }] of results.entries()) {
        const { variant, threads, reasons } = mode;
        assert.deepEqual({ mode: variant, threads }, WAYS[index], reasons.join(' '));
        assert.equal(mean, MEAN);
        assert.deepEqual(outputs, expected);
      }
      assert.equal(results.length, WAYS.length);
    });
  }
}
