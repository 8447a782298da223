// Messages between parties, sealed, over a relay that need not be trusted.
import { DhkemP256HkdfSha256 } from '@hpke/core';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { PartyError } from '../src/errors.js';
import { Exchange } from '../src/parties/exchange.js';
import { PIECE } from '../src/parties/frame.js';
import { newRun } from '../src/parties/run.js';
import { pairOf, publicKeyOf } from '../src/parties/sealed/keys.js';
import { END, LAYOUT, writeHead } from '../src/parties/sealed/message.js';
import { newSuite } from '../src/parties/sealed/suite.js';
import { type PartyKeys, partyKeys, sealed } from '../src/parties/sealed.js';
import { inProcess } from '../src/parties/transports/process.js';
import type { Crossing, Transport } from '../src/parties/types.js';
import type { RawOutgoing } from '../src/raw.js';
import { random } from './random.js';
import { type Mischief, Relay } from './relay.js';

const run = newRun();
const names = ['one', 'two', 'three'] as const;
type Name = (typeof names)[number];
let keys: Record<Name, PartyKeys>;
beforeAll(async () => {
  const made = await Promise.all(names.map(async (name) => [name, await partyKeys()] as const));
  keys = Object.fromEntries(made) as typeof keys;
});
const open: Transport[] = [];
afterEach(() => open.splice(0).forEach((transport) => transport.close()));

/** The public keys of the others. */
const others = (party: Name): Record<string, Uint8Array> =>
  Object.fromEntries(names.filter((name) => name !== party).map((name) => [name, keys[name].publicKey]));

/** A party's sealed end, what it hears and what it refuses. */
async function end(
  transport: Transport,
  party: Name,
  more: Partial<Parameters<typeof sealed>[1]> = {},
): Promise<{ transport: Transport; heard: [string, number[]][]; refused: PartyError[] }> {
  const [heard, refused]: [[string, number[]][], PartyError[]] = [[], []];
  const onRefused = (error: PartyError): void => void refused.push(error);
  const own = await sealed(transport, {
    party,
    run,
    keys: keys[party],
    others: others(party),
    onRefused,
    ...more,
  });
  own.listen((from, bytes) => heard.push([from, [...bytes]]));
  open.push(own);
  return { transport: own, heard, refused };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
}

const codes = (refused: readonly PartyError[]): string[] => refused.map(({ code }) => code);

