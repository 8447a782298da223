/** One runner of the service's own: takes a question, computes it off the request thread, stores the answer. */
import { randomUUID } from 'node:crypto';
import { Evaluator, OnDemand } from './evaluator.mjs';
import { MOST_MESSAGE, ServiceError } from './errors.mjs';
import { SERVICE } from './questions.mjs';

export class Runner {
  #evaluator;
  #stopped = new AbortController();
  #name = randomUUID();

  /**
   * @param {import('./questions.mjs').Questions} questions
   * @param {import('./storage.mjs').Storage} storage
   * @param {import('./config.mjs').Config} config
   * @param {import('fastify').FastifyBaseLogger} log
   * @param {(threads: number) => Promise<Pick<Evaluator, 'run' | 'stop'>>} [start] another evaluator than cipherloom's
   */
  constructor(questions, storage, config, log, start = (threads) => Evaluator.start(threads)) {
    this.questions = questions;
    this.storage = storage;
    this.config = config;
    this.log = log;
    this.#evaluator = new OnDemand(() => start(config.threads));
  }

  /** Takes a question that waits (or that one, if it waits) and runs it to its end. False where there is none. */
  async work(id) {
    const job = await this.questions.claim({ worker: this.#name, runner: null, id });
    if (!job) return false;
    await this.#run(job);
    return true;
  }

  async #run(job) {
    const { id, attempt } = job;
    const lost = new AbortController();
    let progress;
    const beat = async () => {
      // A database that is away for a moment does not end a run; the lease does.
      const mine = await this.questions.renew(job, progress).catch(() => true);
      if (!mine) lost.abort();
    };
    const timer = setInterval(beat, this.config.leaseMs / 4);
    // Somebody here has cancelled it.
    const changed = () => void beat();
    const onProgress = ({ done, total }) => {
      const tenth = Math.floor((10 * done) / total) / 10;
      if (progress && tenth <= progress.done / progress.total) return;
      progress = { done, total };
      void beat();
    };
    this.questions.changes.on(`cancel ${id}`, changed);
    try {
      const evaluator = await this.#evaluator.get();
      const late = AbortSignal.timeout(this.config.questionMs);
      const signal = AbortSignal.any([lost.signal, this.#stopped.signal, late]);
      const ciphertexts = await evaluator.run(job, (sha) => this.storage.blobs.read(sha), {
        signal,
        onProgress,
      });
      const outputs = await this.#stored(job, ciphertexts);
      await this.questions.finish(job, outputs, SERVICE);
    } catch (error) {
      await this.#failed(job, error, lost.signal.aborted).catch((again) =>
        // Its lease ends, and somebody takes it again.
        this.log.error(
          { question: id, attempt, code: again.code ?? again.name },
          'a question could not be given back',
        ),
      );
    } finally {
      clearInterval(timer);
      this.questions.changes.off(`cancel ${id}`, changed);
    }
  }

  /** Outputs that share ciphertexts are the same bytes, and stored once. */
  async #stored(job, ciphertexts) {
    const known = new Map();
    const outputs = {};
    for (const [name, bytes] of Object.entries(ciphertexts)) {
      if (!known.has(bytes)) known.set(bytes, await this.questions.store(job, Buffer.from(bytes)));
      outputs[name] = known.get(bytes);
    }
    return outputs;
  }

  async #failed(job, error, lost) {
    const { id, attempt } = job;
    if (lost || error.code === 'question.lost') {
      this.log.info({ question: id, attempt }, 'a question was cancelled, or is another runner’s');
      return;
    }
    if (this.#stopped.signal.aborted) {
      await this.questions.release(job);
      return;
    }
    await this.questions.fail(job, told(error), SERVICE);
    this.log.warn({ question: id, attempt, code: told(error).code }, 'a question failed');
  }

  /** Ends what it runs, which goes back to those that wait. */
  async stop() {
    this.#stopped.abort();
    await this.#evaluator.stop();
  }
}

/** What the asker is told of an error, no longer than the service takes it: the package's and the service's own tell no values, others may. */
export function told(error) {
  if (error.name === 'TimeoutError')
    return { code: 'question.time', message: 'It took longer than a run may take' };
  if (error.code === 'ENOSPC' || error.code === 'storage.full')
    return { code: 'storage.full', message: 'There is no room for the answer' };
  const known =
    error instanceof ServiceError ||
    (typeof error.code === 'string' && /^[a-z]+(\.[a-z_]+)?$/.test(error.code));
  if (known) return { code: error.code, message: error.message.slice(0, MOST_MESSAGE) || error.code };
  return { code: 'service.failed', message: 'The service failed; its log says where' };
}
