/** Rows into chunks. */
import { encodeChunk, sizeOf } from './chunk.js';
import type { Store } from './store.js';
import type { Row } from './types.js';
import type { Chunk } from './work.js';

/** Most rows of a chunk. */
export const MOST_ROWS = 4096;
/** About as many bytes has a chunk at most, but for a row that has more. */
export const MOST_BYTES = 2 ** 20;

/** Writes rows to a store, in their order. */
export class ChunkWriter {
  readonly #store: Pick<Store, 'put'>;
  readonly #chunks: Chunk[] = [];
  #rows: Row[] = [];
  #bytes = 0;
  #first = 0;

  constructor(store: Pick<Store, 'put'>) {
    this.#store = store;
  }

  /** Takes a row. True where there is enough for a chunk: `flush` is to be called before much more comes. */
  add(row: Row): boolean {
    this.#rows.push(row);
    this.#bytes += sizeOf(row);
    return this.#rows.length >= MOST_ROWS || this.#bytes >= MOST_BYTES;
  }

  /** Writes what was taken. Errors: JobError `job.store`. */
  async flush(): Promise<void> {
    const rows = this.#rows;
    this.#rows = [];
    this.#bytes = 0;
    for (let from = 0; from < rows.length; from += MOST_ROWS) {
      const some = rows.slice(from, from + MOST_ROWS);
      const ref = await this.#store.put(encodeChunk(some));
      this.#chunks.push({ ref, rows: some.length, first: this.#first });
      this.#first += some.length;
    }
  }

  /** All chunks, once the rest is written. */
  async end(): Promise<readonly Chunk[]> {
    await this.flush();
    return this.#chunks;
  }
}
