// What crosses to the workers, and what happens when one dies.
import { setTimeout } from 'node:timers/promises';
import { createTask, type Loom, type Role, type Variant, type WorkerLike } from 'cipherloom';
import { afterEach, describe, expect, it } from 'vitest';
import { startWorker } from '../../dist/worker/start.js';
import { BUILDS, threadsOf } from './builds.js';
import { errorOf } from './error-of.js';
import { openWatched, type Watched, type WatchedLoom } from './mail.js';

const VALUES = { x: [1, 2, 3, 4], gaps: [5, null, 7, 9] };
const CLEAR = { plain: { w: [1, 0, 1, 0] } };
const EXPECTED = { dot: 4, mean: 7 };
const PATIENCE = { timeout: 60_000 };

let watched: WatchedLoom;
let loom: Loom;

async function open(mode?: Variant, start?: (role: Role) => WorkerLike): Promise<void> {
  watched = await openWatched(mode, start);
  ({ loom } = watched);
}

function task() {
  const made = createTask();
  const options = { shape: [4], min: 0, max: 99 };
  const x = made.encrypted('x', options);
  made.output('dot', x.dot(made.plain('w', { shape: [4], min: 0, max: 9 })));
  made.output('mean', made.encrypted('gaps', { ...options, missing: true }).mean());
  return made;
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

/** Ends the worker of a role that was started as the `index`-th. */
async function kill(role: Role, index = 0): Promise<void> {
  await watched.of(role)[index]?.worker.terminate();
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
    using program = await loom.compile(task(), { passes: { openResults: false } });
    using client = await program.client();
    const inputs = await client.encrypt(VALUES);
    const keys = client.evaluationKeys;
    const results = await program.run(inputs, keys, { ...CLEAR, onTrace: () => {} });
    const controller = new AbortController();
    const [evaluator] = watched.of('evaluator') as [Watched];
    // As soon as the worker was told to run, and before its answer can be heard.
    evaluator.onSent = ({ method }) => {
      if (method === 'run') queueMicrotask(() => controller.abort());
    };
    const aborted = program.run(inputs, keys, { ...CLEAR, signal: controller.signal });
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
    delete evaluator.onSent;
    expect(await client.decrypt(results, { inputs })).toEqual(EXPECTED);
    expect(await client.plain(VALUES, CLEAR)).toMatchObject({ mean: EXPECTED.mean });
    const saved = await client.save();
    const exported = await client.exportKey('a passphrase');
    using restored = await program.restoreClient(saved);
    const held = await program.hold(inputs, restored.evaluationKeys, CLEAR);
    expect(await restored.decrypt(await held.run())).toEqual(EXPECTED);
    held.dispose();
    const secret = secretOf(saved);
    const file = Buffer.from(program.toBytes());
    const foreign = await loom.program(program.toBytes());
    await foreign.toText('server');
    await foreign.graph('base');
    await foreign.stats();
    await foreign.explain();
    foreign.dispose();
    program.dispose();
    // Calls are answered in order, and freeing is the last.
    using next = await loom.compile(task(), { passes: { openResults: false } });
    await errorOf(next.run(inputs, [], CLEAR));

    // Every message has one of these forms, and nothing beside it.
    const isBytes = (value: unknown, known: readonly Uint8Array[]) =>
      value instanceof Uint8Array && known.some((one) => Buffer.compare(one, value) === 0);
    const isHandle = (value: unknown) => Number.isInteger(value);
    const isProgram = (value: unknown) => value instanceof Uint8Array && file.equals(value);
    const allKeys = [...keys, ...restored.evaluationKeys];
    const isGiven = (value: unknown) => {
      const [names, sent, clear, cells, present, ...rest] = value as unknown[][];
      expect([names, clear, present, rest]).toEqual([Object.keys(inputs), ['w'], [undefined], []]);
      expect(cells).toEqual([Float64Array.from(CLEAR.plain.w)]);
      return sent?.length === 2 && sent.every((bytes) => isBytes(bytes, Object.values(inputs)));
    };
    const isNothing = (value: unknown) => (value as unknown[]).flat().length === 0;
    const forms: Record<string, ((value: never) => boolean)[]> = {
      openProgram: [isProgram, (insecure) => insecure === false],
      text: [isHandle, (stage) => stage === 'server'],
      graph: [isHandle, (stage) => stage === 'base'],
      sizes: [isHandle],
      explain: [isHandle],
      freeProgram: [isHandle],
      start: [
        (options: { readonly kernels?: unknown[] }) =>
          Object.keys(options).sort().join() ===
            `kernels,${mode === 'native' ? 'native,shared' : 'module,shared'},threads,variant` &&
          options.kernels?.length === 0,
      ],
      open: [isProgram, (insecure) => insecure === false],
      loadKey: [isHandle, (key) => isBytes(key, allKeys)],
      missingKeys: [isHandle],
      hold: [isHandle, isGiven],
      freeHeld: [isHandle],
      run: [isHandle, () => true, () => true, (trace) => typeof trace === 'boolean', (gpu) => gpu === false],
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
      if (message.method === 'run') {
        const [, handle, given] = message.args;
        expect(handle === undefined ? isGiven(given) : isHandle(handle) && isNothing(given)).toBe(true);
      }
      seen.add(message.method);
    }
    expect([...seen].sort()).toEqual([...Object.keys(forms), 'cancel'].sort());

    // Whatever the forms, no part of the secret is in it. The client worker's mail, which had the saved client,
    // shows that the search finds one.
    expect(secret.length).toBe(32);
    expect(contents(messagesTo('evaluator')).some((bytes) => leaks(bytes, secret))).toBe(false);
    expect(contents(messagesTo('client')).some((bytes) => leaks(bytes, secret))).toBe(true);
    // The roles of the native build are threads of one process: SECURITY.md.
    if (threadsOf(mode) > 1 && mode !== 'native') {
      expect(leaks(memoryOf('evaluator'), secret)).toBe(false);
      expect(leaks(memoryOf('client'), secret)).toBe(true);
    }
    // Nor is it in what is handed out to be sent, or kept where others may come by it.
    for (const bytes of [file, exported, ...allKeys, ...Object.values({ ...inputs, ...results })]) {
      expect(leaks(Buffer.from(bytes), secret)).toBe(false);
    }
    loom.dispose();
    expect(watched.workers.every(({ ended }) => ended)).toBe(true);
  });

  it('can die: calls fail, and after restart everything goes on, with the same keys', async () => {
    await open();
    using program = await loom.compile(task());
    using client = await program.client();
    const inputs = await client.encrypt(VALUES);
    const run = () => program.run(inputs, client.evaluationKeys, CLEAR);
    expect(await client.decrypt(await run())).toEqual(EXPECTED);
    const running = run();
    watched.of('evaluator')[0]?.worker.terminate();
    await expect(running).rejects.toMatchObject({ name: 'WorkerError', code: 'worker.dead' });
    await expect(run()).rejects.toMatchObject({ code: 'worker.dead' });
    await loom.restart();
    expect(await client.decrypt(await run())).toEqual(EXPECTED);
    expect([watched.of('client').length, watched.of('evaluator').length]).toEqual([1, 2]);
  });

  it('holds values for many runs, through its death', async () => {
    await open();
    const made = createTask();
    const type = { shape: [4], min: 0, max: 9 };
    const [x, y] = [made.encrypted('x', type), made.encrypted('y', type)];
    made.output('cells', x.multiply(y).multiply(made.plain('w', type)).add(made.public('v', type)));
    using program = await loom.compile(made);
    using client = await program.client();
    const keys = client.evaluationKeys;
    const [one, other] = [
      [1, 2, 3, 4],
      [5, 6, 7, 8],
    ];
    const { x: sealedX, y: sealedY } = (await client.encrypt({ x: one, y: other })) as Record<
      'x' | 'y',
      Uint8Array
    >;
    const plain = { w: [1, 0, 2, 9] };
    const answer = (v: number[]): unknown => ({
      cells: one.map((a, i) => a * (other[i] as number) * (plain.w[i] as number) + (v[i] as number)),
    });
    using part = await program.hold({ x: sealedX }, keys, { plain });
    const run = async (v: number[]): Promise<unknown> =>
      client.decrypt(await part.run({ y: sealedY }, { public: { v } }), { public: { v } });
    expect(await run(one)).toEqual(answer(one));
    expect(await run(other)).toEqual(answer(other));
    // What is held is not sent again.
    const { args } = messagesTo('evaluator').findLast(({ method }) => method === 'run') as {
      args: unknown;
    };
    expect(JSON.stringify(args)).not.toContain('"x"');
    using all = await program.hold({ x: sealedX, y: sealedY }, keys, { plain, public: { v: one } });
    for (let i = 0; i < 2; i++)
      expect(await client.decrypt(await all.run(), { public: { v: one } })).toEqual(answer(one));
    expect((await errorOf(all.run({ x: sealedX }))).code).toBe('task.invalid');
    expect((await errorOf(all.run({}, { plain }))).code).toBe('task.invalid');
    expect((await errorOf(part.run({}, { public: { v: one } }))).code).toBe('input.missing');
    expect((await errorOf(part.run({ y: sealedY }))).code).toBe('input.missing');
    expect((await errorOf(program.hold({ z: sealedX }, keys))).code).toBe('input.unknown');
    await kill('evaluator');
    expect((await errorOf(run(one))).code).toBe('worker.dead');
    await loom.restart();
    expect(await run(one)).toEqual(answer(one));
    part.dispose();
    expect((await errorOf(run(one))).code).toBe('disposed');
    const frees = () => messagesTo('evaluator').filter(({ method }) => method === 'freeHeld').length;
    await expect.poll(frees, PATIENCE).toBe(1);
  });

  it('keeps nothing that a call which was given up would have held', async () => {
    await open();
    using program = await loom.compile(task());
    using client = await program.client();
    const inputs = await client.encrypt(VALUES);
    const stop = new AbortController();
    const [evaluator] = watched.of('evaluator') as [Watched];
    evaluator.onSent = ({ method }) => method === 'hold' && stop.abort('stopped');
    const holding = program.hold(inputs, client.evaluationKeys, { ...CLEAR, signal: stop.signal });
    await expect(holding).rejects.toBe('stopped');
    await expect
      .poll(() => evaluator.messages.some(({ method }) => method === 'freeHeld'), PATIENCE)
      .toBe(true);
    const results = await program.run(inputs, client.evaluationKeys, CLEAR);
    expect(await client.decrypt(results)).toEqual(EXPECTED);
  });
});

