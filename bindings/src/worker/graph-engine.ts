/** The graph worker of a loom, started where it is first asked for. */
import type { Connection } from './connection.js';
import type { Engine } from './engine.js';
import type { GraphMethods } from './protocol.js';

/** An engine that works on graphs. */
export type GraphWorker = Engine<GraphMethods>;

/** See above. */
export class GraphEngine {
  readonly #start: () => Promise<GraphWorker>;
  #worker: Promise<GraphWorker> | undefined;
  /** The one that has started. */
  #connection: Connection<GraphMethods> | undefined;
  #closed = false;

  /** `start` starts an engine, unless the loom has ended. */
  constructor(start: () => Promise<GraphWorker>) {
    this.#start = start;
  }

  /** The worker, dead ones too: these are replaced by `restart`. Errors: as of starting one; the next call tries again. */
  worker(): Promise<GraphWorker> {
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

  #begin(): Promise<GraphWorker> {
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
