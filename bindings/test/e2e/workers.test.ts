// What crosses to the workers, and what happens when one dies.
import { setImmediate, setTimeout } from 'node:timers/promises';
import { createTask, load, type Loom, type Role, type Variant, type WorkerLike } from 'cipherloom';
import { afterEach, describe, expect, it } from 'vitest';
import { startWorker } from '../../dist/worker/start.js';
import { BUILDS, threadsOf } from './builds.js';
import { errorOf } from './error-of.js';

const COLUMNS = { a: [1, 2, 3, 4], b: [2, 4, 6, 9] };

const workers: Record<Role, WorkerLike[]> = { client: [], evaluator: [] };
const messages: Record<Role, unknown[]> = { client: [], evaluator: [] };
let loom: Loom;

/** A loom whose workers' mail is read. */
async function open(mode: Variant = 'single'): Promise<void> {
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
  loom = await load({ mode, threads: threadsOf(mode), worker });
}

/** The wasm memory that a worker was started with; only threads share theirs. */
function memoryOf(role: Role): Buffer {
  const [{ args }] = messages[role] as [{ args: [{ shared: { memory: WebAssembly.Memory } }] }];
  return Buffer.from(args[0].shared.memory.buffer);
}

/** All bytes and texts anywhere in a message. */
function contents(value: unknown): Buffer[] {
  if (typeof value === 'string') return [Buffer.from(value)];
  if (ArrayBuffer.isView(value)) return [Buffer.from(value.buffer, value.byteOffset, value.byteLength)];
  if (value instanceof ArrayBuffer) return [Buffer.from(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(contents) : [];
}

/** The part of a saved client that no other client has: its secret seed, without the checksum after it. */
function secretOf(saved: Uint8Array, other: Uint8Array): Buffer {
  const start = saved.findIndex((byte, i) => byte !== other[i]);
  return Buffer.from(saved.subarray(start, start + 32));
}

/** Whether any 8 bytes in a row of the secret are in the bytes. */
function leaks(bytes: Buffer, secret: Buffer): boolean {
  return secret.subarray(7).some((_, i) => bytes.includes(secret.subarray(i, i + 8)));
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
  it.each(BUILDS)('of the %s build never meets a secret', async (mode) => {
    await open(mode);
    const task = correlation();
    using program = await loom.compile(task);
    using client = await program.client();
    using other = await program.client();
    const inputs = await client.encrypt(COLUMNS);
    const outputs = await program.run(inputs, client.evaluationKeys, { onTrace: () => {} });
    const controller = new AbortController();
    const runs = () => (messages.evaluator as { method?: string }[]).filter(({ method }) => method === 'run');
    const before = runs().length;
    const aborted = program.run(inputs, client.evaluationKeys, { signal: controller.signal });
    // As soon as the worker was told to run, and before it can be done.
    void (async () => {
      while (runs().length === before) await setImmediate();
      controller.abort();
    })();
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
    await client.decrypt(outputs);
    const saved = await client.save();
    using restored = await program.restoreClient(saved);
    const again = await program.run(inputs, restored.evaluationKeys);
    await restored.decrypt(again);
    const secret = secretOf(saved, await other.save());
    const file = Buffer.from(program.toBytes());
    program.dispose();
    // Calls are answered in order, and freeing is the last.
    using next = await loom.compile(task);
    await errorOf(next.run(inputs, []));

    // Every message has one of these forms, and nothing beside it.
    const isBytes = (value: unknown, known: readonly Uint8Array[]) =>
      value instanceof Uint8Array && known.some((one) => Buffer.compare(one, value) === 0);
    const isHandle = (value: unknown) => Number.isInteger(value);
    const isProgram = (value: unknown) => {
      // The program's file has the decimals before the core's own bytes.
      return value instanceof Uint8Array && value.length > 100 && file.subarray(-value.length).equals(value);
    };
    const keys = [...client.evaluationKeys, ...restored.evaluationKeys];
    const forms: Record<string, ((value: never) => boolean)[]> = {
      start: [(options: object) => Object.keys(options).sort().join() === 'module,shared,threads,variant'],
      open: [isProgram],
      loadKey: [isHandle, (key) => isBytes(key, keys)],
      missingKeys: [isHandle],
      run: [
        isHandle,
        (sent: unknown[]) => sent.every((bytes) => isBytes(bytes, Object.values(inputs))),
        (trace) => typeof trace === 'boolean',
      ],
      free: [isHandle],
    };
    const seen = new Set<string>();
    for (const message of messages.evaluator as { method: string; args: never[] }[]) {
      if ('cancel' in message) {
        expect(Object.keys(message)).toEqual(['cancel']);
        seen.add('cancel');
        continue;
      }
      expect(Object.keys(message).sort()).toEqual(['args', 'id', 'method']);
      const form = forms[message.method];
      expect(form?.length, message.method).toBe(message.args.length);
      expect(
        form?.every((matches, i) => matches(message.args[i] as never)),
        message.method,
      ).toBe(true);
      seen.add(message.method);
    }
    expect([...seen].sort()).toEqual([...Object.keys(forms), 'cancel'].sort());

    // Whatever the forms, no part of the secret is in it. The client worker's mail, which had the saved client,
    // shows that the search finds one.
    expect(secret.length).toBe(32);
    expect(contents(messages.evaluator).some((bytes) => leaks(bytes, secret))).toBe(false);
    expect(contents(messages.client).some((bytes) => leaks(bytes, secret))).toBe(true);
    if (threadsOf(mode) > 1) {
      expect(leaks(memoryOf('evaluator'), secret)).toBe(false);
      expect(leaks(memoryOf('client'), secret)).toBe(true);
    }
    // Nor is it in what is handed out to be sent.
    for (const bytes of [file, ...keys, ...Object.values({ ...inputs, ...outputs })]) {
      expect(leaks(Buffer.from(bytes), secret)).toBe(false);
    }
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
    // Several calls one after the other, so that it cannot be done before the worker is gone.
    const making = program.client();
    workers.client[0]?.terminate();
    await expect(making).rejects.toMatchObject({ name: 'WorkerError' });
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
    // Both workers had been started already, and are ended.
    const ended: Role[] = [];
    const worker = (role: Role): WorkerLike => {
      const real = startWorker(role);
      return { ...real, terminate: () => (ended.push(role), real.terminate()) };
    };
    await expect(
      load({ threads: 2, mode: 'threads', worker, wasm: { threads: new URL('file:///none.wasm') } }),
    ).rejects.toMatchObject({ code: 'worker.wasm' });
    await setTimeout(0);
    expect(ended.sort()).toEqual(['client', 'evaluator']);
    const refuse = (): never => {
      throw new Error('refused');
    };
    await expect(
      load({ mode: 'single', worker: refuse, wasm: { single: new URL('file:///none.wasm') } }),
    ).rejects.toMatchObject({ code: 'worker.failed' });
    await expect(load({ signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
    await open();
    expect(loom.mode.variant).toBe('single');
  });

  it('starts many threads at once, whose stacks make the memory larger meanwhile', async () => {
    for (let time = 0; time < 2; time++) {
      loom?.dispose();
      loom = await load({ mode: 'threads', threads: 64 });
      expect(loom.mode.threads).toBe(64);
    }
    using program = await loom.compile(correlation());
    using client = await program.client();
    const outputs = await program.run(await client.encrypt(COLUMNS), client.evaluationKeys);
    expect(await client.decrypt(outputs)).toMatchObject({ sum: { units: 10n } });
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
