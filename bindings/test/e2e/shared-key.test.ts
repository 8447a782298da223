// Keys that nobody holds alone: parties in one process make them, decrypt together, and switch to a receiver. Runs once per build of the wasm.
import { createTask, load, type Ciphertexts, type Loom, type Program, type Task } from 'cipherloom';
import { inProcess, newRun, type Crossing, type Hub, type KeyParty } from 'cipherloom/parties';
import { decode, encode } from '../../src/parties/frame.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILDS } from './builds.js';
import { expectNear } from './compute.js';
import { errorOf } from './error-of.js';

const RELEASES = { releases: { count: 3, statisticalBits: 20 } };
const approve = (): boolean => true;

/** A product, and its sum. */
function products(real: boolean): Task {
  const task = createTask();
  const options = { shape: [4], min: -3, max: 3, ...(real && { kind: 'real' as const }) };
  const [x, y] = ['x', 'y'].map((name) => task.encrypted(name, options));
  const product = x!.multiply(y!);
  task.output('product', product);
  task.output('sum', product.sum());
  return task;
}

const given = { x: [1, -2, 3, 0], y: [3, 3, -1, 2] };
const expected = { product: [3, -6, -3, 0], sum: -6 };

/** Parties of a program, of whom each has a place at one hub. */
class Circle {
  readonly hub: Hub = inProcess();
  readonly all = new Map<string, KeyParty>();

  static async of(
    program: Program,
    parties: string[],
    others: string[] = [],
    threshold?: number,
  ): Promise<Circle> {
    const circle = new Circle();
    for (const name of [...parties, ...others])
      circle.all.set(name, await program.party(name, { parties, threshold }));
    return circle;
  }

  get(name: string): KeyParty {
    return this.all.get(name) as KeyParty;
  }

  /** One protocol, by these: what comes of it for each. */
  async together<T>(
    names: readonly string[],
    work: (party: KeyParty, meet: Meet) => Promise<T>,
  ): Promise<T[]> {
    const run = newRun();
    const done = names.map(async (name) => {
      const transport = this.hub.join(name);
      try {
        return await work(this.get(name), { transport, run, approve, timeout: 120_000 });
      } finally {
        transport.close();
      }
    });
    const settled = await Promise.allSettled(done);
    const failed = settled.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return Promise.all(done);
  }

  dispose(): void {
    for (const party of this.all.values()) party.dispose();
  }
}
type Meet = Parameters<KeyParty['deal']>[0];

/** What data owners encrypt and a server computes, with keys that all made. */
async function computed(
  program: Program,
  circle: Circle,
  active: string[],
  hub: string,
): Promise<{ publicKey: Uint8Array; results: Ciphertexts }> {
  const who = active.includes(hub) ? active : [...active, hub];
  const keys = await circle.together(who, (party, meet) => party.makeKeys({ ...meet, active, hub }));
  for (const { publicKey } of keys) expect(publicKey).toEqual(keys[0]!.publicKey);
  const { publicKey, evaluationKeys } = keys[who.indexOf(hub)]!;
  expect(keys.filter(({ evaluationKeys }) => evaluationKeys !== undefined).length).toBe(1);
  using owner = await program.owner(publicKey);
  return { publicKey, results: await program.run(await owner.encrypt(given), evaluationKeys!) };
}

