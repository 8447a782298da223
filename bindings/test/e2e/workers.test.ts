// What crosses to the workers, and what happens when one dies.
import { setTimeout } from 'node:timers/promises';
import { createTask, load, type Loom, type Role, type Variant, type WorkerLike } from 'cipherloom';
import { afterEach, describe, expect, it } from 'vitest';
import { startWorker } from '../../dist/worker/start.js';
import { BUILDS, threadsOf } from './builds.js';
import { errorOf } from './error-of.js';
import { openWatched, type Watched, type WatchedLoom } from './mail.js';

const COLUMNS = { a: [1, 2, 3, 4], b: [2, 4, 6, 9] };

let watched: WatchedLoom;
let loom: Loom;

async function open(mode?: Variant, start?: (role: Role) => WorkerLike): Promise<void> {
  watched = await openWatched(mode, start);
  ({ loom } = watched);
}

/** All that workers of a role were told. */
function messagesTo(role: Role): Watched['messages'] {
  return watched.of(role).flatMap(({ messages }) => messages);
}

/** The wasm memory that a worker was started with; only threads share theirs. */
function memoryOf(role: Role): Buffer {
  const [{ args }] = messagesTo(role) as [{ args: [{ shared: { memory: WebAssembly.Memory } }] }];
  return Buffer.from(args[0].shared.memory.buffer);
}

