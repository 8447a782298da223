/** A store in the memory of this process. */
import { describe } from '../arguments.js';
import { checkBytes } from '../bytes.js';
import { failure } from '../errors.js';
import type { Ref, Store } from './store.js';

/** Keeps bytes until they are dropped. Nobody else knows the names, so that these are numbers: hashes would cost, and tell nothing. */
export class MemoryStore implements Store {
  readonly #kept = new Map<string, Uint8Array>();
  #next = 0;
  #bytes = 0;

  /** How many bytes it has now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How many chunks and blobs it has now. */
  get count(): number {
    return this.#kept.size;
  }

  /** See {@link Store.put}. Errors: InputError `input.type`. */
  async put(bytes: Uint8Array): Promise<Ref> {
    checkBytes('MemoryStore.put, bytes', bytes);
    const name = String(this.#next++);
    this.#kept.set(name, bytes);
    this.#bytes += bytes.length;
    return { name, bytes: bytes.length };
  }

  /** See {@link Store.get}. The bytes are the store's own: for reading. */
  async get({ name, bytes }: Ref): Promise<Uint8Array> {
    const kept = this.#kept.get(name);
    if (kept === undefined) {
      const problem = `The memory of this process has no bytes ${describe(name)}: dropped, or of another store`;
      throw failure('job.store', problem, { found: name });
    }
    if (kept.length === bytes) return kept;
    const problem = `Bytes ${describe(name)} are ${kept.length}, and ${describe(bytes)} are asked for: of another store?`;
    throw failure('job.chunk', problem, { name, found: kept.length, expected: bytes });
  }

  /** See {@link Store.drop}. */
  async drop(refs: readonly Ref[]): Promise<void> {
    for (const { name } of refs) {
      this.#bytes -= this.#kept.get(name)?.length ?? 0;
      this.#kept.delete(name);
    }
  }
}