describe.each(BUILDS)('the %s build', (mode) => {
  let loom: Loom;
  beforeAll(async () => {
    loom = await load({ threads: mode === 'single' ? 1 : 2, mode });
  });
  afterAll(() => loom?.dispose());

  it('makes keys and decrypts, of integers and reals', async () => {
    for (const scheme of ['BFV', 'BGV', 'CKKS'] as const) {
      const real = scheme === 'CKKS';
      const options = { parties: 2, precision: 12, scheme, ...RELEASES };
      using program = await loom.compile(products(real), options);
      expect([program.info.parties, program.info.publicKey]).toEqual([2, true]);
      const circle = await Circle.of(program, ['a', 'b']);
      const { publicKey, results } = await computed(program, circle, ['a', 'b'], 'a');
      const found = await circle.together(['a', 'b'], (party, meet) =>
        party.decrypt(results, { ...meet, publicKey, to: ['b'] }),
      );
      expect(found[0]).toBeUndefined();
      if (real)
        for (const name of ['product', 'sum'] as const)
          expectNear(found[1]![name], [expected[name]].flat(), 2 ** -8);
      else expect(found[1]).toEqual(expected);
      expect(await circle.get('a').released()).toBe(1);
      circle.dispose();
    }
  });

  it('needs any two of three, whose shares can be saved', async () => {
    using program = await loom.compile(products(false), { parties: 3, ...RELEASES });
    const names = ['a', 'b', 'c'];
    const circle = await Circle.of(program, names, ['cloud'], 2);
    await circle.together(names, (party, meet) => party.deal(meet));
    const { publicKey, results } = await computed(program, circle, ['a', 'c'], 'cloud');
    // One comes back from what it saved.
    const saved = await circle.get('b').save();
    circle.get('b').dispose();
    circle.all.set('b', await program.party('b', { parties: names, threshold: 2, saved }));
    const active = ['b', 'c'];
    const found = await circle.together(active, (party, meet) =>
      party.decrypt(results, { ...meet, publicKey, active }),
    );
    expect(found).toEqual([expected, expected]);
    const alone = circle.together(['b'], (party, meet) =>
      party.decrypt(results, { ...meet, publicKey, active: ['b'] }),
    );
    expect(await errorOf(alone)).toMatchObject({ code: 'party.shared' });
    circle.dispose();
  });

  it('switches results to a receiver, who decrypts alone', async () => {
    using program = await loom.compile(products(false), { parties: 2, ...RELEASES });
    const circle = await Circle.of(program, ['a', 'b']);
    const { publicKey, results } = await computed(program, circle, ['a', 'b'], 'b');
    using receiver = await program.client();
    const key = await receiver.publicKey();
    const [, switched] = await circle.together(['a', 'b'], (party, meet) =>
      party.switchTo(key, results, { ...meet, publicKey, hub: 'b' }),
    );
    expect(await receiver.decrypt(switched!)).toEqual(expected);
    expect(await errorOf(receiver.decrypt(results))).toMatchObject({ code: 'key.foreign' });
    circle.dispose();
  });

  it('refreshes results for programs that go on with all levels', async () => {
    for (const scheme of ['BGV', 'CKKS'] as const) {
      const real = scheme === 'CKKS';
      const options = { shape: [4], min: -1, max: 1, ...(real && { kind: 'real' as const }) };
      const tasks: Task[] = [];
      // x to 1 - x^2, twice in each program, and several programs in a row.
      for (let step = 0; step < (real ? 2 : 3); step++) {
        const task = createTask();
        const before = tasks.at(-1);
        let x =
          before === undefined
            ? task.encrypted('x', options)
            : task.result('x', before, 'y', { refreshed: true });
        for (let square = 0; square < 2; square++) x = x.square().negate().add(1);
        task.output('y', x);
        tasks.push(task);
      }
      const releases = { count: 4, statisticalBits: 20 };
      const programs = await loom.compileAll(tasks, { parties: 2, precision: 5, scheme, releases });
      const names = ['a', 'b'];
      let publicKey: Uint8Array | undefined;
      let saved: (Uint8Array | undefined)[] = [];
      let inputs: Ciphertexts = {};
      let expectedCells = real ? [0.5, -1, 0.25, 0] : [1, -1, 0, 1];
      for (const [step, program] of programs.entries()) {
        const circle = new Circle();
        for (const [at, name] of names.entries())
          circle.all.set(name, await program.party(name, { parties: names, saved: saved[at] }));
        const [keys] = await circle.together(names, (party, meet) => party.makeKeys({ ...meet, publicKey }));
        publicKey = keys!.publicKey;
        if (step === 0) {
          using owner = await program.owner(publicKey);
          inputs = await owner.encrypt({ x: expectedCells });
        }
        const results = await program.run(inputs, keys!.evaluationKeys!);
        for (let square = 0; square < 2; square++) expectedCells = expectedCells.map((x) => 1 - x * x);
        const key = publicKey;
        if (step + 1 < programs.length) {
          const [fresh, none] = await circle.together(names, (party, meet) =>
            party.refresh(results, { ...meet, publicKey: key }),
          );
          expect(none).toBeUndefined();
          expect(Object.keys(fresh!)).toEqual(['y']);
          inputs = { x: fresh!['y']! };
        } else {
          const [found] = await circle.together(names, (party, meet) =>
            party.decrypt(results, { ...meet, publicKey: key }),
          );
          if (real) expectNear(found!['y'], expectedCells, 2 ** -5);
          else expect(found!['y']).toEqual(expectedCells);
        }
        saved = await Promise.all(names.map((name) => circle.get(name).save()));
        expect(await circle.get('a').released()).toBe(step + 1);
        circle.dispose();
        program.dispose();
      }
    }
  });

  it('sends nothing that was not approved of, and counts', async () => {
    using program = await loom.compile(products(false), { parties: 2, releases: { count: 1 } });
    const circle = await Circle.of(program, ['a', 'b']);
    const { publicKey, results } = await computed(program, circle, ['a', 'b'], 'a');
    let asked: readonly Crossing[] = [];
    const refuse = (leaves: readonly Crossing[]): boolean => {
      asked = leaves;
      return false;
    };
    const refused = circle.together(['a'], (party, meet) =>
      party.decrypt(results, { ...meet, publicKey, approve: refuse }),
    );
    expect(await errorOf(refused)).toMatchObject({ code: 'party.refused' });
    expect(asked.map(({ to }) => to)).toEqual(asked.map(() => 'b'));
    expect(
      asked.every(({ producer, of }) => producer === 'joint.decryption_share' && /^poly\[/.test(of)),
    ).toBe(true);
    expect(await circle.get('a').released()).toBe(0);
    // Also where nothing of it leaves, and what the others send would open with its secret.
    const receiving = circle.together(['a'], (party, meet) =>
      party.decrypt(results, { ...meet, publicKey, to: ['a'], approve: refuse }),
    );
    expect(await errorOf(receiving)).toMatchObject({ code: 'party.refused' });
    expect([asked, await circle.get('a').released()]).toEqual([[], 0]);
    // Nobody learns anything that nobody is to learn.
    for (const to of [[], ['a', 'a']]) {
      const none = circle.together(['a'], (party, meet) =>
        party.decrypt(results, { ...meet, publicKey, to }),
      );
      expect(await errorOf(none)).toMatchObject({ code: 'input.type' });
    }
    // Who is asked may take any time, but for an abort.
    const stop = new AbortController();
    const waiting = circle.together(['a'], (party, meet) =>
      party.decrypt(results, {
        ...meet,
        publicKey,
        signal: stop.signal,
        approve: () => {
          stop.abort(new Error('closed'));
          return new Promise(() => undefined);
        },
      }),
    );
    await expect(waiting).rejects.toThrow('closed');
    expect(await circle.get('a').released()).toBe(0);
    // Who waits for somebody who does not come has decrypted nothing.
    const alone = circle.together(['a'], (party, meet) =>
      party.decrypt(results, { ...meet, publicKey, timeout: 300 }),
    );
    expect(await errorOf(alone)).toMatchObject({ code: 'party.timeout', details: { came: false } });
    expect(await circle.get('a').released()).toBe(0);
    const decrypted = (): Promise<unknown> =>
      circle.together(['a', 'b'], (party, meet) => party.decrypt(results, { ...meet, publicKey }));
    expect(await decrypted()).toEqual([expected, expected]);
    expect(await errorOf(decrypted())).toMatchObject({ code: 'key.released' });
    circle.dispose();
  });

  it('refuses what is no name of a party, and nobody to take part', async () => {
    using program = await loom.compile(products(false), { parties: 2, ...RELEASES });
    for (const name of ['', '__proto__', '\ud800', 'n'.repeat(257)]) {
      const options = { parties: [name, 'b'] };
      expect(await errorOf(program.party(name, options))).toMatchObject({ code: 'input.type' });
    }
    const circle = await Circle.of(program, ['a', 'b']);
    const making = circle.together(['a'], (party, meet) => party.makeKeys({ ...meet, active: [] }));
    expect(await errorOf(making)).toMatchObject({ code: 'party.shared' });
    circle.dispose();
  });

  it('refuses a run that a party has used, and what another one saved', async () => {
    using program = await loom.compile(products(false), { parties: 2, ...RELEASES });
    const names = ['a', 'b'];
    const circle = await Circle.of(program, names);
    const run = newRun();
    const make = (): Promise<unknown> =>
      circle.together(names, (party, meet) => party.makeKeys({ ...meet, run, active: names }));
    await make();
    const used = { code: 'party.shared', message: expect.stringContaining(run) };
    expect(await errorOf(make())).toMatchObject(used);
    // Nor after it came back.
    for (const name of names) {
      const saved = await circle.get(name).save();
      circle.get(name).dispose();
      const other = name === 'a' ? 'b' : 'a';
      for (const [who, parties] of [
        [other, names],
        [name, ['b', 'a']],
      ] as const)
        expect(await errorOf(program.party(who, { parties, saved }))).toMatchObject({ code: 'party.shared' });
      circle.all.set(name, await program.party(name, { parties: names, saved }));
    }
    expect(await errorOf(make())).toMatchObject(used);
    circle.dispose();
  });

  it('names who sends a share that is none', async () => {
    using program = await loom.compile(products(false), { parties: 2, ...RELEASES });
    const names = ['a', 'b'];
    const circle = await Circle.of(program, names);
    const { publicKey, results } = await computed(program, circle, names, 'a');
    const run = newRun();
    const settled = await Promise.allSettled(
      names.map((name) => {
        const own = circle.hub.join(name);
        const send = (to: string, message: Uint8Array): Promise<void> => {
          const frame = decode(message);
          if (name === 'b' && frame.kind === 'piece') frame.bytes.fill(0xff);
          return own.send(to, encode(frame));
        };
        const transport = { listen: own.listen, close: own.close, send };
        const meet = { transport, run, approve, timeout: 120_000, publicKey };
        return circle
          .get(name)
          .decrypt(results, meet)
          .finally(() => own.close());
      }),
    );
    const reasons = settled.map((one) => (one.status === 'rejected' ? one.reason : undefined));
    expect(reasons[0]).toMatchObject({ code: 'party.value', details: { party: 'b' } });
    circle.dispose();
  });

  it('says what is wrong with a group', async () => {
    using program = await loom.compile(products(false), { parties: 2, ...RELEASES });
    const wrong = (parties: string[], threshold?: number): Promise<unknown> =>
      errorOf(program.party('a', { parties, threshold }));
    expect(await wrong(['a'])).toMatchObject({ code: 'party.shared' });
    expect(await wrong(['a', 'b', 'c'])).toMatchObject({ code: 'party.shared' });
    expect(await wrong(['a', 'b'], 2)).toMatchObject({ code: 'party.shared' });
    expect(await wrong(['a', 'b'], 0)).toMatchObject({ code: 'party.shared' });
    expect(await wrong(['a', 'a'])).toMatchObject({
      code: 'party.shared',
      message: expect.stringContaining('twice'),
    });
    const undeclared = errorOf(loom.compile(products(false), { parties: 2 }));
    expect(await undeclared).toMatchObject({ code: 'parameters.invalid' });
    using one = await loom.compile(products(false));
    expect(one.info.parties).toBe(1);
    expect(await errorOf(one.party('a', { parties: ['a', 'b'] }))).toMatchObject({
      code: 'party.shared',
    });
  });
});
