// Instances of bench/wasm, in this thread.
import { existsSync, readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

const FOLDER = new URL('../wasm/pkg/', import.meta.url);
const WASM = new URL('cipherloom_bg.wasm', FOLDER);
let module;
let count = 0;

/** A fresh instance with a memory and a pool of its own; `stop` ends the pool. */
export async function openEngine(threads) {
  if (!existsSync(WASM)) throw new Error('bench/wasm is not built. Run: npm run build');
  module ??= await WebAssembly.compile(readFileSync(WASM));
  // The glue holds one instance per realm, and Node makes a realm of every address.
  const glue = await import(new URL(`cipherloom.js?${count++}`, FOLDER));
  const { startPool } = await import(new URL('pool.js', FOLDER));
  const { sharedMemory } = await import(new URL('shared-memory.js', FOLDER));
  const onDeath = (error) => {
    throw error;
  };
  const { memory } = sharedMemory();
  const pool = startPool({ module, memory, threads, worker: poolWorker, onDeath });
  await pool.ready;
  glue.initSync({ module, memory });
  glue.poolStart(threads);
  return { ...glue, threads, stop: pool.stop };
}

/** A thread of the pool, in the manners of the web. */
function poolWorker() {
  const worker = new Worker(new URL('pool-worker.js', FOLDER));
  return {
    addEventListener: (type, listener) => worker.on(type, (data) => listener(type === 'error' ? data : { data })),
    postMessage: (message) => worker.postMessage(message),
    terminate: () => worker.terminate(),
    ref: () => worker.ref(),
    unref: () => worker.unref(),
  };
}
