// One run's ends of channels against a party that says what it likes.
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { PartyError } from '../src/errors.js';
import { Exchange, type ExchangeSettings } from '../src/parties/exchange.js';
import { decode, encode, type Frame, NOBODY, PIECE, type Said } from '../src/parties/frame.js';
import { Kept } from '../src/parties/kept.js';
import { inMemory } from '../src/parties/stores.js';
import { inProcess } from '../src/parties/transports/process.js';
import type { Crossing, Transport } from '../src/parties/types.js';
import type { RawOutgoing } from '../src/raw.js';

const run = '1'.repeat(32);
const id = '2'.repeat(32);
/** From `two`, to `two`, and from `three`. */
const [IN, OUT, THIRD, NONE] = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(32)) as [
  string,
  string,
  string,
  string,
];

function crossing(channel: string, from: string, to: string, number: number, bytes: number): Crossing {
  const rest = { input: false, producer: 'u8.add', of: '', type: '', encrypted: undefined };
  return { channel, from, to, number, bytes, ...rest };
}

function outgoing(attributes: string, data: Uint8Array[] = []): RawOutgoing {
  const output = { bytes: 1 } as RawOutgoing['output'];
  return {
    op: 0,
    platform: 'party',
    name: '',
    attributes,
    inputs: [],
    output,
    data: data as RawOutgoing['data'],
  };
}

/** Of all whom the test speaks as. */
const attempt = '0000000100000000';
/** What the test says: to the attempt that runs, if nothing else is said. */
type Line = Said & Partial<Pick<Frame, 'run' | 'attempt' | 'to'>>;

/** A party at work, and the others, as which a test speaks. */
class Stage {
  readonly refused: PartyError[] = [];
  readonly heard: (readonly [to: string, said: Said])[] = [];
  /** Attempts of both ends that were said last. */
  ends = { attempt: NOBODY, to: NOBODY };
  readonly exchange: Exchange;
  #hear: (from: string, bytes: Uint8Array) => void = () => {};
  listening = false;

  constructor(settings: Partial<ExchangeSettings> = {}) {
    const transport: Transport = {
      send: async (to, bytes) => {
        const { run: _, attempt, to: other, ...said } = decode(bytes);
        this.ends = { attempt, to: other };
        this.heard.push([to, said]);
      },
      listen: (hear) => {
        this.#hear = hear;
        this.listening = true;
        return () => (this.listening = false);
      },
      close: () => {},
    };
    this.exchange = new Exchange({
      id,
      run,
      transport,
      sends: [crossing(OUT, 'one', 'two', 7, 2 * PIECE)],
      receives: [crossing(IN, 'two', 'one', 5, 4), crossing(THIRD, 'three', 'one', 6, 3 * PIECE)],
      timeout: undefined,
      onRefused: (error) => this.refused.push(error),
      ...settings,
    });
    stages.push(this);
    this.exchange.start();
  }

  /** Somebody says something; gives the codes of what was refused since the last call. */
  say(from: unknown, what: Line | Uint8Array | unknown): string[] {
    const isFrame = typeof what === 'object' && what !== null && 'kind' in what;
    this.#hear(from as string, isFrame ? this.frame(what as Line) : (what as Uint8Array));
    return this.refused.splice(0).map(({ code }) => code);
  }

  frame(line: Line): Uint8Array {
    return encode({ run, attempt, to: this.ends.attempt, ...line });
  }

  hello(from: string, more: Partial<Line> = {}): void {
    expect(this.say(from, { kind: 'hello', id, to: NOBODY, ...more })).toEqual([]);
  }

  /** Why the run ended. */
  get end(): { readonly code: string; readonly details: Readonly<Record<string, unknown>> } | undefined {
    return this.exchange.signal.aborted ? this.exchange.signal.reason : undefined;
  }

  receive(from = 'two', number = 5): Promise<Uint8Array> {
    return this.exchange.compute(outgoing(`{from="${from}", number=${number}, type="raw[4]"}`));
  }

