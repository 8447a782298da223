// The real protocol between two threads, over jobs that only spend time. Runs on dist/, since a worker of
// Node 20 cannot load TypeScript.
import { execFileSync } from 'node:child_process';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { Connection } from '../dist/worker/connection.js';
import type { StartMethods } from '../dist/worker/protocol.js';
import type { WorkerLike } from '../dist/types.js';

interface Methods extends StartMethods {
  work(name: string, steps: number): string;
  freed(): string[];
  block(milliseconds: number): number;
  open(): number;
  bytes(size: number): Uint8Array;
  refuse(): void;
  defect(): void;
  trap(): void;
  recurse(): void;
  allocate(): void;
  exit(): void;
}

const fixture = new URL('./fixtures/slow-worker.mjs', import.meta.url);
/** How often the worker has begun to block: told of by memory, since it tells nothing else meanwhile. */
const blocks = new Int32Array(new SharedArrayBuffer(4));
let ended = 0;
let connection: Connection<Methods>;

async function connect(script = fixture): Promise<Connection<Methods>> {
  ended = 0;
  connection = new Connection<Methods>(
    'evaluator',
    workerLike(new Worker(script, { workerData: blocks })),
    () => {
      ended += 1;
    },
  );
  await connection.call('start', [undefined as never]);
  return connection;
}

function workerLike(worker: Worker): WorkerLike {
  return {
    postMessage: (message, transfer) => worker.postMessage(message, transfer as never),
    addEventListener: (type, listener) => {
      worker.on(type, (data) =>
        listener(Object.assign(new Event(type), type === 'error' ? { message: data.message } : { data })),
      );
      if (type === 'error')
        worker.on('exit', () => listener(Object.assign(new Event(type), { message: 'exit' })));
    },
    terminate: () => worker.terminate(),
  };
}

afterEach(() => connection.close());

