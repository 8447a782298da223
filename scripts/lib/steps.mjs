// Runs what takes long step by step, and says which step of how many it is, and how long it has been.
import { spawnSync } from 'node:child_process';
import { ROOT } from './run.mjs';

/**
 * Runs steps in order, each { what, run }: a program with its arguments, which may read the terminal, or a function that
 * does the step or gives such a program. Ends this process where a program fails, with its exit status.
 */
export async function steps(title, list) {
  const start = performance.now();
  for (const [index, { what, run }] of list.entries()) {
    const since = index === 0 ? '' : `, ${duration(performance.now() - start)} so far`;
    console.log(`\n== ${title}, step ${index + 1} of ${list.length}${since}: ${what}`);
    const program = typeof run === 'function' ? await run() : run;
    if (program) command(program);
  }
  console.log(`\n== ${title}: ${list.length} steps done in ${duration(performance.now() - start)}`);
}

function command([program, ...args]) {
  const { status, error } = spawnSync(program, args, { cwd: ROOT, stdio: 'inherit' });
  if (error) console.error(`${program}: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

function duration(milliseconds) {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
