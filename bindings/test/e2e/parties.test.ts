// Graphs of several parties in the built package: the known answers K-P1 to K-P7, what leaves, parties that do wrong, and transports.
import {
  type CipherloomError,
  type Crossing,
  type Cut,
  type CutRunOptions,
  load,
  type Loom,
  type PartyError,
  type RunInputs,
  type RunOutputs,
  type SharedGraph,
  type Transport,
  type,
  u32,
} from 'cipherloom';
import {
  inMemory,
  inProcess,
  keptRandom,
  newRun,
  overBroadcast,
  overPorts,
  type PartyStore,
} from 'cipherloom/parties';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decode, encode, type Frame, type Said } from '../../dist/parties/frame.js';
import { random } from '../random.js';
import { unhandledOf } from '../unhandled.js';
import { threadsOf } from './builds.js';
import { errorOf } from './error-of.js';

let loom: Loom;
beforeAll(async () => {
  loom = await load({ mode: 'single', threads: threadsOf('single') });
});
afterAll(() => loom.dispose());

const words = (...values: number[]): Uint32Array => Uint32Array.from(values);

/** m1 = v1 + v2 (one), m2 = v3 * v4 (two), m3 = `third` of m1, m2 (one), r = v4 + m3 (two). */
async function twoParties(third: 'u32.mul' | 'u32.add' = 'u32.mul', size = 1): Promise<SharedGraph> {
  const g = loom.graph({ unit: 32 });
  const [one, two] = [g.party('one'), g.party('two')];
  const [v1, v2] = [one.input('v1', u32(size)), one.input('v2', u32(size))];
  const [v3, v4] = [two.input('v3', u32(size)), two.input('v4', u32(size))];
  const m1 = one.op('u32.add', [v1, v2]);
  const m2 = two.op('u32.mul', [v3, v4]);
  const m3 = one.op(third, [m1, m2]);
  two.output('r', two.op('u32.add', [v4, m3]));
  return g.share();
}

/** Runs of all parties at once, over one hub. */
async function together(
  shared: SharedGraph,
  data: Readonly<Record<string, RunInputs>>,
  change: (cut: Cut) => Promise<Cut> = async (cut) => cut,
): Promise<RunOutputs[]> {
  const [hub, run] = [inProcess(), newRun()];
  return Promise.all(
    shared.parties.map(async (party) => {
      const cut = await change(await shared.cut(party));
      const transport = hub.join(party);
      return cut.run(data[party] ?? {}, { transport, run, leaves: cut.leaves });
    }),
  );
}

/** What a test says as a party, in its first attempt. */
type Line = Said & Pick<Frame, 'run'> & Partial<Pick<Frame, 'to'>>;

/** Speaks over a transport to a party that runs, once that has said something. */
async function speaker(transport: Transport, party: string): Promise<(line: Line) => Promise<void>> {
  const to = await new Promise<string>((resolve) =>
    transport.listen((_, bytes) => resolve(decode(bytes).attempt)),
  );
  return (line) => transport.send(party, encode({ attempt: '0000000100000000', to, ...line }));
}

const DATA = { one: { v1: words(1), v2: words(2) }, two: { v3: words(3), v4: words(4) } };

const wait = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A transport that notes what it carries. */
function watched(transport: Transport, sent: [to: string, bytes: Uint8Array][] = []): Transport {
  return {
    ...transport,
    send: (to, bytes) => {
      sent.push([to, bytes]);
      return transport.send(to, bytes);
    },
  };
}

