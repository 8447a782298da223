/** A NATS server that may be restarted: what it is asked meanwhile is lost, and asked again. */
import { told } from './nats-errors.js';
import type { Connection } from './nats-libraries.js';

const RETRY_MS = { least: 50, most: 1000 };

/** See above. */
export class NatsServer {
  readonly #connection: Connection;
  readonly #patience: number;
  /** Called when it is gone, and when it is back. */
  readonly #lost = new Set<() => void>();
  readonly #back = new Set<() => void>();

  /** `patience`: milliseconds for which it may be away. */
  constructor(connection: Connection, patience: number) {
    this.#connection = connection;
    this.#patience = patience;
    void this.#watch();
  }

  /**
   * Asks until there is an answer, or there was none for as long as the server may be away, or until `last`, as of performance.now(). What it refuses is not asked again.
   * Errors: PartyError `party.transport`.
   */
  async ask<T>(what: string, question: () => Promise<T>, last = () => Number.POSITIVE_INFINITY): Promise<T> {
    const end = performance.now() + this.#patience;
    for (let wait = RETRY_MS.least; ; wait = Math.min(2 * wait, RETRY_MS.most)) {
      try {
        return await this.#once(question);
      } catch (error) {
        const isClosed = this.#connection.isClosed();
        // Why the library has given up, such as a password that is none any more, says more than that it has.
        const final = told((isClosed && (await this.#connection.closed())) || error, what);
        if (
          final.details['reason'] !== 'unreachable' ||
          isClosed ||
          performance.now() >= Math.min(end, last())
        )
          throw final;
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    }
  }

  /** Has `call` called when the connection is lost, until the function that it gives is. */
  whenLost(call: () => void): () => void {
    this.#lost.add(call);
    return () => void this.#lost.delete(call);
  }

  /** One answer. The library drops what it has not sent when it connects again, and would wait for its whole time. */
  async #once<T>(question: () => Promise<T>): Promise<T> {
    let fail = (): void => {};
    const anew = new Promise<never>((_, reject) => {
      fail = () => reject(new Error('the connection was lost, and made again'));
    });
    this.#back.add(fail);
    try {
      return await Promise.race([question(), anew]);
    } finally {
      this.#back.delete(fail);
    }
  }

  async #watch(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      const calls = { disconnect: this.#lost, reconnect: this.#back }[type];
      for (const call of [...(calls ?? [])]) call();
    }
  }
}
