#!/usr/bin/env node
// Serves the built page, and behind it a clinic's service of this machine alone, for the tab “Clinic”: whoever opens the page gets an account. What is stored there goes when this ends.
// Usage: npm run build && npm run serve [-- --no-open] [--host ADDRESS] [--port NUMBER] [--strictPort] [--outDir FOLDER]
//   --no-open   opens no browser; the others as of `vite preview`
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { preview } from 'vite';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SERVICE = fileURLToPath(new URL('../../examples/clinic/server.mjs', import.meta.url));
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
const service = spawn(process.execPath, [SERVICE], {
  env: {
    ...process.env,
    ...{
      CLINIC_DATA: folder,
      CLINIC_HOST: '127.0.0.1',
      CLINIC_PORT: '0',
      CLINIC_DEMO: 'yes',
      CLINIC_LOG: 'warn',
    },
    ...{
      CLINIC_PAGE: '',
      CLINIC_DATABASE: undefined,
      CLINIC_REDIS: undefined,
      CLINIC_BEHIND_PROXY: undefined,
    },
    // The whole machine is one person's, and so are its requests.
    ...{ CLINIC_RATE: '100000', CLINIC_LOGIN_RATE: '1000' },
  },
  stdio: ['ignore', 'pipe', 'pipe'],
});
process.once('exit', () => {
  service.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(0));

/** The service's address; undefined where it does not start, without which the page does all but one tab. */
const url = await new Promise((resolve) => {
  let said = '';
  for (const stream of [service.stdout, service.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      if (stream === service.stderr) process.stderr.write(text);
      said += text;
      const [, address] = said.match(/listens on (\S+)/) ?? [];
      if (address) resolve(address);
    });
  service.once('error', () => resolve(undefined));
  service.once('exit', () => resolve(undefined));
});
if (url === undefined) console.warn('The tab “Clinic” has no service: the lines above say why.');
else process.env.CLINIC_URL = url;

const { host, port, strictPort, outDir } = values;
const server = await preview({
  root: ROOT,
  build: { outDir },
  preview: { open: !values['no-open'], host, strictPort, ...(port && { port: Number(port) }) },
});
server.printUrls();