describe('two parties (K-P1)', () => {
  it('have their own operators, their neighbours, and what crosses', async () => {
    const shared = await twoParties();
    expect(shared.parties).toEqual(['one', 'two']);
    expect(shared.inputs.map(({ name, party }) => [name, party])).toEqual([
      ['v1', 'one'],
      ['v2', 'one'],
      ['v3', 'two'],
      ['v4', 'two'],
    ]);
    expect(shared.outputs.map(({ name, party, element }) => [name, party, element])).toEqual([
      ['r', 'two', 'u32'],
    ]);
    expect([shared.operators, shared.id]).toEqual([4, expect.stringMatching(/^[0-9a-f]{32}$/)]);
    const [one, two] = [await shared.cut('one'), await shared.cut('two')];
    expect([one.own, two.own]).toEqual([
      [0, 2],
      [1, 3],
    ]);
    expect(one.interactions).toEqual([
      { number: 5, input: false, name: 'u32.mul', party: 'two', feeds: [2], reads: [] },
      { number: 7, input: false, name: 'u32.add', party: 'two', feeds: [], reads: [6] },
    ]);
    expect(two.interactions).toEqual([
      { number: 6, input: false, name: 'u32.mul', party: 'one', feeds: [3], reads: [5] },
    ]);
    const m3 = {
      from: 'one',
      to: 'two',
      number: 6,
      input: false,
      producer: 'u32.mul',
      of: 'u32[1]{shape=[1]}',
      type: 'u32[1]{shape=[1]}',
      bytes: 4,
      encrypted: undefined,
      channel: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
    };
    expect(one.leaves).toEqual([m3]);
    expect(two.receives).toEqual(one.sends);
    expect(one.receives).toEqual(two.sends);
    expect([one.inputs, one.outputs].map((ports) => ports.map(({ name }) => name))).toEqual([
      ['v1', 'v2'],
      [],
    ]);
    expect([two.inputs, two.outputs].map((ports) => ports.map(({ name }) => name))).toEqual([
      ['v3', 'v4'],
      ['r'],
    ]);
    expect(await one.circuit.toText()).toContain('party.receive');
    const { operators } = await two.circuit.analyze();
    // m2, send, receive, r: in the order of the whole graph.
    expect(operators.map(({ dependsOn }) => [...dependsOn])).toEqual([[], [0], [], [2]]);
  });

  it('compute what one engine does, in one loom and in any order', async () => {
    const shared = await twoParties();
    const [, second] = await together(shared, DATA);
    expect(second).toEqual({ r: words(40) });
    const others = { one: { v1: words(2), v2: words(3) }, two: { v3: words(5), v4: words(7) } };
    expect(await together(shared, others, (cut) => cut.optimize())).toEqual([{}, { r: words(182) }]);
    const whole = await shared.circuit();
    expect(await whole.run({ ...others.one, ...others.two })).toEqual({ r: words(182) });
  });

  it('have several runs at a time over the same transports', async () => {
    const shared = await twoParties();
    const [one, two] = [await shared.cut('one'), await shared.cut('two')];
    const hub = inProcess();
    const [first, second] = [hub.join('one'), hub.join('two')];
    const runs = await Promise.all(
      [3, 4, 5].map(async (v3) => {
        const run = newRun();
        const [, { r }] = await Promise.all([
          one.run(DATA.one, { transport: first, run, leaves: one.leaves }),
          two.run({ ...DATA.two, v3: words(v3) }, { transport: second, run, leaves: two.leaves }),
        ]);
        return r;
      }),
    );
    expect(runs).toEqual([words(40), words(52), words(64)]);
  });

  it('send m2 and m3, and nothing else', async () => {
    const shared = await twoParties();
    const [hub, run] = [inProcess(), newRun()];
    const sent: [string, Uint8Array][] = [];
    await Promise.all(
      shared.parties.map(async (party) => {
        const cut = await shared.cut(party);
        const transport = watched(hub.join(party), sent);
        return cut.run(DATA[party as 'one'], { transport, run, leaves: cut.leaves });
      }),
    );
    const frames = sent.map(([to, bytes]) => [to, decode(bytes)] as const);
    const pieces = frames.flatMap(([to, frame]) =>
      frame.kind === 'piece' ? [[to, [...new Uint32Array(frame.bytes.slice().buffer)]]] : [],
    );
    expect(pieces).toEqual([
      ['one', [12]],
      ['two', [36]],
    ]);
    expect(new Set(frames.map(([, { kind }]) => kind))).toEqual(new Set(['hello', 'piece', 'got', 'done']));
  });

  it('send large values in pieces', async () => {
    const size = 300_000;
    const shared = await twoParties('u32.mul', size);
    const value = (factor: number): Uint32Array =>
      Uint32Array.from({ length: size }, (_, at) => factor * at + 1);
    const [v1, v2, v3, v4] = [1, 2, 3, 4].map(value) as [Uint32Array, Uint32Array, Uint32Array, Uint32Array];
    const [, { r }] = (await together(shared, { one: { v1, v2 }, two: { v3, v4 } })) as [
      unknown,
      { r: Uint32Array },
    ];
    const at = (i: number): number =>
      ((v4[i] as number) +
        Math.imul((v1[i] as number) + (v2[i] as number), Math.imul(v3[i] as number, v4[i] as number))) >>>
      0;
    for (const i of [0, 1, 65_535, 65_536, size - 1]) expect(r[i]).toBe(at(i));
    expect(r.every((found, i) => found === at(i))).toBe(true);
  });
});

