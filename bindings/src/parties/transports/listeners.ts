/** Who listens to a transport: the runs that go on over it. */
import type { Transport } from '../types.js';

type Hear = Parameters<Transport['listen']>[0];

/** See above. */
export class Listeners {
  readonly #all = new Set<{ readonly hear: Hear }>();

  /** Adds one; gives what takes it away again. */
  add(hear: Hear): () => void {
    const own = { hear };
    this.#all.add(own);
    return () => void this.#all.delete(own);
  }

  /** Tells all. Whatever came from outside as sender and bytes, they look at it. */
  hear(from: unknown, bytes: unknown): void {
    for (const { hear } of [...this.#all]) hear(from as string, bytes as Uint8Array);
  }

  clear(): void {
    this.#all.clear();
  }
}
