/** Where measured times of this device are kept from one start to the next. */

import type { TimesStore } from '../types.js';

/** IndexedDB where there is one, else a folder of Node's, else memory. */
export function usualStore(): TimesStore {
  if ((globalThis as { indexedDB?: IDBFactory }).indexedDB !== undefined) return indexedDbStore();
  return nodeFolder() === undefined ? memoryStore() : folderStore();
}

/** One that ends with its owner. */
export function memoryStore(): TimesStore {
  const kept = new Map<string, string>();
  return {
    get: async (name) => kept.get(name),
    put: async (name, text) => void kept.set(name, text),
    delete: async (name) => void kept.delete(name),
  };
}

const STORE = 'times';

/** In a database of this page's origin. It is opened by each call, and so stands in nobody's way. */
export function indexedDbStore(database = 'cipherloom-times'): TimesStore {
  const opened = async <T>(
    mode: IDBTransactionMode,
    work: (store: IDBObjectStore) => IDBRequest<T>,
  ): Promise<T> => {
    const request = indexedDB.open(database, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    const db = await settled(request);
    try {
      const transaction = db.transaction(STORE, mode);
      const done = new Promise<void>((resolve, reject) => {
        transaction.oncomplete = () => resolve();
        transaction.onabort = () => reject(transaction.error ?? new Error('a transaction was given up'));
      });
      const [result] = await Promise.all([settled(work(transaction.objectStore(STORE))), done]);
      return result;
    } finally {
      db.close();
    }
  };
  return {
    get: async (name) => text(await opened('readonly', (store) => store.get(name) as IDBRequest<unknown>)),
    put: async (name, value) => void (await opened('readwrite', (store) => store.put(value, name))),
    delete: async (name) => void (await opened('readwrite', (store) => store.delete(name))),
  };
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('a request failed'));
  });
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** In files of a folder, in Node: by default the one that the system has for what can be made anew. A file is there as a whole or not at all. */
export function folderStore(folder = nodeFolder()): TimesStore {
  const fs = globalThis.process.getBuiltinModule('node:fs/promises');
  const path = (name: string): string => `${folder}/${name.replace(/[^a-z0-9-]/g, '-')}.json`;
  return {
    get: (name) =>
      fs.readFile(path(name), 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw error;
      }),
    put: async (name, value) => {
      await fs.mkdir(folder ?? '.', { recursive: true });
      const own = `${path(name)}.${globalThis.process.pid}.new`;
      await fs.writeFile(own, value);
      await fs.rename(own, path(name));
    },
    delete: (name) => fs.rm(path(name), { force: true }),
  };
}

function nodeFolder(): string | undefined {
  const os = globalThis.process?.getBuiltinModule?.('node:os');
  if (os === undefined) return undefined;
  const { env, platform } = globalThis.process;
  const home = os.homedir();
  const usual = platform === 'darwin' ? `${home}/Library/Caches` : `${home}/.cache`;
  return `${(platform === 'win32' ? env['LOCALAPPDATA'] : env['XDG_CACHE_HOME']) || usual}/cipherloom`;
}
