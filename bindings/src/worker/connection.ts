/** The page's side of the protocol. */
import { DisposedError, failure, fromRecord } from '../errors.js';
import { toRecord } from './error-record.js';
import type { Role, WorkerLike } from '../types.js';
import { takeBack } from './lent.js';
import type { LingeringWorker } from './start.js';
import type {
  Args,
  FromWorker,
  Handle,
  ProgramMethods,
  Request,
  Result,
  StartMethods,
  ToWorker,
} from './protocol.js';

/** Options of one call. */
export interface CallSettings {
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: { done: number; total: number }) => void) | undefined;
  /** What moves to the worker instead of being copied: Transferable objects, whose type does not exist in projects for Node. */
  transfer?: object[];
  /** Answers what the worker asks while it works. */
  answer?: Answer | undefined;
  /** The worker hears of an abort while it computes, where it can share memory, and not only afterwards. */
  watched?: boolean;
}

/** Gives what was asked for, and what of it moves to the worker. */
export type Answer = (question: unknown) => Promise<[answer: unknown, transfer: object[]]>;

/** What becomes of a result that comes after its call was aborted, such as a handle that has to be freed. */
type Late<T> = (result: T) => void;

interface Pending {
  resolve(result: unknown): void;
  reject(reason: unknown): void;
  progress: CallSettings['onProgress'];
  answer: Answer | undefined;
}

/** A worker and the calls that wait for it. */
export class Connection<M> {
  readonly #role: Role | 'job';
  readonly #worker: WorkerLike;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  /** Why nothing can be called any more. */
  #end: Error | undefined;
  readonly #onEnd: (end: Error) => void;

  /** `onEnd` is called once, when the worker died or was closed, with why nothing can be called any more. */
  constructor(role: Role | 'job', worker: WorkerLike, onEnd: (end: Error) => void) {
    this.#role = role;
    this.#onEnd = onEnd;
    this.#worker = worker;
    worker.addEventListener('message', (event) => this.#receive((event as MessageEvent<FromWorker>).data));
    worker.addEventListener('messageerror', () => this.fail('a message could not be read'));
    worker.addEventListener('error', (event) =>
      this.fail((event as ErrorEvent).message || 'its script did not load'),
    );
  }

  /** False once the worker died or was closed. */
  get alive(): boolean {
    return this.#end === undefined;
  }

  /** Calls a method. Aborting rejects at once and asks the worker to stop. */
  call<K extends keyof M>(
    method: K,
    args: Args<M, K>,
    settings: CallSettings = {},
    late?: Late<Result<M, K>>,
  ): Promise<Result<M, K>> {
    const { signal, onProgress, transfer = [], answer, watched = false } = settings;
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.#end !== undefined) throw this.#end;
      const id = ++this.#lastId;
      const flag = watched && signal !== undefined ? sharedFlag() : undefined;
      this.#post({ id, method, args, ...(flag && { stop: flag }) } as Request<M>, transfer);
      const stop = (reason: unknown): void => {
        stopListening();
        if (flag !== undefined) Atomics.store(flag, 0, 1);
        this.#post({ cancel: id });
        // Kept until the worker answers, which it does when it is free again.
        this.#pending.set(id, {
          resolve: (result) => late?.(result as Result<M, K>),
          reject: () => {},
          progress: undefined,
          answer: undefined,
        });
        reject(reason);
      };
      const abort = (): void => stop(signal?.reason);
      // What the caller's callback throws ends the call, as if thrown inside it.
      const progress = (at: { done: number; total: number }): void => {
        try {
          onProgress?.(at);
        } catch (error) {
          stop(error);
        }
      };
      const stopListening = (): void => signal?.removeEventListener('abort', abort);
      this.#pending.set(id, {
        resolve: (result) => {
          stopListening();
          resolve(result as Result<M, K>);
        },
        reject: (reason) => {
          stopListening();
          reject(reason);
        },
        progress,
        answer,
      });
      this.#worker.ref?.();
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  /** Calls a method whose answer nobody waits for, such as freeing; nothing happens if the worker is gone. */
  send<K extends keyof M>(method: K, args: Args<M, K>): void {
    if (this.alive) this.#post({ id: ++this.#lastId, method, args } as Request<M>);
  }

  /** Declares the worker dead: all calls reject with WorkerError. */
  fail(message: string): void {
    const started = this.#lastId > 1;
    const code = started ? 'worker.dead' : 'worker.failed';
    const advice = started && this.#role !== 'job' ? ' Call loom.restart() to go on.' : '';
    this.#close(failure(code, `The ${this.#role} worker failed: ${message}.${advice}`, { role: this.#role }));
  }

  /** Ends the worker: all calls reject with DisposedError. */
  close(): void {
    this.#close(new DisposedError('disposed', 'The loom was disposed'));
  }

  #close(end: Error): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    const ends = (this.#worker as Partial<LingeringWorker>).linger?.();
    if (ends === undefined) {
      this.#worker.terminate();
      this.#onEnd(end);
    } else {
      // Its threads compute until it hears of it.
      void ends.then(() => this.#onEnd(end));
    }
    for (const id of [...this.#pending.keys()]) this.#settle(id, (pending) => pending.reject(end));
  }

  #post(message: ToWorker<M>, transfer: object[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  /** A question of a call that was aborted has no answer: the worker has been told to stop. */
  #answer({ id, ask, question }: { id: number; ask: number; question: unknown }): void {
    this.#pending
      .get(id)
      ?.answer?.(question)
      .then(
        ([result, transfer]) => this.alive && this.#post({ answer: ask, result }, transfer),
        (error: unknown) => this.alive && this.#post({ answer: ask, error: toRecord(error) }),
      );
  }

  #receive(message: FromWorker): void {
    if ('ask' in message) {
      this.#answer(message);
    } else if ('progress' in message) {
      this.#pending.get(message.id)?.progress?.(message.progress);
    } else if ('result' in message) {
      if (message.back !== undefined) takeBack(message.back);
      this.#settle(message.id, (pending) => pending.resolve(message.result));
    } else {
      const error = fromRecord(message.error);
      this.#settle(message.id, (pending) => pending.reject(error));
      if (message.fatal) this.fail(message.error.message);
    }
  }

  #settle(id: number, how: (pending: Pending) => void): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#worker.unref?.();
    how(pending);
  }
}

