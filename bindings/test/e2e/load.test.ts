// How the package starts: what it refuses, and what it falls back to.
import { load, type Loom, type Role, type WorkerLike } from 'cipherloom';
import { afterEach, describe, expect, it } from 'vitest';
import { startWorker } from '../../dist/worker/start.js';
import { BUILDS } from './builds.js';

const PATIENCE = { timeout: 60_000 };
let loom: Loom;
afterEach(() => loom?.dispose());

describe('load', () => {
  it('fails with a typed error, and may be repeated', async () => {
    await expect(
      load({ mode: 'single', wasm: { single: new URL('file:///none.wasm') } }),
    ).rejects.toMatchObject({ code: 'worker.wasm' });
    await expect(load({ mode: 'single', wasm: { single: Uint8Array.of(1, 2) } })).rejects.toMatchObject({
      code: 'worker.wasm',
    });
    // Both workers had been started already, and are ended.
    const ended: Role[] = [];
    const worker = (role: Role): WorkerLike => {
      const real = startWorker(role);
      return { ...real, terminate: () => (ended.push(role), real.terminate()) };
    };
    await expect(
      load({ threads: 2, mode: 'threads', worker, wasm: { threads: new URL('file:///none.wasm') } }),
    ).rejects.toMatchObject({ code: 'worker.wasm' });
    await expect.poll(() => [...ended].sort(), PATIENCE).toEqual(['client', 'evaluator', 'pool', 'pool']);
    const refuse = (): never => {
      throw new Error('refused');
    };
    await expect(
      load({ mode: 'single', worker: refuse, wasm: { single: new URL('file:///none.wasm') } }),
    ).rejects.toMatchObject({ code: 'worker.failed' });
    await expect(load({ signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
    loom = await load({ mode: 'single' });
    expect(loom.mode.variant).toBe('single');
  });

  it('starts many threads at once, whose stacks make the memory larger meanwhile', async () => {
    for (let time = 0; time < 2; time++) {
      loom?.dispose();
      loom = await load({ mode: 'threads', threads: 64 });
      expect(loom.mode.threads).toBe(64);
    }
    const task = loom.task();
    task.output(
      'square',
      task
        .encrypted('x', { shape: [4], min: 0, max: 9 })
        .square()
        .sum(),
    );
    using program = await task.compile();
    using client = await program.client();
    const results = await program.run(await client.encrypt({ x: [1, 2, 3, 4] }), client.evaluationKeys);
    expect(await client.decrypt(results)).toEqual({ square: 30 });
  });

  it('falls back to one thread where the threads do not start', async () => {
    const threads = process.getBuiltinModule('node:worker_threads');
    const { Worker } = threads;
    threads.Worker = class extends Worker {
      constructor(address: URL, options: object) {
        super(String(address).includes('pool-worker') ? new URL('file:///none.js') : address, options);
      }
    } as typeof Worker;
    try {
      await expect(load({ mode: 'threads', threads: 2 })).rejects.toMatchObject({ code: 'worker.failed' });
      loom = await load({ threads: 2 });
      expect(loom.mode).toMatchObject({
        variant: BUILDS.includes('relaxed') ? 'relaxed' : 'single',
        threads: 1,
        reasons: expect.arrayContaining([expect.stringContaining('threads of the')]),
      });
    } finally {
      threads.Worker = Worker;
    }
  });

  it('falls back to one thread where shared memory cannot be had', async () => {
    const { Memory } = WebAssembly;
    WebAssembly.Memory = class extends Memory {
      constructor(descriptor: WebAssembly.MemoryDescriptor) {
        if (descriptor.shared) throw new RangeError('could not allocate memory');
        super(descriptor);
      }
    };
    try {
      await expect(load({ mode: 'threads', threads: 2 })).rejects.toMatchObject({
        name: 'MemoryError',
        code: 'memory.shared',
      });
      loom = await load({ threads: 2 });
      expect(loom.mode).toMatchObject({
        variant: 'single',
        threads: 1,
        reasons: expect.arrayContaining([expect.stringContaining('Shared memory')]),
      });
    } finally {
      WebAssembly.Memory = Memory;
    }
  });
});
