/** Globals as a worker sees them. */
import { decodeChunk } from './chunk.js';
import type { Store } from './store.js';
import type { Data, Global, Key, Row } from './types.js';
import type { GlobalRef, Task } from './work.js';

/** Reads them, and keeps those that are to be kept, with a bound on how many. */
export class Globals {
  readonly #store: Pick<Store, 'get'>;
  readonly #kept = new Map<string, Promise<Global>>();

  constructor(store: Pick<Store, 'get'>) {
    this.#store = store;
  }

  /** A task's globals by name. Errors: JobError `job.store`, `job.chunk`. */
  async open(globals: Task['globals']): Promise<Readonly<Record<string, Global>>> {
    const opened = Object.entries(globals).map(async ([name, ref]) => [name, await this.#open(ref)] as const);
    return Object.assign(Object.create(null) as object, Object.fromEntries(await Promise.all(opened)));
  }

  #open({ chunk, keep }: GlobalRef): Promise<Global> {
    const kept = this.#kept.get(chunk.name);
    if (kept !== undefined) return kept;
    const global = this.#store.get(chunk).then((bytes) => new Rows(decodeChunk(bytes)));
    if (!keep) return global;
    // The one that is longest there goes first.
    if (this.#kept.size >= MOST_KEPT) this.#kept.delete(this.#kept.keys().next().value as string);
    this.#kept.set(chunk.name, global);
    global.catch(() => this.#kept.delete(chunk.name));
    return global;
  }
}

const MOST_KEPT = 16;

/** A global's rows. */
class Rows implements Global {
  readonly #rows: readonly Row[];
  readonly #values: ReadonlyMap<Key, Data>;

  constructor(rows: readonly Row[]) {
    this.#rows = rows;
    this.#values = new Map(rows as readonly Row<Key>[]);
  }

  get(key: Key): Data | undefined {
    return this.#values.get(key);
  }

  getItr(): IterableIterator<Row<Key>> {
    return (this.#rows as readonly Row<Key>[])[Symbol.iterator]();
  }
}
