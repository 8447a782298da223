/** Where parties keep what lets them come back to a run. */
import { failure } from '../errors.js';
import type { PartyStore } from './types.js';

/** How names of files end that are not whole yet. */
const PART = '.part';

/** In memory: for a party that need not come back itself, but is there for others who do. */
export function inMemory(): PartyStore {
  const all = new Map<string, Uint8Array>();
  return {
    get: async (name) => all.get(name)?.slice(),
    put: async (name, bytes) => void all.set(name, new Uint8Array(bytes)),
    remove: async (name) => void all.delete(name),
  };
}

/**
 * In a folder of Node's, for its owner's eyes alone; it is made if it is not there. A file is written under another name, and renamed once it is on the disk, so that a
 * party that dies halfway leaves it as it was, and of two writers at once one has written. Errors: InputError `input.option`; of its methods: those of the file system.
 */
export function inFolder(path: string): PartyStore {
  if (typeof path !== 'string' || path === '') {
    const expected = 'the path of a folder';
    throw failure('input.option', `inFolder: expected ${expected}, found ${JSON.stringify(path)}`, {
      expected,
    });
  }
  const { mkdir, open, readdir, readFile, rename, rm } = nodeModule('node:fs/promises');
  const { basename, join, resolve } = nodeModule('node:path');
  const { createHash, randomUUID } = nodeModule('node:crypto');
  const folder = resolve(path);
  const fileOf = (name: string): string => join(folder, createHash('sha256').update(name).digest('hex'));
  return {
    async get(name) {
      try {
        return new Uint8Array(await readFile(fileOf(name)));
      } catch (error) {
        if ((error as { code?: string }).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async put(name, bytes) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // Of this call alone: another one, or another process, may be writing the same.
      const part = `${fileOf(name)}.${randomUUID()}${PART}`;
      try {
        const file = await open(part, 'wx', 0o600);
        try {
          await file.writeFile(bytes);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(part, fileOf(name));
      } catch (error) {
        await rm(part, { force: true }).catch(() => {});
        throw error;
      }
    },
    async remove(name) {
      const file = fileOf(name);
      await rm(file, { force: true });
      // A process that died while it wrote has left a part.
      const isPart = (found: string): boolean =>
        found.startsWith(`${basename(file)}.`) && found.endsWith(PART);
      const left = (await readdir(folder).catch(() => [])).filter(isPart);
      await Promise.all(left.map((found) => rm(join(folder, found), { force: true })));
    },
  };
}

interface NodeModules {
  readonly 'node:fs/promises': typeof import('node:fs/promises');
  readonly 'node:path': typeof import('node:path');
  readonly 'node:crypto': typeof import('node:crypto');
}

/** Errors: InputError `input.option` where this is no Node. */
function nodeModule<K extends keyof NodeModules>(name: K): NodeModules[K] {
  const { process } = globalThis as {
    process?: { getBuiltinModule?(name: string): unknown };
  };
  const found = process?.getBuiltinModule?.(name);
  if (found !== undefined) return found as NodeModules[K];
  throw failure('input.option', 'inFolder: there are folders in Node only; expected another PartyStore', {
    expected: 'Node',
  });
}