describe('who starts when', () => {
  it('is everybody himself: one that never starts is waited for, and the wait can be cancelled (K-P2)', async () => {
    const shared = await twoParties();
    const one = await shared.cut('one');
    const hub = inProcess();
    const stop = new AbortController();
    const progress: number[] = [];
    const running = one.run(DATA.one, {
      transport: hub.join('one'),
      run: newRun(),
      leaves: one.leaves,
      signal: stop.signal,
      onProgress: ({ done }) => progress.push(done),
    });
    await wait(200);
    // Others may use the worker meanwhile.
    const g = loom.graph({ unit: 32 });
    g.output('y', g.op('u32.add', [g.input('x', u32(1)), g.input('z', u32(1))]));
    expect(await g.run({ x: words(1), z: words(2) })).toEqual({ y: words(3) });
    stop.abort();
    expect((await running.catch((error: Error) => error)) as Error).toMatchObject({ name: 'AbortError' });
    const error = await errorOf(
      one.run(DATA.one, {
        transport: inProcess().join('one'),
        run: newRun(),
        leaves: one.leaves,
        timeout: 50,
      }),
    );
    expect(error).toMatchObject({
      name: 'PartyError',
      code: 'party.timeout',
      details: { party: 'two', came: false },
    });
  });

  it('does not matter: what was computed first is sent when the other comes (K-P3)', async () => {
    const shared = await twoParties();
    const [one, two] = [await shared.cut('one'), await shared.cut('two')];
    const [hub, run] = [inProcess(), newRun()];
    const sent: [string, Uint8Array][] = [];
    const transport = watched(hub.join('two'), sent);
    const second = two.run(DATA.two, { transport, run, leaves: two.leaves });
    const kinds = () => sent.map(([, bytes]) => decode(bytes).kind);
    await expect.poll(kinds, { timeout: 60_000 }).toContain('hello');
    await wait(150);
    expect(kinds()).not.toContain('piece');
    const first = one.run(DATA.one, { transport: hub.join('one'), run, leaves: one.leaves });
    expect([await first, await second]).toEqual([{}, { r: words(40) }]);
  });

  it('ends with its own transport, also one that is closed already', async () => {
    const one = await (await twoParties()).cut('one');
    const { port1 } = new MessageChannel();
    for (const transport of [
      inProcess().join('one'),
      overPorts({ two: port1 }),
      overBroadcast(new BroadcastChannel(newRun()), 'one'),
    ]) {
      const start = (): Promise<CipherloomError> =>
        errorOf(one.run(DATA.one, { transport, run: newRun(), leaves: one.leaves }));
      const goesOn = start();
      await wait(50);
      transport.close();
      for (const error of [await goesOn, await start()])
        expect(error).toMatchObject({ code: 'party.transport', details: { reason: 'closed' } });
    }
  });

  it('ends for all when one stops halfway', async () => {
    const shared = await twoParties();
    const [one, two] = [await shared.cut('one'), await shared.cut('two')];
    const [hub, run, stop] = [inProcess(), newRun(), new AbortController()];
    const own: CutRunOptions = { transport: hub.join('two'), run, leaves: two.leaves };
    // Party one takes the first message for a sign to leave.
    const transport = hub.join('one');
    const leaving: Transport = {
      ...transport,
      listen: (hear) =>
        transport.listen((from, bytes) => {
          if (decode(bytes).kind === 'piece') stop.abort();
          else hear(from, bytes);
        }),
    };
    const first = one.run(DATA.one, { transport: leaving, run, leaves: one.leaves, signal: stop.signal });
    const second = errorOf(two.run(DATA.two, own));
    await expect(first).rejects.toThrow();
    expect(await second).toMatchObject({
      code: 'party.stopped',
      details: { party: 'one', reason: 'cancelled' },
    });
    // Another run, over the same transport, is not the worse for it.
    const again = newRun();
    const all = [
      one.run(DATA.one, { transport, run: again, leaves: one.leaves }),
      two.run(DATA.two, { ...own, run: again }),
    ];
    expect(await Promise.all(all)).toEqual([{}, { r: words(40) }]);
  });
});

