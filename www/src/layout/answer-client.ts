/** The page's side of the answer worker. */
import type { Answer, Wrong } from './answer.js';
import type { AnswerReply, AnswerRequest } from './answer-worker.js';
import type { Question } from './question.js';

export class AnswerClient {
  #worker: Worker | undefined;
  #next = 0;
  #pending:
    | {
        readonly id: number;
        readonly resolve: (reply: Answer | Wrong | undefined) => void;
        readonly reject: (error: Error) => void;
      }
    | undefined;

  /** The answer, or what is wrong; undefined if another question was asked meanwhile. A worker that is still busy with the one before ends. Errors: of a worker that fails. */
  ask(question: Question): Promise<Answer | Wrong | undefined> {
    if (this.#pending !== undefined) {
      this.#pending.resolve(undefined);
      this.#worker?.terminate();
      this.#worker = undefined;
    }
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#pending = { id, resolve, reject };
      this.#start().postMessage({ id, question } satisfies AnswerRequest);
    });
  }

  #start(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(new URL('./answer-worker.js', import.meta.url), {
      type: 'module',
      name: 'labels',
    });
    worker.addEventListener('message', ({ data: { id, reply } }: MessageEvent<AnswerReply>) => {
      if (id !== this.#pending?.id) return;
      this.#pending.resolve(reply);
      this.#pending = undefined;
    });
    worker.addEventListener('error', ({ message }) => {
      if (worker !== this.#worker) return;
      this.#pending?.reject(new Error(`The worker that places labels failed: ${message}`));
      this.#pending = undefined;
      worker.terminate();
      this.#worker = undefined;
    });
    return (this.#worker = worker);
  }
}
