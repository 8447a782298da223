/** A store in a folder that all machines see: a network file system, or one machine's disk. */
import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { CipherloomError, failure } from '../errors.js';
import type { Ref } from '../job/store.js';
import { checkBytes, checkFolderStore, checkRef, checkRefs } from './options.js';
import { absent, hashIn, nameOf, verified } from './named.js';
import type { SharedStore } from './shared-store.js';

/** Settings of {@link folderStore}. */
export interface FolderStoreOptions {
  /** Seconds after which what nobody dropped may be swept away, 604,800 (a week) where it is not said. */
  readonly keep?: number;
}

const WEEK = 7 * 24 * 3600;

/**
 * A store in a folder, which is made if it is not there, with those above it. Files are written under another name, and renamed once they are whole: nobody reads half of one. Errors of its methods: JobError
 * `job.store` (no space, no rights, nothing there), `job.chunk`.
 */
export function folderStore(path: string, options: FolderStoreOptions = {}): SharedStore {
  if (typeof path !== 'string' || path === '')
    throw failure('job.store', `the folder of a store is ${JSON.stringify(path)}, expected a path`, {
      found: path,
    });
  checkFolderStore(options);
  return new FolderStore(resolve(path), options.keep ?? WEEK);
}

class FolderStore implements SharedStore {
  readonly #path: string;
  readonly #keep: number;
  #ready: Promise<string> | undefined;

  constructor(path: string, keep: number) {
    this.#path = path;
    this.#keep = keep;
  }

  async identity(): Promise<string> {
    return `folder ${await this.#open()}`;
  }

  async put(bytes: Uint8Array): Promise<Ref> {
    checkBytes(bytes);
    await this.#open();
    const name = nameOf(bytes);
    const path = this.#pathOf(name);
    const part = join(this.#path, 'parts', name);
    try {
      await makeFolder(dirname(path));
      const file = await open(part, 'wx');
      try {
        await file.writeFile(bytes);
      } finally {
        await file.close();
      }
      await rename(part, path);
    } catch (error) {
      await rm(part, { force: true }).catch(() => {});
      throw this.#failed('write', error);
    }
    return { name, bytes: bytes.length };
  }

  async get(ref: Ref): Promise<Uint8Array> {
    checkRef(ref);
    await this.#open();
    let bytes: Uint8Array;
    try {
      bytes = await readFile(this.#pathOf(ref.name));
    } catch (error) {
      throw isAbsent(error) ? absent(ref, this.#where) : this.#failed('read', error);
    }
    return verified(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length), ref, this.#where);
  }

  async has(refs: readonly Ref[]): Promise<boolean> {
    checkRefs('has', refs);
    await this.#open();
    for (const { name, bytes } of refs) {
      const found = await stat(this.#pathOf(name)).catch(() => undefined);
      if (found?.size !== bytes) return false;
    }
    return true;
  }

  async drop(refs: readonly Ref[]): Promise<void> {
    checkRefs('drop', refs);
    for (const { name } of refs) {
      try {
        await unlink(this.#pathOf(name));
      } catch (error) {
        if (error instanceof CipherloomError || !isAbsent(error)) throw this.#failed('delete', error);
      }
    }
  }

  async close(): Promise<void> {}

  get #where(): string {
    return `folder ${this.#path}`;
  }

  /** Two letters make a folder each: a million files in one are slow to find. */
  #pathOf(name: string): string {
    return join(this.#path, 'chunks', hashIn(name).slice(0, 2), name);
  }

  #open(): Promise<string> {
    return (this.#ready ??= this.#opened().catch((error: unknown) => {
      this.#ready = undefined;
      throw this.#failed('open', error);
    }));
  }

  async #opened(): Promise<string> {
    await makeFolder(join(this.#path, 'parts'));
    await makeFolder(join(this.#path, 'chunks'));
    const identity = await this.#identity();
    // What was left long ago, by jobs that never came to their end.
    void this.#sweep().catch(() => {});
    return identity;
  }

  /** A number that is written once, by whoever is first. */
  async #identity(): Promise<string> {
    const path = join(this.#path, 'store-id');
    const own = join(this.#path, 'parts', randomUUID());
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
    const file = await open(own, 'wx');
    try {
      await file.writeFile(randomUUID());
    } finally {
      await file.close();
    }
    // Unlike rename, it leaves another one's number alone.
    await link(own, path).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
    await rm(own);
    return readFile(path, 'utf8');
  }

  async #sweep(): Promise<void> {
    const before = Date.now() - this.#keep * 1000;
    const folders = (await readdir(join(this.#path, 'chunks'))).map((folder) => join('chunks', folder));
    for (const folder of ['parts', ...folders])
      for (const name of await readdir(join(this.#path, folder))) {
        const path = join(this.#path, folder, name);
        const found = await stat(path).catch(() => undefined);
        if (found && found.mtimeMs < before) await rm(path, { force: true });
      }
  }

  #failed(what: string, error: unknown): CipherloomError {
    if (error instanceof CipherloomError) return error;
    const { code, message } = error as NodeJS.ErrnoException;
    return failure(
      'job.store',
      `${this.#where}: cannot ${what}: ${message}`,
      { folder: this.#path, reason: code },
      error,
    );
  }
}

/** A folder and those above it. Node's own way never ends where a file system knows of no new folders, such as /proc. */
async function makeFolder(path: string): Promise<void> {
  const make = (): Promise<void> =>
    mkdir(path).catch(async (error: unknown) => {
      const isThere = await stat(path).catch(() => undefined);
      if (!isThere?.isDirectory()) throw error;
    });
  try {
    await make();
  } catch (error) {
    const above = dirname(path);
    if (!isAbsent(error) || above === path) throw error;
    await makeFolder(above);
    await make();
  }
}

function isAbsent(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
