// Starts the workers that run the threads of a shared-memory engine, in a browser and in Node: README.md.
//
// It runs in the realm that waits for the engine, not in the worker that drives it. A driver is blocked inside the
// wasm while it computes; it could not hear of a dead thread, on which it would wait for good.

/**
 * What a worker of the pool is told.
 * @typedef {{ module: WebAssembly.Module, memory: WebAssembly.Memory, kernels: readonly WebAssembly.Module[] }} Start
 *
 * What is used of a worker over `pool-worker.js`. A `Worker` of the web is one as it is.
 * @typedef {object} WorkerLike
 * @property {(message: unknown, transfer: any[]) => void} postMessage
 * @property {(type: 'message' | 'error', listener: (event: Event) => void) => void} addEventListener
 * @property {() => unknown} terminate
 * @property {() => void} [ref] Node only
 * @property {() => void} [unref] Node only
 *
 * The workers of one engine. `ready` resolves when each has joined the memory, and rejects, with every worker stopped,
 * where one does not start. `stop` ends them at once.
 * @typedef {{ ready: Promise<void>, stop: () => void }} Pool
 */

/**
 * Starts the pool's workers, whose scripts load while the module is still compiled. The driver is the pool's first
 * thread, so `threads - 1` workers are started, and none for 1. Once the pool is ready, the driver instantiates the
 * same module over the same memory and calls `poolStart(threads)`.
 *
 * @param {object} options
 * @param {WebAssembly.Module | Promise<WebAssembly.Module>} options.module a compiled wasm of this folder
 * @param {WebAssembly.Memory} options.memory of `sharedMemory()`
 * @param {number} options.threads at least 1
 * @param {readonly WebAssembly.Module[]} [options.kernels] made at run time: `kernels.js`; the driver puts the same ones into its table
 * @param {() => WorkerLike} options.worker makes a worker over `pool-worker.js`
 * @param {(error: Error) => void} options.onDeath called once, where a thread dies later: throw the engine away then
 * @returns {Pool}
 */
export function startPool({ module, memory, threads, kernels = [], worker, onDeath }) {
  // Held by the returned pool: Firefox collects workers that nothing refers to, though they share memory.
  /** @type {WorkerLike[]} */
  const workers = [];
  let alive = true;
  const stop = () => {
    alive = false;
    for (const worker of workers.splice(0)) worker.terminate();
  };
  /** @param {Error} error */
  const died = (error) => {
    if (!alive) return;
    stop();
    onDeath(error);
  };
  const join = async () => {
    try {
      /** @type {Promise<void>[]} */
      const joined = [];
      while (workers.length < threads - 1) {
        const made = worker();
        workers.push(made);
        const joining = untilJoined(made, died);
        // Nobody waits for it if a later one cannot be made.
        joining.catch(() => {});
        joined.push(joining);
      }
      // The joined ones are all waited for at once, too: a script that does not load is told of while others join, or the module is compiled.
      await Promise.all([inTurn(workers, joined, { module, memory, kernels }), ...joined]);
    } catch (error) {
      stop();
      throw error;
    }
  };
  return { ready: join(), stop };
}

/**
 * One worker after the other joins the memory: the first makes it larger by what 16 need to start, and V8 has not told every realm of
 * that when it tells one that is just instantiating how large the memory is, which then takes what others were given
 * for out of bounds.
 * @type {(workers: WorkerLike[], joined: Promise<void>[], given: Omit<Start, 'module'> & { module: Start['module'] | Promise<Start['module']> }) => Promise<void>}
 */
async function inTurn(workers, joined, given) {
  const start = { ...given, module: await given.module };
  // None is left once they were stopped.
  for (const [index, worker] of workers.entries()) {
    worker.postMessage(start, []);
    await joined[index];
  }
}

/**
 * Resolves when a worker has joined the memory that it was told of, and rejects when it failed to.
 * @type {(worker: WorkerLike, died: (error: Error) => void) => Promise<void>}
 */
function untilJoined(worker, died) {
  return new Promise((resolve, reject) => {
    /** @type {(error: Error) => void} */
    let failed = reject;
    // Until it has joined, the process has to wait for the worker; from then on the worker must not keep it alive.
    worker.ref?.();
    worker.addEventListener('message', () => {
      failed = died;
      worker.unref?.();
      resolve();
    });
    worker.addEventListener('error', (event) => {
      const { message } = /** @type {ErrorEvent} */ (event);
      // The script that is not found, or not allowed, has no message.
      failed(new Error(message || 'the script of the pool worker did not load'));
    });
  });
}
