// A GPU in Node: the packed package, and `webgpu` beside it, which whoever wants one installs. It is the GPU that Chromium computes itself.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { nodes } from '../../scripts/lib/nodes.mjs';
import { swiftshader, webgpu } from '../../scripts/lib/webgpu.mjs';
import { copyGpuWork, right, rightPrograms, rightTimes } from '../gpu/judge.mjs';
import { install } from '../lib/package.mjs';

const { folder: webgpuFolder, reason } = webgpu();
/** This one and one more, which does what takes its time. It is the newest that this release of `webgpu` was tried in. */
const releases = [
  { release: process.versions.node, path: process.execPath },
  ...nodes().filter(({ release }) => release.startsWith('24.')),
];
/** Every case of every shader, on a processor that others may want. */
const LONG_MS = 900_000;
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

describe('Node with a GPU', { skip: reason ?? false }, () => {
  let folder;
  before(() => {
    assert.ok(webgpuFolder, 'webgpu is not installed. Run: node scripts/setup.mjs --tests');
    assert.ok(swiftshader(), "Chromium's SwiftShader is not there. Run: node scripts/setup.mjs --tests");
    folder = install(here('./node'));
    copyGpuWork(folder);
  });

  /** What a script printed, which has to end by itself; `loud` where others may complain. */
  async function run(path, [script, ...args], env, { loud = false } = {}) {
    const options = { timeout: LONG_MS, env: { ...process.env, ...env }, maxBuffer: 1 << 26 };
    const { stdout, stderr } = await promisify(execFile)(path, [join(folder, script), ...args], options);
    if (!loud) assert.equal(stderr, '');
    return JSON.parse(stdout);
  }

  test('without the package, advice to install it', { timeout: 600_000 }, async () => {
    const { name, code, message } = await run(process.execPath, ['gpu-run.mjs'], {});
    assert.deepEqual([name, code], ['GpuError', 'gpu.none']);
    assert.match(message, /npm install webgpu/);
  });

  // Two at a time: each is a process of its own, of one thread most of the time.
  describe('with the package', { concurrency: 2 }, () => {
    before(() => symlinkSync(webgpuFolder, join(folder, 'node_modules', 'webgpu')));

    const { release, path } = releases.at(-1);
    test(`Node ${release}: every shader passes the suite`, { timeout: LONG_MS }, async () => {
      assert.ok(path, `Node ${release} is not installed. Run: node scripts/setup.mjs --tests`);
      const { passed, cases, device, failed, operators } = await run(path, ['gpu-run.mjs'], swiftshader());
      assert.deepEqual(failed, []);
      assert.ok(passed);
      assert.ok(cases > 10_000, `${cases} cases`);
      assert.match(device, /swiftshader/i);
      for (const operator of ['limb.ntt', 'limb.intt', 'limb.dot', 'rns.convert', 'rns.quotient'])
        assert.ok(operators.includes(operator), operator);
    });

    for (const [at, { release, path }] of releases.entries()) {
      test(`Node ${release}: graphs give the same bytes wherever they are computed`, { timeout: LONG_MS }, async () => {
        assert.ok(path, `Node ${release} is not installed. Run: node scripts/setup.mjs --tests`);
        // One thread, and two with the best build; on a few, since Chromium has them all (gpu/pages.test.mjs).
        const options = { most: 3, ...(at === 0 ? { mode: 'single' } : { threads: 2 }) };
        right(await run(path, ['gpu-runs.mjs', JSON.stringify(options)], swiftshader()), 3);
      });
    }

    test('a loom may be disposed of while a GPU computes', { timeout: LONG_MS }, async () => {
      const ended = await run(process.execPath, ['gpu-dispose.mjs'], swiftshader());
      assert.equal(ended[0], 'disposed');
      for (const code of ended) assert.ok(['disposed', 'done'].includes(code), code);
    });

    test('programs give the same bytes with a GPU', { timeout: LONG_MS }, async () => {
      const options = JSON.stringify({ programs: true, mode: 'single' });
      rightPrograms(await run(process.execPath, ['gpu-runs.mjs', options], swiftshader()));
    });

    test('times decide what the GPU computes, and are kept for this device', { timeout: LONG_MS }, async () => {
      const { twice, anew, of, runs, circuits, products } = await run(
        process.execPath,
        ['gpu-measured.mjs'],
        swiftshader(),
      );
      const [{ times }] = twice;
      rightTimes(twice);
      // Those of another driver are dropped.
      assert.deepEqual([anew.of, anew.times.uses.length], [of, times.uses.length]);
      for (const [name, { wrong, gpu }] of Object.entries(runs))
        assert.deepEqual([wrong, gpu?.lost], [[], undefined], name);
      const { near, far, pinned, equal } = runs;
      assert.ok(near.there > 0 && near.copies > 0 && near.placement.operators > 0, JSON.stringify(near));
      assert.ok(near.placement.expected < near.placement.alone);
      assert.deepEqual([far.placement.way, far.gpu], ['host', undefined]);
      assert.ok(pinned.there > 0 && pinned.there < near.there, `${pinned.there} of ${near.there}`);
      assert.ok(equal.placement.operators < near.placement.operators, JSON.stringify(equal.placement));
      for (const [name, { wrong, marked, placement, gpu }] of Object.entries(circuits)) {
        assert.deepEqual([wrong, gpu?.lost], [[], undefined], name);
        assert.equal(marked, placement.operators, name);
        assert.equal(gpu === undefined, marked === 0, name);
      }
      assert.ok(circuits.near.placement.expected < circuits.near.placement.alone);
      assert.ok(circuits.near.marked > 0 && circuits.far.marked === 0, JSON.stringify(circuits));
      // What the graph is made of was measured when it was asked for.
      assert.ok(products > 0);
      const { submissions, queue } = near.gpu;
      assert.equal(queue.length, submissions);
      for (const [at, { queued, begun, ended }] of queue.entries())
        assert.ok(queued <= begun && begun <= ended && begun >= (queue[at - 1]?.ended ?? 0), JSON.stringify(queue));
      assert.ok(queue.some(({ up }) => up > 0) && queue.some(({ down }) => down > 0));
    });

    for (const fault of ['gpu.lost', 'gpu.memory', 'gpu.shader', 'gpu.limit']) {
      test(`${fault} in a run: the same bytes without the GPU`, { timeout: LONG_MS }, async () => {
        // What a run does then is the same whatever it computes: one program, in both its places.
        const options = JSON.stringify({ mode: 'single', fault, most: 1 });
        const found = await run(process.execPath, ['gpu-runs.mjs', options], swiftshader(), { loud: true });
        assert.ok(found.length > 0);
        for (const { runs } of found)
          for (const [name, { wrong, lost }] of Object.entries(runs))
            assert.deepEqual([wrong, lost?.code], [[], fault], name);
      });
    }

    test('with the package and without a driver, no GPU', { timeout: 600_000 }, async () => {
      const nowhere = join(folder, 'nowhere.json');
      const env = { ...swiftshader(), VK_ICD_FILENAMES: nowhere, VK_DRIVER_FILES: nowhere };
      const { code, message } = await run(process.execPath, ['gpu-run.mjs'], env, { loud: true });
      assert.equal(code, 'gpu.none');
      assert.match(message, /without an adapter/);
    });
  });

  // Alone, so that the GPU has its share of the bands.
  test(
    'the example: a question, a graph, and bodies whose bands processors and GPU share',
    { timeout: LONG_MS },
    async () => {
      cpSync(here('../../examples/gpu.mjs'), join(folder, 'example.mjs'));
      cpSync(here('../../examples/operators'), join(folder, 'operators'), { recursive: true });
      const env = { ...process.env, ...swiftshader() };
      const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'example.mjs')], {
        env,
        timeout: LONG_MS,
      });
      assert.match(stdout, /the same bytes, processors [\d.]+ ms, GPU [\d.]+ ms/);
      assert.match(stdout, /its transforms by the GPU/);
      assert.match(stdout, /bands by .*gpu \d+/);
    },
  );
});
