// The packed packages of a release, installed together: the native build is taken without being asked for, its addon is the package's of this
// platform, and gives the same bytes as WebAssembly. Where the addon's package is not there, WebAssembly computes, and nothing fails.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { platform } from '../../native/index.cjs';
import { builtLevels, FINDER, platformNames, platformPackage } from '../../scripts/lib/packages.mjs';
import { writeGiven } from '../lib/given.mjs';
import { install } from '../lib/package.mjs';
import { copyWork } from './copy-work.mjs';
import { MEAN, PRODUCT } from './work.mjs';

const skip = ['darwin', 'linux'].includes(process.platform) ? false : `no native build for ${process.platform}`;
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
let folder;
let expected;
before(async () => {
  if (skip) return;
  assert.notEqual(builtLevels().length, 0, 'No addon is built here. Run: node scripts/build-native.mjs here');
  folder = install(here('./native'), [FINDER, platformPackage()]);
  cpSync(here('./hosts/main.mjs'), join(folder, 'main.mjs'));
  copyWork(folder);
  expected = await writeGiven(join(folder, 'given'));
});

/** What `work` gives there, with these options. */
async function worked(options) {
  const args = ['main.mjs', JSON.stringify(options)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, timeout: 500_000 });
  return JSON.parse(stdout);
}

test('this platform is one of those that a release has', { skip }, () => {
  assert.ok(platformNames().includes(platform.package), platform.package);
});

test(
  'installed together, the native build is taken, and gives the same bytes',
  { skip, timeout: 600_000 },
  async () => {
    const looked = "console.log(require('cipherloom-native').path())";
    const { stdout } = await promisify(execFile)(process.execPath, ['--eval', looked], { cwd: folder });
    assert.ok(stdout.startsWith(realpathSync(join(folder, 'node_modules', platform.package))), stdout);

    for (const [options, variant] of [
      [{ threads: 2 }, 'native'],
      [{ threads: 1, native: true }, 'native'],
      [{ threads: 2, mode: 'threads', native: false }, 'threads'],
    ]) {
      const { mode, mean, squares, product, outputs, error } = await worked(options);
      assert.equal(error, undefined);
      assert.deepEqual([mode.variant, mode.threads], [variant, options.threads], mode.reasons.join(' '));
      assert.equal(mean, MEAN);
      assert.deepEqual([squares, product], [PRODUCT, PRODUCT]);
      assert.deepEqual(outputs, expected);
    }
  },
);

test('without the package of this platform: WebAssembly, and why', { skip, timeout: 600_000 }, async () => {
  rmSync(join(folder, 'node_modules', platform.package), { recursive: true });
  const { mode, mean, outputs } = await worked({ threads: 1 });
  assert.notEqual(mode.variant, 'native');
  assert.match(mode.reasons.join(' '), new RegExp(`${platform.package} is not installed`));
  assert.equal(mean, MEAN);
  assert.deepEqual(outputs, expected);
  assert.deepEqual(await worked({ threads: 1, native: true }), { error: 'parameters.mode' });
});
