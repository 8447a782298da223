// The packed package in every Node release: import and require, every build with one and two threads, the same bytes from all.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join, posix } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { nodes } from '../../scripts/lib/nodes.mjs';
import { PARTS, VARIANTS } from '../../scripts/lib/variants.mjs';
import { writeGiven } from '../lib/given.mjs';
import { install } from '../lib/package.mjs';
import { copyWork } from './copy-work.mjs';
import { OWN } from './own.mjs';
import { MEAN, PRODUCT } from './work.mjs';

/** What `load` is told, and what must come of it. */
const FORCED = [
  { options: { mode: 'threads', threads: 2 }, variant: 'threads', threads: 2 },
  { options: { mode: 'threads', threads: 1 }, variant: 'threads', threads: 1 },
  { options: { mode: 'single' }, variant: 'single', threads: 1 },
];
const WITH_RELAXED = [
  { options: { threads: 2 }, variant: 'relaxed', threads: 2 },
  { options: { threads: 1 }, variant: 'relaxed', threads: 1 },
  ...FORCED,
];
const WITHOUT_RELAXED = [
  { options: { mode: 'relaxed' }, error: 'parameters.mode' },
  { options: { threads: 2 }, variant: 'threads', threads: 2, reason: /no relaxed SIMD/ },
  { options: { threads: 1 }, variant: 'single', threads: 1, reason: /no relaxed SIMD/ },
  ...FORCED,
];
/** Where the modules lie that `work` needs: all but the conformance suite. */
const FOLDERS = Object.entries(PARTS).flatMap(([part, folder]) => (part === 'conformance' ? [] : [folder]));
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
let folder;
let expected;

before(async () => {
  folder = install(here('./node'));
  copyWork(folder);
  expected = await writeGiven(join(folder, 'given'));
});

const releases = [{ release: process.versions.node, path: process.execPath }, ...nodes()];
for (const { release, path } of releases) {
  for (const script of ['esm.mjs', 'cjs.cjs']) {
    test(`Node ${release}, ${script}`, { timeout: 600_000 }, async () => {
      assert.ok(path, `Node ${release} is not installed. Run: node scripts/setup.mjs --tests`);
      const all = Number.parseInt(release, 10) < 22 ? WITHOUT_RELAXED : WITH_RELAXED;
      // What differs by the build is the same for who requires the package.
      const ways = script === 'cjs.cjs' ? [all.at(0), all.at(-1)] : all;
      const args = [join(folder, script), JSON.stringify(ways.map(({ options }) => options))];
      // The timeout also shows a consumer that does not end by itself.
      const { stdout, stderr } = await promisify(execFile)(path, args, { timeout: 500_000 });
      assert.equal(stderr, '');
      const results = JSON.parse(stdout);
      for (const [index, { mode, mean, squares, product, outputs, error, wasm }] of results.entries()) {
        const { variant, threads, reason = /^/, error: refusal } = ways[index];
        assert.equal(error, refusal);
        // Only the build that runs is read.
        const { file } = VARIANTS[variant] ?? {};
        assert.deepEqual(wasm, refusal ? [] : FOLDERS.map((folder) => posix.join(folder, file)));
        if (refusal) continue;
        assert.deepEqual(
          { variant: mode.variant, threads: mode.threads },
          { variant, threads },
          mode.reasons.join(' '),
        );
        assert.match(mode.reasons.join(' '), reason);
        assert.equal(mean, MEAN);
        assert.deepEqual([squares, product], [PRODUCT, PRODUCT]);
        assert.deepEqual(outputs, expected);
      }
      assert.equal(results.length, ways.length);
    });
  }
  test(`Node ${release}, operators of one's own`, { timeout: 600_000 }, async () => {
    const { stdout, stderr } = await promisify(execFile)(path, [join(folder, 'own-run.mjs')], { timeout: 500_000 });
    assert.deepEqual([JSON.parse(stdout), stderr], [OWN, '']);
  });
}

// Older releases have what it would be for without it.
const [newest] = releases.toReversed();
test(`Node ${newest.release} loads nothing of fetch for a loom without workers`, { timeout: 600_000 }, async () => {
  const { stdout } = await promisify(execFile)(newest.path, [join(folder, 'what-loads.mjs')], { timeout: 500_000 });
  assert.deepEqual(JSON.parse(stdout), []);
});
