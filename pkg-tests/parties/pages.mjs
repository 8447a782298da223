// The page of a party in a tab, with the built package and the libraries of NATS, served from here.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { build } from 'esbuild';

const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
};
const PACKAGE = new URL('.', import.meta.resolve('cipherloom/package.json'));

/** Gives `{ url, stop }`. */
export async function servePages() {
  const { outputFiles } = await build({
    stdin: {
      contents: "export * as core from '@nats-io/nats-core'; export * as jetstream from '@nats-io/jetstream';",
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    format: 'esm',
    write: false,
  });
  const libraries = outputFiles[0].contents;
  const server = createServer(serve).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${server.address().port}/page.html`, stop: () => server.close() };

  async function serve(request, response) {
    const { pathname } = new URL(request.url, 'http://localhost');
    const inPackage = /^\/cipherloom\/((dist|wasm)\/[\w./-]+)$/.exec(pathname)?.[1];
    const own = /^\/(page\.(html|mjs))$/.exec(pathname)?.[1];
    try {
      let body = pathname === '/libraries.js' ? libraries : undefined;
      if (inPackage) body = await readFile(new URL(inPackage, PACKAGE));
      if (own) body = await readFile(new URL(own, import.meta.url));
      response.writeHead(body ? 200 : 404, { 'content-type': TYPES[extname(pathname)] ?? 'text/plain' });
      response.end(body ?? 'nothing here');
    } catch (error) {
      response.writeHead(404).end(String(error.code));
    }
  }
}