describe('the client worker', () => {
  it('can die: programs and saved clients come back, and who was never saved hears that it is lost', async () => {
    await open();
    using program = await loom.compile(task());
    using saved = await program.client();
    using lost = await program.client();
    const bytes = await saved.save();
    bytes.fill(0);
    const run = async (client: typeof saved) =>
      program.run(await client.encrypt(VALUES), client.evaluationKeys, CLEAR);
    const results = await run(saved);
    // Several calls one after the other, so that it cannot be done before the worker is gone.
    const making = program.client();
    watched.of('client')[0]?.worker.terminate();
    await expect(making).rejects.toMatchObject({ name: 'WorkerError' });
    await expect(saved.decrypt(results)).rejects.toMatchObject({ code: 'worker.dead' });
    await loom.restart();
    // Several at once: it comes back once.
    const both = await Promise.all([saved.decrypt(results), saved.decrypt(results)]);
    expect(both).toEqual([EXPECTED, EXPECTED]);
    const restores = messagesTo('client').filter(({ method }) => method === 'restoreClient');
    expect(restores.length).toBe(1);
    for (const call of [
      () => lost.decrypt(results),
      () => lost.encrypt(VALUES),
      () => lost.save(),
      () => lost.plain(VALUES, CLEAR),
    ]) {
      expect(await errorOf(call())).toMatchObject({
        name: 'WorkerError',
        code: 'worker.key_lost',
        message: expect.stringContaining('never saved'),
      });
    }
    expect((await program.toText('base')).length).toBeGreaterThan(0);
    using restored = await program.restoreClient(await saved.save(), { evaluationKeys: [] });
    expect(await restored.decrypt(results)).toEqual(EXPECTED);
    using exporting = await program.client();
    await exporting.exportKey('a passphrase');
    // Restored ones are as good as saved, and so are those that were exported.
    await kill('client', 1);
    await loom.restart();
    expect(await restored.decrypt(results)).toEqual(EXPECTED);
    for (const one of [saved, exporting]) expect(await one.decrypt(await run(one))).toEqual(EXPECTED);
  });

  it('that traps is replaced, and the same client goes on', async () => {
    await open('single', hooked);
    using program = await loom.compile(task());
    using client = await program.client();
    await client.save();
    const traps = client.encrypt({ x: [66, 0, 0, 0] });
    const queued = client.encrypt(VALUES);
    expect(await errorOf(traps)).toMatchObject({ name: 'WorkerError', code: 'worker.trap' });
    expect(await errorOf(queued)).toMatchObject({ code: 'worker.dead' });
    await loom.restart();
    const results = await program.run(await client.encrypt(VALUES), client.evaluationKeys, CLEAR);
    expect(await client.decrypt(results)).toEqual(EXPECTED);
  });

  it('keeps no cells of what it encrypted', async () => {
    await open('single', hooked);
    using program = await loom.compile(task());
    using client = await program.client();
    await client.encrypt(VALUES);
    const { code, details } = await errorOf(client.encrypt({ x: [67, 0, 0, 0] }));
    expect(code).toBe('test.left');
    // Cells of both inputs, and which of one are there.
    expect(details['left']).toEqual(Array(12).fill(0));
  });

  it('holds keys that serve several programs of the same parameters', async () => {
    await open();
    using program = await loom.compile(task());
    using client = await program.client();
    const other = createTask();
    const x = other.encrypted('y', { shape: [4], min: 0, max: 99 });
    other.output('dot', x.dot(other.plain('w', { shape: [4], min: 0, max: 9 })));
    using second = await loom.compile(other, { parameters: program.info });
    const { n, moduli, special, plainModuli } = program.info;
    expect(second.info).toMatchObject({ n, moduli, special, plainModuli });
    using holder = await second.restoreClient(await client.save());
    const { x: sealed } = await client.encrypt(VALUES);
    const results = await second.run({ y: sealed as Uint8Array }, holder.evaluationKeys, CLEAR);
    expect(await holder.decrypt(results)).toEqual({ dot: 4 });
  });
});

