/** Where programs are opened, or tasks compiled: one piece of work at a time, off the request thread. Of each user one piece stands in the row, so that who brings many waits for all others before the second. */
import { Evaluator, OnDemand } from './evaluator.mjs';

export class Desk {
  #evaluator;
  #last = Promise.resolve();
  /** The last piece of each user. */
  #own = new Map();

  /**
   * @param {number} ms the longest that a piece may take from when it is begun
   * @param {() => Promise<Pick<Evaluator, 'compile' | 'inspect' | 'stop'>>} [start] another evaluator than cipherloom's
   */
  constructor(ms, start = () => Evaluator.start(1)) {
    this.ms = ms;
    this.#evaluator = new OnDemand(start);
  }

  /** Whether something of a user's waits, or is worked on. */
  has(user) {
    return this.#own.has(user.id);
  }

  /**
   * Gives what comes of a piece of work, once it was its turn. Errors: its own, whatever became of others'; TimeoutError.
   * @template T
   * @param {{id: string}} user
   * @param {(evaluator: Pick<Evaluator, 'compile' | 'inspect'>, signal: AbortSignal) => Promise<T>} work
   * @returns {Promise<T>}
   */
  take(user, work) {
    const before = this.#own.get(user.id) ?? Promise.resolve();
    const turn = before.then(() => {
      const now = this.#last.then(() => this.#work(work));
      this.#last = ended(now);
      return now;
    });
    const end = ended(turn).then(() => {
      if (this.#own.get(user.id) === end) this.#own.delete(user.id);
    });
    this.#own.set(user.id, end);
    return turn;
  }

  async #work(work) {
    const evaluator = await this.#evaluator.get();
    const signal = AbortSignal.timeout(this.ms);
    try {
      return await work(evaluator, signal);
    } finally {
      // It may not hear of the end before it has done all, and the next one would wait for that.
      if (signal.aborted) await this.#evaluator.end();
    }
  }

  async stop() {
    await this.#evaluator.stop();
  }
}

async function ended(turn) {
  await turn.catch(() => undefined);
}
