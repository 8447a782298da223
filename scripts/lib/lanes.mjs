// Programs that run at a time, each of which says what it has to say in one piece, when it ends.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ROOT } from './run.mjs';

/** Runs scripts of Node, each the arguments of a process, as {@link commandsInLanes} does. */
export function inLanes(scripts, lanes, begins = () => {}) {
  const commands = scripts.map((args) => [process.execPath, ...args]);
  return commandsInLanes(commands, lanes, ([, ...args], following) => begins(args, following));
}

/**
 * Runs programs, each with its arguments, so many at a time, in this order; `begins` is told which one begins, and how many follow. The first that fails ends this
 * process with 1, and the others with it; or after the last one has ended, where all are to be `seen`.
 */
export async function commandsInLanes(commands, lanes, begins = () => {}, seen = false) {
  const rest = [...commands];
  const failed = [];
  const running = new Set();
  const lane = async () => {
    for (let command = rest.shift(); command !== undefined; command = rest.shift()) {
      begins(command, rest.length);
      const [program, ...args] = command;
      const child = spawn(program, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
      running.add(child);
      const output = [];
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => output.push(data));
      const [status, signal] = await once(child, 'close');
      running.delete(child);
      process.stdout.write(Buffer.concat(output));
      if (status === 0) continue;
      failed.push(`failed (${signal ?? `exit ${status}`}): ${args.join(' ')}`);
      console.error(failed.at(-1));
      if (seen) continue;
      for (const other of running) other.kill();
      process.exit(1);
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, rest.length) }, lane));
  if (failed.length === 0) return;
  console.error(`\n${failed.join('\n')}`);
  process.exit(1);
}
