/** Starts the two workers, in a browser or in Node. */
import type { Role, WorkerLike } from '../types.js';

/** A new worker of a role. Its script loads in the background: failures come as "error" events. */
export function startWorker(role: Role): WorkerLike {
  return typeof Worker === 'undefined' ? startInNode(role) : startInBrowser(role);
}

/** Bundlers know a worker by this literal form alone. */
function startInBrowser(role: Role): WorkerLike {
  return role === 'client'
    ? new Worker(new URL('./client-worker.js', import.meta.url), {
        type: 'module',
        name: 'cipherloom-client',
      })
    : new Worker(new URL('./evaluator-worker.js', import.meta.url), {
        type: 'module',
        name: 'cipherloom-evaluator',
      });
}

/** `worker_threads` in the manners of the web. Not an import, which bundlers for browsers refuse. */
function startInNode(role: Role): WorkerLike {
  const threads = globalThis.process.getBuiltinModule('node:worker_threads');
  const here = import.meta.url;
  const worker = new threads.Worker(new URL(`./${role}-worker.js`, here), { name: `cipherloom-${role}` });
  worker.unref();
  return {
    postMessage: (message, transfer) => worker.postMessage(message, transfer as never),
    addEventListener: (type, listener) => {
      worker.on(type, (data: unknown) => listener(toEvent(type, data)));
      if (type === 'error')
        worker.on('exit', (code) => listener(toEvent(type, new Error(`it ended with code ${code}`))));
    },
    terminate: () => worker.terminate(),
    ref: () => worker.ref(),
    unref: () => worker.unref(),
  };
}

function toEvent(type: string, data: unknown): Event {
  const fields = type === 'error' ? { message: (data as Error).message } : { data };
  return Object.assign(new Event(type), fields);
}
