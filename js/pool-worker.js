// A worker of the pool, in a browser or in Node: joins the shared memory, says so, and runs one thread for good.
// Where that thread traps, the error ends the worker, and whoever started it hears of it.
import { functionTable, initSync, poolServe } from './cipherloom.js';
import { installKernels } from './kernels.js';

/**
 * @param {import('./pool.js').Start} start
 * @param {(message: string) => void} reply
 */
function serve({ module, memory, kernels }, reply) {
  initSync({ module, memory });
  if (kernels.length > 0) installKernels(functionTable(), memory, kernels);
  reply('ready');
  poolServe();
}

// Node first: Bun and Deno have both.
const parentPort = globalThis.process?.getBuiltinModule?.('node:worker_threads').parentPort;
if (parentPort) {
  parentPort.once('message', (start) => serve(start, (message) => parentPort.postMessage(message)));
} else {
  addEventListener('message', ({ data }) => serve(data, postMessage), { once: true });
  addEventListener('messageerror', () => {
    throw new Error('a worker cannot receive the module and its memory here');
  });
}
