// Runs other programs: `run` shows what they print, `read` returns it, `find` looks on PATH.
import { spawnSync } from 'node:child_process';
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
  const result = spawnSync(program, args, { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] });
  if (result.status === 0) return;
  console.error(
    `failed (${result.error?.message ?? result.signal ?? `exit ${result.status}`}): ${program} ${args[0] ?? ''}`,
  );
  process.exit(result.status || 1);
}

/** The words of a command line: for arguments without spaces. */
export function words(text) {
  return text.split(' ');
}
