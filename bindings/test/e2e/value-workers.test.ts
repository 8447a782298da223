// What the workers of tasks over values are told, and what happens when one dies.
import { setTimeout } from 'node:timers/promises';
import { createValueTask, type Loom, type Role, type Variant } from 'cipherloom';
import { afterEach, describe, expect, it } from 'vitest';
import { BUILDS } from './builds.js';
import { errorOf } from './error-of.js';
import { openWatched, type Watched, type WatchedLoom } from './mail.js';

const VALUES = { x: [1, 2, 3, 4] };
const CLEAR = { plain: { w: [1, 0, 1, 0] } };
const EXPECTED = { dot: 4, mean: 2.5 };

let watched: WatchedLoom;
let loom: Loom;

async function open(mode?: Variant): Promise<void> {
  watched = await openWatched(mode);
  ({ loom } = watched);
}

function task() {
  const made = createValueTask();
  const x = made.encrypted('x', { shape: [4], min: 0, max: 9 });
  made.output('dot', x.dot(made.plain('w', { shape: [4], min: 0, max: 9 })));
  made.output('mean', x.mean());
  return made;
}

const messagesTo = (role: Role): Watched['messages'] => watched.of(role).flatMap(({ messages }) => messages);

/** All bytes anywhere in a message. */
function contents(value: unknown): Buffer[] {
  if (ArrayBuffer.isView(value)) return [Buffer.from(value.buffer, value.byteOffset, value.byteLength)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(contents) : [];
}

afterEach(() => loom?.dispose());

describe('the workers of values', () => {
  it('start where they are first asked for', async () => {
    await open();
    loom.valueTask();
    expect(watched.workers.map(({ role }) => role).sort()).toEqual(['client', 'evaluator']);
    using program = await loom.compileValues(task());
    expect(watched.of('task-client').length).toBe(1);
    expect(watched.of('task-evaluator').length).toBe(0);
    using client = await program.client();
    const results = await program.run(await client.encrypt(VALUES), client.evaluationKeys, CLEAR);
    expect(await client.decrypt(results)).toEqual(EXPECTED);
    expect(watched.of('task-evaluator').length).toBe(1);
    loom.dispose();
    expect(watched.workers.every(({ ended }) => ended)).toBe(true);
  });

  it.each(BUILDS)('keep the secret key where it is, with the %s build', async (mode) => {
    await open(mode);
    using program = await loom.compileValues(task());
    using client = await program.client();
    const inputs = await client.encrypt(VALUES);
    const results = await program.run(inputs, client.evaluationKeys, CLEAR);
    const saved = await client.save();
    using restored = await program.restoreClient(saved, { evaluationKeys: client.evaluationKeys });
    expect(await restored.decrypt(results)).toEqual(EXPECTED);
    const exported = await client.exportKey('a passphrase');
    const keys = { evaluationKeys: client.evaluationKeys };
    using imported = await program.restoreClient(exported, { ...keys, passphrase: 'a passphrase' });
    expect(await imported.decrypt(results)).toEqual(EXPECTED);
    const asked = program.restoreClient(exported, { ...keys, passphrase: 'another' });
    expect((await errorOf(asked)).code).toBe('key.passphrase');
    // The 32 bytes before the checksum.
    const secret = Buffer.from(saved.subarray(-48, -16));
    const leaks = (bytes: Buffer): boolean =>
      secret.subarray(7).some((_, at) => bytes.includes(secret.subarray(at, at + 8)));
    expect(contents(messagesTo('task-evaluator')).some(leaks)).toBe(false);
    expect(contents(messagesTo('task-client')).some(leaks)).toBe(true);
    for (const bytes of [
      program.toBytes(),
      exported,
      ...client.evaluationKeys,
      ...Object.values({ ...inputs, ...results }),
    ])
      expect(leaks(Buffer.from(bytes))).toBe(false);
    const methods = new Set(messagesTo('task-evaluator').map(({ method }) => method));
    expect([...methods].sort()).toEqual(['loadKey', 'missingKeys', 'open', 'run', 'start']);
  });

  it('can die: after restart saved clients go on, and who was never saved hears that it is lost', async () => {
    await open();
    using program = await loom.compileValues(task());
    using client = await program.client();
    using lost = await program.client();
    await client.save();
    const inputs = await client.encrypt(VALUES);
    const results = await program.run(inputs, client.evaluationKeys, CLEAR);
    for (const role of ['task-client', 'task-evaluator'] as const) watched.of(role)[0]?.worker.terminate();
    await setTimeout(50);
    expect((await errorOf(client.decrypt(results))).code).toBe('worker.dead');
    expect((await errorOf(program.run(inputs, client.evaluationKeys, CLEAR))).code).toBe('worker.dead');
    await loom.restart();
    expect(await client.decrypt(results)).toEqual(EXPECTED);
    const again = await program.run(inputs, client.evaluationKeys, CLEAR);
    expect(await client.decrypt(again)).toEqual(EXPECTED);
    expect((await errorOf(lost.decrypt(results))).code).toBe('worker.key_lost');
    expect((await program.toText('server')).length).toBeGreaterThan(0);
    expect(watched.of('task-client').length).toBe(2);
  });

  it('open programs of others where no keys are, and their clients apart', async () => {
    await open();
    using program = await loom.compileValues(task());
    using client = await program.client();
    using foreign = await loom.valueProgram(program.toBytes());
    await foreign.toText('base');
    const opens = (role: Role): number =>
      messagesTo(role).filter(({ method }) => method === 'openProgram').length;
    expect([opens('task-client'), opens('task-evaluator')]).toEqual([0, 1]);
    const own = await foreign.client();
    expect(watched.of('task-client').length).toBe(2);
    const results = await foreign.run(await own.encrypt(VALUES), own.evaluationKeys, CLEAR);
    expect(await own.decrypt(results)).toEqual(EXPECTED);
    own.dispose();
    await setTimeout(20);
    expect(watched.of('task-client').map(({ ended }) => ended)).toEqual([false, true]);
    expect(await client.encrypt(VALUES)).toHaveProperty('x');
  });

  it('hold values for many runs, through the death of the worker', async () => {
    await open();
    const made = createValueTask();
    const type = { shape: [4], min: 0, max: 9 };
    const [x, y] = [made.encrypted('x', type), made.encrypted('y', type)];
    made.output('cells', x.multiply(y).multiply(made.plain('w', type)).add(made.public('v', type)));
    using program = await loom.compileValues(made);
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
    const { args } = messagesTo('task-evaluator').findLast(({ method }) => method === 'run') as {
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
    watched.of('task-evaluator')[0]?.worker.terminate();
    await setTimeout(50);
    expect((await errorOf(run(one))).code).toBe('worker.dead');
    await loom.restart();
    expect(await run(one)).toEqual(answer(one));
    part.dispose();
    expect((await errorOf(run(one))).code).toBe('disposed');
    await setTimeout(20);
    expect(messagesTo('task-evaluator').filter(({ method }) => method === 'freeHeld').length).toBe(1);
  });

  it('let one key serve several programs of the same parameters', async () => {
    await open();
    using program = await loom.compileValues(task());
    using client = await program.client();
    const other = createValueTask();
    const x = other.encrypted('y', { shape: [4], min: 0, max: 9 });
    other.output('dot', x.dot(other.plain('w', { shape: [4], min: 0, max: 9 })));
    using second = await loom.compileValues(other, { parameters: program.info });
    const parameters = ({ n, moduli, special, plainModuli }: typeof program.info) => ({
      n,
      moduli,
      special,
      plainModuli,
    });
    expect(parameters(second.info)).toEqual(parameters(program.info));
    using holder = await second.restoreClient(await client.save());
    const { x: sealed } = await client.encrypt(VALUES);
    const results = await second.run({ y: sealed as Uint8Array }, holder.evaluationKeys, CLEAR);
    expect(await holder.decrypt(results)).toEqual({ dot: 4 });
  });
});
