// Runs whose GPU fails, in Node.
import { Worker } from 'node:worker_threads';
import { onGpu } from './work.mjs';

/** What `onGpu` finds where the GPU of graphs has a fault. */
export function withFault(cipherloom, fault, options) {
  const file = (role) =>
    new URL(
      role === 'graph' ? './faulty-worker.mjs' : import.meta.resolve(`cipherloom/${role}-worker`),
      import.meta.url,
    );
  const worker = (role) => inNode(new Worker(file(role), { workerData: { fault } }));
  return onGpu(cipherloom, { ...options, worker });
}

/** A worker of Node's in the manners of the web. */
function inNode(worker) {
  worker.unref();
  return {
    postMessage: (message, transfer) => worker.postMessage(message, transfer),
    addEventListener(type, listener) {
      const told = (data) => (type === 'error' ? { message: data.message } : { data });
      worker.on(type, (data) => listener(Object.assign(new Event(type), told(data))));
    },
    terminate: () => worker.terminate(),
    ref: () => worker.ref(),
    unref: () => worker.unref(),
  };
}
