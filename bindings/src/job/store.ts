/** Where chunks and blobs lie between those who make them and those who read them. */

/** Names stored bytes. */
export interface Ref {
  /** Under which the store has them: where a store is shared by machines, the SHA-256 of the bytes, in hexadecimal, and a number, so that who drops bytes drops nobody else's. */
  readonly name: string;
  /** How many. */
  readonly bytes: number;
}

/** Keeps bytes by name. Implementations: memory (one process), a folder, Redis. */
export interface Store {
  /** Keeps bytes, which the caller does not change any more. Errors: JobError `job.store`. */
  put(bytes: Uint8Array): Promise<Ref>;
  /** Gives them. Errors: JobError `job.store` if they are not there, `job.chunk` if they are others than their name says. */
  get(ref: Ref): Promise<Uint8Array>;
  /** Forgets them; nothing happens where they are not there. */
  drop(refs: readonly Ref[]): Promise<void>;
}

/** A store that knows what was put into it, so that all of it can be forgotten: of a task that failed. */
export class TrackingStore implements Pick<Store, 'get' | 'put'> {
  readonly #store: Store;
  readonly #put: Ref[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  get(ref: Ref): Promise<Uint8Array> {
    return this.#store.get(ref);
  }

  async put(bytes: Uint8Array): Promise<Ref> {
    const ref = await this.#store.put(bytes);
    this.#put.push(ref);
    return ref;
  }

  /** Forgets what was put. */
  async forget(): Promise<void> {
    await this.#store.drop(this.#put.splice(0));
  }
}
