/** An engine of a loom that is started where it is first asked for, or was before. */
import type { Connection } from './connection.js';
import type { Engine } from './engine.js';
import type { StartMethods } from './protocol.js';

/** See above. */
export class LazyEngine<M extends StartMethods> {
  readonly #start: () => Promise<Engine<M>>;
  #worker: Promise<Engine<M>> | undefined;
  /** The one that has started. */
  #connection: Connection<M> | undefined;
  #closed = false;

  /** `start` starts an engine, unless the loom has ended; `started`: the first one, where there is one already. */
  constructor(start: () => Promise<Engine<M>>, started?: Engine<M>) {
    this.#start = start;
    this.#worker = started && Promise.resolve(started);
    this.#connection = started?.connection;
  }

  /** The worker, dead ones too: these are replaced by `restart`. Errors: as of starting one; the next call tries again. */
  worker(): Promise<Engine<M>> {
    this.#worker ??= this.#begin();
    return this.#worker;
  }

  /** Replaces it if it is dead. Errors: as of starting one. */
  async restart(): Promise<void> {
    if (this.#connection === undefined || this.#connection.alive) return;
    this.#connection = undefined;
    this.#worker = this.#begin();
    await this.#worker;
  }

  /** Ends it. */
  close(): void {
    this.#closed = true;
    this.#connection?.close();
  }

  #begin(): Promise<Engine<M>> {
    const worker = this.#start();
    worker.then(
      ({ connection }) => {
        this.#connection = connection;
        if (this.#closed) connection.close();
      },
      () => {
        if (this.#worker === worker) this.#worker = undefined;
      },
    );
    return worker;
  }
}
