// Runs what takes long step by step, and says which step of how many it is, how long it has been, and what took how long.
import { spawnSync } from 'node:child_process';
import { ROOT } from './run.mjs';

/**
 * Runs steps in order, each { what, run }: a program with its arguments, which may read the terminal, or a function that
 * does the step or gives such a program. Ends this process where a program fails, with its exit status.
 */
export async function steps(title, list) {
  const start = performance.now();
  const took = [];
  // Where a step fails, too: what it costs is asked most where it is too much.
  process.once('exit', () => {
    console.log(`\n== ${title}: ${took.length} of ${list.length} steps done in ${duration(performance.now() - start)}`);
    for (const { what, time } of took) console.log(`   ${duration(time).padStart(12)}  ${what}`);
  });
  for (const [index, { what, run }] of list.entries()) {
    const began = performance.now();
    const since = index === 0 ? '' : `, ${duration(began - start)} so far`;
    console.log(`\n== ${title}, step ${index + 1} of ${list.length}${since}: ${what}`);
    const program = typeof run === 'function' ? await run() : run;
    if (program) command(program);
    took.push({ what, time: performance.now() - began });
  }
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