describe('a sealed transport', () => {
  it('hands on what was sent, and shows nothing of it on the way', async () => {
    const relay = new Relay();
    const [one, two] = [await end(relay.join('one'), 'one'), await end(relay.join('two'), 'two')];
    const secret = Uint8Array.from({ length: 64 }, (_, at) => at);
    await one.transport.send('two', secret);
    await one.transport.send('two', Uint8Array.of(7));
    await two.transport.send('one', Uint8Array.of(8, 9));
    await until(() => two.heard.length === 2 && one.heard.length === 1);
    expect(two.heard).toEqual([
      ['one', [...secret]],
      ['one', [7]],
    ]);
    expect(one.heard).toEqual([['two', [8, 9]]]);
    expect([...one.refused, ...two.refused]).toEqual([]);
    for (const { bytes } of relay.seen) {
      expect(Buffer.from(bytes).includes(Buffer.from(secret.subarray(0, 8)))).toBe(false);
      expect(Buffer.from(bytes).includes(Buffer.from(run, 'hex'))).toBe(false);
    }
    // The same twice looks otherwise.
    await one.transport.send('two', Uint8Array.of(7));
    const [, second, , fourth] = relay.seen.map(({ bytes }) => Buffer.from(bytes.subarray(-17)));
    expect(second?.equals(fourth as Buffer)).toBe(false);
  });

  it('refuses every byte that was altered, and goes on with what is true', async () => {
    const relay = new Relay();
    const one = await end(relay.join('one'), 'one');
    await one.transport.send('two', Uint8Array.of(1, 2, 3));
    const { bytes } = relay.seen[0] as { bytes: Uint8Array };
    const two = await end(relay.join('two'), 'two');
    const liar = inProcess();
    const [to, from] = [await end(liar.join('two'), 'two'), liar.join('one')];
    for (let at = 0; at < bytes.length; at++) {
      const changed = bytes.slice();
      (changed[at] as number) ^= 1 << random(8);
      await from.send('two', changed);
    }
    await until(() => codes(to.refused).filter((code) => code === 'party.sealed').length > 8);
    await from.send('two', bytes);
    await until(() => to.heard.length > 0);
    expect(to.heard).toEqual([['one', [1, 2, 3]]]);
    expect(new Set(codes(to.refused))).toEqual(new Set(['party.message', 'party.sealed', 'party.order']));
    expect(two.refused).toEqual([]);
  });

  it('refuses what is of another run, of strangers, for others, and what is no message', async () => {
    const hub = inProcess();
    const two = await end(hub.join('two'), 'two');
    const raw = hub.join('one');
    const said: Uint8Array[] = [];
    const noted: Transport = {
      send: async (_, bytes) => void said.push(bytes.slice()),
      listen: () => () => {},
      close: () => {},
    };
    const speak = async (party: Name, to: string, more: Partial<Parameters<typeof sealed>[1]> = {}) => {
      await (await end(noted, party, more)).transport.send(to, Uint8Array.of(1));
      return said.at(-1) as Uint8Array;
    };
    const refusals: readonly (readonly [string, string, unknown])[] = [
      ['one', 'party.sealed', await speak('one', 'two', { run: newRun() })],
      // Party three, under the name of party one.
      ['one', 'party.sealed', await speak('three', 'two')],
      // To party three.
      ['one', 'party.sealed', await speak('one', 'three')],
      ['one', 'party.sealed', await speak('one', 'two', { keys: await partyKeys() })],
      ['one', 'party.message', new Uint8Array(500)],
      ['one', 'party.message', new Uint8Array()],
      ['one', 'party.message', 'text'],
      ['four', 'party.stranger', await speak('one', 'two')],
      ['two', 'party.stranger', await speak('one', 'two')],
    ];
    const four = hub.join('four');
    for (const [name, code, bytes] of refusals) {
      const { length } = two.refused;
      if (name === 'two')
        await hub.join('two ').send('two', bytes as Uint8Array); // a name that is nearly one
      else if (typeof bytes === 'string') {
        // A transport that hands on what is no bytes.
        await raw.send('two', bytes as never);
      } else await (name === 'four' ? four : raw).send('two', bytes as Uint8Array);
      await until(() => two.refused.length > length);
      expect([name, two.refused.at(-1)?.code]).toEqual([name, code]);
      expect(two.refused.at(-1)?.name).toBe('PartyError');
    }
    expect(two.heard).toEqual([]);
    await raw.send('two', await speak('one', 'two'));
    await until(() => two.heard.length === 1);
  });

  it('drops doubles, restores the order, and does not let a forged one keep out the true one', async () => {
    const hub = inProcess();
    const said: Uint8Array[] = [];
    const noted: Transport = {
      send: async (_, bytes) => void said.push(bytes.slice()),
      listen: () => () => {},
      close: () => {},
    };
    const one = await end(noted, 'one');
    for (let at = 0; at < 6; at++) await one.transport.send('two', Uint8Array.of(at));
    const two = await end(hub.join('two'), 'two');
    const raw = hub.join('one');
    const forged = (said[3] as Uint8Array).slice();
    (forged[forged.length - 1] as number) ^= 1;
    for (const bytes of [said[5], forged, said[3], said[1], said[1], said[0], said[4], said[0]])
      await raw.send('two', bytes as Uint8Array);
    await until(() => two.heard.length === 2 && two.refused.length === 2);
    expect(codes(two.refused)).toEqual(['party.twice', 'party.twice']);
    await raw.send('two', said[2] as Uint8Array);
    await until(() => two.heard.length === 6);
    expect(two.heard.map(([, [byte]]) => byte)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(codes(two.refused)).toEqual(['party.twice', 'party.twice', 'party.sealed']);
  });

  it('begins anew with a party that was not there, or has come back', async () => {
    const relay = new Relay();
    const one = await end(relay.join('one'), 'one');
    // To nobody.
    await one.transport.send('two', Uint8Array.of(1));
    let two = await end(relay.join('two'), 'two');
    await two.transport.send('one', Uint8Array.of(2));
    await until(() => one.heard.length === 1);
    await one.transport.send('two', Uint8Array.of(3));
    await until(() => two.heard.length === 1);
    expect(two.heard).toEqual([['one', [3]]]);
    // Two dies, and another process takes its place.
    two.transport.close();
    await one.transport.send('two', Uint8Array.of(4));
    two = await end(relay.join('two'), 'two');
    await two.transport.send('one', Uint8Array.of(5));
    await until(() => one.heard.length === 2);
    for (const value of [6, 7]) await one.transport.send('two', Uint8Array.of(value));
    await until(() => two.heard.length === 2);
    expect(two.heard.map(([, bytes]) => bytes)).toEqual([[6], [7]]);
    // Neither begins again and again.
    for (let round = 0; round < 5; round++) {
      await two.transport.send('one', Uint8Array.of(round));
      await one.transport.send('two', Uint8Array.of(round));
    }
    await until(() => two.heard.length === 7 && one.heard.length === 7);
    const streams = new Set(
      relay.seen.map(({ from, bytes }) => `${from} ${Buffer.from(bytes.subarray(4, 69)).toString('hex')}`),
    );
    expect([...streams].map((stream) => stream.split(' ')[0]).sort()).toEqual([
      'one',
      'one',
      'one',
      'two',
      'two',
      'two',
    ]);
    expect([...one.refused, ...two.refused]).toEqual([]);
  });

  /** Two ends whose messages arrive when the test says so: `said.one[0]` is the first that one sent. */
  async function byHand() {
    const hub = inProcess();
    const said: Record<string, Uint8Array[]> = { one: [], two: [] };
    const raw = { one: hub.join('raw one'), two: hub.join('raw two') };
    const joins = async (party: 'one' | 'two') => {
      const own = hub.join(party);
      const noted: Transport = {
        send: async (_, bytes) => void said[party]?.push(bytes.slice()),
        listen: (hear) => own.listen((from, bytes) => hear(from.replace('raw ', ''), bytes)),
        close: () => own.close(),
      };
      return await end(noted, party);
    };
    const arrives = async (from: 'one' | 'two', at: number): Promise<void> => {
      await raw[from].send(from === 'one' ? 'two' : 'one', said[from]?.[at] as Uint8Array);
      // As long as work like opening it takes, whatever else this machine does.
      for (let time = 0; time < 4; time++) await pairOf(keys[from]);
    };
    const says = async (from: { transport: Transport }, to: string, ...values: number[]) => {
      for (const value of values) await from.transport.send(to, Uint8Array.of(value));
    };
    return { joins, arrives, says };
  }

  /** One has died, whose first word is held up, and has come back; two, who has heard only the new one, has said 11 and 12, which are held up, too. */
  async function afterADeath() {
    const { joins, arrives, says } = await byHand();
    const [before, two] = [await joins('one'), await joins('two')];
    await says(before, 'two', 1);
    before.transport.close();
    const one = await joins('one');
    await says(one, 'two', 2);
    await arrives('one', 1);
    await says(two, 'one', 11, 12);
    return { one, two, arrives, says };
  }

  it('keeps the order where the first word of a party comes after its second', async () => {
    const { joins, arrives, says } = await byHand();
    const [one, two] = [await joins('one'), await joins('two')];
    // Both begin without having heard of the other; one's first word is held up.
    await says(one, 'two', 1);
    await says(two, 'one', 11);
    await arrives('two', 0);
    await says(one, 'two', 2);
    await arrives('one', 1);
    await says(two, 'one', 12);
    await arrives('one', 0);
    await says(two, 'one', 13);
    await arrives('two', 2);
    await arrives('two', 1);
    expect(one.heard.map(([, [value]]) => value)).toEqual([11, 12, 13]);
    expect(two.heard.map(([, [value]]) => value)).toEqual([2]);
    expect(codes([...one.refused, ...two.refused])).toEqual(['party.order']);
  });

  it('keeps the order where the first word of a party comes after it has died and come back', async () => {
    const { one, two, arrives, says } = await afterADeath();
    await arrives('two', 0);
    await arrives('one', 0);
    await says(two, 'one', 13);
    await arrives('two', 2);
    expect(one.heard.map(([, [value]]) => value)).toEqual([11]);
    await arrives('two', 1);
    expect(one.heard.map(([, [value]]) => value)).toEqual([11, 12, 13]);
    expect(codes([...one.refused, ...two.refused])).toEqual([]);
  });

  it('goes on with a party that has come back, whatever of before is sent to it again', async () => {
    const { joins, arrives, says } = await byHand();
    const [one, before] = [await joins('one'), await joins('two')];
    await says(one, 'two', 1);
    await arrives('one', 0);
    await says(before, 'one', 11);
    await arrives('two', 0);
    await says(one, 'two', 2, 3);
    await arrives('one', 1);
    await arrives('one', 2);
    expect(before.heard.map(([, [value]]) => value)).toEqual([1, 2, 3]);
    before.transport.close();
    const two = await joins('two');
    // The first message of a stream that the new one did not hear the rest of.
    await arrives('one', 0);
    await says(two, 'one', 12);
    await arrives('two', 1);
    await says(one, 'two', 4, 5);
    await arrives('one', 3);
    await arrives('one', 1);
    await arrives('one', 4);
    expect(two.heard.map(([, [value]]) => value)).toEqual([1, 4, 5]);
    expect(codes([...one.refused, ...two.refused])).toEqual(['party.order']);
  });

  it('keeps the order where a word of one that has died comes last, and what follows overtakes all', async () => {
    const { one, two, arrives, says } = await afterADeath();
    await arrives('one', 0);
    await says(two, 'one', 13);
    for (const at of [2, 1, 0]) await arrives('two', at);
    expect(one.heard.map(([, [value]]) => value)).toEqual([11, 12, 13]);
    expect(codes([...one.refused, ...two.refused])).toEqual([]);
  });

  it('sends first what the transport did not take', async () => {
    const hub = inProcess();
    const raw = hub.join('one');
    let fails = false;
    const send: Transport['send'] = async (to, bytes) => {
      if (fails) throw new Error('not now');
      await raw.send(to, bytes);
    };
    const [one, two] = [await end({ ...raw, send }, 'one'), await end(hub.join('two'), 'two')];
    await one.transport.send('two', Uint8Array.of(1));
    fails = true;
    const failed = await Promise.allSettled([one.transport.send('two', Uint8Array.of(2))]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected']);
    fails = false;
    await one.transport.send('two', Uint8Array.of(3));
    await one.transport.send('two', Uint8Array.of(4));
    await until(() => two.heard.length === 4);
    expect(two.heard.map(([, [value]]) => value)).toEqual([1, 2, 3, 4]);
    // However many there are, and while nothing can be sent nothing is sealed that would wait behind it.
    fails = true;
    const many = Array.from({ length: 80 }, (_, at) => one.transport.send('two', Uint8Array.of(5 + at)));
    expect((await Promise.allSettled(many)).every(({ status }) => status === 'rejected')).toBe(true);
    fails = false;
    await one.transport.send('two', Uint8Array.of(99));
    await until(() => two.heard.at(-1)?.[1][0] === 99);
    const [, ...rest] = two.heard.slice(4).map(([, [value]]) => value as number);
    expect(two.heard[4]?.[1]).toEqual([5]);
    expect(rest.every((value, at) => at === 0 || value > (rest[at - 1] as number))).toBe(true);
    expect(two.refused).toEqual([]);
  });

  it('takes bytes that somebody writes over later', async () => {
    const hub = inProcess();
    const two = await end(hub.join('two'), 'two');
    const raw = hub.join('one');
    const send: Transport['send'] = async (to, bytes) => {
      const own = Buffer.from(bytes);
      await raw.send(to, own);
      own.fill(0);
    };
    const one = await end({ ...raw, send }, 'one');
    for (const value of [1, 2]) await one.transport.send('two', Uint8Array.of(value));
    await until(() => two.heard.length === 2);
    expect(two.refused).toEqual([]);
  });

  it('sends what it was given before it was closed', async () => {
    const hub = inProcess();
    const [one, two] = [await end(hub.join('one'), 'one'), await end(hub.join('two'), 'two')];
    const sent = [1, 2, 3].map((value) => one.transport.send('two', Uint8Array.of(value)));
    one.transport.close();
    await Promise.all(sent);
    await until(() => two.heard.length === 3);
    // The name is free again.
    await until(() => {
      try {
        hub.join('one').close();
        return true;
      } catch {
        return false;
      }
    });
  });

  it('tells who only listens that it has ended, by what its callback throws or because it was closed', async () => {
    const hub = inProcess();
    const onRefused = (): void => {
      throw new Error('enough');
    };
    const why = async (transport: Transport): Promise<unknown> =>
      new Promise((resolve) => transport.listen(() => {}, resolve));
    const one = await end(hub.join('one'), 'one', { onRefused });
    const broken = why(one.transport);
    await hub.join('two').send('one', new Uint8Array(5));
    expect(await broken).toMatchObject({ message: 'enough' });
    const below = hub.join('three');
    const three = await end(below, 'three');
    const closed = why(three.transport);
    below.close();
    expect(await closed).toMatchObject({ code: 'party.transport', details: { reason: 'closed' } });
  });

  it('closes, and tells all, whatever one of them makes of it', async () => {
    const hub = inProcess();
    const [one, two] = [hub.join('one'), hub.join('two')];
    const [heard, told]: unknown[][] = [[], []];
    two.listen(
      (_, bytes) => heard?.push(bytes),
      () => {
        throw new Error('mine');
      },
    );
    two.listen(
      () => {},
      (cause) => told?.push(cause),
    );
    const later = vi.spyOn(globalThis, 'queueMicrotask').mockImplementation(() => {});
    two.close();
    const [[throws] = []] = later.mock.calls;
    later.mockRestore();
    expect(throws).toThrow('mine');
    expect(told).toMatchObject([{ code: 'party.transport' }]);
    await one.send('two', Uint8Array.of(1));
    expect(heard).toEqual([]);
    hub.join('two');
  });

  /** A message that anybody can make: what it says of itself, and noise. */
  function forged(enc: Uint8Array, counter: number, bytes = 40): Uint8Array {
    const head = writeHead({ enc, end: '01'.repeat(END), before: 0, counter, heard: new Map() });
    const message = new Uint8Array(head.length + bytes);
    message.set(head);
    for (let at = head.length; at < Math.min(message.length, head.length + 40); at++)
      message[at] = random(256);
    return message;
  }
  async function point(): Promise<Uint8Array> {
    const kem = new DhkemP256HkdfSha256();
    return new Uint8Array(await kem.serializePublicKey((await kem.generateKeyPair()).publicKey));
  }
  /** Party one, party two, and somebody who can say what he likes in one's name. */
  async function besieged() {
    const hub = inProcess();
    const two = await end(hub.join('two'), 'two');
    const raw = hub.join('one');
    const noted: Transport = { ...raw, listen: () => () => {}, close: () => {} };
    const said: Uint8Array[] = [];
    const send: Transport['send'] = async (to, bytes) => {
      said.push(bytes);
      await raw.send(to, bytes);
    };
    return { two, raw, said, one: await end({ ...noted, send }, 'one') };
  }

  it('is not kept up by streams without end', async () => {
    const { one, two, raw } = await besieged();
    for (let stream = 0; stream < 40; stream++)
      // Before its turn, so that it waits.
      await raw.send('two', forged(await point(), 1));
    await until(() => two.refused.length === 32);
    expect(new Set(codes(two.refused))).toEqual(new Set(['party.sealed']));
    await one.transport.send('two', Uint8Array.of(1));
    await until(() => two.heard.length === 1);
  });

  it('hears what is true beside thousands that are not', async () => {
    const { one, two, raw } = await besieged();
    await one.transport.send('two', Uint8Array.of(1));
    await until(() => two.heard.length === 1);
    let refusedBefore = 0;
    two.transport.listen(() => (refusedBefore = two.refused.length));
    const enc = await point();
    for (let at = 0; at < 10_000; at++) void raw.send('two', forged(enc, 1000 + at));
    // It is of a stream that is known to be one's, so that it does not wait for all of them.
    await one.transport.send('two', Uint8Array.of(2));
    await until(() => two.heard.length === 2);
    expect(refusedBefore).toBeLessThan(5000);
    await until(() => two.refused.length === 10_000);
    expect(new Set(codes(two.refused))).toEqual(new Set(['party.order']));
  });

  it('hears what comes in its turn, however much claims places to come', async () => {
    const { one, two, raw, said } = await besieged();
    await one.transport.send('two', Uint8Array.of(1));
    await until(() => two.heard.length === 1);
    const enc = (said[0] as Uint8Array).slice(4, 69);
    const before = new DataView((said[0] as Uint8Array).buffer).getBigUint64(77, true);
    for (let at = 0; at < 600; at++) {
      const message = forged(enc, 1 + (at % 250), PIECE);
      // Of the same end, as far as one can see.
      message.set((said[0] as Uint8Array).subarray(69, 77), 69);
      new DataView(message.buffer).setBigUint64(77, before, true);
      await raw.send('two', message);
      if (at % 100 === 99) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    for (const value of [2, 3, 4, 5]) await one.transport.send('two', Uint8Array.of(value));
    await until(() => two.heard.length === 5);
    expect(two.heard.map(([, [value]]) => value)).toEqual([1, 2, 3, 4, 5]);
    expect([...new Set(codes(two.refused))].sort()).toEqual(['party.order', 'party.sealed']);
  });

  it('keeps what waits for its turn, whatever keys are made up meanwhile', async () => {
    const { joins, arrives, says } = await byHand();
    const [one, two] = [await joins('one'), await joins('two')];
    await says(one, 'two', 1, 2);
    await arrives('one', 1);
    const hub = inProcess();
    const liar = hub.join('one');
    const other = await end(hub.join('two'), 'two');
    // Keys that are none, and keys of which the first message is false, have nobody's place.
    for (let at = 0; at < 9; at++) {
      await liar.send('two', forged(new Uint8Array(65).fill(9), at));
      await liar.send('two', forged(await point(), 0));
    }
    await until(() => other.refused.length === 18);
    expect(new Set(codes(other.refused))).toEqual(new Set(['party.sealed']));
    await arrives('one', 0);
    expect(two.heard.map(([, [value]]) => value)).toEqual([1, 2]);
  });

  it('takes one end and one place for a stream, whatever its sender says later', async () => {
    const hub = inProcess();
    const two = await end(hub.join('two'), 'two');
    const raw = hub.join('one');
    const suite = newSuite();
    const text = (value: string): number[] => [value.length, 0, ...new TextEncoder().encode(value)];
    const sender = await suite.createSenderContext({
      recipientPublicKey: await publicKeyOf('', keys.two.publicKey),
      senderKey: await pairOf(keys.one),
      info: Uint8Array.from([LAYOUT, run, 'one', 'two'].flatMap(text)).buffer,
    });
    const say = async (counter: number, name: string, before: number): Promise<void> => {
      const enc = new Uint8Array(sender.enc);
      const head = writeHead({ enc, end: name.repeat(END), before, counter, heard: new Map() });
      const body = new Uint8Array(await sender.seal(Uint8Array.of(counter).buffer, head.buffer));
      await raw.send('two', Uint8Array.from([...head, ...body]));
    };
    await say(0, '01', 0);
    await say(1, '02', 0);
    await say(2, '01', 7);
    await until(() => two.refused.length === 2);
    expect(codes(two.refused)).toEqual(['party.order', 'party.order']);
    expect(two.heard).toEqual([['one', [0]]]);
  });

  it('says what is wrong with keys, without them', async () => {
    const transport = inProcess().join('one');
    const other = await partyKeys();
    const bad: readonly (readonly [Partial<Parameters<typeof sealed>[1]>, string, RegExp])[] = [
      [{ keys: { ...other, publicKey: keys.one.publicKey } }, 'party.key', /does not belong/],
      [
        { keys: { ...other, privateKey: new Uint8Array(31) } },
        'party.key',
        /found 31 bytes, expected 32 bytes/,
      ],
      [{ keys: undefined as never }, 'party.key', /own public key: found Undefined/],
      [{ others: { two: new Uint8Array(65).fill(4) } }, 'party.key', /party "two" is no point of P-256/],
      [{ run: 'yesterday' }, 'input.type', /32 hexadecimal digits/],
      [{ party: '' }, 'input.type', /name of a party/],
    ];
    for (const [options, code, message] of bad) {
      const failed = sealed(transport, {
        party: 'one',
        run,
        keys: keys.one,
        others: others('one'),
        ...options,
      });
      const error = (await failed.catch((error: unknown) => error)) as PartyError;
      expect([error.code, error.message]).toEqual([code, expect.stringMatching(message)]);
      expect(JSON.stringify([error.message, error.details])).not.toContain([...other.privateKey].join());
    }
    const one = await end(transport, 'one');
    await expect(one.transport.send('four', Uint8Array.of(1))).rejects.toMatchObject({ code: 'party.key' });
  });
});

/** Two parties that send each other a value of some pieces. */
async function exchanged(
  relay: Relay,
  timeout: number,
): Promise<{ outcome: (Uint8Array | Error)[]; refused: PartyError[]; above: PartyError[] }> {
  const bytes = 3 * PIECE + 5;
  const crossing = (channel: string, from: string, to: string, number: number): Crossing => {
    const rest = { input: false, producer: '', of: '', type: '', encrypted: undefined };
    return { channel: channel.repeat(32), from, to, number, bytes, ...rest };
  };
  const [there, back] = [crossing('a', 'one', 'two', 1), crossing('b', 'two', 'one', 2)];
  const values = { one: new Uint8Array(bytes), two: new Uint8Array(bytes) };
  for (const value of Object.values(values)) value.forEach((_, at) => (value[at] = random(256)));
  /** By the sealed transports, and by what is above them. */
  const [refused, above]: [PartyError[], PartyError[]] = [[], []];
  const sides = [
    { party: 'one', sends: [there], receives: [back] },
    { party: 'two', sends: [back], receives: [there] },
  ] as const;
  const outcome = await Promise.all(
    sides.map(async ({ party, sends, receives }) => {
      const { transport } = await end(relay.join(party), party, {
        onRefused: (error) => refused.push(error),
      });
      const exchange = new Exchange({
        id: '1'.repeat(32),
        run,
        transport,
        sends,
        receives,
        timeout,
        onRefused: (error) => above.push(error),
      });
      exchange.start();
      const outgoing = (attributes: string, data: Uint8Array[]): RawOutgoing =>
        ({ attributes, data, output: { bytes: 1 } }) as unknown as RawOutgoing;
      try {
        const [{ to, number }, { from, number: of }] = [sends[0], receives[0]];
        const [, received] = await Promise.all([
          exchange.compute(outgoing(`{number=${number}, to="${to}"}`, [values[party]])),
          exchange.compute(outgoing(`{from="${from}", number=${of}, type="raw[4]"}`, [])),
        ]);
        exchange.end();
        expect(Buffer.from(received).equals(Buffer.from(values[from as 'one']))).toBe(true);
        return received;
      } catch (error) {
        exchange.stop('failed');
        return error as Error;
      }
    }),
  );
  return { outcome, refused, above };
}

describe('a relay', () => {
  const harmless: readonly Mischief[] = ['double', 'reorder', 'delay', 'forge', 'replay'];
  for (const kind of harmless)
    it(`does ${kind} messages changes no result`, async () => {
      for (let round = 0; round < 8; round++) {
        const relay = new Relay([kind], 3);
        const { outcome } = await exchanged(relay, 60_000);
        expect(outcome.map((found) => (found instanceof Error ? String(found) : 'ok'))).toEqual(['ok', 'ok']);
      }
    });

  it('that does all of that changes no result', async () => {
    const counts: Record<string, number> = {};
    for (let round = 0; round < 25; round++) {
      const relay = new Relay(harmless, 2 + random(4));
      const { outcome, refused, above } = await exchanged(relay, 60_000);
      expect(outcome.map((found) => (found instanceof Error ? String(found) : 'ok'))).toEqual(['ok', 'ok']);
      expect(above).toEqual([]);
      for (const { code } of refused) counts[code] = (counts[code] ?? 0) + 1;
    }
    expect(Object.keys(counts)).toEqual(expect.arrayContaining(['party.sealed', 'party.twice']));
    // The last is a first hello that comes after the second one.
    expect(['party.sealed', 'party.twice', 'party.order']).toEqual(
      expect.arrayContaining(Object.keys(counts)),
    );
  });

  it('that drops or alters gives the right result or a typed error at a party, in time', async () => {
    let ended = 0;
    for (let round = 0; round < 12; round++) {
      const relay = new Relay([...harmless, round % 2 === 0 ? 'drop' : 'alter'], 3 + random(6));
      const { outcome } = await exchanged(relay, 400);
      for (const found of outcome) {
        if (!(found instanceof Error)) continue;
        ended += 1;
        expect((found as PartyError).code).toMatch(/^party\.(timeout|stopped)$/);
      }
    }
    expect(ended).toBeGreaterThan(0);
  });
});
