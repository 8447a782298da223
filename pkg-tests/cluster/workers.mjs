// Worker processes, as `npx cipherloom worker` starts them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import { endWithThis } from '../lib/own.mjs';

const PACKAGE = dirname(createRequire(import.meta.url).resolve('cipherloom/package.json'));
/** The command line of the package. */
export const CLI = join(PACKAGE, 'dist', 'cluster', 'cli.js');
const PATIENCE_MS = 30_000;

/** Runs the command line to its end. Gives its status and what it printed. */
export async function cli(args, env = {}) {
  const child = spawn(process.execPath, [CLI, ...args], { env: { ...process.env, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  const [status] = await once(child, 'close');
  clearTimeout(timer);
  return { status, output };
}

/** Starts a worker and waits until it listens. `env`: for its operators; `program`: another command line. */
export async function startWorker({ redis, args = ['--allow-any'], env = {}, program = CLI, cwd }) {
  const child = spawn(process.execPath, [program, 'worker', ...args], {
    env: { ...process.env, CIPHERLOOM_REDIS: redis, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd && { cwd }),
  });
  endWithThis(child);
  const ended = once(child, 'exit');
  let output = '';
  await new Promise((resolve, reject) => {
    const fail = (why) => reject(new Error(`worker: ${why}\n${output}`));
    const timer = setTimeout(() => fail(`not ready within ${PATIENCE_MS} ms`), PATIENCE_MS);
    ended.then(([code, signal]) => fail(`ended (${code ?? signal})`));
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
        if (!output.includes('waits for tasks')) return;
        clearTimeout(timer);
        resolve();
      });
    }
  });
  return {
    pid: child.pid,
    output: () => output,
    ended,
    alive: () => child.exitCode === null && child.signalCode === null,
    signal: (name) => child.kill(name),
    async stop(name = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      child.kill(name);
      // One that hears no signal is no reason to wait for ever.
      const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
      const [code] = await ended;
      clearTimeout(timer);
      return code;
    },
  };
}

/** Starts several at once. */
export function startWorkers(count, options) {
  return Promise.all(Array.from({ length: count }, () => startWorker(options)));
}

/** Waits until something holds; `what` is said where it takes too long. */
export async function until(holds, what) {
  for (const began = performance.now(); !holds(); await new Promise((resolve) => setTimeout(resolve, 5)))
    if (performance.now() - began > PATIENCE_MS) throw new Error(`not within ${PATIENCE_MS} ms: ${what}`);
}
