/** Regular expressions that somebody typed, tried beside the page: it stays alive, whatever they are. */
import type { Trial } from './expression-worker.js';

/** Milliseconds for all texts of a graph, with the start of a worker. */
const PATIENCE = 5000;

/** The texts that an expression is found in, whichever case its letters have. Errors: a sentence, where that takes too long. */
export async function matching(source: string, texts: readonly string[]): Promise<ReadonlySet<string>> {
  const worker = new Worker(new URL('./expression-worker.js', import.meta.url), {
    type: 'module',
    name: 'expression',
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    const found = await new Promise<Uint8Array>((resolve, reject) => {
      worker.addEventListener('message', ({ data }: MessageEvent<Uint8Array>) => resolve(data));
      worker.addEventListener('error', ({ message }) => reject(new Error(message)));
      timer = setTimeout(() => reject(new Error(`it took more than ${PATIENCE / 1000} seconds`)), PATIENCE);
      worker.postMessage({ source, texts } satisfies Trial);
    });
    return new Set(texts.filter((_, index) => found[index] === 1));
  } finally {
    clearTimeout(timer);
    worker.terminate();
  }
}
