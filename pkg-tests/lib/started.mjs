// Programs in processes of their own: started, heard, and ended, at the latest with the tests of this file.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { endWithThis } from './own.mjs';

const PATIENCE_MS = 120_000;

/**
 * Starts a Node program that prints what `ready` (a regular expression) matches, and waits until it does. Gives `first` (what the first group of `ready` caught), `printed` (waits for what else it
 * is to print), `output`, `pid`, `ended` (its code and signal), `alive`, `signal` and `stop`.
 */
export async function startProcess(script, args, env, ready, { cwd } = {}) {
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd && { cwd }),
  });
  endWithThis(child);
  // When its pipes are read to their ends, too: what it printed last comes before.
  const ended = once(child, 'close');
  let output = '';
  const waiting = new Set();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
      for (const look of waiting) look();
    });
  const printed = (pattern) =>
    new Promise((resolve, reject) => {
      const fail = (why) => reject(new Error(`${script}: ${why}\n${output}`));
      const timer = setTimeout(() => fail(`no ${pattern} within ${PATIENCE_MS} ms`), PATIENCE_MS);
      const look = () => {
        const match = output.match(pattern);
        if (!match) return;
        clearTimeout(timer);
        waiting.delete(look);
        resolve(match);
      };
      waiting.add(look);
      ended.then(([code, signal]) => {
        look();
        if (!waiting.delete(look)) return;
        clearTimeout(timer);
        fail(`ended (${code ?? signal})`);
      });
      look();
    });
  const alive = () => child.exitCode === null && child.signalCode === null;
  const [, first] = await printed(ready);
  return {
    ...{ first, printed, ended, alive, pid: child.pid },
    output: () => output,
    signal: (name) => child.kill(name),
    /** Gives its code. */
    async stop(name = 'SIGTERM') {
      if (!alive()) return child.exitCode;
      child.kill(name);
      // One that hears no signal is no reason to wait for ever.
      const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
      const [code] = await ended;
      clearTimeout(timer);
      return code;
    },
  };
}
