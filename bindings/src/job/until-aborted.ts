/** What may never come, such as the next row of a source. */
import { onAbort } from '../on-abort.js';

/** The same, until a signal aborts: then nothing is waited for any longer. Errors: those of the source, the signal's reason. */
export async function* untilAborted<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void, void> {
  const iterator = source[Symbol.asyncIterator]();
  let stop: (reason: unknown) => void;
  const aborted = new Promise<never>((_, reject) => (stop = reject));
  aborted.catch(() => undefined);
  const ended = onAbort(signal, () => stop(signal.reason));
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await Promise.race([iterator.next(), aborted]);
      if (done) return;
      yield value;
    }
  } finally {
    ended();
    // It ends once what it waits for has come.
    void iterator.return?.().catch(() => undefined);
  }
}