describe('a program from bytes', () => {
  /** Messages of a worker that open a program. */
  const opens = ({ messages }: Watched) => messages.filter(({ method }) => method === 'openProgram').length;

  it('is opened and asked where there are no keys', async () => {
    await open();
    using program = await loom.compile(task());
    using client = await program.client();
    using foreign = await loom.program(program.toBytes());
    expect(foreign.info).toEqual(program.info);
    expect(await foreign.toText('base')).toBe(await program.toText('base'));
    expect(await foreign.graph('scheme')).toEqual(await program.graph('scheme'));
    expect(await foreign.stats()).toEqual(await program.stats());
    expect(String(await foreign.explain())).toBe(String(await program.explain()));
    const results = await foreign.run(await client.encrypt(VALUES), client.evaluationKeys, CLEAR);
    expect(await client.decrypt(results)).toEqual(EXPECTED);
    expect(watched.of('client').map(opens)).toEqual([0]);
    expect(watched.of('evaluator').map(opens)).toEqual([1]);
    // Harm that it does there is no harm to keys.
    await kill('evaluator');
    await expect(foreign.toText('base')).rejects.toMatchObject({ code: 'worker.dead' });
    await loom.restart();
    expect((await foreign.toText('server')).length).toBeGreaterThan(0);
    expect(await client.decrypt(results)).toEqual(EXPECTED);
  });

  it('that is no program never comes near a key', async () => {
    await open();
    expect(await errorOf(loom.program(new Uint8Array(200)))).toMatchObject({ name: 'FormatError' });
    expect(watched.of('client').some((worker) => opens(worker) > 0)).toBe(false);
  });

  it('shares a client worker with keys of no other program', async () => {
    await open();
    using program = await loom.compile(task());
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
      const results = await opened.run(await own.encrypt(VALUES), own.evaluationKeys, CLEAR);
      expect(await own.decrypt(results)).toEqual(EXPECTED);
    }
    const ended = () => watched.of('client').map(({ ended }) => ended);
    ofOne.dispose();
    await setTimeout(10);
    expect(ended()).toEqual([false, false, false]);
    alsoOfOne.dispose();
    await expect.poll(ended, PATIENCE).toEqual([false, true, false]);
    // What kills the worker of one program leaves the others alone.
    await ofTwo.save();
    await kill('client', 2);
    await expect(ofTwo.encrypt(VALUES)).rejects.toMatchObject({ code: 'worker.dead' });
    await client.encrypt(VALUES);
    await loom.restart();
    await ofTwo.encrypt(VALUES);
    expect(watched.of('client').length).toBe(4);
  });

  it('takes the first client worker while no key is in it, which then takes no other', async () => {
    await open();
    using program = await loom.compile(task());
    using foreign = await loom.program(program.toBytes());
    const first = await foreign.client();
    expect(watched.of('client').length).toBe(1);
    const client = await program.client();
    expect(watched.of('client').length).toBe(2);
    const results = await program.run(await client.encrypt(VALUES), client.evaluationKeys, CLEAR);
    expect(await client.decrypt(results)).toEqual(EXPECTED);
    await first.encrypt(VALUES);
    first.dispose();
    client.dispose();
    await expect.poll(() => watched.of('client').map(({ ended }) => ended), PATIENCE).toEqual([false, true]);
    // The first worker is free again, whoever comes.
    using own = await program.client();
    expect(watched.of('client').map(({ ended }) => ended)).toEqual([false, true]);
    using last = await foreign.client();
    expect(watched.of('client').length).toBe(3);
    await own.encrypt(VALUES);
    await last.encrypt(VALUES);
  });

  it('leaves no client worker behind when its client is given up or refused', async () => {
    await open();
    using program = await loom.compile(task());
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
