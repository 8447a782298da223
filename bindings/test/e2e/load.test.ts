// How the package starts: what it refuses, and what it falls back to.
import { f32, load, type Loom, type Role, type WorkerLike } from 'cipherloom';
import { afterEach, describe, expect, it } from 'vitest';
import { startWorker } from '../../dist/worker/start.js';
import { BUILDS } from './builds.js';

const PATIENCE = { timeout: 60_000 };
let loom: Loom;
afterEach(() => loom?.dispose());

/** Runs of the sum of four squares, 30. */
const squares = async (): Promise<(options?: { signal: AbortSignal }) => Promise<unknown>> => {
  const task = loom.task();
  task.output(
    'square',
    task
      .encrypted('x', { shape: [4], min: 0, max: 9 })
      .square()
      .sum(),
  );
  const program = await task.compile();
  const client = await program.client();
  const inputs = await client.encrypt({ x: [1, 2, 3, 4] });
  return async (options) => client.decrypt(await program.run(inputs, client.evaluationKeys, options));
};

describe('load', () => {
  it('fails with a typed error, and may be repeated', async () => {
    await expect(
      load({ mode: 'single', wasm: { single: new URL('file:///none.wasm') } }),
    ).rejects.toMatchObject({ code: 'worker.wasm' });
    await expect(load({ mode: 'single', wasm: { single: Uint8Array.of(1, 2) } })).rejects.toMatchObject({
      code: 'worker.wasm',
    });
    // What had been started already is ended; the evaluator would have been next.
    const ended: Role[] = [];
    const worker = (role: Role): WorkerLike => {
      const real = startWorker(role);
      return { ...real, terminate: () => (ended.push(role), real.terminate()) };
    };
    await expect(
      load({ threads: 2, mode: 'threads', worker, wasm: { threads: new URL('file:///none.wasm') } }),
    ).rejects.toMatchObject({ code: 'worker.wasm' });
    await expect.poll(() => [...ended].sort(), PATIENCE).toEqual(['client', 'pool']);
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
    expect(await (await squares())()).toEqual({ square: 30 });
  });

  /** What is called while the scripts of one role are not there. */
  const without = async (script: string, call: () => Promise<void>): Promise<void> => {
    const threads = process.getBuiltinModule('node:worker_threads');
    const { Worker } = threads;
    threads.Worker = class extends Worker {
      constructor(address: URL, options: object) {
        super(String(address).includes(script) ? new URL('file:///none.js') : address, options);
      }
    } as typeof Worker;
    try {
      await call();
    } finally {
      threads.Worker = Worker;
    }
  };

  it.each([1, 2])('is told of a script that is not there, whose threads are %d', async (threads) => {
    const failed = (role: Role) => ({
      code: 'worker.failed',
      message: expect.stringContaining(`${role} worker`),
    });
    const options = { mode: 'threads', threads } as const;
    await without('client-worker', () => expect(load(options)).rejects.toMatchObject(failed('client')));
    if (threads === 1)
      await without('evaluator-worker', () =>
        expect(load(options)).rejects.toMatchObject(failed('evaluator')),
      );
    loom = await load(options);
    const graph = loom.graph({ unit: 32 });
    graph.output('y', graph.input('x', f32(1)));
    const run = () => graph.run({ x: Float32Array.of(7) });
    await without('graph-worker', () => expect(run()).rejects.toMatchObject(failed('graph')));
    expect(await run()).toEqual({ y: Float32Array.of(7) });
  });

  it('falls back to one thread where the threads do not start', () =>
    without('pool-worker', async () => {
      await expect(load({ mode: 'threads', threads: 2 })).rejects.toMatchObject({ code: 'worker.failed' });
      loom = await load({ threads: 2 });
      expect(loom.mode).toMatchObject({
        variant: BUILDS.includes('relaxed') ? 'relaxed' : 'single',
        threads: 1,
        reasons: expect.arrayContaining([expect.stringContaining('threads of the')]),
      });
    }));

  it.each([
    ['shared memory', 0],
    ['that of the evaluator, which starts later,', 1],
  ])('falls back to one thread where %s cannot be had', async (_, granted) => {
    const { Memory } = WebAssembly;
    let given = 0;
    WebAssembly.Memory = class extends Memory {
      constructor(descriptor: WebAssembly.MemoryDescriptor) {
        if (descriptor.shared && given++ >= granted) throw new RangeError('could not allocate memory');
        super(descriptor);
      }
    };
    try {
      await expect(load({ mode: 'threads', threads: 2 })).rejects.toMatchObject({
        name: 'MemoryError',
        code: 'memory.shared',
      });
      given = 0;
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

  describe('does not wait for the evaluator of several threads', () => {
    /** A loom whose evaluator hears of nothing until it may. */
    const slow = async (): Promise<() => void> => {
      const kept: (() => void)[] = [];
      let may = false;
      const worker = (role: Role): WorkerLike => {
        const real = startWorker(role);
        if (role !== 'evaluator') return real;
        const postMessage: WorkerLike['postMessage'] = (message, transfer) => {
          if (may) real.postMessage(message, transfer);
          else kept.push(() => real.postMessage(message, transfer));
        };
        return { ...real, postMessage };
      };
      loom = await load({ mode: 'threads', threads: 2, worker });
      return () => {
        may = true;
        kept.splice(0).forEach((send) => send());
      };
    };
    it('but a run does, as long as it may', async () => {
      const release = await slow();
      const run = await squares();
      const ended = new AbortController();
      const [aborted, patient] = [run({ signal: ended.signal }), run()];
      ended.abort(new Error('no longer'));
      await expect(aborted).rejects.toThrow('no longer');
      release();
      expect(await patient).toEqual({ square: 30 });
      expect(await run()).toEqual({ square: 30 });
    });

    it('which ends with the loom', async () => {
      await slow();
      const run = await squares();
      const waiting = run();
      loom.dispose();
      await expect(waiting).rejects.toMatchObject({ code: 'disposed' });
    });

    it('which is told that it did not start, and may be repeated', async () => {
      await without('evaluator-worker', async () => {
        loom = await load({ mode: 'threads', threads: 2 });
        const run = await squares();
        await expect(run()).rejects.toMatchObject({ code: 'worker.failed' });
      });
      const again = await squares();
      expect(await again()).toEqual({ square: 30 });
      loom.dispose();
      let refused = 0;
      const worker = (role: Role): WorkerLike => {
        if (role === 'evaluator' && refused++ === 0) throw new Error('none here');
        return startWorker(role);
      };
      loom = await load({ mode: 'threads', threads: 2, worker });
      // The loom has tried once, so that this is the second time.
      const run = await squares();
      expect(await run()).toEqual({ square: 30 });
      expect(refused).toBe(2);
      loom.dispose();
      const never = (role: Role): WorkerLike => {
        if (role === 'evaluator') throw new Error('none here');
        return startWorker(role);
      };
      loom = await load({ mode: 'threads', threads: 2, worker: never });
      await expect((await squares())()).rejects.toMatchObject({
        code: 'worker.failed',
        message: expect.stringContaining('evaluator'),
      });
    });
  });
});
