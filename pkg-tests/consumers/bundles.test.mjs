// The packed package in applications that webpack, Rspack, esbuild, Rollup, Bun, Parcel and older releases of Vite bundle: in real browsers, on two threads, the same
// bytes as in Node, with one request for wasm; and nothing in a bundle tells of the machine that made it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bun } from '../../scripts/lib/bun.mjs';
import { PARTS } from '../../scripts/lib/variants.mjs';
import { BROWSERS, describeBeside, openBrowser } from '../lib/browser.mjs';
import { writeGiven } from '../lib/given.mjs';
import { install } from '../lib/package.mjs';
import { copyWork } from './copy-work.mjs';
import { MEAN, PRODUCT } from './work.mjs';

const { path: bunPath, reason: withoutBun } = bun();
const BUNDLERS = ['webpack', 'rspack', 'esbuild', 'rollup'];
/** What these make is of the same form, and is tried in one browser. */
const MORE = ['vite-5', 'vite-6', 'vite-7', 'parcel', ...(withoutBun ? [] : ['bun'])];
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };
/** What the page's README says is needed, and no more. */
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; img-src data:";
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

let folder;
let expected;
let server;
before(async () => {
  folder = install(here('./bundles'));
  copyWork(folder);
  expected = await writeGiven(join(folder, 'given'));
  if (!withoutBun) assert.ok(bunPath, 'Bun is not installed. Run: node scripts/setup.mjs --tests');
  execFileSync(process.execPath, ['build.mjs', ...(bunPath ? [bunPath] : [])], { cwd: folder, timeout: 600_000 });
  server = createServer(serve).listen(0, '127.0.0.1');
});
after(() => server?.close());

for (const bundler of [...BUNDLERS, ...MORE]) {
  test(`what ${bundler} makes has no path of this machine in it`, () => {
    for (const name of readdirSync(join(folder, 'built', bundler)).filter((name) => /\.(js|html)$/.test(name))) {
      const text = readFileSync(join(folder, 'built', bundler, name), 'utf8');
      // Parcel names files within the application so.
      for (const path of bundler === 'parcel' ? [folder] : ['file:///', folder])
        assert.ok(!text.includes(path), `${path} in ${name}`);
    }
  });
}

for (const name of BROWSERS) {
  describeBeside(name, {}, () => {
    let browser;
    before(async () => {
      browser = await openBrowser(name);
    });
    after(() => browser?.close());

    for (const bundler of [...BUNDLERS, ...(name === 'Chromium' ? MORE : [])]) {
      test(bundler, { timeout: 600_000 }, async (t) => {
        const page = await browser.open(`http://127.0.0.1:${server.address().port}/${bundler}/index.html`);
        t.after(page.close);
        await page.until('typeof window.work === "function"', 60_000);
        page.requests.length = 0;
        const { mode, mean, squares, product, outputs, error } = await page.evaluate('work({ threads: 2 })');
        assert.equal(error, undefined);
        assert.deepEqual([mode.variant, mode.threads, mode.reasons], ['relaxed', 2, []]);
        // Every module but the conformance suite.
        const wasm = page.requests.filter((address) => /\.wasm\b/.test(address));
        assert.equal(wasm.length, Object.keys(PARTS).length - 1);
        assert.equal(mean, MEAN);
        assert.deepEqual([squares, product], [PRODUCT, PRODUCT]);
        assert.deepEqual(outputs, expected);
        assert.deepEqual(page.problems, []);
      });
    }
  });
}

/** Files of the bundles, with the headers that the package's README asks for. */
async function serve(request, response) {
  const { pathname } = new URL(request.url, 'http://localhost');
  const headers = {
    'Content-Type': TYPES[extname(pathname)] ?? 'application/octet-stream',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Embedder-Policy': 'require-corp',
    'Content-Security-Policy': POLICY,
  };
  try {
    const body = await readFile(join(folder, 'built', pathname));
    response.writeHead(200, headers).end(body);
  } catch {
    response.writeHead(404, headers).end();
  }
}
