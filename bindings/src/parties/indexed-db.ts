/**
 * Where a party in a tab keeps what lets it come back: an IndexedDB database of its origin. Values are encrypted by AES-256-GCM under a key that WebCrypto made in this
 * browser and never gives out (`extractable: false`), each with a nonce of 96 random bits and its name as additional data, so that none stands in for another. What that is good for, and what
 * not, SECURITY.md says.
 */
import { checkArgument, TEXT } from '../arguments.js';
import { webCrypto } from '../sealed-key.js';
import type { PartyStore } from './types.js';

/** A store of a browser's. */
export interface BrowserStore extends PartyStore {
  /** Ends its connection; a later call opens it again. */
  close(): Promise<void>;
  /** Forgets all, the key too, and the database with it. */
  destroy(): Promise<void>;
}

const VALUES = 'values';
const KEYS = 'keys';
const KEY = 'aes-256-gcm';
const AES = { name: 'AES-GCM', length: 256 };
const NONCE = 12;

interface Sealed {
  readonly nonce: Uint8Array<ArrayBuffer>;
  readonly bytes: ArrayBuffer;
}

/**
 * In a database of that name, of this origin, which is made if it is not there: one for each party and run, or names meet. Errors: InputError `input.type`; ParameterError `parameters.crypto` where a page has no WebCrypto; of its
 * methods: those of IndexedDB, and an Error where a value was altered or moved, or its key is gone. Browsers may delete databases of origins that are seldom visited, or where there is little room.
 */
export function inIndexedDB(name: string): BrowserStore {
  checkArgument('inIndexedDB, name', name, TEXT);
  webCrypto('stores of a browser');
  let opened: Promise<Opened> | undefined;
  const open = (): Promise<Opened> => {
    opened ??= openDatabase(name, () => (opened = undefined));
    // Who asks again tries again.
    opened.catch(() => (opened = undefined));
    return opened;
  };
  const close = async (): Promise<void> => {
    const before = opened;
    opened = undefined;
    (await before?.catch(() => undefined))?.database.close();
  };
  return {
    async get(of) {
      const { database, key } = await open();
      const found = (await done(database.transaction(VALUES).objectStore(VALUES).get(of))) as
        Sealed | undefined;
      if (found === undefined) return undefined;
      try {
        const algorithm = { name: AES.name, iv: found.nonce, additionalData: utf8(of) };
        return new Uint8Array(await webCrypto().subtle.decrypt(algorithm, key, found.bytes));
      } catch (cause) {
        throw new Error('a value was altered, or is of another name or key', { cause });
      }
    },
    async put(of, bytes) {
      const { database, key } = await open();
      const nonce = crypto.getRandomValues(new Uint8Array(NONCE));
      const algorithm = { name: AES.name, iv: nonce, additionalData: utf8(of) };
      // Copied: never memory that threads share.
      const sealed = await webCrypto().subtle.encrypt(algorithm, key, new Uint8Array(bytes));
      await change(database, (values) => values.put({ nonce, bytes: sealed } satisfies Sealed, of));
    },
    async remove(of) {
      const { database } = await open();
      await change(database, (values) => values.delete(of));
    },
    close,
    async destroy() {
      await close();
      await done(indexedDB.deleteDatabase(name));
    },
  };
}

interface Opened {
  readonly database: IDBDatabase;
  readonly key: CryptoKey;
}

async function openDatabase(name: string, ended: () => void): Promise<Opened> {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore(VALUES);
    request.result.createObjectStore(KEYS);
  };
  const database = await done(request);
  // Another tab deletes it: without this, that one would wait for ever.
  database.onversionchange = () => {
    ended();
    database.close();
  };
  database.onclose = ended;
  try {
    return { database, key: await keyOf(database) };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The key of a database, made where there is none; of two who make one at once the first. */
async function keyOf(database: IDBDatabase): Promise<CryptoKey> {
  const found = (): Promise<CryptoKey | undefined> =>
    done(database.transaction(KEYS).objectStore(KEYS).get(KEY));
  const before = await found();
  if (before !== undefined) return before;
  const made = await webCrypto().subtle.generateKey(AES, false, ['encrypt', 'decrypt']);
  const transaction = database.transaction(KEYS, 'readwrite', { durability: 'strict' });
  const keys = transaction.objectStore(KEYS);
  // Within one transaction, so that nothing comes between.
  const look = keys.getKey(KEY);
  look.onsuccess = () => {
    if (look.result === undefined) keys.put(made, KEY);
  };
  await ended(transaction);
  return (await found()) as CryptoKey;
}

/** One change, on the disk as far as the browser says. */
async function change(database: IDBDatabase, make: (values: IDBObjectStore) => unknown): Promise<void> {
  const transaction = database.transaction(VALUES, 'readwrite', { durability: 'strict' });
  make(transaction.objectStore(VALUES));
  await ended(transaction);
}

function ended(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error('the transaction was aborted'));
  });
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the request failed'));
  });
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