describe('a party that does wrong', () => {
  /** Party one runs; the test is party two, and whoever else. */
  async function against(
    say: (
      as: (name: string) => Transport,
      channels: { m2: string; m3: string },
      run: string,
      id: string,
    ) => Promise<void>,
    options: Partial<CutRunOptions> = {},
  ): Promise<{ outcome: RunOutputs | CipherloomError; refused: string[] }> {
    const shared = await twoParties();
    const one = await shared.cut('one');
    const [hub, run] = [inProcess(), newRun()];
    const refused: PartyError[] = [];
    const channels = { m2: one.receives[0]?.channel as string, m3: one.sends[0]?.channel as string };
    const outcome = one
      .run(DATA.one, {
        transport: hub.join('one'),
        run,
        leaves: one.leaves,
        onRefused: (error) => refused.push(error),
        ...options,
      })
      .catch((error: CipherloomError) => error);
    await say((name) => hub.join(name), channels, run, shared.id);
    const end = await outcome;
    expect(refused.every(({ name, details }) => name === 'PartyError' && 'party' in details)).toBe(true);
    return { outcome: end, refused: refused.map(({ code }) => code) };
  }

  it('is refused on channels that there are not, and the run goes on (K-P4)', async () => {
    const bytes = new Uint8Array(words(12).buffer);
    const { outcome, refused } = await against(async (as, { m2, m3 }, run, id) => {
      const [two, four] = [as('two'), as('four')];
      const say = await speaker(two, 'one');
      const taken = new Promise<void>((resolve) =>
        two.listen((_, message) => {
          const frame = decode(message);
          if (frame.kind !== 'piece') return;
          void say({ kind: 'got', run, channel: frame.channel, upTo: frame.total });
          resolve();
        }),
      );
      const piece = { kind: 'piece', run, total: 4, from: 0, bytes } as const;
      await say({ kind: 'hello', run, id });
      await say({ ...piece, channel: '0'.repeat(32) });
      await say({ ...piece, channel: m3 });
      await say({ ...piece, channel: m2, run: '0'.repeat(32) });
      await say({ ...piece, channel: m2, total: 8 });
      const stranger = { ...piece, channel: m2, attempt: '0000000100000000', to: '0'.repeat(16) };
      await four.send('one', encode(stranger));
      await two.send('one', Uint8Array.of(1, 2, 3));
      await say({ ...piece, channel: m2 });
      await say({ ...piece, channel: m2 });
      await taken;
    });
    expect(outcome).toEqual({});
    expect(refused).toEqual([
      'party.channel',
      'party.channel',
      'party.run',
      'party.size',
      'party.stranger',
      'party.message',
      'party.twice',
    ]);
  });

  it('with a graph that differs by one attribute is not spoken to (K-P5)', async () => {
    const [shared, changed] = [await twoParties(), await twoParties('u32.add')];
    expect(changed.id).not.toBe(shared.id);
    const [one, two] = [await changed.cut('one'), await shared.cut('two')];
    // What party two runs has not changed.
    const copy = await changed.cut('two');
    expect(await copy.circuit.toBytes()).toEqual(await two.circuit.toBytes());
    expect(copy.own).toEqual(two.own);
    const [hub, run] = [inProcess(), newRun()];
    const sent: [string, Uint8Array][] = [];
    const outcomes = await Promise.all(
      [one, two].map((cut) =>
        errorOf(
          cut.run(DATA[cut.party as 'one'], {
            transport: watched(hub.join(cut.party), sent),
            run,
            leaves: cut.leaves,
          }),
        ),
      ),
    );
    expect(outcomes.map(({ code }) => code)).toEqual(['party.graph', 'party.graph']);
    expect(sent.every(([, bytes]) => decode(bytes).kind !== 'piece')).toBe(true);
  });

  it('sends residues that are none', async () => {
    const g = loom.graph({ unit: 64 });
    const [a, b] = [g.party('a'), g.party('b')];
    const limb = type('limb', { n: 8, q: 97n, form: 'coeff' });
    b.output('y', b.op('limb.neg', [a.input('x', limb)]));
    const shared = await g.share();
    const cut = await shared.cut('b');
    const [receive] = cut.receives as [Crossing];
    expect([receive.input, receive.producer, receive.bytes]).toEqual([true, 'x', 64]);
    for (const [word, code] of [
      [97n, 'party.value'],
      [96n, undefined],
    ] as const) {
      const [hub, run] = [inProcess(), newRun()];
      const outcome = cut.run({}, { transport: hub.join('b'), run }).catch((error: PartyError) => error);
      const say = await speaker(hub.join('a'), 'b');
      await say({ kind: 'hello', run, id: shared.id });
      const bytes = new Uint8Array(BigUint64Array.from({ length: 8 }, () => word).buffer);
      await say({ kind: 'piece', run, channel: receive.channel, total: 64, from: 0, bytes });
      const found = await outcome;
      if (code === undefined) expect(found).toEqual({ y: new BigUint64Array(8).fill(1n) });
      else
        expect(found).toMatchObject({
          name: 'PartyError',
          code,
          details: { party: 'a', channel: receive.channel },
        });
    }
  });
});