  send(data: Uint8Array): Promise<Uint8Array> {
    return this.exchange.compute(outgoing('{number=7, to="two"}', [data]));
  }

  /** Pieces that were sent. */
  get pieces(): Extract<Said, { kind: 'piece' }>[] {
    return this.heard.map(([, said]) => said).filter((said) => said.kind === 'piece');
  }
}

const stages: Stage[] = [];
afterEach(() => {
  vi.useRealTimers();
  stages.splice(0).forEach(({ exchange }) => exchange.stop('cancelled'));
});

const piece = (
  channel: string,
  total: number,
  from: number,
  bytes: Uint8Array | number[],
  of = run,
): Line => ({
  kind: 'piece',
  run: of,
  channel,
  total,
  from,
  bytes: Uint8Array.from(bytes),
});

const settled = async (): Promise<void> => {
  for (let tick = 0; tick < 20; tick++) await Promise.resolve();
};

describe('a party among others', () => {
  it('greets all that it exchanges with, and answers a greeting once', () => {
    const stage = new Stage();
    const greeting = { kind: 'hello', id };
    expect(stage.heard).toEqual([
      ['two', greeting],
      ['three', greeting],
    ]);
    stage.hello('two');
    stage.hello('two');
    expect(stage.heard.slice(2)).toEqual([['two', greeting]]);
    expect(stage.ends.to).toBe(attempt);
    // Who has heard a greeting is not greeted.
    expect(stage.say('three', { kind: 'hello', id })).toEqual([]);
    expect(stage.heard.length).toBe(3);
  });

  it('keeps what came before it was asked for, and gives it once', async () => {
    const stage = new Stage();
    stage.hello('two');
    expect(stage.say('two', piece(IN, 4, 0, [1, 2]))).toEqual([]);
    expect(stage.say('two', piece(IN, 4, 2, [3, 4]))).toEqual([]);
    expect(stage.heard.slice(3).map(([to, frame]) => [to, frame.kind === 'got' && frame.upTo])).toEqual([
      ['two', 2],
      ['two', 4],
    ]);
    expect(await stage.receive()).toEqual(Uint8Array.of(1, 2, 3, 4));
  });

  it('sends nothing to who has not come, and no more than is taken', async () => {
    const data = Uint8Array.from({ length: 6 * PIECE }, (_, at) => at % 251);
    const stage = new Stage({ sends: [crossing(OUT, 'one', 'two', 7, 6 * PIECE)] });
    let sent: Uint8Array | undefined;
    void stage.send(data).then((bytes) => (sent = bytes));
    await settled();
    expect(stage.pieces).toEqual([]);
    stage.hello('two');
    await settled();
    expect(stage.pieces.map(({ from }) => from / PIECE)).toEqual([0, 1, 2, 3]);
    expect(stage.say('two', { kind: 'got', run, channel: OUT, upTo: 2 * PIECE })).toEqual([]);
    await settled();
    expect(stage.pieces.map(({ from }) => from / PIECE)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(sent).toBeUndefined();
    expect(stage.say('two', { kind: 'got', run, channel: OUT, upTo: 6 * PIECE })).toEqual([]);
    await settled();
    expect(sent).toEqual(Uint8Array.of(0));
    expect(Buffer.concat(stage.pieces.map(({ bytes }) => bytes)).equals(data)).toBe(true);
  });

  it('refuses what is not for it, told by a code each, and goes on', async () => {
    const stage = new Stage();
    const value = stage.receive();
    // Before any hello.
    expect(stage.say('two', piece(IN, 4, 0, [1, 2, 3, 4]))).toEqual(['party.hello']);
    stage.hello('two');
    stage.hello('three');
    const here = Uint8Array.from(stage.frame({ kind: 'here' }));
    const refusals: readonly (readonly [what: string, code: string, from: unknown, said: unknown])[] = [
      ['an unknown channel (K-P4)', 'party.channel', 'two', piece(NONE, 4, 0, [1, 2, 3, 4])],
      ['a channel of the other direction', 'party.channel', 'two', piece(OUT, 2 * PIECE, 0, [1])],
      [
        'a receipt of the other direction',
        'party.channel',
        'two',
        { kind: 'got', run, channel: IN, upTo: 1 },
      ],
      ['a receipt of nothing', 'party.channel', 'two', { kind: 'got', run, channel: NONE, upTo: 1 }],
      ['more bytes than the type has', 'party.size', 'two', piece(IN, 5, 0, [1, 2, 3, 4, 5])],
      ['fewer', 'party.size', 'two', piece(IN, 3, 0, [1, 2, 3])],
      ['more than it says', 'party.size', 'two', piece(IN, 4, 0, [1, 2, 3, 4, 5])],
      ['as much as there may be', 'party.size', 'two', piece(IN, Number.MAX_SAFE_INTEGER, 0, [1])],
      ['another sender', 'party.sender', 'three', piece(IN, 4, 0, [1, 2, 3, 4])],
      ['another receiver', 'party.sender', 'three', { kind: 'got', run, channel: OUT, upTo: 1 }],
      ["yesterday's run", 'party.run', 'two', piece(IN, 4, 0, [1, 2, 3, 4], '3'.repeat(32))],
      ['a hello of another run', 'party.run', 'two', { kind: 'hello', run: id, id }],
      [
        'another attempt, to which it has not said hello',
        'party.hello',
        'two',
        { kind: 'here', attempt: 'f'.repeat(16) },
      ],
      ['what is for an attempt before', 'party.attempt', 'two', { kind: 'here', to: attempt }],
      ['what is for nobody', 'party.attempt', 'two', { ...piece(IN, 4, 0, [1, 2, 3, 4]), to: NOBODY }],
      ['a piece out of order', 'party.order', 'two', piece(IN, 4, 2, [3, 4])],
      ['a piece from beyond', 'party.order', 'two', piece(IN, 4, 2 ** 52, [3])],
      ['a receipt of what was not sent', 'party.order', 'two', { kind: 'got', run, channel: OUT, upTo: 1 }],
      ['a receipt of nothing new', 'party.order', 'two', { kind: 'got', run, channel: OUT, upTo: 0 }],
      ['another graph after the hello', 'party.hello', 'two', { kind: 'hello', run, id: run }],
      ['a stop from a stranger', 'party.stranger', 'four', { kind: 'stop', run, reason: 'failed' }],
      ['a hello from a stranger', 'party.stranger', 'four', { kind: 'hello', run, id }],
      ['names of the language', 'party.stranger', '__proto__', { kind: 'bye', run }],
      ['names of methods', 'party.stranger', 'constructor', { kind: 'bye', run }],
      ['itself', 'party.stranger', 'one', { kind: 'hello', run, id }],
      ['a name that is none', 'party.stranger', { toString: () => 'two' }, { kind: 'bye', run }],
      ['nobody', 'party.stranger', undefined, { kind: 'bye', run }],
      ['garbage', 'party.message', 'two', Uint8Array.from({ length: 300 }, (_, at) => at)],
      ['nothing', 'party.message', 'two', new Uint8Array()],
      ['what is no bytes', 'party.message', 'two', { constructor: null }],
      ['an unknown kind', 'party.message', 'two', here.with(4, 9)],
      ['a length without end', 'party.message', 'two', stage.frame(piece(IN, 4, 0, [1])).fill(255, 53, 61)],
      [
        'a negative number',
        'party.message',
        'two',
        stage.frame({ kind: 'got', channel: OUT, upTo: 1 }).fill(255, 53),
      ],
      ['a message without end', 'party.message', 'two', new Uint8Array(2 ** 20)],
    ];
    for (const [what, code, from, said] of refusals) {
      const { length } = stage.heard;
      expect([what, ...stage.say(from, said)]).toEqual([what, code]);
      expect(stage.heard.length, `${what}: no answer`).toBe(length);
    }
    expect(stage.end).toBeUndefined();
    // Nothing of it has done anything.
    expect(stage.say('two', piece(IN, 4, 0, [9, 8, 7, 6]))).toEqual([]);
    expect(await value).toEqual(Uint8Array.of(9, 8, 7, 6));
    expect(stage.say('two', piece(IN, 4, 0, [1, 1, 1, 1]))).toEqual(['party.twice']);
    // Who has said that nothing more comes is not heard any more.
    expect(stage.say('three', { kind: 'bye', run })).toEqual([]);
    expect(stage.end?.code).toBe('party.stopped');
  });

  it('passes over what is of other runs where nobody wants to be told: many may have one transport', () => {
    const other = { kind: 'here', run: '3'.repeat(32) } as const;
    const cost = (onRefused?: () => void): number => {
      const stage = new Stage({ onRefused });
      const bytes = stage.frame(other);
      const before = process.cpuUsage();
      for (let count = 0; count < 2000; count++) stage.say('two', bytes);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    // The first one is compiled meanwhile, and any may be disturbed: the least counts.
    const least = (onRefused?: () => void): number =>
      Math.min(...Array.from({ length: 5 }, () => cost(onRefused)));
    // An error for each, with where it came from, costs some twenty times as much.
    expect(least()).toBeLessThan(least(() => {}) / 4);
  });

  it('hears nothing more of who has ended, and nothing at all once it has itself', () => {
    const stage = new Stage({ sends: [], receives: [crossing(IN, 'two', 'one', 5, 4)] });
    stage.hello('two');
    expect(stage.say('two', piece(IN, 4, 0, [1, 2, 3, 4]))).toEqual([]);
    expect(stage.say('two', { kind: 'bye', run })).toEqual([]);
    expect(stage.end).toBeUndefined();
    for (const late of [piece(IN, 4, 0, [1]), { kind: 'here', run }, { kind: 'stop', run, reason: 'failed' }])
      expect(stage.say('two', late)).toEqual(['party.ended']);
    expect(stage.end).toBeUndefined();
    void stage.exchange.end();
    expect(stage.listening).toBe(false);
    expect(stage.say('two', { kind: 'hello', run, id: run })).toEqual([]);
  });

  it('ends with who has another graph, stops, or leaves too early, and says who', async () => {
    const ends: readonly (readonly [said: Line, code: string])[] = [
      [{ kind: 'hello', run, id: run }, 'party.graph'],
      [{ kind: 'stop', run, reason: 'cancelled' }, 'party.stopped'],
    ];
    for (const [said, code] of ends) {
      const stage = new Stage();
      const waiting = [stage.receive(), stage.send(new Uint8Array(2 * PIECE))];
      expect(stage.say('two', said)).toEqual([]);
      expect(stage.end).toMatchObject({ code, details: { party: 'two' } });
      for (const one of waiting) await expect(one).rejects.toMatchObject({ code });
      expect(stage.pieces).toEqual([]);
    }
    const stage = new Stage();
    stage.hello('two');
    stage.say('two', { kind: 'bye', run });
    expect(stage.end).toMatchObject({ code: 'party.stopped', details: { party: 'two', reason: 'left' } });
  });

  it('passes over what is no bytes, or none any more, also where nobody is told of it', () => {
    const moved = new Uint8Array(100);
    structuredClone(moved, { transfer: [moved.buffer] });
    const named = { [Symbol.toStringTag]: 'Uint8Array', length: 100 };
    const stage = new Stage({ onRefused: undefined });
    stage.hello('two');
    for (const what of [moved, named, 'text', undefined]) stage.say('two', what);
    expect(stage.end).toBeUndefined();
  });

  it('tells a party of another graph that came after the greeting why it stops', async () => {
    const hub = inProcess();
    const settings = { run, timeout: undefined, onRefused: undefined };
    const [one, two] = ['one', 'two'].map(
      (name, at) =>
        new Exchange({
          ...settings,
          id: String(at + 1).repeat(32),
          transport: hub.join(name),
          sends: [],
          receives: [crossing(IN, at === 0 ? 'two' : 'one', name, 5, 4)],
        }),
    ) as [Exchange, Exchange];
    // As a run does.
    const ends = [one, two].map(
      (exchange) =>
        new Promise<void>((resolve) => {
          exchange.signal.addEventListener('abort', () => {
            exchange.stop('failed');
            resolve();
          });
        }),
    );
    one.start();
    // Greets nobody.
    await new Promise((resolve) => setTimeout(resolve, 20));
    two.start();
    await Promise.all(ends);
    expect(one.signal.reason).toMatchObject({ code: 'party.graph', details: { party: 'two' } });
    expect(two.signal.reason).toMatchObject({ code: 'party.graph', details: { party: 'one' } });
  });

  it('waits for a silent party no longer than it may, and for no other', async () => {
    vi.useFakeTimers();
    const stage = new Stage({ timeout: 60 });
    stage.hello('two');
    stage.hello('three');
    // Nothing is awaited yet.
    await vi.advanceTimersByTimeAsync(150);
    expect(stage.end).toBeUndefined();
    const value = stage.receive('three', 6);
    value.catch(() => {});
    for (let beat = 0; beat < 8; beat++) {
      await vi.advanceTimersByTimeAsync(20);
      expect(stage.say('three', { kind: 'here', run })).toEqual([]);
    }
    expect(stage.end).toBeUndefined();
    await vi.advanceTimersByTimeAsync(120);
    await expect(value).rejects.toMatchObject({
      code: 'party.timeout',
      details: { party: 'three', timeout: 60, came: true },
    });
    // One that never comes.
    const alone = new Stage({ timeout: 40 });
    const nobody = alone.receive();
    nobody.catch(() => {});
    await vi.advanceTimersByTimeAsync(120);
    await expect(nobody).rejects.toMatchObject({
      code: 'party.timeout',
      details: { party: 'two', came: false },
    });
  });

  it('ends with what its own callback throws, and with a transport that takes nothing', async () => {
    const stage = new Stage({
      onRefused: () => {
        throw new Error('enough');
      },
    });
    stage.say('two', new Uint8Array());
    expect(stage.exchange.signal.reason).toMatchObject({ message: 'enough' });
    const transport: Transport = {
      send: () => Promise.reject(new Error('no way')),
      listen: () => () => {},
      close: () => {},
    };
    const without = new Stage({ transport });
    await settled();
    expect(without.end).toMatchObject({ code: 'party.transport', details: { party: 'two' } });
    await expect(without.receive()).rejects.toMatchObject({ code: 'party.transport' });
  });

  it('ends where there is no memory for what comes, which the transport does not hear of', async () => {
    const bytes = Number.MAX_SAFE_INTEGER;
    const stage = new Stage({ sends: [], receives: [crossing(IN, 'two', 'one', 5, bytes)] });
    stage.hello('two');
    expect(stage.say('two', piece(IN, bytes, 0, [1]))).toEqual([]);
    expect(stage.exchange.signal.reason).toBeInstanceOf(RangeError);
    await expect(stage.receive()).rejects.toBeInstanceOf(RangeError);
  });

  it('stays until the others have kept that all are done, whoever dies meanwhile', async () => {
    const store = inMemory();
    const whose = { run, party: 'one', id, inputs: [] };
    const sends = [crossing(OUT, 'one', 'two', 7, 4)];
    const kept = await Kept.open(store, whose);
    const stage = new Stage({ kept, sends, receives: [] });
    const said = (): string[] => stage.heard.splice(0).map(([, { kind }]) => kind);
    stage.hello('two');
    const sent = stage.send(Uint8Array.of(1, 2, 3, 4));
    await vi.waitFor(() => expect(stage.pieces.length).toBe(1));
    stage.say('two', { kind: 'got', channel: OUT, upTo: 4 });
    await sent;
    said();
    let ended = false;
    const end = stage.exchange.end().then(() => (ended = true));
    await vi.waitFor(() => expect(said()).toEqual(['bye']));
    expect(await kept.closed()).toBe(false);
    expect(stage.say('two', { kind: 'bye' })).toEqual([]);
    await vi.waitFor(() => expect(said()).toEqual(['done']));
    expect(await kept.closed()).toBe(true);
    // It died before it had kept that: it is told again, though nothing is there any more that it could be sent.
    const attempt = '0000000200000000';
    stage.hello('two', { attempt });
    await settled();
    expect(said()).toEqual(['hello', 'bye', 'done']);
    expect(stage.say('two', { kind: 'bye', attempt })).toEqual([]);
    expect(stage.say('two', { kind: 'here', attempt })).toEqual([]);
    await settled();
    expect([ended, stage.end]).toEqual([false, undefined]);
    expect(stage.say('two', { kind: 'done', attempt })).toEqual([]);
    await end;

    // Who comes back to a run that is over says so to those who may have missed it, and does not wait.
    const again: Frame[] = [];
    const transport: Transport = {
      send: async (_, bytes) => void again.push(decode(bytes)),
      listen: () => () => {},
      close: () => {},
    };
    const later = await Kept.open(store, whose);
    await new Exchange({ id, run, transport, sends, receives: [], kept: later }).repeatDone();
    expect(again).toMatchObject([{ kind: 'done', to: NOBODY, attempt: later.attempt }]);
  });

  it('says that it is there until each has heard of the other that all are done, and hears so without refusing it', async () => {
    vi.useFakeTimers();
    const receives = [crossing(IN, 'two', 'one', 5, 4), crossing(THIRD, 'three', 'one', 6, 4)];
    const kept = await Kept.open(inMemory(), { run, party: 'one', id, inputs: [] });
    const stage = new Stage({ kept, sends: [], receives, timeout: 60_000 });
    const heres = (): string[] =>
      stage.heard.splice(0).flatMap(([to, { kind }]) => (kind === 'here' ? [to] : []));
    for (const other of ['two', 'three']) {
      stage.hello(other);
      stage.say(other, piece(other === 'two' ? IN : THIRD, 4, 0, [1, 2, 3, 4]));
    }
    const end = stage.exchange.end();
    // Party two is done with its own neighbours, and waits for this one, whose other neighbour computes for long.
    for (const kind of ['bye', 'done', 'here', 'bye', 'done'] as const)
      expect(stage.say('two', { kind })).toEqual([]);
    heres();
    for (let beat = 0; beat < 30; beat++) {
      await vi.advanceTimersByTimeAsync(5000);
      expect(heres()).toEqual(['two', 'three']);
      expect(stage.say('three', { kind: 'here' })).toEqual([]);
    }
    expect(await kept.closed()).toBe(false);
    expect(stage.say('three', { kind: 'bye' })).toEqual([]);
    await vi.advanceTimersByTimeAsync(5000);
    expect(await kept.closed()).toBe(true);
    expect(heres()).toEqual(['three']);
    expect(stage.say('three', { kind: 'done' })).toEqual([]);
    await end;
  });

  it('does not wait for a party that keeps nothing, nor for one that stops once it has ended', async () => {
    for (const last of [{ kind: 'done' }, { kind: 'stop', reason: 'cancelled' }] as const) {
      const kept = await Kept.open(inMemory(), { run, party: 'one', id, inputs: [] });
      const stage = new Stage({ kept, sends: [], receives: [crossing(IN, 'two', 'one', 5, 4)] });
      stage.hello('two');
      stage.say('two', piece(IN, 4, 0, [1, 2, 3, 4]));
      const end = stage.exchange.end();
      if (last.kind === 'stop') expect(stage.say('two', { kind: 'bye' })).toEqual([]);
      await settled();
      expect(stage.say('two', last)).toEqual([]);
      await end;
      expect([stage.end, await kept.closed()]).toEqual([undefined, true]);
    }
    const none = new Stage({ sends: [], receives: [] });
    void none.exchange.end();
    expect(none.heard).toEqual([]);
    const alone = new Stage({ sends: [], receives: [crossing(IN, 'two', 'one', 5, 4)] });
    alone.hello('two');
    alone.say('two', piece(IN, 4, 0, [1, 2, 3, 4]));
    await alone.exchange.end();
    expect(alone.heard.at(-1)).toEqual(['two', { kind: 'done' }]);
  });

  it('is done where its store cannot forget, and says what is wrong with it when the others know', async () => {
    const store = inMemory();
    const remove = () => Promise.reject(new Error('read only'));
    const kept = await Kept.open({ ...store, remove }, { run, party: 'one', id, inputs: [] });
    const stage = new Stage({ kept, sends: [crossing(OUT, 'one', 'two', 7, 4)], receives: [] });
    stage.hello('two');
    const sent = stage.send(Uint8Array.of(1, 2, 3, 4));
    await vi.waitFor(() => expect(stage.pieces.length).toBe(1));
    stage.say('two', { kind: 'got', channel: OUT, upTo: 4 });
    await sent;
    const end = stage.exchange.end();
    end.catch(() => {});
    for (const kind of ['bye', 'done'] as const) expect(stage.say('two', { kind })).toEqual([]);
    await expect(end).rejects.toMatchObject({ code: 'party.store' });
    expect(stage.heard.at(-1)).toEqual(['two', { kind: 'done' }]);
    expect(await kept.closed()).toBe(true);
  });

  it('ends at once with a party that has kept that all are done, which it has not heard before', async () => {
    const kept = await Kept.open(inMemory(), { run, party: 'one', id, inputs: [] });
    const stage = new Stage({ kept, receives: [crossing(IN, 'two', 'one', 5, 4)] });
    stage.exchange.restore();
    const end = stage.exchange.end();
    expect(stage.say('two', { kind: 'done', to: NOBODY, attempt: '0000000300000000' })).toEqual([]);
    await end;
    expect(await kept.closed()).toBe(true);
    expect(stage.end).toBeUndefined();
    // While something is owed, nobody has heard this party's farewell: what says so is no part of this run.
    const early = new Stage({ kept: await Kept.open(inMemory(), { run, party: 'one', id, inputs: [] }) });
    early.hello('two');
    expect(early.say('two', { kind: 'done' })).toEqual([]);
    expect(early.end).toMatchObject({ code: 'party.stopped', details: { party: 'two', reason: 'left' } });
  });

  it('has no channel for operators that are none of its cut', async () => {
    const stage = new Stage();
    await expect(stage.receive('two', 6)).rejects.toMatchObject({ code: 'party.channel' });
    await expect(stage.receive('four')).rejects.toMatchObject({ code: 'party.channel' });
  });
});

describe('parties of one process', () => {
  it('hear each other, as copies, until they close', async () => {
    const hub = inProcess();
    const [one, two] = [hub.join('one'), hub.join('two')];
    expect(() => hub.join('one')).toThrow(/has joined already/);
    const heard: unknown[] = [];
    const stop = two.listen((from, bytes) => heard.push([from, [...bytes]]));
    const bytes = Uint8Array.of(1, 2);
    const sent = one.send('two', bytes);
    bytes[0] = 9;
    await sent;
    await one.send('three', bytes);
    await two.send('two', bytes);
    expect(heard).toEqual([
      ['one', [1, 2]],
      ['two', [9, 2]],
    ]);
    stop();
    await one.send('two', bytes);
    two.listen((from) => heard.push(from));
    one.close();
    await one.send('two', bytes);
    expect(heard.length).toBe(2);
    // The name is free again.
    await hub.join('one').send('two', bytes);
    expect(heard.length).toBe(3);
  });
});
