/** The page's side of the data worker. */
import { CipherloomError } from 'cipherloom';
import type { DataTable, ReadOptions, Reply, Request } from './messages.js';

interface Pending {
  resolve(value: DataTable): void;
  reject(error: Error): void;
}

/** Reads files, in a worker. */
export class DataClient {
  #worker = this.#start();
  readonly #pending = new Map<number, Pending>();
  #next = 0;

  /** Reads a file that has a table: text, a spreadsheet or Parquet. Errors: TableError, and of other files `file.unreadable`. */
  read(file: ArrayBuffer, options: ReadOptions = {}): Promise<DataTable> {
    const id = this.#next++;
    this.#worker.postMessage({ id, file, options } satisfies Request, [file]);
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
  }

  #start(): Worker {
    const worker = new Worker(new URL('./data-worker.js', import.meta.url), { type: 'module', name: 'data' });
    worker.addEventListener('message', ({ data }: MessageEvent<Reply>) => this.#settle(data));
    worker.addEventListener('error', ({ message }) => {
      if (worker !== this.#worker) return;
      // Such as of a file that is too large for its memory: the next one gets a new worker.
      worker.terminate();
      this.#worker = this.#start();
      for (const { reject } of this.#pending.values())
        reject(new Error(`The data worker failed: ${message}`));
      this.#pending.clear();
    });
    return worker;
  }

  #settle(reply: Reply): void {
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if ('value' in reply) pending?.resolve(reply.value);
    else {
      const { code, message, details } = reply.error;
      pending?.reject(code === undefined ? new Error(message) : new CipherloomError(code, message, details));
    }
  }
}
