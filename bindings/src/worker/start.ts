/** Starts the package's workers, in a browser or in Node and its like. */
import { failure } from '../errors.js';
import type { Role, WorkerLike } from '../types.js';

const NO_WORKERS =
  'There are no workers here, neither Worker nor node:worker_threads: load({ workers: false }) does without';
const BUNDLED =
  'The package was bundled for a server, and does not know where the files of its workers are: keep it out of the bundle ' +
  '(in Next, serverExternalPackages: ["cipherloom"]), or load({ workers: false }) does without';

type NodeThreads = typeof import('node:worker_threads');

/**
 * A new worker of a role. Its script loads in the background: failures come as "error" events. Errors: WorkerError
 * where there are no workers.
 */
export function startWorker(role: Role): WorkerLike {
  return startScript(role, import.meta.dirname, FILES[role], () => startInBrowser(role));
}

/**
 * A new worker that runs a script: in Node, the file of a folder. Not by `import.meta.url`, for which bundlers write the path of the machine that they ran on. Errors: WorkerError
 * where there are no workers.
 */
export function startScript(
  role: string,
  folder: string | undefined,
  file: string,
  inBrowser: () => WorkerLike,
): WorkerLike {
  // Asked first: Bun and Deno have the web's Worker, too, which would keep their processes alive.
  const threads = globalThis.process?.getBuiltinModule?.('node:worker_threads');
  if (threads !== undefined && folder !== undefined) return startInNode(threads, `${folder}/${file}`, role);
  if (typeof Worker !== 'undefined') return inBrowser();
  throw failure('worker.failed', threads === undefined ? NO_WORKERS : BUNDLED, { role });
}

/** Bundlers know a worker by this literal form alone. */
function startInBrowser(role: Role): WorkerLike {
  switch (role) {
    case 'client':
      return new Worker(new URL('./client-worker.js', import.meta.url), {
        type: 'module',
        name: 'cipherloom-client',
      });
    case 'evaluator':
      return new Worker(new URL('./evaluator-worker.js', import.meta.url), {
        type: 'module',
        name: 'cipherloom-evaluator',
      });
    case 'graph':
      return new Worker(new URL('./graph-worker.js', import.meta.url), {
        type: 'module',
        name: 'cipherloom-graph',
      });
    case 'conformance':
      return new Worker(new URL('./conformance-worker.js', import.meta.url), {
        type: 'module',
        name: 'cipherloom-conformance',
      });
    case 'operator':
      return new Worker(new URL('./operator-worker.js', import.meta.url), {
        type: 'module',
        name: 'cipherloom-operator',
      });
    case 'graph-pool':
      return new Worker(new URL('../../wasm/graphs/threads/pool-worker.js', import.meta.url), {
        type: 'module',
        name: 'cipherloom-graph-pool',
      });
    case 'pool':
      return new Worker(new URL('../../wasm/threads/pool-worker.js', import.meta.url), {
        type: 'module',
        name: 'cipherloom-pool',
      });
  }
}

/** The same files, named so that no bundler follows. */
const FILES = {
  client: 'client-worker.js',
  evaluator: 'evaluator-worker.js',
  graph: 'graph-worker.js',
  conformance: 'conformance-worker.js',
  operator: 'operator-worker.js',
  pool: '../../wasm/threads/pool-worker.js',
  'graph-pool': '../../wasm/graphs/threads/pool-worker.js',
} as const;

/** A worker that may need a moment to end. */
export interface LingeringWorker extends WorkerLike {
  /** Asks it to end, and resolves when it has; undefined where it can be ended at once. */
  linger(): Promise<void> | undefined;
}

/** Milliseconds after which it is ended all the same: more than software that stands in for a GPU computes on a busy machine, and than systems leave one that hangs. */
const PATIENCE_MS = 60_000;

/** A thread that ends while a GPU computes for it takes the process with it. */
function endedByItself(worker: InstanceType<NodeThreads['Worker']>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => void worker.terminate(), PATIENCE_MS);
    worker.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    worker.ref();
    worker.postMessage({ end: true });
  });
}

/** `worker_threads` in the manners of the web. */
function startInNode(threads: NodeThreads, path: string, role: string): LingeringWorker {
  // What the process was started with is for its own script: `--input-type` would even end the worker.
  // Not 0 once a GPU is open there: gpu/entry.ts.
  const gpu = new Int32Array(new SharedArrayBuffer(4));
  const worker = new threads.Worker(path, { name: `cipherloom-${role}`, execArgv: [], workerData: { gpu } });
  worker.unref();
  return {
    linger: () => (Atomics.load(gpu, 0) === 0 ? undefined : endedByItself(worker)),
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
