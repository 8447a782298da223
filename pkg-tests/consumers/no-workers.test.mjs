// The packed package where there are no workers: on the caller's thread of a server at the edge (workerd), of service
// and shared workers, and of Node; the same results and bytes as everywhere.
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BROWSERS, describeBeside, openBrowser } from '../lib/browser.mjs';
import { writeGiven } from '../lib/given.mjs';
import { install } from '../lib/package.mjs';
import { copyWork } from './copy-work.mjs';
import { MEAN, PRODUCT } from './work.mjs';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };

let folder;
let expected;
before(async () => {
  folder = install(fileURLToPath(new URL('./no-workers', import.meta.url)));
  copyWork(folder);
  expected = await writeGiven(join(folder, 'given'));
  execFileSync(process.execPath, ['build.mjs'], { cwd: folder, timeout: 600_000 });
});

function check({ mode, mean, squares, product, outputs, error }) {
  assert.equal(error, undefined);
  assert.deepEqual([mode.variant, mode.threads], ['single', 1]);
  assert.ok(mode.reasons.includes('Without workers there is one thread.'));
  assert.equal(mean, MEAN);
  assert.deepEqual([squares, product], [PRODUCT, PRODUCT]);
  assert.deepEqual(outputs, expected);
}

test('workerd', { timeout: 300_000 }, async (t) => {
  const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [ (name = "main", worker = .main), (name = "given", disk = (path = "${join(folder, 'given')}")) ],
  sockets = [ (name = "http", address = "127.0.0.1:0", http = (), service = "main") ]
);
const main :Workerd.Worker = (
  modules = [
    (name = "edge", esModule = embed "built/edge.js"),
    (name = "./tasks.wasm", wasm = embed "built/tasks.wasm"),
    (name = "./graphs.wasm", wasm = embed "built/graphs.wasm")
  ],
  bindings = [ (name = "given", service = "given") ],
  compatibilityDate = "2026-01-01"
);
`;
  writeFileSync(join(folder, 'edge.capnp'), config);
  // Its own program would not hand the pipe on.
  const { default: program } = createRequire(join(folder, 'package.json'))('workerd');
  const server = spawn(program, ['serve', 'edge.capnp', '--control-fd=3'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  t.after(async () => {
    server.kill('SIGKILL');
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
  });
  const [line] = await Promise.race([
    once(createInterface(server.stdio[3]), 'line'),
    once(server, 'exit').then(([code]) => assert.fail(`workerd ended with ${code}`)),
  ]);
  const { port } = JSON.parse(line);
  const ask = async (path) => (await fetch(`http://127.0.0.1:${port}${path}`)).json();
  check(await ask('/'));
  // Who does not say so is told.
  assert.deepEqual(await ask('/workers'), { error: 'worker.failed' });
});

for (const name of BROWSERS) {
  describeBeside(name, {}, () => {
    let browser;
    let server;
    before(async () => {
      browser = await openBrowser(name);
      server = createServer(serve).listen(0, '127.0.0.1');
      await once(server, 'listening');
    });
    after(async () => {
      await browser?.close();
      server?.close();
    });

    test('a service worker, and a shared one', { timeout: 300_000 }, async (t) => {
      const page = await browser.open(`http://127.0.0.1:${server.address().port}/index.html`);
      t.after(page.close);
      await page.until('typeof window.inShared === "function"', 60_000);
      check(await page.evaluate('inService()'));
      check(await page.evaluate('inShared()'));
    });
  });
}

test('Node, which ends by itself', { timeout: 300_000 }, async () => {
  const script = `
    import { readFile } from 'node:fs/promises';
    import * as cipherloom from 'cipherloom';
    import { work } from './work.mjs';
    const read = (name) => readFile('given/' + name).then((bytes) => new Uint8Array(bytes));
    console.log(JSON.stringify(await work(cipherloom, read, { workers: false, mode: 'single' })));`;
  const args = ['--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder });
  check(JSON.parse(stdout));
});

async function serve(request, response) {
  const { pathname } = new URL(request.url, 'http://localhost');
  try {
    const body = await readFile(join(folder, 'built', pathname));
    response.writeHead(200, { 'Content-Type': TYPES[extname(pathname)] ?? 'application/octet-stream' }).end(body);
  } catch {
    response.writeHead(404).end();
  }
}
