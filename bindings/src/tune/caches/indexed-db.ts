/** A cache in a page's own database. */
import { keyText } from '../key.js';
import { wrong } from '../wrong.js';
import type { TuneCache } from './types.js';

const STORE = 'records';
const BY_DEVICE = 'device';

/** Opens, or makes, a database of this page's origin. Errors: TuneError `tune.cache` where there is none, or it does not open. */
export async function indexedDbCache(name = 'cipherloom-tune'): Promise<TuneCache> {
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
      const rows = (await result(
        db.transaction(STORE).objectStore(STORE).index(BY_DEVICE).getAll(device, most),
      )) as { record: unknown }[];
      return rows.map(({ record }) => record);
    },
    put: (records) =>
      write((store) => {
        for (const record of records.values())
          store.put({ device: record.key.device, record }, keyText(record.key));
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
