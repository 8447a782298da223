// The packed package in an application of Vite's, from its dev server and built, in real browsers, with the headers that
// isolate a page and without: the right mean, and the same bytes as in Node.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BROWSERS, openBrowser } from '../lib/browser.mjs';
import { writeGiven } from '../lib/given.mjs';
import { install } from '../lib/package.mjs';
import { startServer } from '../lib/server.mjs';
import { MEAN } from './work.mjs';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const SERVERS = [
  { title: 'dev server, isolated', command: 'dev', ISOLATED: '1' },
  { title: 'dev server, not isolated', command: 'dev', ISOLATED: '0' },
  { title: 'built, isolated', command: 'preview', ISOLATED: '1' },
  { title: 'built, not isolated', command: 'preview', ISOLATED: '0' },
];
/** What `load` is told, and what must come of it where the page is isolated. */
const WAYS = [
  { options: { threads: 2 }, variant: 'threads', threads: 2 },
  { options: { mode: 'threads', threads: 1 }, variant: 'threads', threads: 1 },
  { options: { mode: 'single' }, variant: 'single', threads: 1 },
];

let folder;
let vite;
let expected;
before(async () => {
  folder = install(here('./vite'));
  cpSync(here('./work.mjs'), join(folder, 'work.mjs'));
  expected = await writeGiven(join(folder, 'public', 'given'));
  vite = join(folder, 'node_modules', 'vite', 'bin', 'vite.js');
  execFileSync(process.execPath, [vite, 'build', '--logLevel', 'error'], { cwd: folder, timeout: 120_000 });
});

for (const name of BROWSERS) {
  describe(name, () => {
    let browser;
    before(async () => {
      browser = await openBrowser(name);
    });
    after(() => browser?.close());

    for (const { title, command, ISOLATED } of SERVERS) {
      test(title, { timeout: 180_000 }, async (t) => {
        const server = await startServer(vite, [command], { cwd: folder, env: { ISOLATED } });
        t.after(server.stop);
        const page = await browser.open(server.url);
        t.after(page.close);
        await page.until('typeof window.work === "function"', 60_000);
        const isolated = ISOLATED === '1';
        assert.equal(await page.evaluate('crossOriginIsolated'), isolated);
        for (const way of WAYS) {
          // Without isolation there are no threads to insist on.
          if (!isolated && way.options.mode === 'threads') continue;
          const { mode, mean, outputs } = await page.evaluate(`work(${JSON.stringify(way.options)})`);
          const { variant, threads, reasons } = mode;
          const wanted = isolated ? way : { variant: 'single', threads: 1 };
          assert.deepEqual({ variant, threads }, { variant: wanted.variant, threads: wanted.threads }, reasons.join(' '));
          if (!isolated && way.options.mode === undefined) assert.match(reasons.join(), /not cross-origin isolated/);
          assert.equal(mean, MEAN);
          assert.deepEqual(outputs, expected);
        }
        assert.deepEqual(page.problems, []);
      });
    }
  });
}
