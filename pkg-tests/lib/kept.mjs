// What takes long to make and is the same for many files of tests: made by whoever comes first, and kept for an hour by all that it is made of.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/lib/run.mjs';
import { temporaryFolder } from './own.mjs';

const KEPT = join(ROOT, 'node_modules', '.cache', 'cipherloom-tests');
/** Milliseconds before something is thrown away for another. */
const KEPT_MS = 60 * 60_000;

/**
 * The folder of something, which nobody may write to. `of`: files and folders of the repository that it is made of, by whose paths and bytes it is known; `settings`: what else
 * it depends on. Where it is not there, `make` fills a new folder.
 */
export function kept(name, of, make, settings = '') {
  const folder = place(name, of, settings);
  if (existsSync(folder)) return folder;
  const made = temporaryFolder();
  make(made);
  return put(made, folder);
}

/** The same of what takes promises to make. */
export async function keptLater(name, of, make, settings = '') {
  const folder = place(name, of, settings);
  if (existsSync(folder)) return folder;
  const made = temporaryFolder();
  await make(made);
  return put(made, folder);
}

/** Where it is, or will be; what is old goes. */
function place(name, of, settings) {
  const all = join(KEPT, name);
  const folder = join(all, keyOf(of, settings));
  if (existsSync(folder)) return folder;
  // Another run of tests may be at one of its own.
  for (const old of existsSync(all) ? readdirSync(all) : []) {
    const found = statSync(join(all, old), { throwIfNoEntry: false });
    if (found && Date.now() - found.mtimeMs > KEPT_MS) rmSync(join(all, old), { recursive: true, force: true });
  }
  return folder;
}

function put(made, folder) {
  // Whole, or not at all: it may be taken while it is being copied.
  const beside = `${folder}.${process.pid}`;
  cpSync(made, beside, { recursive: true });
  try {
    renameSync(beside, folder);
  } catch (error) {
    rmSync(beside, { recursive: true, force: true });
    if (!existsSync(folder)) throw error; // else another process was first
  }
  return folder;
}

function keyOf(paths, settings) {
  const hash = createHash('sha256').update(`${settings}\0`);
  const read = (path) => {
    if (path.endsWith('node_modules')) return;
    if (statSync(path).isDirectory()) for (const name of readdirSync(path).sort()) read(join(path, name));
    else hash.update(`${path}\0`).update(readFileSync(path)).update('\0');
  };
  for (const path of paths) read(join(ROOT, path));
  return hash.digest('hex');
}
