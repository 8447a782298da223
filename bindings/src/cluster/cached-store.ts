/** What a worker fetched from the store, kept: programs, keys and globals travel once to each. */
import type { Ref, Store } from '../job/store.js';
import { hashIn } from './named.js';

/** Keeps bytes by their hash, up to a limit; what was not used for longest goes first. */
export class CachedStore implements Store {
  readonly #store: Store;
  readonly #limit: number;
  readonly #kept = new Map<string, Uint8Array>();
  readonly #coming = new Map<string, Promise<Uint8Array>>();
  #bytes = 0;

  constructor(store: Store, limit: number) {
    this.#store = store;
    this.#limit = limit;
  }

  put(bytes: Uint8Array): Promise<Ref> {
    // Others read it, as a rule.
    return this.#store.put(bytes);
  }

  async get(ref: Ref): Promise<Uint8Array> {
    const hash = hashIn(ref.name);
    const kept = this.#kept.get(hash);
    if (kept !== undefined) {
      this.#kept.delete(hash);
      this.#kept.set(hash, kept);
      return kept;
    }
    // Two threads that ask for the same at once are served by one journey.
    let coming = this.#coming.get(hash);
    if (coming === undefined) {
      coming = this.#store.get(ref).finally(() => this.#coming.delete(hash));
      this.#coming.set(hash, coming);
      coming.then(
        (bytes) => this.#keep(hash, bytes),
        () => {},
      );
    }
    return coming;
  }

  drop(refs: readonly Ref[]): Promise<void> {
    return this.#store.drop(refs);
  }

  #keep(hash: string, bytes: Uint8Array): void {
    if (bytes.length > this.#limit) return;
    this.#kept.set(hash, bytes);
    this.#bytes += bytes.length;
    for (const [oldest, { length }] of this.#kept) {
      if (this.#bytes <= this.#limit) return;
      this.#kept.delete(oldest);
      this.#bytes -= length;
    }
  }
}
