// What crosses to the workers, and what happens when one dies.
import { createTask, load, type Loom, type Role, type WorkerLike } from 'cipherloom';
import { afterEach, describe, expect, it } from 'vitest';
import { startWorker } from '../../dist/worker/start.js';

const COLUMNS = { a: [1, 2, 3, 4], b: [2, 4, 6, 9] };

const workers: Record<Role, WorkerLike[]> = { client: [], evaluator: [] };
const messages: Record<Role, unknown[]> = { client: [], evaluator: [] };
let loom: Loom;

/** A loom whose workers' mail is read. */
async function open(): Promise<void> {
  for (const role of ['client', 'evaluator'] as const) {
    workers[role] = [];
    messages[role] = [];
  }
  const worker = (role: Role): WorkerLike => {
    const real = startWorker(role);
    workers[role].push(real);
    return {
      ...real,
      postMessage: (message, transfer) => {
        messages[role].push(structuredClone(message));
        real.postMessage(message, transfer);
      },
    };
  };
  loom = await load({ mode: 'single', worker });
}

function correlation() {
  const task = createTask();
  const [a, b] = [
    task.encrypted('a', { rows: 4, min: 0, max: 9 }),
    task.encrypted('b', { rows: 4, min: 0, max: 9 }),
  ];
  task.output('r', a.correlation(b));
  task.output('sum', a.sum());
  return task;
}

afterEach(() => loom?.dispose());

describe('the evaluator worker', () => {
  it('is told program bytes, evaluation keys, ciphertexts and control, and nothing else', async () => {
    await open();
    using program = await loom.compile(correlation());
    using client = await program.client();
    const inputs = await client.encrypt(COLUMNS);
    const controller = new AbortController();
    const aborted = program.run(inputs, client.evaluationKeys, { signal: controller.signal });
    setTimeout(() => controller.abort(), 5);
    await aborted.catch(() => {});
    const outputs = await program.run(inputs, client.evaluationKeys, { onTrace: () => {} });
    await client.decrypt(outputs);
    await client.save();
    program.dispose();
    await new Promise((resolve) => setTimeout(resolve, 50));

    const file = Buffer.from(program.info && (await loom.compile(correlation())).toBytes());
    const isProgram = (bytes: unknown) =>
      bytes instanceof Uint8Array && bytes.length > 100 && file.subarray(-bytes.length).equals(bytes);
    const isOneOf = (bytes: unknown, all: readonly Uint8Array[]) =>
      all.some((one) => Buffer.compare(one, bytes as Uint8Array) === 0);
    const isHandle = (handle: unknown) => Number.isInteger(handle);
    const allowed: Record<string, (args: unknown[]) => boolean> = {
      start: ([options, ...rest]) =>
        rest.length === 0 &&
        Object.keys(options as object)
          .sort()
          .join() === 'memory,module,threads,variant',
      open: ([bytes, ...rest]) => rest.length === 0 && isProgram(bytes),
      loadKey: ([handle, key, ...rest]) =>
        rest.length === 0 && isHandle(handle) && isOneOf(key, client.evaluationKeys),
      missingKeys: ([handle, ...rest]) => rest.length === 0 && isHandle(handle),
      run: ([handle, sent, trace, ...rest]) =>
        rest.length === 0 &&
        isHandle(handle) &&
        typeof trace === 'boolean' &&
        (sent as Uint8Array[]).every((bytes) => isOneOf(bytes, Object.values(inputs))),
      free: ([handle, ...rest]) => rest.length === 0 && isHandle(handle),
    };
    const seen = new Set<string>();
    for (const message of messages.evaluator as {
      id: number;
      method: string;
      args: unknown[];
      cancel?: number;
    }[]) {
      if ('cancel' in message) {
        expect(Object.keys(message)).toEqual(['cancel']);
        continue;
      }
      expect(Object.keys(message).sort()).toEqual(['args', 'id', 'method']);
      expect(allowed[message.method]?.(message.args), message.method).toBe(true);
      seen.add(message.method);
    }
    expect([...seen].sort()).toEqual(Object.keys(allowed).sort());
  });

  it('can die: calls fail, and after restart everything goes on, with the same keys', async () => {
    await open();
    using program = await loom.compile(correlation());
    using client = await program.client();
    const inputs = await client.encrypt(COLUMNS);
    const expected = await client.decrypt(await program.run(inputs, client.evaluationKeys));
    const running = program.run(inputs, client.evaluationKeys);
    workers.evaluator[0]?.terminate();
    await expect(running).rejects.toMatchObject({ name: 'WorkerError', code: 'worker.dead' });
    await expect(program.run(inputs, client.evaluationKeys)).rejects.toMatchObject({ code: 'worker.dead' });
    await loom.restart();
    expect(await client.decrypt(await program.run(inputs, client.evaluationKeys))).toEqual(expected);
    expect([workers.client.length, workers.evaluator.length]).toEqual([1, 2]);
  });
});

describe('the client worker', () => {
  it('can die: its clients are lost, but programs and saved clients are not', async () => {
    await open();
    using program = await loom.compile(correlation());
    const lost = await program.client();
    const saved = await lost.save();
    const { evaluationKeys } = lost;
    const outputs = await program.run(await lost.encrypt(COLUMNS), evaluationKeys);
    const expected = await lost.decrypt(outputs);
    const decrypting = lost.decrypt(outputs);
    workers.client[0]?.terminate();
    await expect(decrypting).rejects.toMatchObject({ name: 'WorkerError' });
    await loom.restart();
    await expect(lost.decrypt(outputs)).rejects.toMatchObject({ name: 'WorkerError', code: 'worker.dead' });
    expect((await program.toText('base')).length).toBeGreaterThan(0);
    using restored = await program.restoreClient(saved, { evaluationKeys });
    expect(await restored.decrypt(outputs)).toEqual(expected);
  });
});

describe('load', () => {
  it('fails with a typed error, and may be repeated', async () => {
    await expect(
      load({ mode: 'single', wasm: { single: new URL('file:///none.wasm') } }),
    ).rejects.toMatchObject({ code: 'worker.wasm' });
    await expect(load({ mode: 'single', wasm: { single: Uint8Array.of(1, 2) } })).rejects.toMatchObject({
      code: 'worker.wasm',
    });
    await expect(load({ signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
    await open();
    expect(loom.mode.variant).toBe('single');
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
        reasons: [expect.stringContaining('Shared memory')],
      });
    } finally {
      WebAssembly.Memory = Memory;
    }
  });
});
