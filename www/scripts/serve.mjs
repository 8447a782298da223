#!/usr/bin/env node
// Serves the built page, and behind it a clinic's service of this machine alone, for the tab “Clinic”: whoever opens the page gets an account. What is stored there goes when this ends. Where others reach the page (--host), there is no such service.
// Usage: npm run build && npm run serve [-- --no-open] [--host ADDRESS] [--port NUMBER] [--strictPort] [--outDir FOLDER]
//   --no-open   opens no browser; the others as of `vite preview`
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { preview } from 'vite';
import { createService } from '../../examples/clinic/service/app.mjs';
import { readConfig } from '../../examples/clinic/service/config.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Where `--host` lets nobody else in; undefined: not given. */
const LOCAL = [undefined, 'localhost', '127.0.0.1', '::1'];
const { values } = parseArgs({
  options: {
    'no-open': { type: 'boolean', default: false },
    host: { type: 'string' },
    port: { type: 'string' },
    strictPort: { type: 'boolean', default: false },
    outDir: { type: 'string', default: 'dist' },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'cipherloom-clinic-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

// In this process, so that neither outlives the other. The whole machine is one person's, and so are its requests.
const config = readConfig({
  ...{ CLINIC_DATA: folder, CLINIC_PORT: '0', CLINIC_DEMO: 'yes', CLINIC_LOG: 'warn' },
  ...{ CLINIC_RATE: '100000', CLINIC_LOGIN_RATE: '1000' },
});
let service;
let ending = false;
// A second one (npm passes on what the terminal has sent already) ends it at once, but not without the folder.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, async () => {
    if (ending) process.exit(0);
    ending = true;
    await service?.close().catch(() => undefined);
    process.exit(0);
  });
try {
  // Accounts for whoever asks, and tokens in the clear, are for this machine alone.
  if (!LOCAL.includes(values.host))
    throw new Error(`others reach ${values.host}: set up one of your own (examples/clinic/README.md)`);
  service = await createService(config);
  process.env.CLINIC_URL = await service.listen();
} catch (error) {
  const code = error.code === undefined ? '' : ` (${error.code})`;
  console.warn(`The tab “Clinic” has no service, and the others need none: ${error.message}${code}`);
}

const { host, port, strictPort, outDir } = values;
const server = await preview({
  root: ROOT,
  build: { outDir },
  preview: { open: !values['no-open'], host, strictPort, ...(port && { port: Number(port) }) },
});
server.printUrls();
