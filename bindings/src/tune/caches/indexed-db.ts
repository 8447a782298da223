/** A cache in a page's own database. */
import { checkArgument, TEXT } from '../../arguments.js';
import { keyText } from '../key.js';
import { wrong } from '../wrong.js';
import type { TuneCache } from './types.js';

const STORE = 'records';
const BY_DEVICE = 'device';

/** Opens, or makes, a database of this page's origin. Errors: TuneError `tune.cache` where there is none, or it does not open. */
export async function indexedDbCache(name = 'cipherloom-tune'): Promise<TuneCache> {
  checkArgument('indexedDbCache, name', name, TEXT);
  const factory = (globalThis as { indexedDB?: IDBFactory }).indexedDB;
  if (factory === undefined) throw wrong('tune.cache', 'cache', 'no IndexedDB', 'a page or a worker of one');
  const request = factory.open(name, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore(STORE).createIndex(BY_DEVICE, BY_DEVICE);
  };
  const db = await result(request);
  // Another version of this page wants to change it.
  db.onversionchange = () => db.close();
  const write = (work: (store: IDBObjectStore) => void): Promise<void> =>
    new Promise((resolve, reject) => {
      try {
        const transaction = db.transaction(STORE, 'readwrite');
        transaction.oncomplete = () => resolve();
        transaction.onabort = transaction.onerror = () => reject(failed(transaction.error));
        work(transaction.objectStore(STORE));
      } catch (error) {
        reject(failed(error));
      }
    });
  return {
    load: async (device, most) => {
      const index = db.transaction(STORE).objectStore(STORE).index(BY_DEVICE);
      // In one transaction, and so of the same rows, in the same order.
      const [keys, rows] = await Promise.all([
        result(index.getAllKeys(device, most)),
        result(index.getAll(device, most)) as Promise<{ record: unknown }[]>,
      ]);
      return rows.map(({ record }, at) => [keys[at] as string, record] as const);
    },
    put: (records, most) =>
      write((store) => {
        const own = new Set<IDBValidKey>();
        for (const record of records.values()) {
          own.add(keyText(record.key));
          store.put({ device: record.key.device, record }, keyText(record.key));
        }
        // Which of the others go is not said: rows have no age.
        for (const device of new Set([...records.values()].map(({ key }) => key.device))) {
          const keys = store.index(BY_DEVICE).getAllKeys(device);
          keys.onsuccess = () => {
            const others = keys.result.filter((key) => !own.has(key));
            for (const key of others.slice(0, Math.max(0, keys.result.length - most))) store.delete(key);
          };
        }
      }),
    remove: (keys) =>
      write((store) => {
        for (const key of keys) store.delete(key);
      }),
    close: async () => db.close(),
  };
}

function result<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(failed(request.error));
  });
}

function failed(cause: unknown): Error {
  return wrong(
    'tune.cache',
    'cache',
    cause instanceof Error ? cause.name : 'an error',
    'a database that works',
    cause,
  );
}
