// Runs other programs: `run` shows what they print, `read` returns it, `find` looks on PATH.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root folder. */
export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Absolute path of a program on `path`, or null. */
export function find(program, path = process.env.PATH) {
  const names = process.platform === 'win32' ? [`${program}.exe`, `${program}.cmd`] : [program];
  for (const folder of path.split(delimiter)) {
    for (const name of names) {
      const file = join(folder, name);
      try {
        accessSync(file, constants.X_OK);
        return file;
      } catch {
        // not in this folder
      }
    }
  }
  return null;
}

/** What a program prints, trimmed, or null where it is missing or fails. */
export function read(program, args, env = process.env) {
  const result = spawnSync(program, args, { cwd: ROOT, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return result.status === 0 ? result.stdout.trim() : null;
}

/** Runs a program with its output shown; where it fails, says so and ends this process with its exit status. */
export function run(program, args, { env = process.env, cwd = ROOT } = {}) {
  console.log(`$ ${[program, ...args].join(' ')}`);
  const { status, signal, error } = spawnSync(program, args, { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) fail(program, args, error?.message ?? signal ?? `exit ${status}`, status);
}

/** The same beside what this process does meanwhile, also where that is to wait for other programs. Gives a promise of its end. */
export async function begin(program, args, { env = process.env, cwd = ROOT } = {}) {
  console.log(`$ ${[program, ...args].join(' ')} &`);
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] });
  // It does not go on without this process, which may fail meanwhile.
  const end = () => void child.kill();
  process.once('exit', end);
  const [status, signal] = await once(child, 'exit').catch((error) => fail(program, args, error.message));
  process.off('exit', end);
  if (status !== 0) fail(program, args, signal ?? `exit ${status}`, status);
}

function fail(program, args, why, status) {
  console.error(`failed (${why}): ${program} ${args[0] ?? ''}`);
  process.exit(status || 1);
}

/** The words of a command line: for arguments without spaces. */
export function words(text) {
  return text.split(' ');
}
