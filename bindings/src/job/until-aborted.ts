/** What may never come, such as the next row of a source. */
import { abortable } from '../resource.js';

/** The same, until a signal aborts: then nothing is waited for any longer. Errors: those of the source, the signal's reason. */
export async function* untilAborted<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void, void> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await abortable(iterator.next(), signal);
      if (done) return;
      yield value;
    }
  } finally {
    // It ends once what it waits for has come.
    void iterator.return?.().catch(() => undefined);
  }
}
