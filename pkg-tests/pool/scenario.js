// What a pool must do, told as plain values; the same in a browser and in Node.
import { startPool } from '../wasm/pkg/pool.js';
import { sharedMemory } from '../wasm/pkg/shared-memory.js';

const THREADS = 3;
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const POOL_WORKER = new URL('../wasm/pkg/pool-worker.js', import.meta.url);
const DRIVER = new URL('./driver.js', import.meta.url);

/** Starts an engine. `worker` makes a worker over a script: an EventTarget with postMessage and terminate. */
export async function open(
  module,
  worker,
  onDeath = (error) => {
    throw error;
  },
) {
  const { memory } = sharedMemory();
  const pool = startPool({ module, memory, threads: THREADS, worker: () => worker(POOL_WORKER), onDeath });
  const driver = worker(DRIVER);
  const ask = (message) =>
    new Promise((resolve, reject) => {
      driver.addEventListener('message', ({ data }) => resolve(data), { once: true });
      driver.addEventListener('error', reject, { once: true });
      driver.postMessage(message);
    });
  await pool.ready;
  const joined = memory.buffer.byteLength;
  await ask({ start: { module, memory, threads: THREADS } });
  return {
    memory,
    joined,
    call: (call, ...args) => ask({ call, args }),
    close() {
      pool.stop();
      driver.terminate();
    },
  };
}

/** Every thread takes part, and the result is that of one thread. */
async function computes(module, worker) {
  const engine = await open(module, worker);
  const threads = [...(await engine.call('indices'))];
  const sum = await engine.call('sum', 100_000);
  // V8 may not have told a thread of a growth when it is handed what lies there.
  const grown = engine.memory.buffer.byteLength - engine.joined;
  engine.close();
  return { threads, sum, grown };
}

/** Ended while all its threads compute, it stops: milliseconds until nothing moves. */
async function stops(module, worker) {
  const engine = await open(module, worker);
  const counter = new Uint32Array(engine.memory.buffer, await engine.call('counter'), 1);
  const moves = async () => {
    const before = counter[0];
    await sleep(50);
    return counter[0] !== before;
  };
  engine.call('spin');
  while (!(await moves()));
  const started = performance.now();
  engine.close();
  while (await moves());
  return performance.now() - started;
}

/** A thread that panics is heard of, though the driver waits for it. */
async function tellsOfDeath(module, worker) {
  let engine;
  const { message } = await new Promise((resolve, reject) => {
    open(module, worker, resolve).then((opened) => {
      engine = opened;
      engine.call('panic', 1);
    }, reject);
  });
  engine.close();
  return message;
}

/** Workers that cannot start make the start fail. */
async function refuses(worker) {
  const module = await WebAssembly.compile(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]));
  const { memory } = sharedMemory();
  const pool = startPool({ module, memory, threads: THREADS, worker: () => worker(POOL_WORKER), onDeath() {} });
  return pool.ready.then(
    () => 'started',
    (error) => error.constructor.name,
  );
}

/** Where the platform refuses large memories, a smaller one is had. */
function fallsBack() {
  const { Memory } = WebAssembly;
  try {
    WebAssembly.Memory = function Refusing(descriptor) {
      if (descriptor.maximum > 16384) throw new RangeError('too much');
      return new Memory(descriptor);
    };
    return sharedMemory().maximumBytes;
  } finally {
    WebAssembly.Memory = Memory;
  }
}

export async function scenario(module, worker) {
  return {
    ...(await computes(module, worker)),
    stopped: await stops(module, worker),
    death: await tellsOfDeath(module, worker),
    refused: await refuses(worker),
    memory: fallsBack(),
  };
}
