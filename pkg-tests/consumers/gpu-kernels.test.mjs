// Kernels made at run time for a GPU, in Node, by the packed package: the GPU is the one that Chromium computes itself, on the processors.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { swiftshader, webgpu } from '../../scripts/lib/webgpu.mjs';
import { install } from '../lib/package.mjs';

const { folder: webgpuFolder, reason } = webgpu();
/** A GPU in software compiles each shader for seconds. */
const LONG_MS = 900_000;

describe('kernels made for a GPU', { skip: reason ?? false, concurrency: 2 }, () => {
  let folder;
  before(() => {
    assert.ok(webgpuFolder, 'webgpu is not installed. Run: node scripts/setup.mjs --tests');
    assert.ok(swiftshader(), "Chromium's SwiftShader is not there. Run: node scripts/setup.mjs --tests");
    folder = install(fileURLToPath(new URL('./node', import.meta.url)));
    symlinkSync(webgpuFolder, join(folder, 'node_modules', 'webgpu'));
  });

  async function work(name, env = swiftshader()) {
    const options = { timeout: LONG_MS, env: { ...process.env, ...env }, maxBuffer: 1 << 26 };
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'gpu-kernels.mjs'), name], options);
    return JSON.parse(stdout);
  }

  test(
    'random schedules give the bits of the reference, and planted ones are refused',
    { timeout: LONG_MS },
    async () => {
      const { tried, wrong, missed, seen, times } = await work('schedules');
      assert.deepEqual([wrong, missed], [[], []]);
      assert.equal(tried, 20);
      // Every choice came.
      const all = ['lazy false', 'lazy true', 'product montgomery', 'product shoup', 'staged false', 'staged true'];
      assert.deepEqual(seen, [...all, 'words 1', 'words 2']);
      for (const [built, right, planted] of times) assert.ok(built > 0 && right > 0 && planted === null);
    },
  );

  test('what is no kernel of this device is refused, with a code', { timeout: LONG_MS }, async () => {
    const { limits, ...found } = await work('refused');
    assert.ok(limits.invocations >= 256 && limits.bytes >= 16_384, JSON.stringify(limits));
    assert.deepEqual(found, {
      right: [1, ''],
      large: [0, 'tune.record'],
      code: [0, 'tune.code'],
      text: [0, 'tune.record'],
      other: [0, 'tune.device'],
      explored: 'tune.device',
      verified: 'tune.record',
    });
  });

  test('a search finds one that conforms, and its record is taken for this GPU', { timeout: LONG_MS }, async () => {
    const found = await work('explored');
    const sum = found.pop();
    for (const { tried, best, verified, refused } of found) {
      assert.equal(tried, 2);
      assert.equal(best.library.call, 'gpu');
      assert.match(best.generated.schedule.piece, /^gpu\./);
      assert.match(best.generated.code, /^[0-9a-f]{64}$/);
      assert.ok(best.generated.time > 0 && best.library.time > 0);
      assert.deepEqual([verified, refused], [true, []]);
    }
    // What no kernel is made of has what is built in.
    assert.deepEqual([sum.best.library.call, sum.best.generated], ['gpu', undefined]);
  });

  test('programs give the same bytes with them, and say which ran', { timeout: LONG_MS }, async () => {
    const { names, mode, refused, runs, decrypted, values } = await work('programs');
    assert.deepEqual([refused, mode], [[], names]);
    assert.equal(names.length, 2);
    for (const [name, { wrong, lost, submissions }] of Object.entries(runs)) {
      assert.deepEqual([wrong, lost], [[], undefined], name);
      assert.ok(submissions > 0, name);
    }
    const { x, y } = values;
    assert.deepEqual(decrypted, {
      z: x.map((one, at) => one * one * y[at] + one),
      sum: x.reduce((total, one) => total + one * one, 0),
    });
    // Transforms of other dimensions, within sums, have what is built in.
    const made = runs.made.texts.filter((text) => text !== 'gpu, built in').sort();
    assert.equal(made.length, 2, made.join());
    for (const [at, [direction, operator]] of [
      ['forward', 'ntt'],
      ['inverse', 'intt'],
    ].entries()) {
      const told = new RegExp(
        `^gpu, built in; gpu-${direction}-\\d+-61:.*, made at run time: 10\\.00 times as fast as gpu .* in limb\\.${operator}@gpu`,
      );
      assert.match(made[at], told);
    }
    assert.deepEqual(runs.built.texts, ['gpu, built in']);
  });

  test('without a GPU there is none to choose for', { timeout: LONG_MS }, async () => {
    const nowhere = join(folder, 'nowhere.json');
    const env = { ...swiftshader(), VK_ICD_FILENAMES: nowhere, VK_DRIVER_FILES: nowhere };
    await assert.rejects(work('refused', env), ({ stderr }) => /gpu\.none/.test(stderr));
  });
});
