// The packed package in an application of Next's, on its pages and on its server: the same bytes as everywhere. `NEXT_BUNDLED=1` also tries a
// server that bundles the package, which says what to do instead: a build of its own, and long.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openBrowser } from '../lib/browser.mjs';
import { writeGiven } from '../lib/given.mjs';
import { install } from '../lib/package.mjs';
import { startServer } from '../lib/server.mjs';
import { copyWork } from './copy-work.mjs';
import { MEAN, PRODUCT } from './work.mjs';

const TIMEOUT = { timeout: 900_000 };
const ENV = { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' };

let folder;
let next;
let expected;
before(async () => {
  folder = install(fileURLToPath(new URL('./next', import.meta.url)));
  copyWork(folder);
  expected = await writeGiven(join(folder, 'public', 'given'));
  next = join(folder, 'node_modules', 'next', 'dist', 'bin', 'next');
}, TIMEOUT);

/** Builds the application, and serves it until the test ends. `keptOut`: the package is not bundled for the server. Gives its address. */
async function served(t, keptOut) {
  const env = { ...ENV, KEPT_OUT: keptOut, GIVEN: `${pathToFileURL(join(folder, 'public', 'given'))}/` };
  execFileSync(process.execPath, [next, 'build'], { cwd: folder, env: { ...process.env, ...env }, timeout: 600_000 });
  const address = (port) => ['--hostname', '127.0.0.1', '--port', String(port)];
  const server = await startServer(next, ['start'], { cwd: folder, env, address });
  t.after(server.stop);
  return server.url;
}

async function asked(url, options) {
  const response = await fetch(new URL(`server?options=${encodeURIComponent(JSON.stringify(options))}`, url));
  assert.equal(response.status, 200);
  return response.json();
}

function check({ mode, mean, squares, product, outputs, error }, ...of) {
  assert.equal(error, undefined);
  assert.deepEqual([mode.variant, mode.threads], of, mode.reasons.join(' '));
  assert.equal(mean, MEAN);
  assert.deepEqual([squares, product], [PRODUCT, PRODUCT]);
  assert.deepEqual(outputs, expected);
}

test('kept out of the bundle of the server: there, and in pages, on two threads', TIMEOUT, async (t) => {
  const url = await served(t, 'yes');
  check(await asked(url, { mode: 'threads', threads: 2 }), 'threads', 2);
  check(await asked(url, { mode: 'single', workers: false }), 'single', 1);

  const browser = await openBrowser('Chromium');
  t.after(browser.close);
  // Whatever is made at the first request is waited for here, and not by the browser.
  await (await fetch(url)).text();
  const page = await browser.open(url);
  await page.until('typeof window.work === "function"', 60_000);
  check(await page.evaluate('work({ threads: 2 })'), 'relaxed', 2);
  assert.deepEqual(page.problems, []);
});

const skip = !process.env.NEXT_BUNDLED;
test('bundled for the server: without workers, or told what to do', { ...TIMEOUT, skip }, async (t) => {
  const url = await served(t, 'no');
  assert.deepEqual(await asked(url, { mode: 'single' }), { error: 'worker.failed' });
  check(await asked(url, { mode: 'single', workers: false }), 'single', 1);
});
