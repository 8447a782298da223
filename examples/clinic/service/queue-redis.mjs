/**
 * Hands questions to runners of several service processes, by BullMQ. Redis says who is to look at which question now; who has it, and what came of it, the database says.
 * So nothing is lost with Redis: what waits is announced again and again, and a question that is announced twice is run once.
 */
import { ServiceError } from './errors.mjs';

const NAME = 'clinic-questions';

export class RedisQueue {
  #queue;
  #workers = [];
  #timer;
  #announcing = false;

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
    const { Queue, Worker } = await import('bullmq').catch(() => {
      throw new ServiceError(
        500,
        'queue.driver',
        'Questions by Redis need two packages: npm install bullmq ioredis',
        {
          expected: ['bullmq', 'ioredis'],
        },
      );
    });
    const connection = { url: this.config.redis, maxRetriesPerRequest: null };
    this.#queue = new Queue(NAME, { connection });
    this.#queue.on('error', this.#away);
    this.#workers = this.runners.map((runner) => {
      const worker = new Worker(NAME, ({ data }) => runner.work(data.id), { connection, concurrency: 1 });
      worker.on('error', this.#away);
      return worker;
    });
    this.questions.changes.on('queued', this.#announce);
    this.#timer = setInterval(() => void this.#announceAll(), this.config.leaseMs / 2);
    await this.#announceAll();
  }

  #away = (error) => this.log.warn({ code: error.code ?? error.name }, 'Redis is away; questions wait');

  #announce = async (id, attempt = 0) => {
    try {
      // One of the same name that waits is the same.
      await this.#queue.add(
        'question',
        { id },
        { jobId: `${id}-${attempt}`, removeOnComplete: true, removeOnFail: true },
      );
    } catch (error) {
      this.#away(error);
    }
  };

  /** One after the other: with many that wait, or a slow Redis, it takes longer than until the next time. */
  async #announceAll() {
    if (this.#announcing) return;
    this.#announcing = true;
    try {
      for (const { id, attempt } of await this.questions.waiting()) await this.#announce(id, attempt);
    } catch (error) {
      this.log.error({ code: error.code ?? error.name }, 'questions that wait could not be looked up');
    } finally {
      this.#announcing = false;
    }
  }

  async stop() {
    clearInterval(this.#timer);
    this.questions.changes.off('queued', this.#announce);
    await Promise.all(this.runners.map((runner) => runner.stop()));
    await Promise.all(this.#workers.map((worker) => worker.close()));
    await this.#queue?.close();
  }
}
