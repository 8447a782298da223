/** What a worker may be told to run: modules, circuits and programs, by the hash of their bytes; and which files it reads. */
import { readFile, realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { failure } from '../errors.js';
import { hashOfModule, otherModule, shown } from '../job/operators/modules.js';
import { runs } from '../job/runs.js';
import type { Task } from '../job/work.js';
import { hashIn } from './named.js';

/** What a worker accepts; `any`: all. */
export type Allowed =
  | {
      /** Of modules, circuits and programs. */
      readonly hashes: ReadonlySet<string>;
      /** Folders whose files tasks may read. */
      readonly folders: readonly string[];
    }
  | 'any';

/** Reads a list: a SHA-256 in hexadecimal on each line, what follows it or `#` is a remark. Errors: JobError `job.refused`. */
export async function readAllowed(path: string): Promise<ReadonlySet<string>> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    throw failure(
      'job.refused',
      `the list of what is allowed cannot be read: ${(cause as Error).message}`,
      { path },
      cause,
    );
  }
  const hashes = new Set<string>();
  for (const [index, line] of text.split('\n').entries()) {
    const word = line.replace(/#.*/, '').trim().split(/\s+/)[0] as string;
    if (word === '') continue;
    if (!/^[0-9a-f]{64}$/i.test(word))
      throw failure('job.refused', `${path}, line ${index + 1}: "${word}" is no SHA-256 in hexadecimal`, {
        found: word,
        expected: '64 hexadecimal digits',
        path,
        line: index + 1,
      });
    hashes.add(word.toLowerCase());
  }
  return hashes;
}

/** Looks at all that a task would run or read. Modules in it have the hash that was looked for on the list: nothing else is run then. Errors: JobError `job.refused`. */
export async function admit({ work }: Task, allowed: Allowed): Promise<void> {
  if (allowed === 'any') return;
  if (work.do === 'list') await admitPath(work.directory, allowed.folders);
  if (work.do === 'file') await admitPath(String(work.file), allowed.folders);
  for (const found of runs(work)) {
    const hash = 'module' in found ? await readableHash(found.module) : hashIn(found.bytes.name);
    const what = 'module' in found ? `module ${shown(found.module)}` : found.kind;
    if (!allowed.hashes.has(hash))
      throw failure(
        'job.refused',
        `this worker was not told to accept the ${what}: its SHA-256 is ${hash}, which is not on the list of what is allowed (npx cipherloom worker --allow FILE)`,
        { found: hash, expected: 'a hash on the list of what is allowed', what },
      );
    if (!('module' in found)) continue;
    if (found.hash !== undefined && found.hash !== hash)
      throw otherModule(found.module, hash, String(found.hash));
    found.hash = hash;
  }
}

/** A module's hash. Errors: JobError `job.refused` where it cannot be had. */
function readableHash(module: string): Promise<string> {
  return hashOfModule(module).catch((cause: unknown) => {
    throw failure(
      'job.refused',
      `this worker cannot compare the module ${shown(module)} with the list of what is allowed: ${(cause as Error).message}`,
      { found: shown(module), expected: 'a file: or data: URL that this worker can read' },
      cause,
    );
  });
}

/** Files by what they are, not by what they are called: a link out of a folder does not lead out of it. */
async function admitPath(path: string, folders: readonly string[]): Promise<void> {
  const found = await realpath(path).catch((cause: unknown) => {
    throw failure(
      'job.refused',
      `this worker cannot read ${path}: ${(cause as Error).message}`,
      { found: path },
      cause,
    );
  });
  for (const folder of folders) {
    const root = await realpath(folder).catch(() => undefined);
    if (root !== undefined && (found === root || found.startsWith(root.endsWith(sep) ? root : root + sep)))
      return;
  }
  throw failure(
    'job.refused',
    `this worker was not told to read ${path} (npx cipherloom worker --files FOLDER)`,
    { found: path, expected: folders },
  );
}
