/** The page's side of the data worker. */
import { CipherloomError } from 'cipherloom';
import type { Selection } from '../selection.js';
import type { Answers, NumericColumn, Reply, Request } from './messages.js';

interface Pending {
  resolve(value: Answers[keyof Answers]): void;
  reject(error: Error): void;
}

/** Reads files and computes plain results, in a worker. */
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
  read(file: ArrayBuffer): Promise<Answers['read']> {
    return this.#ask<'read'>({ kind: 'read', file }, [file]);
  }

  /** Every statistic without encryption. Errors: as of `plainStatistics`. */
  plain(selection: Selection, columns: readonly NumericColumn[]): Promise<Answers['plain']> {
    const values = Object.fromEntries(columns.map((column) => [column.name, column.values]));
    return this.#ask<'plain'>({ kind: 'plain', selection, columns: values }, []);
  }

  #ask<K extends keyof Answers>(request: Request, transfer: Transferable[]): Promise<Answers[K]> {
    const id = this.#next++;
    this.#worker.postMessage({ id, request }, transfer);
    return new Promise<Answers[keyof Answers]>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
    }) as Promise<Answers[K]>;
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
