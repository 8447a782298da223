// Starts the workers that run the threads of a shared-memory engine, in a browser and in Node: README.md.
//
// It runs in the realm that waits for the engine, not in the worker that drives it. A driver is blocked inside the
// wasm while it computes; it could not hear of a dead thread, on which it would wait for good.

/**
 * What a worker of the pool is told.
 * @typedef {{ module: WebAssembly.Module, memory: WebAssembly.Memory }} Start
 *
 * One worker of the pool: `ready` settles when it has joined the memory that it was told of, or failed to.
 * @typedef {{ ready: Promise<void>, tell: (start: Start) => void, terminate: () => void }} PoolWorker
 *
 * The workers of one engine. `ready` resolves when each has joined the memory, and rejects, with every worker stopped,
 * where one does not start. `stop` ends them at once.
 * @typedef {{ ready: Promise<void>, stop: () => void }} Pool
 */

/**
 * Starts the pool's workers, whose scripts load while the module is still compiled. The driver is the pool's first
 * thread, so `threads - 1` workers are started, and none for 1. The driver instantiates the same module over the same
 * memory and calls `poolStart(threads)`, which waits for the workers.
 *
 * @param {object} options
 * @param {WebAssembly.Module | Promise<WebAssembly.Module>} options.module a compiled wasm of this folder
 * @param {WebAssembly.Memory} options.memory of `sharedMemory()`
 * @param {number} options.threads at least 1
 * @param {(error: Error) => void} options.onDeath called once, where a thread dies later: throw the engine away then
 * @returns {Pool}
 */
export function startPool({ module, memory, threads, onDeath }) {
  // Held by the returned pool: Firefox collects workers that nothing refers to, though they share memory.
  /** @type {PoolWorker[]} */
  const workers = [];
  let alive = true;
  const stop = () => {
    alive = false;
    for (const worker of workers) worker.terminate();
  };
  /** @param {Error} error */
  const died = (error) => {
    if (!alive) return;
    stop();
    onDeath(error);
  };
  const join = async () => {
    try {
      while (workers.length < threads - 1) workers.push(spawn(died));
      const told = Promise.resolve(module).then((module) => {
        for (const worker of workers) worker.tell({ module, memory });
      });
      await Promise.all([told, ...workers.map(({ ready }) => ready)]);
    } catch (error) {
      stop();
      throw error;
    }
  };
  return { ready: join(), stop };
}

/** @type {(died: (error: Error) => void) => PoolWorker} */
function spawn(died) {
  return typeof Worker === 'undefined' ? spawnNode(died) : spawnWeb(died);
}

/** @type {(died: (error: Error) => void) => PoolWorker} */
function spawnWeb(died) {
  // Bundlers know a worker by this literal form alone.
  const worker = new Worker(new URL('./pool-worker.js', import.meta.url), { type: 'module', name: 'cipherloom-pool' });
  /** @type {Promise<void>} */
  const ready = new Promise((resolve, reject) => {
    worker.onmessage = () => {
      worker.onerror = ({ message }) => died(new Error(message));
      resolve();
    };
    // The script that is not found, or not allowed, has no message.
    worker.onerror = ({ message }) => reject(new Error(message || 'the script of the pool worker did not load'));
  });
  return { ready, tell: (start) => worker.postMessage(start), terminate: () => worker.terminate() };
}

/** @type {(died: (error: Error) => void) => PoolWorker} */
function spawnNode(died) {
  // Not an `import`, which bundlers for browsers refuse; nor a literal URL, which they would follow once more.
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  const base = import.meta.url;
  const worker = new Worker(new URL('pool-worker.js', base), { name: 'cipherloom-pool' });
  /** @type {Promise<void>} */
  const ready = new Promise((resolve, reject) => {
    /** @type {(error: Error) => void} */
    let failed = reject;
    worker.once('message', () => {
      failed = died;
      // Until here the process has to wait for the worker; from here on the worker must not keep it alive.
      worker.unref();
      resolve();
    });
    worker.on('error', (error) => failed(error));
    worker.once('exit', (code) => failed(new Error(`a pool worker ended with exit code ${code}`)));
  });
  return { ready, tell: (start) => worker.postMessage(start), terminate: () => void worker.terminate() };
}
