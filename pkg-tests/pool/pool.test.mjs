// The thread pool of js/ in every Node and browser that is there.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import puppeteer from 'puppeteer-core';
import { CHROMIUM_ARGS, browsers } from '../../scripts/lib/browsers.mjs';
import { nodes } from '../../scripts/lib/nodes.mjs';

const SUM = (100_000 * 100_001) / 2;
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };

function check(result) {
  assert.deepEqual(result.threads, [0, 1, 2], 'every thread takes part');
  assert.equal(result.sum, SUM);
  assert.equal(result.grown, 0, 'memory does not grow once threads have joined it');
  // Chromium gives a running script 2 seconds to end; the rest is for a machine that is slow.
  assert.ok(result.stopped < 60_000, `threads must stop: ${result.stopped} ms`);
  assert.match(result.death, /unreachable/);
  assert.match(result.refused, /Error$/);
  assert.equal(result.memory, 2 ** 30);
}

for (const { release, path } of [{ release: process.versions.node, path: process.execPath }, ...nodes()]) {
  test(`Node ${release}`, { skip: !path && 'not installed' }, () => {
    const script = fileURLToPath(new URL('./in-node.js', import.meta.url));
    const { status, signal, stdout, stderr } = spawnSync(path, [script], { encoding: 'utf8', timeout: 120_000 });
    assert.equal(status, 0, `exit ${status}, ${signal ?? 'no signal'}\n${stdout}\n${stderr}`);
    check(JSON.parse(stdout));
  });
}

const { chromium, firefox } = browsers();
const launches = {
  Chromium: { path: chromium.path, options: { browser: 'chrome', args: CHROMIUM_ARGS } },
  Firefox: { path: firefox.path, options: { browser: 'firefox' } },
};
for (const [name, { path, options }] of Object.entries(launches)) {
  test(name, { skip: !path && 'not installed', timeout: 120_000 }, async (t) => {
    const server = createServer(serve).listen(0, '127.0.0.1');
    t.after(() => server.close());
    const browser = await puppeteer.launch({ ...options, executablePath: path, headless: true });
    t.after(() => browser.close());
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/pool/index.html`);
    await page.waitForFunction('window.run');
    check(await page.evaluate('run()'));
  });
}

/** Files of pkg-tests, with the headers that let a page share memory. */
async function serve(request, response) {
  const { pathname } = new URL(request.url, 'http://localhost');
  const headers = {
    'Content-Type': TYPES[extname(pathname)] ?? 'text/plain',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Embedder-Policy': 'require-corp',
  };
  try {
    const body = await readFile(new URL(`..${pathname}`, import.meta.url));
    response.writeHead(200, headers).end(body);
  } catch {
    response.writeHead(404, headers).end();
  }
}
