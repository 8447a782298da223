/** Work that goes on beside other work, not too much at once. */

/** At most so many pieces of work are under way. The first error is told to `fail`, which ends the others by the signal. */
export class Pool {
  readonly #signal: AbortSignal;
  readonly #fail: (error: unknown) => void;
  #free: number;
  readonly #waiting: (() => void)[] = [];
  readonly #pending = new Set<Promise<void>>();

  constructor(most: number, signal: AbortSignal, fail: (error: unknown) => void) {
    this.#free = most;
    this.#signal = signal;
    this.#fail = fail;
  }

  /** Begins a piece of work once there is room. Errors: that of an earlier piece. */
  async add(work: () => Promise<void>): Promise<void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.#signal.aborted) {
      this.#leave();
      throw this.#signal.reason;
    }
    const done = work()
      .catch(this.#fail)
      .finally(() => {
        this.#pending.delete(done);
        this.#leave();
      });
    this.#pending.add(done);
  }

  /** Waits until all of it has ended. Errors: the signal's reason, such as the first error. */
  async end(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
    this.#signal.throwIfAborted();
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
