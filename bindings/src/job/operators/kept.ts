/** What was opened, by name: the few used last stay open. */

/** See above. Nothing is disposed of while somebody works with it. */
export class Kept<T extends { dispose(): void }> {
  readonly #most: number;
  /** The one used last is last. */
  readonly #entries = new Map<string, Entry<T>>();
  #closed = false;

  /** `most`: how many stay open while nobody works with them. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Works with the one of a name, which `open` opens if it is not here. One that could not be opened is opened anew the next time. */
  async use<R>(name: string, open: () => Promise<T>, work: (opened: T) => Promise<R>): Promise<R> {
    const entry: Entry<T> = this.#entries.get(name) ?? { opened: open(), users: 0 };
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    entry.users++;
    try {
      const opened = await entry.opened.catch((error: unknown) => {
        if (this.#entries.get(name) === entry) this.#entries.delete(name);
        throw error;
      });
      return await work(opened);
    } finally {
      entry.users--;
      this.#tidy();
    }
  }

  /** Closes all that nobody works with, and the others when their users are done. */
  close(): void {
    this.#closed = true;
    this.#tidy();
  }

  #tidy(): void {
    const most = this.#closed ? 0 : this.#most;
    for (const [name, { opened, users }] of this.#entries) {
      if (this.#entries.size <= most) return;
      if (users > 0) continue;
      this.#entries.delete(name);
      opened.then(
        (one) => one.dispose(),
        () => {},
      );
    }
  }
}

interface Entry<T> {
  readonly opened: Promise<T>;
  users: number;
}
