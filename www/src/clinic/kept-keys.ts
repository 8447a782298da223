/** Secret keys that are kept in this browser, each under a passphrase: nothing else is in the store that is worth hiding. */

export interface KeptKey {
  /** Of the set of keys that the service has. */
  readonly set: string;
  readonly user: string;
  readonly program: string;
  /** What `Client.exportKey` gave. */
  readonly sealed: Uint8Array;
}

const NAME = 'cipherloom.clinic';
const STORE = 'keys';

/** Errors: DOMException where the browser keeps nothing, as in some private windows. */
export async function keep(key: KeptKey): Promise<void> {
  await inStore('readwrite', (store) => store.put(key));
}

export async function keptOf(user: string): Promise<KeptKey[]> {
  const all = await inStore<KeptKey[]>('readonly', (store) => store.getAll());
  return all.filter((key) => key.user === user);
}

export async function forget(set: string): Promise<void> {
  await inStore('readwrite', (store) => store.delete(set));
}

async function inStore<T>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const opening = indexedDB.open(NAME, 1);
  opening.addEventListener('upgradeneeded', () =>
    opening.result.createObjectStore(STORE, { keyPath: 'set' }),
  );
  const database = await done(opening);
  try {
    const transaction = database.transaction(STORE, mode);
    const ended = new Promise<void>((resolve, reject) => {
      transaction.addEventListener('complete', () => resolve());
      for (const type of ['error', 'abort'])
        transaction.addEventListener(type, () => reject(transaction.error ?? new Error('Nothing was kept')));
    });
    const [result] = await Promise.all([done(work(transaction.objectStore(STORE))), ended]);
    return result;
  } finally {
    database.close();
  }
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('The browser keeps nothing')));
  });
}