describe('a call', () => {
  it('runs to its end, and tells how far it is, not too often', async () => {
    await connect();
    const progress: { done: number; total: number }[] = [];
    const began = performance.now();
    expect(await connection.call('work', ['a', 20], { onProgress: (p) => progress.push(p) })).toBe('a done');
    expect(progress.length).toBeGreaterThan(3);
    // Every 50 ms at most, however long it took.
    expect(progress.length).toBeLessThanOrEqual(2 + (performance.now() - began) / 50);
    expect(progress.every(({ done, total }, i) => total === 20 && done > (progress[i - 1]?.done ?? 0))).toBe(
      true,
    );
    expect(await connection.call('freed', [])).toEqual(['a']);
  });

  it('rejects with what its progress callback throws, and stops', async () => {
    await connect();
    const onProgress = (): never => {
      throw new Error('from the callback');
    };
    await expect(connection.call('work', ['long', 400], { onProgress })).rejects.toThrow('from the callback');
    expect(await connection.call('work', ['next', 2])).toBe('next done');
  });

  it('rejects at once when aborted, and frees the worker within 200 ms', async () => {
    await connect();
    // Of all threads of this process, whatever else the machine does; the best of five, as it may clean up meanwhile.
    const spent = (since: NodeJS.CpuUsage): number => {
      const { user, system } = process.cpuUsage(since);
      return (user + system) / 1000;
    };
    let [rejected, free] = [Infinity, Infinity];
    for (let round = 0; round < 5; round++) {
      const controller = new AbortController();
      const { signal } = controller;
      let begun = (): void => undefined;
      const works = new Promise<void>((resolve) => (begun = resolve));
      const working = connection.call('work', [`long ${round}`, 400], { signal, onProgress: () => begun() });
      const queued = connection.call('work', [`queued ${round}`, 400], { signal });
      working.catch(() => {});
      queued.catch(() => {});
      await works;
      const aborted = process.cpuUsage();
      controller.abort();
      await expect(working).rejects.toMatchObject({ name: 'AbortError' });
      await expect(queued).rejects.toBe(signal.reason);
      rejected = Math.min(rejected, spent(aborted));
      const freed = await connection.call('freed', []);
      free = Math.min(free, spent(aborted));
      // Two messages tell of the two: the second call may begin between them, and stops at its first step.
      expect(freed).toContain(`long ${round}`);
    }
    expect(rejected).toBeLessThan(100);
    expect(free).toBeLessThan(200);
  });

  it('tells how far it is while its worker hears no message, and stops in the middle where memory is shared', async () => {
    await connect();
    // Longer where that was over before it was heard.
    let progress: number[] = [];
    for (let milliseconds = 400; progress.length <= 1 && milliseconds < 20_000; milliseconds *= 2) {
      progress = [];
      const onProgress = ({ done }: { done: number }) => progress.push(done);
      expect(await connection.call('block', [milliseconds], { onProgress })).toBe(42);
    }
    const before = await connection.call('freed', []);
    expect(progress.length).toBeGreaterThan(1);
    expect(progress.every((done, i) => done < 1 && done > (progress[i - 1] ?? 0))).toBe(true);
    const late: number[] = [];
    for (const watched of [true, false]) {
      const controller = new AbortController();
      const { signal } = controller;
      const begun = Atomics.load(blocks, 0);
      // Watched, it would take longer than this test may.
      const milliseconds = watched ? 600_000 : 1000;
      const blocking = connection.call('block', [milliseconds], { signal, watched }, (result) =>
        late.push(result),
      );
      while (Atomics.load(blocks, 0) === begun) await new Promise((resolve) => setTimeout(resolve, 1));
      controller.abort();
      await expect(blocking).rejects.toBe(signal.reason);
      // Not watched, it goes on to its end, and what it gave is handed over.
      expect(await connection.call('freed', [])).toEqual(watched ? before : [...before, 'blocked']);
    }
    expect(late).toEqual([42]);
  });

  it('is not made with an aborted signal', async () => {
    await connect();
    const reason = new Error('no time');
    await expect(connection.call('work', ['a', 400], { signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
    expect(await connection.call('freed', [])).toEqual([]);
  });

  it('hands over a result that came too late, so that it can be freed', async () => {
    await connect();
    const controller = new AbortController();
    const late: number[] = [];
    const opening = connection.call('open', [], { signal: controller.signal }, (handle) => late.push(handle));
    // The worker has the call already, so the abort comes too late for it.
    controller.abort();
    await expect(opening).rejects.toMatchObject({ name: 'AbortError' });
    await connection.call('freed', []);
    expect(late.length).toBeLessThanOrEqual(1);
  });

  it('moves bytes', async () => {
    await connect();
    const bytes = await connection.call('bytes', [1000]);
    expect(bytes.length).toBe(1000);
    expect(bytes.every((byte) => byte === 7)).toBe(true);
  });
});

describe('an error', () => {
  it('arrives in its class, with code and details', async () => {
    await connect();
    await expect(connection.call('refuse', [])).rejects.toMatchObject({
      name: 'OutOfRangeError',
      code: 'range.overflow',
      message: 'too large',
      details: { found: 9, expected: 5 },
    });
    await expect(connection.call('defect', [])).rejects.toMatchObject({
      name: 'WorkerError',
      code: 'worker.unexpected',
    });
    expect(connection.alive).toBe(true);
  });

  it.each(['trap', 'recurse', 'allocate'] as const)('that is a trap (%s) ends the worker', async (how) => {
    await connect();
    const trap = connection.call(how, []);
    const queued = connection.call('work', ['queued', 400]);
    await expect(trap).rejects.toMatchObject({ name: 'WorkerError', code: 'worker.trap' });
    await expect(queued).rejects.toMatchObject({ name: 'WorkerError', code: 'worker.dead' });
    expect(connection.alive).toBe(false);
    expect(ended).toBe(1);
    await expect(connection.call('freed', [])).rejects.toMatchObject({
      name: 'WorkerError',
      code: 'worker.dead',
    });
  });

  it('of a worker that ends rejects all calls', async () => {
    await connect();
    const calls = [connection.call('exit', []), connection.call('freed', [])];
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'worker.dead' });
    expect(ended).toBe(1);
  });

  it('of a script that does not load is told', async () => {
    await expect(connect(new URL('./fixtures/none.mjs', import.meta.url))).rejects.toMatchObject({
      code: 'worker.failed',
    });
  });

  it('of a closed connection is DisposedError', async () => {
    await connect();
    const working = connection.call('work', ['a', 400]);
    connection.close();
    await expect(working).rejects.toMatchObject({ name: 'DisposedError' });
    await expect(connection.call('freed', [])).rejects.toMatchObject({ name: 'DisposedError' });
  });
});

describe('task building', () => {
  it('touches no global of a browser or of Node when imported', () => {
    const module = new URL('../dist/values/task.js', import.meta.url).href;
    const script = `
      for (const name of ["process", "navigator", "self", "window", "Worker", "document"]) {
        Object.defineProperty(globalThis, name, { get() { throw new Error("touched " + name); } });
      }
      const { createTask } = await import(${JSON.stringify(module)});
      const task = createTask();
      task.output("mean", task.encrypted("a", { shape: [2], min: 0, max: 1 }).mean());
      console.log(task.literal().outputs[0].name);
    `;
    expect(
      execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' }),
    ).toBe('mean\n');
  });
});