describe('a party that comes back', () => {
  /** Party two in an attempt that its process does not survive: nothing is said or heard any more after some messages. */
  const dying = (transport: Transport, after: number, dead: () => void): Transport => {
    let left = after;
    const alive = (): boolean => {
      if (left-- === 0) dead();
      return left >= 0;
    };
    return {
      ...transport,
      send: async (to, bytes) => void (alive() && (await transport.send(to, bytes))),
      listen: (hear) => transport.listen((from, bytes) => void (alive() && hear(from, bytes))),
    };
  };

  it('at any point is sent what it lacks, sends the same, and changes no result', async () => {
    const { shared, data, expected } = await sealing();
    for (let after = 0; after < 14; after++) {
      const [hub, run, keeps] = [inProcess(), newRun(), { one: inMemory(), two: inMemory() }];
      const seen = new Map<string, string>();
      const noting = (party: 'one' | 'two', transport: Transport): Transport => ({
        ...transport,
        send: (to, bytes) => {
          const frame = decode(bytes);
          if (frame.kind === 'piece') {
            const place = `${party} ${frame.channel} ${frame.from}`;
            const text = Buffer.from(frame.bytes).toString('hex');
            expect(seen.get(place) ?? text).toBe(text);
            seen.set(place, text);
          }
          return transport.send(to, bytes);
        },
      });
      const run1 = async (
        party: 'one' | 'two',
        transport: Transport,
        { signal }: { signal?: AbortSignal } = {},
      ) => {
        const cut = await shared.cut(party);
        const mask = await keptRandom(keeps[party], run, 'mask', 4 * size);
        const inputs = { ...data[party], [`${party} mask`]: new Uint32Array(mask.buffer) };
        return cut.run(inputs, {
          transport: noting(party, transport),
          run,
          keep: keeps[party],
          leaves: cut.leaves,
          timeout: 60_000,
          signal,
        });
      };
      const first = run1('one', hub.join('one'));
      first.catch(() => {});
      const transport = hub.join('two');
      const death = new AbortController();
      const end = await Promise.race([
        run1(
          'two',
          dying(transport, after, () => death.abort()),
          { signal: death.signal },
        ).catch((error: Error) => error.name),
        first.then(() => 'the other was first'),
      ]);
      transport.close();
      // Nobody waits for one who has gone, as the time shows that all of this may take.
      const second = run1('two', hub.join('two'));
      expect([after, end, await first]).toEqual([after, end, expected.one]);
      expect([after, end, await second]).toEqual([after, end, expected.two]);
      // Once more, when nobody is there any more.
      expect(await run1('two', inProcess().join('two'))).toEqual(expected.two);
      const other = { ...data.two, 'two mask': new Uint32Array(size).fill(7) };
      const cut = await shared.cut('two');
      const options = { transport: inProcess().join('two'), run, keep: keeps.two, leaves: cut.leaves };
      expect(await errorOf(cut.run(other, options))).toMatchObject({ code: 'party.changed' });
    }
  });

  it('with other inputs sends nothing of them', async () => {
    const { shared, data } = await sealing();
    const [hub, run, keep] = [inProcess(), newRun(), inMemory()];
    const cut = await shared.cut('one');
    const other = await shared.cut('two');
    const options = { run, keep, leaves: cut.leaves, timeout: 20_000 };
    const death = new AbortController();
    const sent: [string, Uint8Array][] = [];
    const transport = watched(
      dying(hub.join('one'), 7, () => death.abort()),
      sent,
    );
    const mask = (party: string): RunInputs => ({ [`${party} mask`]: new Uint32Array(size).fill(1) });
    const inputs = { ...data.one, ...mask('one') };
    const others = errorOf(
      other.run(
        { ...data.two, ...mask('two') },
        { transport: hub.join('two'), run, keep: inMemory(), leaves: other.leaves, timeout: 20_000 },
      ),
    );
    await expect(cut.run(inputs, { ...options, transport, signal: death.signal })).rejects.toThrow('aborted');
    expect(sent.some(([, bytes]) => decode(bytes).kind === 'piece')).toBe(true);
    transport.close();
    const changed = { ...inputs, 'one mask': new Uint32Array(size).fill(2) };
    const error = await errorOf(cut.run(changed, { ...options, transport: hub.join('one') }));
    expect(error).toMatchObject({ code: 'party.changed', details: { party: 'two' } });
    expect(await others).toMatchObject({ code: 'party.stopped', details: { party: 'one' } });
  });

  it.each(['outputs', 'done'])('can be aborted while its store takes no %s', async (what) => {
    const { shared, data } = await sealing();
    const [hub, run] = [inProcess(), newRun()];
    const controller = new AbortController();
    const stuck: PartyStore = {
      ...inMemory(),
      put: async (name) => {
        if (!name.endsWith(`"${what}"]`)) return;
        controller.abort();
        await new Promise(() => {});
      },
    };
    const start = async (party: 'one' | 'two', keep: PartyStore, signal?: AbortSignal): Promise<unknown> => {
      const cut = await shared.cut(party);
      const inputs = { ...data[party], [`${party} mask`]: new Uint32Array(size) };
      return cut.run(inputs, { transport: hub.join(party), run, keep, leaves: cut.leaves, signal });
    };
    const other = start('one', inMemory()).catch(() => {});
    await expect(start('two', stuck, controller.signal)).rejects.toThrow('aborted');
    await other;
  });

  it('ends the run of those who have kept nothing, and cannot where its store does not', async () => {
    const { shared, data } = await sealing();
    const [hub, run] = [inProcess(), newRun()];
    const [one, two] = [await shared.cut('one'), await shared.cut('two')];
    const mask = new Uint32Array(size);
    const first = errorOf(
      one.run({ ...data.one, 'one mask': mask }, { transport: hub.join('one'), run, leaves: one.leaves }),
    );
    const death = new AbortController();
    const inputs = { ...data.two, 'two mask': mask };
    const transport = hub.join('two');
    const options = { run, leaves: two.leaves };
    const dies = dying(transport, 2, () => death.abort());
    await expect(two.run(inputs, { ...options, transport: dies, signal: death.signal })).rejects.toThrow(
      'aborted',
    );
    transport.close();
    const second = errorOf(two.run(inputs, { ...options, transport: hub.join('two') }));
    // It would wait for ever.
    expect(await second).toMatchObject({ code: 'party.stopped', details: { party: 'one' } });
    expect(await first).toMatchObject({ code: 'party.restarted', details: { party: 'two' } });
    const keep = {
      ...inMemory(),
      put: async (): Promise<void> => {
        throw new Error('no space left');
      },
    };
    const failed = await errorOf(two.run(inputs, { ...options, keep, transport }));
    expect([failed.code, failed.message]).toEqual([
      'party.store',
      expect.stringContaining('no space left') as string,
    ]);
    expect(await errorOf(keptRandom(keep, run, 'mask', 4))).toMatchObject({ code: 'party.store' });
    const kept = inMemory();
    expect(await keptRandom(kept, run, 'mask', 70_000)).toEqual(await keptRandom(kept, run, 'mask', 70_000));
    expect(await keptRandom(kept, run, 'other', 32)).not.toEqual(await keptRandom(kept, run, 'third', 32));
    expect(await errorOf(keptRandom(kept, run, 'mask', 4))).toMatchObject({ code: 'party.store' });
  });

  const size = 4;

  /** Sums go there and back, under a mask of each. */
  async function sealing() {
    const g = loom.graph({ unit: 32 });
    const [one, two] = [g.party('one'), g.party('two')];
    const [a, b] = [one.input('a', u32(size)), two.input('b', u32(size))];
    const [m, n] = [one.input('one mask', u32(size)), two.input('two mask', u32(size))];
    const masked = one.op('u32.add', [a, m]);
    const sum = two.op('u32.add', [masked, two.op('u32.add', [b, n])]);
    const back = one.op('u32.sub', [sum, m]);
    two.output('sum', two.op('u32.sub', [back, n]));
    one.output('twice', one.op('u32.add', [two.op('u32.add', [b, b]), a]));
    const data = { one: { a: words(1, 2, 3, 4) }, two: { b: words(5, 6, 7, 8) } };
    const expected = { one: { twice: words(11, 14, 17, 20) }, two: { sum: words(6, 8, 10, 12) } };
    return { shared: await g.share(), data, expected };
  }
});

