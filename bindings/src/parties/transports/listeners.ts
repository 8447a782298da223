/** Who listens to a transport: the runs that go on over it. */
import { failure } from '../../errors.js';
import type { Transport } from '../types.js';

type How = Parameters<Transport['listen']>;
type Hear = How[0];
type Lost = How[1];

/** See above. */
export class Listeners {
  readonly #all = new Set<{ readonly hear: Hear; readonly lost: Lost }>();

  /** Why nothing more is heard. */
  #lost: { readonly cause: unknown } | undefined;

  /** Adds one; gives what takes it away again. */
  add(hear: Hear, lost?: Lost): () => void {
    const own = { hear, lost };
    this.#all.add(own);
    const before = this.#lost;
    if (before !== undefined) queueMicrotask(() => this.#all.has(own) && lost?.(before.cause));
    return () => void this.#all.delete(own);
  }

  /** Tells all. Whatever came from outside as sender and bytes, they look at it. */
  hear(from: unknown, bytes: unknown): void {
    for (const { hear } of [...this.#all]) hear(from as string, bytes as Uint8Array);
  }

  /** Tells all, once, that nothing more is heard, and why; also who comes later. */
  lose(cause: unknown): void {
    if (this.#lost !== undefined) return;
    this.#lost = { cause };
    for (const { lost } of [...this.#all]) {
      try {
        lost?.(cause);
      } catch (error) {
        // Its own affair: the others are told, and what closes goes on to close.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  /** The transport was closed: whoever still listens would wait for ever. */
  close(): void {
    this.lose(failure('party.transport', 'This end of it was closed', { reason: 'closed' }));
    this.#all.clear();
  }
}
