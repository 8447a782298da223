// Runs the scenario in this Node, prints what came out, and leaves an engine idle: the process must end all the same.
import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { open, scenario } from './scenario.js';

const module = await WebAssembly.compile(await readFile(new URL('../wasm/pkg/cipherloom_bg.wasm', import.meta.url)));

/** A worker in the manners of the web. */
function worker(script) {
  const made = new Worker(script);
  return {
    addEventListener: (type, listener, { once = false } = {}) => {
      made[once ? 'once' : 'on'](type, (data) => listener(type === 'error' ? data : { data }));
    },
    postMessage: (message) => made.postMessage(message),
    terminate: () => made.terminate(),
    ref: () => made.ref(),
    unref: () => made.unref(),
  };
}

console.log(JSON.stringify(await scenario(module, worker)));
// The pool lets go of its own workers; the driver is the one that is made last.
let driver;
await open(module, (script) => (driver = worker(script)));
driver.unref();