/** A number, 0 at first, that this thread and a worker see; none where they cannot share memory. */
function sharedFlag(): Int32Array<SharedArrayBuffer> | undefined {
  // Pages that are not isolated could make one, and not send it. Node knows no isolation.
  if (typeof SharedArrayBuffer === 'undefined' || globalThis.crossOriginIsolated === false) return undefined;
  return new Int32Array(new SharedArrayBuffer(4));
}

/** A worker of either role, to be asked about programs only. What it can do beyond is of no consequence; only the compiler cannot see that. */
export function aboutPrograms<M extends ProgramMethods>(worker: Connection<M>): Connection<ProgramMethods> {
  return worker as object as Connection<ProgramMethods>;
}

/** An object in a worker that may be replaced: opened on first use, and again in each new worker. */
export class Remote<M extends StartMethods> {
  readonly #open: (connection: Connection<M>) => Promise<Handle>;
  readonly #free: (connection: Connection<M>, handle: Handle) => void;
  #connection: Connection<M> | undefined;
  #handle: Promise<Handle> | undefined;

  constructor(
    open: (connection: Connection<M>) => Promise<Handle>,
    free: (connection: Connection<M>, handle: Handle) => void,
  ) {
    this.#open = open;
    this.#free = free;
  }

  /** Its handle in that worker. */
  in(connection: Connection<M>): Promise<Handle> {
    if (this.#handle !== undefined && this.#connection === connection) return this.#handle;
    this.adopt(connection, this.#open(connection));
    return this.in(connection);
  }

  /** Its handle, if it is open in that worker. */
  held(connection: object): Promise<Handle> | undefined {
    return this.#connection === connection ? this.#handle : undefined;
  }

  /** Takes a handle that was opened otherwise. One that fails to open is opened anew on next use. */
  adopt(connection: Connection<M>, handle: Promise<Handle>): void {
    this.#connection = connection;
    this.#handle = handle;
    handle.catch(() => {
      if (this.#handle === handle) this.#handle = undefined;
    });
  }

  /** Frees the object. Calls already made with its handle still find it. */
  free(): void {
    const connection = this.#connection;
    this.#handle?.then(
      (handle) => connection && this.#free(connection, handle),
      () => {},
    );
    this.#handle = undefined;
  }
}