describe('what leaves a party', () => {
  it('is told before a run, which asks whether it may', async () => {
    const shared = await twoParties();
    const one = await shared.cut('one');
    const sent: [string, Uint8Array][] = [];
    const transport = watched(inProcess().join('one'), sent);
    const run = newRun();
    const none = await errorOf(one.run(DATA.one, { transport, run }));
    expect(none).toMatchObject({ code: 'party.unapproved', details: { found: 'neither', bytes: 4 } });
    const copied = await errorOf(one.run(DATA.one, { transport, run, leaves: [...one.leaves] }));
    expect(copied.code).toBe('party.unapproved');
    for (const answer of [false, undefined, 1] as unknown[]) {
      let asked: readonly Crossing[] | undefined;
      const refused = one.run(DATA.one, {
        transport,
        run,
        approve: async (leaves) => {
          asked = leaves;
          return answer as boolean;
        },
      });
      expect((await errorOf(refused)).code).toBe('party.refused');
      expect(asked).toBe(one.leaves);
    }
    expect(sent).toEqual([]);
  });

  it('may be refused by who aborts as well, which ends nothing but the run', async () => {
    const one = await (await twoParties()).cut('one');
    const transport = inProcess().join('one');
    const ends = [() => false, () => Promise.reject(new Error('no'))];
    const left = await unhandledOf(async () => {
      for (const end of ends) {
        const controller = new AbortController();
        const approve = (): boolean | Promise<boolean> => {
          controller.abort();
          return end();
        };
        const { signal } = controller;
        const refused = one.run(DATA.one, { transport, run: newRun(), approve, signal });
        await expect(refused).rejects.toThrow('aborted');
      }
    });
    expect(left).toEqual([]);
  });

  it('is ciphertexts where types say so', async () => {
    const g = loom.graph({ unit: 64 });
    const [clinic, cloud] = [g.party('clinic'), g.party('cloud')];
    const shape = { n: 8, q: [97n, 113n], parts: 2 };
    const x = clinic.input('x', type('ciphertext', { ...shape, t: 17n }));
    const y = clinic.input('y', type('ciphertext', { ...shape, scale: 1024.5 }));
    const raw = clinic.input('raw', type('raw', {}, 4));
    cloud.output('xx', cloud.op('rlwe.add', [x, x]));
    cloud.output('yy', cloud.op('rlwe.add', [y, y]));
    cloud.output('copy', cloud.op('copy', [raw]));
    const cut = await (await g.share()).cut('clinic');
    expect(cut.leaves.map(({ producer, encrypted, bytes }) => [producer, encrypted, bytes])).toEqual([
      ['x', 'BFV', 256],
      ['y', 'CKKS', 256],
      ['raw', undefined, 32],
    ]);
  });
});

