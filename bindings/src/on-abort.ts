/** Many who want to know that a signal aborts: a signal warns of more than ten listeners, and a job has one for all its tasks, as a loom has for all its calls. */

const heard = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls `listener` when the signal aborts. Gives what ends that. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  let all = heard.get(signal);
  if (all === undefined) {
    const own = new Set<() => void>();
    heard.set(signal, (all = own));
    const abort = (): void => {
      for (const one of [...own]) one();
    };
    signal.addEventListener('abort', abort, { once: true });
  }
  all.add(listener);
  return () => void heard.get(signal)?.delete(listener);
}
