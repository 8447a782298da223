/** Chunks into rows. */
import { decodeChunk } from './chunk.js';
import type { Store } from './store.js';
import type { Row } from './types.js';
import type { Chunk } from './work.js';

/** The rows of chunks, a chunk's at a time. Errors: JobError `job.store`, `job.chunk`. */
export async function* rowsOf(
  chunks: readonly Chunk[],
  store: Pick<Store, 'get'>,
): AsyncGenerator<readonly Row[]> {
  for (const { ref } of chunks) yield decodeChunk(await store.get(ref));
}
