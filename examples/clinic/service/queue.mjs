/** Hands questions to runners in this process. What waits is in the database, so nothing is lost with the process. */
export class EmbeddedQueue {
  #loops;
  #stopped = false;
  #wake = new Set();

  /**
   * @param {import('./questions.mjs').Questions} questions
   * @param {import('./runner.mjs').Runner[]} runners
   * @param {import('./config.mjs').Config} config
   * @param {import('fastify').FastifyBaseLogger} log
   */
  constructor(questions, runners, config, log) {
    this.questions = questions;
    this.runners = runners;
    this.config = config;
    this.log = log;
  }

  async start() {
    this.questions.changes.on('queued', this.#woken);
    this.#loops = this.runners.map((runner) => this.#loop(runner));
  }

  #woken = () => {
    for (const wake of this.#wake) wake();
  };

  async #loop(runner) {
    while (!this.#stopped) {
      let worked = false;
      try {
        worked = await runner.work();
      } catch (error) {
        this.log.error({ code: error.code ?? error.name }, 'a runner could not look for questions');
      }
      if (!worked) await this.#pause();
    }
  }

  /** Until there is a new question here; or for as long as it takes a silent runner to lose one. */
  #pause() {
    if (this.#stopped) return undefined;
    return new Promise((resolve) => {
      const timer = setTimeout(done, Math.min(1000, this.config.leaseMs / 2));
      const wake = this.#wake;
      wake.add(done);
      function done() {
        clearTimeout(timer);
        wake.delete(done);
        resolve(undefined);
      }
    });
  }

  async stop() {
    this.#stopped = true;
    this.questions.changes.off('queued', this.#woken);
    this.#woken();
    await Promise.all(this.runners.map((runner) => runner.stop()));
    await Promise.all(this.#loops ?? []);
  }
}
