// A GPU in pages: the packed package in an application of Vite's, in Chromium, on the GPU that it computes itself.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openBrowser } from '../lib/browser.mjs';
import { install } from '../lib/package.mjs';
import { startServer } from '../lib/server.mjs';
import { copyGpuWork, right, rightTimes } from './judge.mjs';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const LONG_MS = 900_000;

describe('Chromium with a GPU', { timeout: 2 * LONG_MS }, () => {
  let server;
  let browser;
  before(async () => {
    const folder = install(here('../consumers/vite'));
    copyGpuWork(folder);
    // A page of its own in place of the other one.
    cpSync(here('./gpu.html'), join(folder, 'index.html'));
    const vite = join(folder, 'node_modules', 'vite', 'bin', 'vite.js');
    execFileSync(process.execPath, [vite, 'build', '--logLevel', 'error'], { cwd: folder, timeout: 120_000 });
    server = await startServer(vite, ['preview'], { cwd: folder, env: { ISOLATED: '1' } });
    browser = await openBrowser('Chromium', { gpu: true });
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  test('graphs give the same bytes wherever they are computed', { timeout: LONG_MS }, async (t) => {
    const page = await browser.open(server.url);
    t.after(page.close);
    await page.until('typeof window.onGpu === "function"', 60_000);
    right(await page.evaluate('onGpu({ threads: 2 })'));
    assert.deepEqual(page.problems, []);
  });

  test('times are measured once, and kept in IndexedDB', { timeout: LONG_MS }, async (t) => {
    const page = await browser.open(server.url);
    t.after(page.close);
    await page.until('typeof window.measuredTwice === "function"', 60_000);
    rightTimes(await page.evaluate("measuredTwice({ mode: 'single' })"));
    assert.deepEqual(page.problems, []);
  });
});
