/** Work that goes on beside other work, not too much at once. */

/** At most so many pieces of work are under way. The first error ends the others, by its signal. */
export class Pool {
  readonly #failed = new AbortController();
  /** Aborts with the caller's, or with the first error. */
  readonly signal: AbortSignal;
  #free: number;
  readonly #waiting: (() => void)[] = [];
  readonly #pending = new Set<Promise<void>>();

  constructor(most: number, signal: AbortSignal) {
    this.#free = most;
    this.signal = AbortSignal.any([signal, this.#failed.signal]);
  }

  /** Begins a piece of work once there is room. Errors: that of an earlier piece. */
  async add(work: () => Promise<void>): Promise<void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.signal.aborted) {
      this.#leave();
      throw this.signal.reason;
    }
    const done = work()
      .catch((error: unknown) => this.#failed.abort(error))
      .finally(() => {
        this.#pending.delete(done);
        this.#leave();
      });
    this.#pending.add(done);
  }

  /** Waits until all of it has ended. Errors: the first one. */
  async end(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
    this.signal.throwIfAborted();
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
