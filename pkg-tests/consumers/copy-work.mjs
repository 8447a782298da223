// What consumers of several kinds do alike, put into their folders.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../../scripts/lib/run.mjs';

/** Copies it there, with the operators that it uses. */
export function copyWork(folder) {
  for (const name of ['work.mjs', 'own.mjs', 'reverse.mjs', 'read.js'])
    cpSync(fileURLToPath(new URL(name, import.meta.url)), join(folder, name));
  cpSync(join(ROOT, 'examples', 'operators'), join(folder, 'operators'), { recursive: true });
}
