/** What a worker may be told to run: modules, circuits and programs, by the hash of their bytes. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { failure } from '../errors.js';
import type { Ref } from '../job/store.js';
import type { Task } from '../job/work.js';
import { hashIn, hashOf } from './named.js';

/** Hashes that a worker accepts; `any`: all. */
export type Allowed = ReadonlySet<string> | 'any';

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

/** Looks at all that a task would run. Errors: JobError `job.refused`. */
export async function admit({ work }: Task, allowed: Allowed): Promise<void> {
  if (allowed === 'any') return;
  for (const found of runs(work)) {
    const hash = 'module' in found ? await hashOfModule(found.module) : hashIn(found.bytes.name);
    const what = 'module' in found ? `module ${shown(found.module)}` : found.kind;
    if (!allowed.has(hash))
      throw failure(
        'job.refused',
        `this worker was not told to accept the ${what}: its SHA-256 is ${hash}, which is not on the list of what is allowed (npx cipherloom worker --allow FILE)`,
        { found: hash, expected: 'a hash on the list of what is allowed', what },
      );
  }
}

type Run = { readonly module: string } | { readonly kind: string; readonly bytes: Ref };

/** All modules, circuits and programs anywhere in a task: wherever they come to stand, none is missed. */
function* runs(value: unknown): Generator<Run> {
  if (typeof value !== 'object' || value === null) return;
  const { module, kind, bytes } = value as Record<string, unknown>;
  if (typeof module === 'string') yield { module };
  if ((kind === 'circuit' || kind === 'program') && typeof bytes === 'object')
    yield { kind, bytes: bytes as Ref };
  for (const inner of Object.values(value)) yield* runs(inner);
}

async function hashOfModule(module: string): Promise<string> {
  let url: URL;
  try {
    url = new URL(module);
  } catch {
    throw unreadable(module, 'it is no URL');
  }
  if (url.protocol === 'data:') {
    const data = await fetch(url).catch((cause: unknown) => {
      throw unreadable(module, 'its data cannot be read', cause);
    });
    return hashOf(new Uint8Array(await data.arrayBuffer()));
  }
  if (url.protocol !== 'file:') throw unreadable(module, `${url.protocol} cannot be read before it is run`);
  // What the URL has behind its path makes another module of the same file.
  url.search = url.hash = '';
  try {
    return hashOf(await readFile(fileURLToPath(url)));
  } catch (cause) {
    throw unreadable(module, (cause as Error).message, cause);
  }
}

function unreadable(module: string, why: string, cause?: unknown): Error {
  return failure(
    'job.refused',
    `this worker cannot compare the module ${shown(module)} with the list of what is allowed: ${why}`,
    { found: shown(module), expected: 'a file: or data: URL that this worker can read' },
    cause,
  );
}

const shown = (module: string): string => (module.length > 200 ? `${module.slice(0, 200)}...` : module);
