// Runs the scenario in this Node, prints what came out, and leaves an engine idle: the process must end all the same.
import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { open, scenario } from './scenario.js';

const module = await WebAssembly.compile(await readFile(new URL('../wasm/pkg/cipherloom_bg.wasm', import.meta.url)));

/** A worker in the manners of the web. */
function worker() {
  const made = new Worker(new URL('./driver.js', import.meta.url));
  return {
    addEventListener: (type, listener) => made.once(type, (data) => listener({ data })),
    postMessage: (message) => made.postMessage(message),
    terminate: () => made.terminate(),
    unref: () => made.unref(),
  };
}

console.log(JSON.stringify(await scenario(module, worker)));
let idle;
await open(module, () => (idle = worker()));
idle.unref();
