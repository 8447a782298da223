// The worker that drives a pool, in a browser or in Node: instantiates, starts the pool, then does what it is told.
import * as glue from '../wasm/pkg/cipherloom.js';

const { parentPort } = globalThis.process?.getBuiltinModule('node:worker_threads') ?? {};
const port = parentPort ?? globalThis;

port.addEventListener('message', ({ data: { start, call, args } }) => {
  if (start) {
    glue.initSync(start);
    glue.poolStart(start.threads);
  }
  port.postMessage(call ? glue[call](...args) : 'started');
});
port.start?.();
