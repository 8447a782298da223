/** What has to be given back: `dispose()`, `using`, and garbage collection as the last net. */
import { DisposedError } from './errors.js';
import { onAbort } from './on-abort.js';

/** Safari has no Symbol.dispose yet. */
export const disposeSymbol: typeof Symbol.dispose =
  Symbol.dispose ?? (Symbol.for('Symbol.dispose') as typeof Symbol.dispose);

const forgotten = /* @__PURE__ */ new FinalizationRegistry<() => void>((release) => release());

/** Base of everything with `dispose()`. */
export abstract class Resource implements Disposable {
  readonly #name: string;
  readonly #life = new AbortController();
  readonly #release: () => void;

  /** `release` must not refer to the resource itself, or it is never collected. */
  constructor(name: string, release: () => void) {
    this.#name = name;
    this.#release = release;
    forgotten.register(this, release, this);
  }

  dispose(): void {
    if (this.#life.signal.aborted) return;
    forgotten.unregister(this);
    this.#life.abort(new DisposedError('disposed', `The ${this.#name} was disposed`));
    this.#release();
  }

  [disposeSymbol](): void {
    this.dispose();
  }

  /** Throws DisposedError after the end. */
  protected checkLife(): void {
    this.#life.signal.throwIfAborted();
  }

  /**
   * Works with a signal that ends with the caller's or with the resource: for what is done often, since neither of the two remembers it afterwards, as that of {@link signal} is
   * remembered for ever by Node 20. Throws DisposedError after the end.
   */
  protected async during<T>(
    other: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    this.checkLife();
    const call = new AbortController();
    const either = other === undefined ? [this.#life.signal] : [this.#life.signal, other];
    const forget = either.map((signal) => onAbort(signal, () => call.abort(signal.reason)));
    if (other?.aborted) call.abort(other.reason);
    try {
      return await work(call.signal);
    } finally {
      for (const one of forget) one();
    }
  }

  /** A signal that ends with the caller's or with the resource. Throws DisposedError after the end. */
  protected signal(other: AbortSignal | undefined): AbortSignal {
    this.checkLife();
    const life = this.#life.signal;
    // One of its own for each call: Node warns of many listeners to one.
    return AbortSignal.any(other === undefined ? [life] : [life, other]);
  }
}

/** Waits for a promise, but not beyond the signal. What the promise fails with later is nobody's affair any more, and ends no process. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    // Also where the signal has ended, or an error of what nobody waits for would be nobody's.
    if (signal.aborted) abort();
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