/** All bytes and texts anywhere in a message. */
function contents(value: unknown): Buffer[] {
  if (typeof value === 'string') return [Buffer.from(value)];
  if (ArrayBuffer.isView(value)) return [Buffer.from(value.buffer, value.byteOffset, value.byteLength)];
  if (value instanceof ArrayBuffer) return [Buffer.from(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(contents) : [];
}

/** The secret seed in a saved client: the 32 bytes before the checksum. What stands before them is public. */
function secretOf(saved: Uint8Array): Buffer {
  return Buffer.from(saved.subarray(-48, -16));
}

/** Whether any 8 bytes in a row of the secret are in the bytes. */
function leaks(bytes: Buffer, secret: Buffer): boolean {
  return secret.subarray(7).some((_, i) => bytes.includes(secret.subarray(i, i + 8)));
}

function correlation(max = 9) {
  const task = createTask();
  const [a, b] = [
    task.encrypted('a', { rows: 4, min: 0, max }),
    task.encrypted('b', { rows: 4, min: 0, max }),
  ];
  task.output('r', a.correlation(b));
  task.output('sum', a.sum());
  return task;
}

/** Workers of the package, and a client worker that can be made to trap. */
function hooked(role: Role): WorkerLike {
  if (role !== 'client') return startWorker(role);
  const threads = process.getBuiltinModule('node:worker_threads');
  const worker = new threads.Worker(new URL('../fixtures/hooked-client-worker.mjs', import.meta.url));
  worker.unref();
  return {
    postMessage: (message, transfer) => worker.postMessage(message, transfer as never),
    addEventListener: (type, listener) => {
      worker.on(type, (data: unknown) => listener(Object.assign(new Event(type), { data })));
    },
    terminate: () => worker.terminate(),
    ref: () => worker.ref(),
    unref: () => worker.unref(),
  };
}

afterEach(() => loom?.dispose());

describe('the evaluator worker', () => {
  it.each(BUILDS)('of the %s build never meets a secret', async (mode) => {
    await open(mode);
    const task = correlation();
    using program = await loom.compile(task);
    using client = await program.client();
    const inputs = await client.encrypt(COLUMNS);
    const outputs = await program.run(inputs, client.evaluationKeys, { onTrace: () => {} });
    const controller = new AbortController();
    const [evaluator] = watched.of('evaluator') as [Watched];
    // As soon as the worker was told to run, and before its answer can be heard.
    evaluator.onSent = ({ method }) => {
      if (method === 'run') queueMicrotask(() => controller.abort());
    };
    const aborted = program.run(inputs, client.evaluationKeys, { signal: controller.signal });
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
    delete evaluator.onSent;
    await client.decrypt(outputs);
    const saved = await client.save();
    using restored = await program.restoreClient(saved);
    const again = await program.run(inputs, restored.evaluationKeys);
    await restored.decrypt(again);
    const secret = secretOf(saved);
    const file = Buffer.from(program.toBytes());
    const foreign = await loom.program(program.toBytes());
    await foreign.toText('task');
    await foreign.graph('base');
    foreign.dispose();
    program.dispose();
    // Calls are answered in order, and freeing is the last.
    using next = await loom.compile(task);
    await errorOf(next.run(inputs, []));

    // Every message has one of these forms, and nothing beside it.
    const isBytes = (value: unknown, known: readonly Uint8Array[]) =>
      value instanceof Uint8Array && known.some((one) => Buffer.compare(one, value) === 0);
    const isHandle = (value: unknown) => Number.isInteger(value);
    const isProgram = (value: unknown) => value instanceof Uint8Array && file.equals(value);
    const keys = [...client.evaluationKeys, ...restored.evaluationKeys];
    const forms: Record<string, ((value: never) => boolean)[]> = {
      openProgram: [isProgram],
      text: [isHandle, (stage) => stage === 'task'],
      graph: [isHandle, (stage) => stage === 'base'],
      freeProgram: [isHandle],
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
    for (const message of messagesTo('evaluator') as { method: string; args: never[] }[]) {
      if ('cancel' in message) {
        expect(Object.keys(message)).toEqual(['cancel']);
        seen.add('cancel');
        continue;
      }
      // `stop` is a flag in shared memory, which the page sets when it aborts.
      const { stop, ...call } = message as { stop?: Int32Array };
      expect(Object.keys(call).sort()).toEqual(['args', 'id', 'method']);
      expect(stop === undefined || stop.byteLength === 4).toBe(true);
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
    expect(contents(messagesTo('evaluator')).some((bytes) => leaks(bytes, secret))).toBe(false);
    expect(contents(messagesTo('client')).some((bytes) => leaks(bytes, secret))).toBe(true);
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
    watched.of('evaluator')[0]?.worker.terminate();
    await expect(running).rejects.toMatchObject({ name: 'WorkerError', code: 'worker.dead' });
    await expect(program.run(inputs, client.evaluationKeys)).rejects.toMatchObject({ code: 'worker.dead' });
    await loom.restart();
    expect(await client.decrypt(await program.run(inputs, client.evaluationKeys))).toEqual(expected);
    expect([watched.of('client').length, watched.of('evaluator').length]).toEqual([1, 2]);
  });
});

describe('the client worker', () => {
  it('can die: programs and saved clients come back, and who was never saved hears that it is lost', async () => {
    await open();
    using program = await loom.compile(correlation());
    using saved = await program.client();
    using lost = await program.client();
    const bytes = await saved.save();
    bytes.fill(0);
    const outputs = await program.run(await saved.encrypt(COLUMNS), saved.evaluationKeys);
    const expected = await saved.decrypt(outputs);
    // Several calls one after the other, so that it cannot be done before the worker is gone.
    const making = program.client();
    watched.of('client')[0]?.worker.terminate();
    await expect(making).rejects.toMatchObject({ name: 'WorkerError' });
    await expect(saved.decrypt(outputs)).rejects.toMatchObject({ code: 'worker.dead' });
    await loom.restart();
    // Several at once: it comes back once.
    const both = await Promise.all([saved.decrypt(outputs), saved.decrypt(outputs)]);
    expect(both).toEqual([expected, expected]);
    const restores = messagesTo('client').filter(({ method }) => method === 'restoreClient');
    expect(restores.length).toBe(1);
    for (const call of [() => lost.decrypt(outputs), () => lost.encrypt(COLUMNS), () => lost.save()]) {
      expect(await errorOf(call())).toMatchObject({
        name: 'WorkerError',
        code: 'worker.key_lost',
        message: expect.stringContaining('never saved'),
      });
    }
    expect((await program.toText('base')).length).toBeGreaterThan(0);
    using restored = await program.restoreClient(await saved.save(), { evaluationKeys: [] });
    expect(await restored.decrypt(outputs)).toEqual(expected);
    // Restored ones are as good as saved.
    watched.of('client')[1]?.worker.terminate();
    await setTimeout(50);
    await loom.restart();
    expect(await restored.decrypt(outputs)).toEqual(expected);
    expect(
      await saved.decrypt(await program.run(await saved.encrypt(COLUMNS), saved.evaluationKeys)),
    ).toEqual(expected);
  });

  it('that traps is replaced, and the same client goes on', async () => {
    await open('single', hooked);
    using program = await loom.compile(correlation(99));
    using client = await program.client();
    await client.save();
    const traps = client.encrypt({ a: [66, 0, 0, 0] });
    const queued = client.encrypt(COLUMNS);
    expect(await errorOf(traps)).toMatchObject({ name: 'WorkerError', code: 'worker.trap' });
    expect(await errorOf(queued)).toMatchObject({ code: 'worker.dead' });
    await loom.restart();
    const outputs = await program.run(await client.encrypt(COLUMNS), client.evaluationKeys);
    expect(await client.decrypt(outputs)).toMatchObject({ sum: { units: 10n } });
  });

  it('keeps no integers of a column', async () => {
    await open('single', hooked);
    using program = await loom.compile(correlation(99));
    using client = await program.client();
    await client.encrypt(COLUMNS);
    const { code, details } = await errorOf(client.encrypt({ a: [67, 0, 0, 0] }));
    expect(code).toBe('test.left');
    expect(details['left']).toEqual(Array(8).fill(0));
  });
});

describe('a program from bytes', () => {
  /** Messages of a worker that open a program. */
  const opens = ({ messages }: Watched) => messages.filter(({ method }) => method === 'openProgram').length;

  it('is opened and asked where there are no keys', async () => {
    await open();
    using program = await loom.compile(correlation());
    using client = await program.client();
    using foreign = await loom.program(program.toBytes());
    expect(foreign.info).toEqual(program.info);
    expect(await foreign.toText('base')).toBe(await program.toText('base'));
    expect(await foreign.graph('scheme')).toEqual(await program.graph('scheme'));
    const outputs = await foreign.run(await client.encrypt(COLUMNS), client.evaluationKeys);
    expect(await client.decrypt(outputs)).toMatchObject({ sum: { units: 10n } });
    expect(watched.of('client').map(opens)).toEqual([0]);
    expect(watched.of('evaluator').map(opens)).toEqual([1]);
    // Harm that it does there is no harm to keys.
    watched.of('evaluator')[0]?.worker.terminate();
    await expect(foreign.toText('base')).rejects.toMatchObject({ code: 'worker.dead' });
    await loom.restart();
    expect((await foreign.toText('task')).length).toBeGreaterThan(0);
    expect(await client.decrypt(outputs)).toMatchObject({ sum: { units: 10n } });
  });

  it('that is no program never comes near a key', async () => {
    await open();
    expect(await errorOf(loom.program(new Uint8Array(200)))).toMatchObject({ name: 'FormatError' });
    expect(watched.of('client').map(opens)).toEqual([0]);
  });

  it('shares a client worker with keys of no other program', async () => {
    await open();
    using program = await loom.compile(correlation());
    const client = await program.client();
    const file = program.toBytes();
    using one = await loom.program(file);
    using two = await loom.program(file);
    const [ofOne, alsoOfOne, ofTwo] = await Promise.all([one.client(), one.client(), two.client()]);
    expect(watched.of('client').map(opens)).toEqual([0, 2, 1]);
    for (const [opened, own] of [
      [one, ofOne],
      [one, alsoOfOne],
      [two, ofTwo],
      [program, client],
    ] as const) {
      const outputs = await opened.run(await own.encrypt(COLUMNS), own.evaluationKeys);
      expect(await own.decrypt(outputs)).toMatchObject({ sum: { units: 10n } });
    }
    ofOne.dispose();
    await setTimeout(10);
    expect(watched.of('client').map(({ ended }) => ended)).toEqual([false, false, false]);
    alsoOfOne.dispose();
    await setTimeout(10);
    expect(watched.of('client').map(({ ended }) => ended)).toEqual([false, true, false]);
    // What kills the worker of one program leaves the others alone.
    await ofTwo.save();
    watched.of('client')[2]?.worker.terminate();
    await setTimeout(50);
    await expect(ofTwo.encrypt(COLUMNS)).rejects.toMatchObject({ code: 'worker.dead' });
    await client.encrypt(COLUMNS);
    await loom.restart();
    await ofTwo.encrypt(COLUMNS);
    expect(watched.of('client').length).toBe(4);
  });

  it('takes the first client worker while no key is in it, which then takes no other', async () => {
    await open();
    using program = await loom.compile(correlation());
    using foreign = await loom.program(program.toBytes());
    const first = await foreign.client();
    expect(watched.of('client').length).toBe(1);
    const client = await program.client();
    expect(watched.of('client').length).toBe(2);
    const outputs = await program.run(await client.encrypt(COLUMNS), client.evaluationKeys);
    expect(await client.decrypt(outputs)).toMatchObject({ sum: { units: 10n } });
    await first.encrypt(COLUMNS);
    first.dispose();
    client.dispose();
    await setTimeout(10);
    // The first worker is free again, whoever comes.
    using own = await program.client();
    expect(watched.of('client').map(({ ended }) => ended)).toEqual([false, true]);
    using last = await foreign.client();
    expect(watched.of('client').length).toBe(3);
    await own.encrypt(COLUMNS);
    await last.encrypt(COLUMNS);
  });

  it('leaves no client worker behind when its client is given up or refused', async () => {
    await open();
    using program = await loom.compile(correlation());
    using _ = await program.client();
    using foreign = await loom.program(program.toBytes());
    const controller = new AbortController();
    const aborted = foreign.client({ signal: controller.signal });
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
    expect(await errorOf(foreign.restoreClient(new Uint8Array(90)))).toMatchObject({ name: 'FormatError' });
    while (
      !watched
        .of('client')
        .slice(1)
        .every(({ ended }) => ended)
    )
      await setTimeout(10);
    expect(watched.of('client')[0]?.ended).toBe(false);
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
    expect(ended.sort()).toEqual(['client', 'evaluator', 'pool', 'pool']);
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
