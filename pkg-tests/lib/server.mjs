// Starts a server that prints its address, and waits until it does.
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { stripVTControlCharacters } from 'node:util';

const PATIENCE_MS = 60_000;

/** How Vite is told where to listen. */
const viteAddress = (port) => ['--host', '127.0.0.1', '--port', String(port), '--strictPort'];

/** Runs a Node script, told where to listen by what `address` makes of a port. Gives `{ url, stop }`. It never outlives this process. */
export async function startServer(script, args, { cwd, env = {}, address = viteAddress }) {
  const port = await freePort();
  const child = spawn(process.execPath, [script, ...args, ...address(port)], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let output = '';
  const url = await new Promise((resolve, reject) => {
    const fail = (why) => reject(new Error(`${script} ${args.join(' ')}: ${why}\n${output}`));
    const timer = setTimeout(() => fail(`no address within ${PATIENCE_MS} ms`), PATIENCE_MS);
    ended.then((code) => fail(`ended with status ${code}`));
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += stripVTControlCharacters(text);
        const found = output.match(/http:\/\/127\.0\.0\.1:\d+\S*(?=\s)/);
        if (!found) return;
        clearTimeout(timer);
        resolve(found[0]);
      });
    }
  }).catch((error) => {
    kill();
    throw error;
  });
  const stop = async () => {
    kill();
    process.removeListener('exit', kill);
    await ended;
  };
  return { url, stop };
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
