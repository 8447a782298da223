// Data owners who hold the public key alone: two of them, a client and an evaluator. Runs once per build of the wasm.
import { createTask, type Loom, type Task } from 'cipherloom';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILDS, threadsOf } from './builds.js';
import { expectNear } from './compute.js';
import { errorOf } from './error-of.js';
import { openWatched, type Watched, type WatchedLoom } from './mail.js';

const SHAPE = { shape: [4] };
const OPTION = { publicKey: true };

/** Scores of two hospitals, and weights. */
function scores(): Task {
  const task = createTask();
  const weight = task.encrypted('weight', { ...SHAPE, min: 0, max: 9 });
  const [one, two] = ['one', 'two'].map((name) =>
    task.encrypted(name, { ...SHAPE, min: -99, max: 99, decimals: 1, missing: name === 'two' }),
  );
  task.output('first', one!.multiply(weight));
  task.output('mean', two!.mean());
  task.output('apart', two!.filled().sub(one!).sum());
  return task;
}

const given = { weight: [1, 0, 9, 2], one: [1.5, 99, -99, 0.1], two: [7, null, -1.5, 0] };
const expected = { first: [1.5, 0, -891, 0.2], mean: 5.5 / 3, apart: 3.9 };

describe.each(BUILDS)('the %s build', (mode) => {
  let watched: WatchedLoom;
  let loom: Loom;
  beforeAll(async () => {
    watched = await openWatched(mode);
    ({ loom } = watched);
    expect(loom.mode.threads).toBe(threadsOf(mode));
  });
  afterAll(() => loom?.dispose());

  it('computes on what two data owners and the client encrypt', async () => {
    using program = await loom.compile(scores(), OPTION);
    expect(program.info.publicKey).toBe(true);
    using client = await program.client();
    const phases: string[] = [];
    const publicKey = await client.publicKey({ onProgress: ({ phase }) => phases.push(phase) });
    expect(publicKey.length).toBe(program.info.cost.publicKeyBytes);
    expect(new Set(phases)).toEqual(new Set(['keys']));
    // One where the program was compiled, one who has it as bytes.
    using opened = await loom.program(program.toBytes());
    expect(opened.info).toEqual(program.info);
    using one = await program.owner(publicKey);
    using two = await opened.owner(publicKey);
    const inputs = {
      ...(await client.encrypt({ weight: given.weight })),
      ...(await one.encrypt({ one: given.one })),
      ...(await two.encrypt({ two: given.two })),
    };
    const results = await program.run(inputs, client.evaluationKeys);
    expect(await client.decrypt(results, { inputs })).toEqual(expected);
    const promised = Math.min(...program.info.ciphertexts.map(({ budgetBits }) => budgetBits));
    for (const { budgetBits } of Object.values(await client.decryptDetails(results)))
      expect(budgetBits).toBeGreaterThanOrEqual(promised);
    // Of what the client encrypts half need not travel.
    const own = await client.encrypt({ one: given.one });
    expect(own['one']?.length).toBe(program.info.inputs.find(({ name }) => name === 'one')?.bytes);
    const ratio = (inputs.one?.length as number) / (own['one']?.length as number);
    expect(ratio).toBeGreaterThan(1.9);
    expect(ratio).toBeLessThan(2.1);
    // Twice the same is never the same.
    expect(await one.encrypt({ one: given.one })).not.toEqual({ one: inputs.one });
    // All of it by one.
    using all = await opened.owner(publicKey);
    const alone = await all.encrypt(given);
    const held = await opened.hold(alone, client.evaluationKeys);
    expect(await client.decrypt(await held.run(), { inputs: alone })).toEqual(expected);
    held.dispose();
  });

  it('computes on reals, within what programs say', async () => {
    const task = createTask();
    const [x, y] = ['x', 'y'].map((name) =>
      task.encrypted(name, { kind: 'real', shape: [3], min: -1, max: 1 }),
    );
    task.output('product', x!.multiply(y!).rotate(1));
    using program = await loom.compile(task, OPTION);
    using client = await program.client();
    const publicKey = await client.publicKey();
    using owner = await program.owner(publicKey);
    const inputs = {
      ...(await owner.encrypt({ x: [0.5, -1, 0.25] })),
      ...(await client.encrypt({ y: [-1, 0.5, 1] })),
    };
    const { product } = await client.decrypt(await program.run(inputs, client.evaluationKeys));
    const off = 2 ** Math.max(...program.info.ciphertexts.map(({ errorBits = NaN }) => errorBits));
    expect(off).toBeLessThan(2 ** -19);
    expectNear(product, [-0.5, 0.25, -0.5], off);
  });

  it('keeps data owners apart from secret keys', async () => {
    const before = new Map(watched.workers.map((worker) => [worker, worker.messages.length]));
    using program = await loom.compile(scores(), OPTION);
    using client = await program.client();
    const saved = await client.save();
    using restored = await program.restoreClient(saved, { evaluationKeys: [] });
    using owner = await program.owner(await restored.publicKey());
    await owner.encrypt({ one: given.one });
    const secret = Buffer.from(saved.subarray(-48, -16));
    const leaks = { owner: 0, client: 0 };
    for (const worker of watched.of('client')) {
      const messages = worker.messages.slice(before.get(worker) ?? 0);
      const role = messages.some(({ method }) => method === 'createOwner') ? 'owner' : 'client';
      leaks[role] += Number(contents(messages).some((bytes) => bytes.includes(secret)));
      expect(kindsOfKeys(worker)).toBeLessThanOrEqual(1);
    }
    // The search finds one in the mail of the client's worker.
    expect(leaks).toEqual({ owner: 0, client: 1 });
  });

  it('refuses what is no public key of the program', async () => {
    using program = await loom.compile(scores(), OPTION);
    using client = await program.client();
    const publicKey = await client.publicKey();
    const code = async (call: Promise<unknown>) => (await errorOf(call)).code;
    expect(await code(program.owner(publicKey.subarray(0, 5000)))).toBe('format.truncated');
    expect(await code(program.owner(new Uint8Array(publicKey.length + 1)))).toBe('format.size');
    for (const at of [0, 10, 11, 40, 5000, publicKey.length - 1]) {
      const flipped = publicKey.slice();
      flipped[at] = (flipped[at] as number) ^ 4;
      expect(await code(program.owner(flipped))).toMatch(/^format\.(magic|checksum|truncated)$/);
    }
    expect(await code(program.owner(await client.save()))).toBe('format.kind');
    expect(await code(program.owner(program.toBytes()))).toBe('format.kind');
    expect(await code(program.owner('key' as never))).toBe('input.type');
    // Of another program's parameters.
    const other = createTask();
    other.output('x', other.encrypted('x', { ...SHAPE, min: 0, max: 1e6 }).power(3));
    using wider = await loom.compile(other, OPTION);
    expect(await errorOf(wider.owner(publicKey))).toMatchObject({
      code: 'key.foreign',
      details: { of: 'set of parameters' },
    });
    const aborted = program.owner(publicKey, { signal: AbortSignal.abort() });
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('refuses values under two keys', async () => {
    using program = await loom.compile(scores(), OPTION);
    using client = await program.client();
    using other = await program.client();
    using one = await program.owner(await client.publicKey());
    using two = await program.owner(await other.publicKey());
    const inputs = { ...(await one.encrypt(given)), ...(await two.encrypt({ two: given.two })) };
    for (const { evaluationKeys } of [client, other])
      expect(await errorOf(program.run(inputs, evaluationKeys))).toMatchObject({
        code: 'key.foreign',
        details: { of: 'client' },
      });
  });

  it('takes none for a program that was compiled without the option', async () => {
    using program = await loom.compile(scores(), OPTION);
    using without = await loom.compile(scores(), { parameters: program.info, publicKey: false });
    using same = await loom.compile(scores(), { parameters: program.info });
    expect([without.info.publicKey, same.info.publicKey]).toEqual([false, true]);
    expect(without.info.cost.publicKeyBytes).toBe(0);
    using client = await program.client();
    const publicKey = await client.publicKey();
    expect(await errorOf(without.owner(publicKey))).toMatchObject({ name: 'KeyError', code: 'key.public' });
    using holder = await without.restoreClient(await client.save());
    expect(await errorOf(holder.publicKey())).toMatchObject({ code: 'key.public' });
    using owner = await same.owner(publicKey);
    const inputs = { ...(await holder.encrypt(given)), ...(await owner.encrypt({ one: given.one })) };
    expect(await errorOf(without.run(inputs, holder.evaluationKeys))).toMatchObject({
      name: 'KeyError',
      code: 'key.public',
      details: { what: 'value for `one`' },
    });
    // The other two do, and give the same.
    expect(await client.decrypt(await program.run(inputs, client.evaluationKeys))).toEqual(expected);
    expect(await errorOf(loom.compile(scores(), { publicKey: 'yes' as never }))).toMatchObject({
      code: 'input.type',
    });
  });

  it('checks cells as the client does, and ends', async () => {
    using program = await loom.compile(scores(), OPTION);
    using client = await program.client();
    const owner = await program.owner(await client.publicKey());
    for (const [values, code] of [
      [{ one: [1, 2, 3, 100] }, 'range.value'],
      [{ one: [1, 2, 3] }, 'input.shape'],
      [{ one: [1, 2, 3, null] }, 'input.missing_value'],
      [{ one: [1, 2, 3, 0.25] }, 'input.decimals'],
      [{ none: [1, 2, 3, 4] }, 'input.unknown'],
    ] as const) {
      const found = await errorOf(owner.encrypt(values));
      expect(found.code).toBe(code);
      expect(found.message).toBe((await errorOf(client.encrypt(values))).message);
    }
    owner.dispose();
    owner.dispose();
    expect(await errorOf(owner.encrypt({ one: given.one }))).toMatchObject({ code: 'disposed' });
    program.dispose();
    expect(await errorOf(program.owner(new Uint8Array()))).toMatchObject({ code: 'disposed' });
  });

  it('has data owners again after their worker died', async () => {
    using program = await loom.compile(scores(), OPTION);
    using client = await program.client();
    await client.save();
    using owner = await program.owner(await client.publicKey());
    const worker = watched.workers.findLast(({ messages }) =>
      messages.some(({ method }) => method === 'createOwner'),
    );
    await worker?.worker.terminate();
    expect((await errorOf(owner.encrypt({ one: given.one }))).code).toBe('worker.dead');
    await loom.restart();
    const inputs = { ...(await client.encrypt(given)), ...(await owner.encrypt({ one: given.one })) };
    expect(await client.decrypt(await program.run(inputs, client.evaluationKeys))).toEqual(expected);
  });
});

/** How many kinds of keys, secret and public ones, a worker ever had at one time. */
function kindsOfKeys({ messages }: Watched): number {
  const alive = { Client: 0, Owner: 0 };
  let most = 0;
  for (const { method = '' } of messages) {
    const kind = method.endsWith('Owner') ? 'Owner' : 'Client';
    if (/^(create|restore)(Client|Owner)$/.test(method)) alive[kind] += 1;
    if (/^free(Client|Owner)$/.test(method)) alive[kind] -= 1;
    most = Math.max(most, Object.values(alive).filter((count) => count > 0).length);
  }
  return most;
}

/** All bytes anywhere in a message. */
function contents(value: unknown): Buffer[] {
  if (ArrayBuffer.isView(value)) return [Buffer.from(value.buffer, value.byteOffset, value.byteLength)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(contents) : [];
}
