/** Which worker has which part, for tasks that only that one can do: its directory is its own. */
import type { Kind } from '../job/kinds.js';
import type { WorkerInfo } from './messages.js';

/** A worker process. */
export interface Found extends WorkerInfo {
  readonly id: string;
}

/** Threads of worker processes by their numbers; each stays what it is as long as its process lives. */
export class OwnWorkers {
  readonly #threads = new Map<Kind, { readonly id: string; readonly leads: boolean }[]>();
  #alive = new Set<string>();

  /** Takes in who lives. New ones come behind those that were there; ones that are gone leave gaps, until all that is left is looked for anew by {@link forget}. */
  see(alive: readonly Found[]): void {
    this.#alive = new Set(alive.map(({ id }) => id));
    for (const { id, kind, threads } of alive.toSorted((a, b) => a.first - b.first)) {
      const known = this.#threads.get(kind) ?? [];
      this.#threads.set(kind, known);
      if (known.some((thread) => thread.id === id)) continue;
      // The threads of a process see one directory: it is the first one's, and counts once.
      for (let thread = 0; thread < threads; thread++) known.push({ id, leads: thread === 0 });
    }
  }

  /** Nothing is under way: numbers may be given anew. */
  forget(): void {
    for (const [kind, threads] of this.#threads)
      this.#threads.set(
        kind,
        threads.filter(({ id }) => this.#alive.has(id)),
      );
  }

  /** The process that has a part, and whether it is its first thread's; none where that one is gone, or never was. */
  of(kind: Kind, part: number): { readonly id: string; readonly leads: boolean } | undefined {
    const thread = this.#threads.get(kind)?.[part];
    return thread !== undefined && this.#alive.has(thread.id) ? thread : undefined;
  }
}
