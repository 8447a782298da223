// Scripts that run at a time, each of which says what it has to say in one piece, when it ends.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ROOT } from './run.mjs';

/**
 * Runs scripts of Node, each the arguments of a process, so many at a time, in this order; `begins` is told which one begins, and how many follow. The first that fails ends this
 * process with 1, and the others with it.
 */
export async function inLanes(scripts, lanes, begins = () => {}) {
  const rest = [...scripts];
  const running = new Set();
  const lane = async () => {
    for (let args = rest.shift(); args !== undefined; args = rest.shift()) {
      begins(args, rest.length);
      const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
      running.add(child);
      const output = [];
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => output.push(data));
      const [status, signal] = await once(child, 'close');
      running.delete(child);
      process.stdout.write(Buffer.concat(output));
      if (status === 0) continue;
      console.error(`failed (${signal ?? `exit ${status}`}): ${args.join(' ')}`);
      for (const other of running) other.kill();
      process.exit(1);
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, rest.length) }, lane));
}