describe('three parties in a ring (K-P7)', () => {
  const size = 5;

  async function ring(): Promise<{
    shared: SharedGraph;
    data: Record<string, RunInputs>;
    expected: Uint32Array;
  }> {
    const g = loom.graph({ unit: 32 });
    const [a, b, c] = ['1', '2', '3'].map((name) => g.party(name)) as [
      ReturnType<typeof g.party>,
      ReturnType<typeof g.party>,
      ReturnType<typeof g.party>,
    ];
    const [x, y, z] = [a.input('x', u32(size)), b.input('y', u32(size)), c.input('z', u32(size))];
    const seven = g.constant(u32(size), new Uint32Array(size).fill(7));
    const first = a.op('u32.add', [x, seven]);
    const second = b.op('u32.mul', [first, y]);
    const third = c.op('u32.add', [second, z]);
    // One node, two consumers (K-P6).
    a.output('sum', a.op('u32.add', [third, x]));
    a.output('product', a.op('u32.mul', [third, seven]));
    const draw = (): Uint32Array => Uint32Array.from({ length: size }, () => random(1000));
    const [xs, ys, zs] = [draw(), draw(), draw()];
    const expected = xs.map(
      (value, at) => Math.imul(value + 7, ys[at] as number) + (zs[at] as number) + value,
    );
    return { shared: await g.share(), data: { 1: { x: xs }, 2: { y: ys }, 3: { z: zs } }, expected };
  }

  it('compute what one engine does, with one transfer for two consumers (K-P6)', async () => {
    const { shared, data, expected } = await ring();
    const cuts = await Promise.all(shared.parties.map((party) => shared.cut(party)));
    expect(cuts.map(({ sends }) => sends.map(({ to, number }) => [to, number]))).toEqual([
      [['2', 4]],
      [['3', 5]],
      [['1', 6]],
    ]);
    expect(cuts[0]?.common).toEqual([0]);
    const [{ sum, product }] = (await together(shared, data)) as unknown as [
      { sum: Uint32Array; product: Uint32Array },
    ];
    expect(sum).toEqual(expected);
    const whole = await (await shared.circuit()).run({ ...data['1'], ...data['2'], ...data['3'] });
    expect({ sum, product }).toEqual(whole);
  });

  it('open each the same bytes, and meet over ports', async () => {
    const { shared, data, expected } = await ring();
    const bytes = shared.toBytes();
    const pairs = new Map<string, MessageChannel>();
    const portOf = (own: string, other: string): MessagePort => {
      const key = [own, other].sort().join();
      const channel = pairs.get(key) ?? new MessageChannel();
      pairs.set(key, channel);
      return own < other ? channel.port1 : channel.port2;
    };
    const run = newRun();
    const outputs = await Promise.all(
      ['1', '2', '3'].map(async (party) => {
        const own = await loom.shared(bytes);
        expect(own.id).toBe(shared.id);
        const cut = await own.cut(party);
        const others = ['1', '2', '3'].filter((other) => other !== party);
        const transport = overPorts(Object.fromEntries(others.map((other) => [other, portOf(party, other)])));
        const found = await cut.run(data[party] as RunInputs, { transport, run, approve: () => true });
        transport.close();
        return found;
      }),
    );
    expect(outputs[0]?.['sum']).toEqual(expected);
  });

  it('meet over a BroadcastChannel', async () => {
    const { shared, data, expected } = await ring();
    const run = newRun();
    const outputs = await Promise.all(
      ['1', '2', '3'].map(async (party) => {
        const cut = await shared.cut(party);
        const transport = overBroadcast(new BroadcastChannel(`parties ${run}`), party);
        const found = await cut.run(data[party] as RunInputs, { transport, run, leaves: cut.leaves });
        transport.close();
        return found;
      }),
    );
    expect(outputs[0]?.['sum']).toEqual(expected);
  });
});

