// The packed package in an application of Vite's, from its dev server and built, in real browsers, with the headers that
// isolate a page and without: the right mean, and the same bytes as in Node.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PARTS } from '../../scripts/lib/variants.mjs';
import { BROWSERS, describeBeside, openBrowser } from '../lib/browser.mjs';
import { writeGiven } from '../lib/given.mjs';
import { install } from '../lib/package.mjs';
import { startServer } from '../lib/server.mjs';
import { copyWork } from './copy-work.mjs';
import { OWN } from './own.mjs';
import { MEAN, PRODUCT } from './work.mjs';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
/** `few`: what depends on the server alone, or on the headers alone, is seen on the others. */
const SERVERS = [
  { title: 'dev server, isolated', command: 'dev', ISOLATED: '1' },
  { title: 'dev server, not isolated', command: 'dev', ISOLATED: '0', few: true },
  { title: 'built, isolated', command: 'preview', ISOLATED: '1', few: true },
  { title: 'built, not isolated', command: 'preview', ISOLATED: '0' },
];
/** What `load` is told, and what must come of it where the page is isolated, and where it is not. */
const WAYS = [
  { options: { threads: 2 }, isolated: ['relaxed', 2], open: ['relaxed', 1] },
  { options: { threads: 1 }, isolated: ['relaxed', 1], open: ['relaxed', 1] },
  { options: { mode: 'relaxed', threads: 2 }, isolated: ['relaxed', 2], open: 'parameters.mode' },
  { options: { mode: 'threads', threads: 2 }, isolated: ['threads', 2], open: 'parameters.mode' },
  { options: { mode: 'threads', threads: 1 }, isolated: ['threads', 1], open: ['threads', 1] },
  { options: { mode: 'single' }, isolated: ['single', 1], open: ['single', 1] },
];

let folder;
let vite;
let expected;
before(async () => {
  folder = install(here('./vite'));
  copyWork(folder);
  expected = await writeGiven(join(folder, 'public', 'given'));
  vite = join(folder, 'node_modules', 'vite', 'bin', 'vite.js');
  execFileSync(process.execPath, [vite, 'build', '--logLevel', 'error'], { cwd: folder, timeout: 600_000 });
});

for (const name of BROWSERS) {
  describeBeside(name, {}, () => {
    let browser;
    before(async () => {
      browser = await openBrowser(name);
    });
    after(() => browser?.close());

    for (const { title, command, ISOLATED, few = false } of SERVERS) {
      test(title, { timeout: 600_000 }, async (t) => {
        const server = await startServer(vite, [command], { cwd: folder, env: { ISOLATED } });
        t.after(server.stop);
        const page = await browser.open(server.url);
        t.after(page.close);
        await page.until('typeof window.work === "function"', 60_000);
        const isolated = ISOLATED === '1';
        assert.equal(await page.evaluate('crossOriginIsolated'), isolated);
        for (const way of few ? WAYS.slice(0, 1) : WAYS) {
          const wanted = isolated ? way.isolated : way.open;
          page.requests.length = 0;
          const { mode, mean, squares, product, outputs, error } = await page.evaluate(
            `work(${JSON.stringify(way.options)})`,
          );
          const wasm = page.requests.filter((address) => /\.wasm\b/.test(address));
          if (typeof wanted === 'string') {
            assert.deepEqual([error, wasm], [wanted, []]);
            continue;
          }
          const { variant, threads, reasons } = mode;
          assert.deepEqual([variant, threads], wanted, reasons.join(' '));
          if (way.options.threads > threads) assert.match(reasons.join(), /not cross-origin isolated/);
          // Only the build that runs is fetched, of every module but the conformance suite.
          assert.equal(wasm.length, Object.keys(PARTS).length - 1, wasm.join(' '));
          for (const address of wasm) assert.match(address, variant === 'relaxed' ? /relaxed/ : /cipherloom_bg/);
          assert.equal(mean, MEAN);
          assert.deepEqual([squares, product], [PRODUCT, PRODUCT]);
          assert.deepEqual(outputs, expected);
        }
        if (!few) assert.deepEqual(await page.evaluate('own()'), OWN);
        assert.deepEqual(page.problems, []);
      });
    }
  });
}
