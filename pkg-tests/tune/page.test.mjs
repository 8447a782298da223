// The client, its cache and an explorer in a page, in Chromium: asked across origins, kept over reloads, used without a service.
import assert from 'node:assert/strict';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { join, normalize } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openBrowser } from '../lib/browser.mjs';
import { DEVICE, serve, skip } from './tune.mjs';

const PACKAGE = fileURLToPath(new URL('../../bindings/', import.meta.url));
const TYPES = { js: 'text/javascript', html: 'text/html' };
const PAGE = '<!doctype html><title>a page</title><link rel="icon" href="data:," />';

/** The package's files, and a page. */
async function site(t) {
  const server = createServer((request, response) => {
    const path = join(PACKAGE, normalize(new URL(request.url, 'http://a').pathname));
    if (request.url === '/') return response.setHeader('content-type', TYPES.html).end(PAGE);
    if (!path.startsWith(PACKAGE) || !existsSync(path) || !statSync(path).isFile())
      return response.writeHead(404).end();
    response.setHeader('content-type', TYPES[path.split('.').at(-1)] ?? 'application/octet-stream');
    return createReadStream(path).pipe(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}`;
}

test('a page explores, asks, and keeps what it has learned', { skip }, async (t) => {
  const origin = await site(t);
  const service = await serve(t, { pages: [origin] });
  const browser = await openBrowser('Chromium');
  t.after(() => browser.close());
  const page = await browser.open(`${origin}/`);
  const run = (code) => page.evaluate(`(async () => { const tune = await import('/dist/tune/index.js'); ${code} })()`);

  // A visitor agrees; a maintainer allows.
  const publicKey = await run('globalThis.keys = await tune.newExplorerKeys(); return keys.publicKey;');
  await service.call('PUT', `/v1/explorers/${publicKey}`, { allowed: true });
  const setUp = `
    const url = ${JSON.stringify(service.url)}, device = ${JSON.stringify(DEVICE)};
    const key = tune.operatorKey({ operator: 'test.o', inputs: ['u64[8]'], outputs: ['u64[8]'], device });
    const open = async () => tune.tuneClient({ url, device, explorers: [${JSON.stringify(publicKey)}], cache: await tune.indexedDbCache() });`;
  const first = await run(`${setUp}
    const stop = new AbortController();
    const client = await open();
    let done;
    const brought = new Promise((resolve) => (done = resolve));
    let ask;
    const there = new Promise((resolve) => (ask = resolve));
    const running = tune.runExplorer({
      url, keys, version: 'test', signal: stop.signal,
      explorer: {
        device,
        explore: async () => {
          const [measured] = await tune.measure([{ name: 'built-in', run: () => new Float64Array(1000).fill(1) }], { sample: 1e6 });
          const { name: call, ...times } = measured;
          return tune.bestOfEach([{ kind: 'library', call, ...times }]);
        },
      },
      onEvent: ({ what }) => (what === 'registered' ? ask() : what === 'brought' ? done() : undefined),
    });
    await there;
    const cold = await client.query(key);
    await brought;
    const warm = await client.query(key);
    stop.abort(new Error('enough'));
    await running;
    await client.close();
    return { cold: cold ?? null, call: warm?.best.library.call, time: warm?.best.library.time, class: tune.deviceClass() };`);
  assert.deepEqual([first.cold, first.call], [null, 'built-in']);
  assert.ok(first.time > 0);
  assert.match(first.class, /f-?\d+\.-?\d+\|v8\|/);

  // Another page of this browser, and no service.
  await service.close();
  const again = await browser.open(`${origin}/`);
  const found = await again.evaluate(`(async () => {
    const tune = await import('/dist/tune/index.js');
    ${setUp}
    const client = await open();
    const record = client.peek(key);
    // What was changed is not taken.
    const cache = await tune.indexedDbCache();
    await cache.put(new Map([['', { ...record, at: 1 }]]), 100);
    await cache.close();
    await client.close();
    const wary = await open();
    const answer = [record?.best.library.call, wary.peek(key) ?? null, wary.counts.refused];
    await wary.close();
    return answer;
  })()`);
  assert.deepEqual(found, ['built-in', null, 1]);
  assert.deepEqual(page.problems, []);
});
