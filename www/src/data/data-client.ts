/** The page's side of the data worker. */
import { CipherloomError } from 'cipherloom';
import type { DataTable, Reply } from './messages.js';

interface Pending {
  resolve(value: DataTable): void;
  reject(error: Error): void;
}

/** Reads files, in a worker. */
export class DataClient {
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  #next = 0;

  constructor() {
    this.#worker = new Worker(new URL('./data-worker.js', import.meta.url), { type: 'module', name: 'data' });
    this.#worker.addEventListener('message', ({ data }: MessageEvent<Reply>) => this.#settle(data));
    this.#worker.addEventListener('error', ({ message }) => {
      for (const { reject } of this.#pending.values())
        reject(new Error(`The data worker failed: ${message}`));
      this.#pending.clear();
    });
  }

  /** Reads a CSV file. Errors: TableError. */
  read(file: ArrayBuffer): Promise<DataTable> {
    const id = this.#next++;
    this.#worker.postMessage({ id, file }, [file]);
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
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
