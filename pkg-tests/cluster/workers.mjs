// Worker processes, as `npx cipherloom worker` starts them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import { startProcess } from '../lib/started.mjs';

const PACKAGE = dirname(createRequire(import.meta.url).resolve('cipherloom/package.json'));
/** The command line of the package. */
export const CLI = join(PACKAGE, 'dist', 'node', 'cli.js');
const PATIENCE_MS = 60_000;

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
export function startWorker({ redis, args = ['--allow-any'], env = {}, program = CLI, cwd }) {
  return startProcess(program, ['worker', ...args], { CIPHERLOOM_REDIS: redis, ...env }, /waits for tasks/, { cwd });
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
