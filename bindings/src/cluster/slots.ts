/** A bounded number of things at a time. */
export class Slots {
  readonly #limit: () => number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(limit: () => number) {
    this.#limit = limit;
  }

  /** Waits for one. Throws the signal's reason. */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#taken < this.#limit() && this.#waiting.length === 0) {
      this.#taken += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const mine = (): void => {
        signal.removeEventListener('abort', abort);
        resolve();
      };
      const abort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(mine), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', abort, { once: true });
      this.#waiting.push(mine);
    });
  }

  give(): void {
    this.#taken -= 1;
    this.refill();
  }

  /** The limit may have grown. */
  refill(): void {
    while (this.#taken < this.#limit() && this.#waiting.length > 0) {
      this.#taken += 1;
      (this.#waiting.shift() as () => void)();
    }
  }
}
