// Parties that get each other's keys over a relay that need not be trusted, and compare a code.
import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import type { PartyError } from '../src/errors.js';
import { introduce, type IntroduceOptions, type Introduction } from '../src/parties/introduce.js';
import { newRun } from '../src/parties/run.js';
import { partyKeys, sealed } from '../src/parties/sealed.js';
import { inMemory } from '../src/parties/stores.js';
import { inProcess } from '../src/parties/transports/process.js';
import type { Transport } from '../src/parties/types.js';
import { Relay } from './relay.js';
import { unhandledOf } from './unhandled.js';

const NAMES = ['north', 'süd', 'west'] as const;
const open: Transport[] = [];
afterEach(() => open.splice(0).forEach((transport) => transport.close()));

type Hear = (from: string, bytes: Uint8Array) => void;
/** Where messages go that a test makes by hand: what one sends, it sees; what it says, the party hears. */
function wire() {
  const listeners = new Set<Hear>();
  const sent: { to: string; bytes: Uint8Array }[] = [];
  const transport: Transport = {
    send: async (to, bytes) => void sent.push({ to, bytes }),
    listen: (hear) => {
      listeners.add(hear);
      return () => void listeners.delete(hear);
    },
    close: () => listeners.clear(),
  };
  open.push(transport);
  const say = (from: string, bytes: Uint8Array): void => listeners.forEach((hear) => hear(from, bytes));
  return { transport, sent, say };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** Another model of the hash: fields behind their lengths, by Node's own SHA-256. */
function sha256(what: string, fields: readonly (string | Uint8Array)[]): Buffer {
  const hash = createHash('sha256');
  for (const field of [`cipherloom introduction 1: ${what}`, ...fields]) {
    const bytes = Buffer.from(field as string);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    hash.update(length).update(bytes);
  }
  return hash.digest();
}

interface Said {
  readonly key: Uint8Array;
  readonly nonce: Uint8Array;
}
const about = Uint8Array.of(1, 2, 3);
const commitmentOf = (
  meeting: string,
  parties: readonly string[],
  name: string,
  { key, nonce }: Said,
): Buffer => sha256('commitment', [Buffer.from(meeting, 'hex'), about, ...parties, name, key, nonce]);
const message = (meeting: string, kind: 1 | 2, answer: 0 | 1, ...body: Uint8Array[]): Uint8Array =>
  new Uint8Array(
    Buffer.concat([Buffer.from('cli'), Buffer.of(1, kind, answer), Buffer.from(meeting, 'hex'), ...body]),
  );
const randomSaid = async (): Promise<Said> => ({
  key: (await partyKeys()).publicKey,
  nonce: crypto.getRandomValues(new Uint8Array(32)),
});

/** One party, against whom a test plays the other, `mallory` as `süd`. */
function against(more: Partial<IntroduceOptions> = {}) {
  const { transport, sent, say } = wire();
  const meeting = newRun();
  const parties = ['north', 'süd'];
  const refused: string[] = [];
  const result = introduce({
    ...{ transport, party: 'north', parties, meeting, about },
    onRefused: ({ code }: PartyError) => refused.push(code),
    ...more,
  });
  const settled = result.then(
    (found) => ({ found, error: undefined }),
    (error: PartyError) => ({ found: undefined, error }),
  );
  return { ...{ transport, sent, say, meeting, parties, refused, result, settled } };
}

describe('an introduction', () => {
  it.each([2, 3, 16])(
    'gives %i parties the same code, the same run, and each other’s keys',
    async (count) => {
      const parties = Array.from({ length: count }, (_, at) => NAMES[at] ?? `party ${at}`);
      const [relay, meeting] = [new Relay(), newRun()];
      const came: string[] = [];
      const all = await Promise.all(
        parties.map((party) => {
          const transport = relay.join(party);
          open.push(transport);
          const onCame = (name: string): void => void came.push(`${party}: ${name}`);
          return introduce({ transport, party, parties, meeting, about, onCame });
        }),
      );
      for (const [at, { code, run, others }] of all.entries()) {
        expect(code).toMatch(/^\d{6} \d{6}$/);
        expect([code, run]).toEqual([all[0]?.code, all[0]?.run]);
        expect(Object.keys(others)).toEqual(parties.filter((name) => name !== parties[at]));
        for (const [name, key] of Object.entries(others))
          expect(key).toEqual(all[parties.indexOf(name)]?.keys.publicKey);
      }
      expect(new Set(came).size).toBe(count * (count - 1));
      expect(came).toHaveLength(count * (count - 1));
      // Nobody said a key before it had all commitments.
      for (const party of parties) {
        const first = relay.seen.findIndex(({ from, bytes }) => from === party && bytes[4] === 2);
        const before = relay.seen.slice(0, first);
        for (const other of parties.filter((name) => name !== party))
          expect(before.some(({ from, to, bytes }) => from === other && to === party && bytes[4] === 1)).toBe(
            true,
          );
      }
      // No private key went anywhere.
      for (const { bytes } of relay.seen)
        for (const { keys } of all)
          expect(Buffer.from(bytes).includes(Buffer.from(keys.privateKey))).toBe(false);
    },
  );

  it('has the code and the run of the formula', async () => {
    const { sent, say, meeting, parties, result } = against();
    const other = await randomSaid();
    say('süd', message(meeting, 1, 1, commitmentOf(meeting, parties, 'süd', other)));
    await until(() => sent.length === 2);
    const [commitment, revealed] = sent.map(({ bytes }) => Buffer.from(bytes));
    const own = {
      key: new Uint8Array(revealed?.subarray(22, 87) ?? []),
      nonce: new Uint8Array(revealed?.subarray(87) ?? []),
    };
    expect(commitment).toEqual(
      Buffer.from(message(meeting, 1, 0, commitmentOf(meeting, parties, 'north', own))),
    );
    say('süd', message(meeting, 2, 1, other.key, other.nonce));
    const found = await result;
    const fields = [Buffer.from(meeting, 'hex'), about, ...parties];
    const transcript = sha256('transcript', [...fields, own.key, own.nonce, other.key, other.nonce]);
    const digits = (sha256('code', [transcript]).readBigUInt64BE(0) % 10n ** 12n)
      .toString()
      .padStart(12, '0');
    expect(found.code).toBe(`${digits.slice(0, 6)} ${digits.slice(6)}`);
    expect(found.run).toBe(sha256('run', [transcript]).subarray(0, 16).toString('hex'));
    expect(found.others).toEqual({ süd: other.key });
  });

  it('is what sealed takes', async () => {
    const [relay, meeting, parties] = [new Relay(), newRun(), ['a', 'b']];
    const made = await Promise.all(
      parties.map((party) => introduce({ transport: relay.join(party), party, parties, meeting })),
    );
    const hub = inProcess();
    const [a, b] = await Promise.all(
      parties.map((party, at) => sealed(hub.join(party), { party, ...(made[at] as Introduction) })),
    );
    const heard = new Promise((resolve) => b?.listen((from, bytes) => resolve([from, ...bytes])));
    await a?.send('b', Uint8Array.of(7));
    expect(await heard).toEqual(['a', 7]);
    for (const transport of [a, b]) transport?.close();
  });

  it('goes on with who comes late, and answers who comes again', async () => {
    const [hub, meeting, parties, keep] = [inProcess(), newRun(), ['a', 'b', 'c'], inMemory()];
    const join = (party: string): Transport => {
      const transport = hub.join(party);
      open.push(transport);
      return transport;
    };
    const came: string[] = [];
    const onCame = (name: string): void => void came.push(name);
    const a = introduce({ transport: join('a'), party: 'a', parties, meeting, onCame });
    const first = join('b');
    void introduce({ transport: first, party: 'b', parties, meeting, keep }).catch(() => {});
    await until(() => came.includes('b'));
    // It dies before the third one is there.
    first.close();
    const second = join('b');
    const b = introduce({ transport: second, party: 'b', parties, meeting, keep });
    const c = introduce({ transport: join('c'), party: 'c', parties, meeting });
    const codes = (await Promise.all([a, b, c])).map(({ code }) => code);
    expect(new Set(codes).size).toBe(1);
    second.close();
    // And once more when all is said, to those who have not closed, and to nobody at all.
    const again = await introduce({ transport: join('b'), party: 'b', parties, meeting, keep });
    const alone = await introduce({ transport: inProcess().join('b'), party: 'b', parties, meeting, keep });
    for (const { code, keys } of [again, alone]) {
      expect(code).toBe(codes[0]);
      expect(keys).toEqual((await b).keys);
    }
  });
});

describe('who lies between', () => {
  it('and swaps keys gives the two ends different codes', async () => {
    for (let round = 0; round < 20; round++) {
      const [meeting, parties] = [newRun(), ['north', 'süd']];
      // Mallory is south to north, and north to south, by the protocol, each with a key of her own.
      const [left, right] = [inProcess(), inProcess()];
      const meet = (hub: typeof left, party: string): Promise<Introduction> => {
        const transport = hub.join(party);
        open.push(transport);
        return introduce({ transport, party, parties, meeting });
      };
      const [north, falseSouth, falseNorth, south] = await Promise.all([
        meet(left, 'north'),
        meet(left, 'süd'),
        meet(right, 'north'),
        meet(right, 'süd'),
      ]);
      expect(north.others['süd']).toEqual(falseSouth.keys.publicKey);
      expect(south.others['north']).toEqual(falseNorth.keys.publicKey);
      expect(north.code).not.toBe(south.code);
      expect(north.run).not.toBe(south.run);
    }
  });

  it('cannot take the code of one end to the other: nothing is revealed before her own commitment is there', async () => {
    const { sent, say, meeting, parties, settled } = against();
    await until(() => sent.length === 1);
    // However long she waits, she sees a commitment alone.
    say('süd', new Uint8Array(3));
    await Promise.resolve();
    expect(sent.map(({ bytes }) => bytes[4])).toEqual([1]);
    const [early, late] = [await randomSaid(), await randomSaid()];
    say('süd', message(meeting, 1, 1, commitmentOf(meeting, parties, 'süd', early)));
    await until(() => sent.length === 2);
    // Now she knows the nonce, and would like another key.
    say('süd', message(meeting, 2, 1, late.key, late.nonce));
    const { error } = await settled;
    expect(error?.code).toBe('party.introduction');
    expect(error?.details).toMatchObject({ party: 'süd', reason: 'false' });
  });

  it.each([
    ['own', []],
    ['commitments', [1]],
  ])('hears nothing that could not be kept before: %s', async (what, kinds) => {
    const store = inMemory();
    const keep = {
      ...store,
      put: (name: string, bytes: Uint8Array) =>
        name.endsWith(`"${what}"]`) ? Promise.reject(new Error('disk full')) : store.put(name, bytes),
    };
    const { sent, say, meeting, parties, settled } = against({ keep });
    say('süd', message(meeting, 1, 1, commitmentOf(meeting, parties, 'süd', await randomSaid())));
    expect((await settled).error?.code).toBe('party.store');
    expect(sent.map(({ bytes }) => bytes[4])).toEqual(kinds);
  });

  it('cannot have a party that comes back take another commitment than before', async () => {
    const keep = inMemory();
    const first = against({ keep });
    const [early, late] = [await randomSaid(), await randomSaid()];
    const { meeting, parties } = first;
    first.say('süd', message(meeting, 1, 1, commitmentOf(meeting, parties, 'süd', early)));
    await until(() => first.sent.length === 2);
    first.transport.close();
    const second = against({ keep, meeting });
    await until(() => second.sent.length === 2);
    expect(second.sent.map(({ bytes }) => bytes)).toEqual(first.sent.map(({ bytes }) => bytes));
    second.say('süd', message(meeting, 1, 1, commitmentOf(meeting, parties, 'süd', late)));
    expect((await second.settled).error?.details).toMatchObject({ party: 'süd', reason: 'changed' });
  });
});

describe('what ends an introduction, by an error of its own', () => {
  type Play = (game: ReturnType<typeof against>, said: Said, other: Said) => Promise<void>;
  const commits = ({ say, meeting, parties }: ReturnType<typeof against>, said: Said): void =>
    say('süd', message(meeting, 1, 1, commitmentOf(meeting, parties, 'süd', said)));
  const reveals = ({ say, meeting }: ReturnType<typeof against>, { key, nonce }: Said): void =>
    say('süd', message(meeting, 2, 1, key, nonce));

  it.each<[string, string, Play]>([
    [
      'a second commitment',
      'changed',
      async (game, said, other) => {
        commits(game, said);
        commits(game, other);
      },
    ],
    [
      'a key that was not committed to',
      'false',
      async (game, said, { key }) => {
        commits(game, said);
        reveals(game, { ...said, key });
      },
    ],
    [
      'a nonce that was not committed to',
      'false',
      async (game, said, { nonce }) => {
        commits(game, said);
        reveals(game, { ...said, nonce });
      },
    ],
    [
      'a commitment that is the own one, sent back',
      'false',
      async (game) => {
        await until(() => game.sent.length === 1);
        const back = (at: number): void => game.say('süd', (game.sent[at] as { bytes: Uint8Array }).bytes);
        back(0);
        await until(() => game.sent.some(({ bytes }) => bytes[4] === 2));
        back(game.sent.findIndex(({ bytes }) => bytes[4] === 2));
      },
    ],
    [
      'a key that is no point',
      'key',
      async (game, { nonce }) => {
        const said = { key: new Uint8Array(65).fill(4), nonce };
        commits(game, said);
        reveals(game, said);
      },
    ],
    [
      'a commitment for something else',
      'false',
      async (game, said) => {
        const { say, meeting } = game;
        const parties = ['north', 'süd', 'third'];
        say('süd', message(meeting, 1, 1, commitmentOf(meeting, parties, 'süd', said)));
        reveals(game, said);
      },
    ],
  ])('%s', async (_, reason, play) => {
    const game = against();
    await play(game, await randomSaid(), await randomSaid());
    const { error } = await game.settled;
    expect(error?.code).toBe('party.introduction');
    expect(error?.details).toMatchObject({ party: 'süd', reason });
  });

  it('but not a key before its commitment, which a party that was away may hear first: it is said again', async () => {
    const game = against();
    const said = await randomSaid();
    reveals(game, said);
    commits(game, said);
    await until(() => game.sent.some(({ bytes }) => bytes[4] === 2));
    expect(game.refused).toEqual(['party.order']);
    reveals(game, said);
    expect((await game.result).others).toEqual({ süd: said.key });
  });

  it('another key once it is over is refused, and told', async () => {
    const game = against();
    const [said, other] = [await randomSaid(), await randomSaid()];
    commits(game, said);
    reveals(game, said);
    const { code } = await game.result;
    reveals(game, other);
    await until(() => game.refused.length === 1);
    expect(game.refused).toEqual(['party.introduction']);
    expect((await game.result).code).toBe(code);
  });

  it('what is no message of it is refused, and changes nothing', async () => {
    const game = against();
    const said = await randomSaid();
    const { meeting, parties, say } = game;
    const good = message(meeting, 1, 1, commitmentOf(meeting, parties, 'süd', said));
    const altered = (at: number, to: number): Uint8Array =>
      good.map((byte, index) => (index === at ? to : byte));
    const bad: [unknown, string][] = [
      ['text', 'party.message'],
      [new Uint8Array(), 'party.message'],
      [good.subarray(1), 'party.message'],
      [good.subarray(0, -1), 'party.message'],
      [new Uint8Array(2 ** 20), 'party.message'],
      [altered(3, 2), 'party.message'],
      [altered(4, 3), 'party.message'],
      [altered(5, 2), 'party.message'],
      [altered(6, (good[6] as number) ^ 1), 'party.run'],
    ];
    for (const [bytes] of bad) say('süd', bytes as Uint8Array);
    say('mallory', good);
    say('north', good);
    expect(game.refused).toEqual([...bad.map(([, code]) => code), 'party.stranger', 'party.stranger']);
    say('süd', good);
    reveals(game, said);
    expect((await game.result).others).toEqual({ süd: said.key });
  });

  it('abort, a transport that takes nothing, and what a caller throws', async () => {
    const controller = new AbortController();
    const aborted = against({ signal: controller.signal });
    controller.abort(new Error('enough'));
    expect((await aborted.settled).error?.message).toBe('enough');
    const fails = {
      'at once': (): Promise<void> => {
        throw new Error('mine');
      },
      later: () => Promise.reject(new Error('mine')),
    };
    const left = await unhandledOf(async () => {
      for (const fail of Object.values(fails)) {
        const { error } = await against({ transport: { ...wire().transport, send: fail } }).settled;
        expect(error).toMatchObject({ code: 'party.transport', details: { party: 'süd' } });
        const game = against({ onCame: fail });
        commits(game, await randomSaid());
        expect((await game.settled).error?.message).toBe('mine');
      }
    });
    expect(left).toEqual([]);
    const keep = { ...inMemory(), put: () => Promise.reject(new Error('disk full')) };
    expect((await against({ keep }).settled).error?.code).toBe('party.store');
  });

  it.each([
    ['by what onCame throws', 'onCame', [1]],
    ['while its own is kept', 'own', []],
    ['while commitments are kept', 'commitments', [1]],
  ])('and then says nothing more: ended %s', async (_, where, kinds) => {
    const controller = new AbortController();
    const onCame = (): void => {
      if (where === 'onCame') throw new Error('mine');
    };
    const store = inMemory();
    const keep = {
      ...store,
      put: async (name: string, bytes: Uint8Array) => {
        if (name.endsWith(`"${where}"]`)) controller.abort(new Error('mine'));
        await store.put(name, bytes);
      },
    };
    const game = against({ keep, onCame, signal: controller.signal });
    commits(game, await randomSaid());
    expect((await game.settled).error?.message).toBe('mine');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(game.sent.map(({ bytes }) => bytes[4])).toEqual(kinds);
  });

  it('a party that does not come, or says no key, within the time that there is, and a transport that is closed', async () => {
    const absent = against({ timeout: 30 });
    const details = { party: 'süd', timeout: 30 };
    expect((await absent.settled).error).toMatchObject({
      code: 'party.timeout',
      details: { ...details, came: false },
    });
    const silent = against({ timeout: 30 });
    commits(silent, await randomSaid());
    expect((await silent.settled).error).toMatchObject({
      code: 'party.timeout',
      details: { ...details, came: true },
    });
    const transport = inProcess().join('north');
    const { settled } = against({ transport });
    transport.close();
    expect((await settled).error).toMatchObject({ code: 'party.transport', details: { reason: 'closed' } });
  });

  it.each<[string, object]>([
    ['no time', { timeout: 0 }],
    ['no transport', { transport: undefined }],
    ['one party', { parties: ['north'] }],
    ['a party twice', { parties: ['north', 'süd', 'north'] }],
    ['a party that is none of them', { party: 'east' }],
    ['no meeting', { meeting: 'today' }],
    ['about no bytes', { about: 'this' }],
    ['an option that there is not', { keys: {} }],
  ])('%s', async (_, more) => {
    const { error } = await against(more as Partial<IntroduceOptions>).settled;
    expect(error?.code).toMatch(/^input\.(type|option)$/);
  });
});
