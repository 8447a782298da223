// A Redis of a test's own: on a free port, in a temporary folder, ended with the tests of the file that started it.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { find } from '../../scripts/lib/run.mjs';
import { endWithThis, selfSigned, temporaryFolder } from '../lib/own.mjs';
import { freePort } from '../lib/server.mjs';

const SERVER = find('redis-server');
/** Why tests with Redis are left out, or undefined. */
export const skip =
  SERVER === null &&
  'redis-server is not installed: node scripts/setup.mjs --tests installs it on Debian; elsewhere put it on PATH';

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
