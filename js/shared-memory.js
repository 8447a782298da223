// The memory of an engine with threads, or of one that could have them: README.md.

/** Bytes of a page of WebAssembly. */
const PAGE = 65536;

/** Pages that a memory starts with: no fewer than the module's own minimum, which the build checks. */
const INITIAL_PAGES = 64;

/** Maxima to try, largest first: 4, 2 and 1 GiB. Some platforms refuse to reserve the large ones. */
const MAXIMUM_PAGES = [65536, 32768, 16384];

/**
 * A memory, and how far it can grow.
 * @typedef {{ memory: WebAssembly.Memory, maximumBytes: number }} SharedMemory
 */

/**
 * The largest shared memory that this platform grants. Any realm may make one; a page and its workers can send it to
 * each other only where the page is cross-origin isolated.
 * @returns {SharedMemory}
 * @throws {RangeError} where it refuses even 1 GiB: what is left is the build without shared memory
 */
export function sharedMemory() {
  let refusal;
  for (const maximum of MAXIMUM_PAGES) {
    try {
      const memory = new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum, shared: true });
      return { memory, maximumBytes: maximum * PAGE };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      refusal = error;
    }
  }
  throw refusal;
}
