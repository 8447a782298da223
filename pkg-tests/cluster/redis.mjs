// A Redis of a test's own: on a free port, in a temporary folder, ended with the tests of the file that started it.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { find } from '../../scripts/lib/run.mjs';

const SERVER = find('redis-server');
/** Why tests with Redis are left out, or undefined. */
export const skip =
  SERVER === null &&
  'redis-server is not installed: node scripts/setup.mjs --tests installs it on Debian; elsewhere put it on PATH';

const running = new Set();
const endAll = () => running.forEach((child) => child.kill('SIGKILL'));
process.once('exit', endAll);
process.once('SIGTERM', () => process.exit(1));
// A test that fails half-way leaves what it started, which would keep its file from ending.
after(endAll);
/** Ends a child process with the tests of this file, at the latest. */
export function endWithThis(child) {
  running.add(child);
  child.once('exit', () => running.delete(child));
}

const folders = [];
process.once('exit', () =>
  folders.forEach((folder) => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })),
);
/** A folder that goes with this process. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'cipherloom-cluster-'));
  folders.push(folder);
  return folder;
}

/** Starts one. `settings`: as of redis.conf. */
export async function startRedis({ password, settings = {}, tls = false } = {}) {
  const folder = temporaryFolder();
  const port = await freePort();
  const certificate = tls ? selfSigned(folder) : undefined;
  const all = {
    bind: '127.0.0.1',
    port: tls ? 0 : port,
    dir: folder,
    appendonly: 'yes',
    save: '',
    'maxmemory-policy': 'noeviction',
    ...(password && { requirepass: password }),
    ...(tls && {
      'tls-port': port,
      'tls-cert-file': certificate.cert,
      'tls-key-file': certificate.key,
      'tls-auth-clients': 'no',
    }),
    ...settings,
  };
  const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, String(value)]);
  let child;
  const start = async () => {
    child = spawn(SERVER, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    endWithThis(child);
    let output = '';
    await new Promise((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`redis-server ended with ${code}\n${output}`)));
      child.stdout.setEncoding('utf8').on('data', (text) => {
        output += text;
        if (output.includes('Ready to accept connections')) resolve();
      });
    });
  };
  const stop = async (signal = 'SIGTERM') => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  await start();
  const login = password ? `:${encodeURIComponent(password)}@` : '';
  return {
    url: `${tls ? 'rediss' : 'redis'}://${login}localhost:${port}`,
    port,
    folder,
    ca: certificate?.cert,
    start,
    stop,
    /** What a command gives. */
    ask: (...command) => {
      const login = password ? ['-a', password, '--no-auth-warning'] : [];
      const { stdout } = spawnSync('redis-cli', ['-p', String(port), ...login, ...command], { encoding: 'utf8' });
      return stdout.trim();
    },
  };
}

/** A certificate for localhost that its own key signed, by openssl; null where there is none. */
export function selfSigned(folder) {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const { status } = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'],
    ...['-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', cert],
  ]);
  return status === 0 ? { cert, key } : null;
}

/** A port that nobody listens on now. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
