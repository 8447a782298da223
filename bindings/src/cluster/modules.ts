/** Modules, circuits and programs in tasks, and what is in modules. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { failure } from '../errors.js';
import type { Ref } from '../job/store.js';
import type { Work } from '../job/work.js';
import { hashOf } from './named.js';

type Run = { readonly module: string } | { readonly kind: string; readonly bytes: Ref };

/** All modules, circuits and programs anywhere in a task: wherever they come to stand, none is missed. */
export function* runs(value: unknown): Generator<Run> {
  if (typeof value !== 'object' || value === null) return;
  const { module, kind, bytes } = value as Record<string, unknown>;
  if (typeof module === 'string') yield { module };
  if ((kind === 'circuit' || kind === 'program') && typeof bytes === 'object')
    yield { kind, bytes: bytes as Ref };
  for (const inner of Object.values(value)) yield* runs(inner);
}

/** SHA-256 of a module's bytes, which are not run. What it imports is not looked at. Errors: JobError `job.refused` where they cannot be had. */
export async function hashOfModule(module: string): Promise<string> {
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

/** A module's address, for people. */
export const shown = (module: string): string =>
  module.length > 200 ? `${module.slice(0, 200)}...` : module;

/** What modules were when a job began. */
export class ModuleHashes {
  /** A job has one signal for all its tasks. */
  readonly #jobs = new WeakMap<AbortSignal, Map<string, Promise<string>>>();

  /** For each module of a task the hash of its bytes; its address where this machine cannot have them. */
  async of(work: Work, signal: AbortSignal): Promise<readonly string[]> {
    const known = this.#jobs.get(signal) ?? new Map<string, Promise<string>>();
    this.#jobs.set(signal, known);
    const modules = [...runs(work)].flatMap((run) => ('module' in run ? [run.module] : []));
    const hashes = modules.map((module) => {
      const hash = known.get(module) ?? hashOfModule(module).catch(() => module);
      known.set(module, hash);
      return hash;
    });
    return Promise.all(hashes);
  }
}
