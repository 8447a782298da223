/** Workers that compute users' own base operators: as many as there are threads, each started when it is first needed. */
import type { RawOutgoing } from '../raw.js';
import { Connection } from './connection.js';
import type { OperatorMethods, OperatorModule } from './protocol.js';
import type { WorkerLike } from '../types.js';

/** See above. */
export class OperatorWorkers {
  readonly #create: () => WorkerLike;
  readonly #most: number;
  readonly #all = new Set<Connection<OperatorMethods>>();
  readonly #idle: Connection<OperatorMethods>[] = [];
  readonly #waiting: (() => void)[] = [];

  /** `create` makes a worker; at most `most` of them. */
  constructor(create: () => WorkerLike, most: number) {
    this.#create = create;
    this.#most = most;
  }

  /**
   * Computes one operator. A function may never come back: aborting ends its worker. Errors: GraphError `operator.failed`,
   * `operator.result`; WorkerError.
   */
  async compute(
    module: OperatorModule,
    outgoing: RawOutgoing,
    signal: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const connection = await this.#take(signal);
    const end = (): void => connection.close();
    try {
      signal.addEventListener('abort', end, { once: true });
      signal.throwIfAborted();
      const transfer = outgoing.data.map(({ buffer }) => buffer);
      return await connection.call('compute', [module, outgoing], { transfer });
    } finally {
      signal.removeEventListener('abort', end);
      this.#leave(connection);
    }
  }

  /** Ends all of them. */
  close(): void {
    for (const connection of this.#all) connection.close();
  }

  /** A free worker, once there is one. */
  async #take(signal: AbortSignal): Promise<Connection<OperatorMethods>> {
    for (;;) {
      if (signal.aborted) this.#next();
      signal.throwIfAborted();
      const idle = this.#idle.pop();
      if (idle?.alive) return idle;
      if (idle === undefined && this.#all.size < this.#most) return this.#start();
      if (idle === undefined) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #start(): Connection<OperatorMethods> {
    const connection: Connection<OperatorMethods> = new Connection('operator', this.#create(), () => {
      this.#all.delete(connection);
      this.#next();
    });
    this.#all.add(connection);
    return connection;
  }

  #leave(connection: Connection<OperatorMethods>): void {
    if (connection.alive) this.#idle.push(connection);
    this.#next();
  }

  /** Lets one who waits look again. */
  #next(): void {
    this.#waiting.shift()?.();
  }
}
