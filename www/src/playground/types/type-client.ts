/** The page's side of the worker that knows TypeScript. */
import type { Answered, Asked, QuestionName, Questions } from './messages.js';

export class TypeClient {
  #worker: Worker | undefined;
  readonly #pending = new Map<
    number,
    { readonly resolve: (answer: never) => void; readonly reject: (error: Error) => void }
  >();
  #next = 0;

  /** Errors: of a worker that fails; the next question starts another one. */
  ask<N extends QuestionName>(name: N, ask: Questions[N]['ask']): Promise<Questions[N]['answer']> {
    const id = this.#next++;
    const worker = this.#start();
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve: resolve as (answer: never) => void, reject });
      worker.postMessage({ id, name, ask } satisfies Asked);
    });
  }

  #start(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(new URL('./type-worker.js', import.meta.url), {
      type: 'module',
      name: 'types',
    });
    worker.addEventListener('message', ({ data }: MessageEvent<Answered>) => {
      const pending = this.#pending.get(data.id);
      this.#pending.delete(data.id);
      if ('failure' in data)
        pending?.reject(new Error(`The program could not be looked at: ${data.failure}`));
      else pending?.resolve(data.answer as never);
    });
    worker.addEventListener('error', ({ message }) => {
      worker.terminate();
      this.#worker = undefined;
      for (const { reject } of this.#pending.values())
        reject(new Error(`The worker that knows TypeScript failed: ${message || 'it could not be loaded'}`));
      this.#pending.clear();
    });
    return (this.#worker = worker);
  }
}