describe('a shared graph', () => {
  it("has an owner for everything that is somebody's", async () => {
    const g = loom.graph({ unit: 32 });
    const one = g.party('one');
    const x = one.input('x', u32(1));
    const sum = g.op('u32.add', [x, x]);
    expect((await errorOf(g.share())).message).toContain('number of parties');
    const two = g.party('two');
    expect(await errorOf(g.share())).toMatchObject({
      name: 'PartyError',
      code: 'party.shared',
      message: expect.stringContaining('operator 0 (u32.add): found nobody') as string,
    });
    two.output('y', sum);
    expect(() => g.party('')).toThrow(/party ""/);
    expect(() => g.party('__proto__')).toThrow(/party "__proto__"/);
    const wrong = loom.graph({ unit: 32 });
    wrong
      .party('one')
      .output('y', wrong.party('two').op('u32.nothing', [wrong.party('one').input('x', u32(1))]));
    expect(await errorOf(wrong.share())).toMatchObject({
      code: 'operator.unknown',
      message: expect.stringContaining('call 1 of the graph, op "u32.nothing"') as string,
    });
  });

  it('is expanded before it is cut, or after', async () => {
    const g = loom.graph({ unit: 8 });
    const [alice, bob] = [g.party('alice'), g.party('bob')];
    const { u8 } = await import('cipherloom');
    const keys = alice.op('aes.key_schedule', [alice.input('key', u8(16))]);
    const text = bob.input('text', u8(2, 16));
    bob.output('out', alice.op('aes.encrypt_blocks', [text, keys]));
    const shared = await g.share();
    const data = {
      alice: { key: Uint8Array.from({ length: 16 }, (_, at) => at) },
      bob: { text: Uint8Array.from({ length: 32 }, (_, at) => 3 * at) },
    };
    const after = await together(shared, data, (cut) => cut.expand({ platform: 'simd' }));
    const expanded = await shared.expand({ platform: 'simd' });
    expect(expanded.id).not.toBe(shared.id);
    const before = await together(expanded, data);
    const whole = await (await expanded.circuit()).run({ ...data.alice, ...data.bob });
    expect([after[1], before[1]]).toEqual([whole, whole]);
  });

  it('is bytes that are checked', async () => {
    const shared = await twoParties();
    const bytes = shared.toBytes();
    const again = await loom.shared(bytes);
    expect([again.id, again.parties, again.toBytes()]).toEqual([shared.id, shared.parties, bytes]);
    for (let change = 0; change < 40; change++) {
      const bad = bytes.slice();
      (bad[random(bad.length)] as number) ^= 1 + random(255);
      const error = await errorOf(loom.shared(bad));
      expect(error.code).toMatch(/^format\./);
    }
    expect((await errorOf(loom.circuit(bytes))).code).toBe('format.kind');
    expect((await errorOf(shared.cut('three'))).message).toContain('expected one, two');
    const cut = await shared.cut('two');
    // A cut runs with the others or not at all.
    expect(await errorOf(cut.circuit.run(DATA.two))).toMatchObject({
      name: 'PartyError',
      code: 'party.transport',
    });
    const transport = inProcess().join('two');
    const bad: readonly (readonly [Partial<CutRunOptions>, string])[] = [
      [{ run: 'yesterday' }, 'input.type'],
      [{ run: newRun(), timeout: Number.NaN }, 'input.type'],
      [{ run: newRun(), transport: {} as Transport }, 'input.type'],
      [{ run: newRun(), keep: [] } as never, 'input.type'],
    ];
    for (const [options, code] of bad)
      expect((await errorOf(cut.run(DATA.two, { transport, ...options } as CutRunOptions))).code).toBe(code);
    const none = cut.run({}, { transport, run: newRun(), leaves: cut.leaves });
    expect((await errorOf(none)).code).toBe('input.missing');
    cut.dispose();
    expect((await errorOf(cut.run(DATA.two, { transport, run: newRun() }))).code).toBe('disposed');
  });
});
