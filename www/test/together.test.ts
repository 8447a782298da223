import { describe, expect, it } from 'vitest';
import { aboutOf, hashOf, newMeeting, relayOf, seatOf, wrongNames } from '../src/together/meeting.js';
import {
  answerOf,
  inputsOf,
  LARGEST,
  MOST_VALUES,
  ownTotals,
  totalsIn,
  unitsOf,
} from '../src/together/question.js';
import { titleOf } from '../src/together/title.js';
import { overheard, type Message } from '../src/together/wire.js';

describe('invitations', () => {
  it('are read as they were written, whatever the names', () => {
    const meeting = newMeeting(['north', 'Süd 2', 'west-end'], 3);
    for (const party of meeting.parties) {
      const seat = { meeting, party };
      expect(seatOf(hashOf(seat))).toEqual(seat);
      const relayed = { meeting: { ...meeting, relay: 'wss://nats.example.org:8443' }, party };
      expect(seatOf(hashOf(relayed))).toEqual(relayed);
    }
    expect(seatOf('#together')).toBeUndefined();
    expect(seatOf('#graph?run=1')).toBeUndefined();
  });

  it('that were changed are refused', () => {
    const hash = hashOf({ meeting: newMeeting(['a', 'b'], 2), party: 'b' });
    for (const [from, to] of [
      ['run=', 'run=0'],
      ['as=b', 'as=c'],
      ['party=a', 'party=b'],
      ['decimals=2', 'decimals=9'],
      ['decimals=2', 'decimals=x'],
      ['party=a', 'party=%3Cb%3E'],
      ['as=b', 'as=b&relay=http://nats.example.org'],
      ['as=b', 'as=b&relay=wss://user:secret@nats.example.org'],
    ] as const)
      expect(() => seatOf(hash.replace(from, to)), to).toThrow(/no invitation/);
  });

  it('take relays that are encrypted or on this machine, without anything secret', () => {
    for (const [address, relay] of [
      ['wss://Nats.example.org', 'wss://nats.example.org'],
      ['wss://nats.example.org:8443/', 'wss://nats.example.org:8443'],
      ['ws://localhost:9222', 'ws://localhost:9222'],
      ['ws://127.0.0.1:9222', 'ws://127.0.0.1:9222'],
    ] as const)
      expect(relayOf(address)).toBe(relay);
    for (const address of [
      ...['nats.example.org', 'ws://nats.example.org', 'https://nats.example.org', 'nats://localhost:4222'],
      ...['wss://user:secret@nats.example.org', 'wss://nats.example.org/path', 'wss://nats.example.org?a=b'],
      ...['wss://nats.example.org#a', 'ws://localhost.example.org', "wss://a'; script-src *", ''],
    ])
      expect(() => relayOf(address), address).toThrow(/does not do as the address of a relay/);
  });

  it('take no relay that a policy would not take for one host', () => {
    const { run } = newMeeting(['a', 'b'], 2);
    for (const relay of [
      'wss://*',
      'wss://*.com',
      'wss://*:8443',
      'wss://a;b',
      'wss://a,b',
      'wss://a.',
      "wss://'self'",
    ]) {
      expect(() => relayOf(relay), relay).toThrow(/does not do as the address of a relay/);
      const hash = new URLSearchParams({ run, party: 'a', decimals: '2', as: 'a', relay });
      hash.append('party', 'b');
      expect(() => seatOf(`#together?${hash}`), relay).toThrow(/no invitation.*address of a relay/);
    }
    for (const address of ['wss://[::1]:1', 'wss://[2001:db8::1]', 'ws://[::1]:9222'])
      expect(() => relayOf(address), address).toThrow(/cannot name an IPv6 address/);
  });

  it('have all that is agreed on in the code, beside names', () => {
    const meeting = { ...newMeeting(['a', 'b'], 2), relay: 'wss://a.example.org' };
    const texts = [
      aboutOf(meeting, 'graph'),
      aboutOf({ ...meeting, decimals: 3 }, 'graph'),
      aboutOf({ ...meeting, relay: 'wss://b.example.org' }, 'graph'),
      aboutOf(meeting, 'other'),
    ].map((bytes) => bytes.join());
    expect(new Set(texts).size).toBe(4);
  });

  it('have two to five names, each once', () => {
    expect(wrongNames(['a', 'b'])).toBeUndefined();
    for (const names of [['a'], ['a', 'a'], ['a', ''], ['a', '-b'], ['a', 'x'.repeat(25)], [...'abcdef']])
      expect(wrongNames(names), names.join()).toBeDefined();
  });
});

describe('the question', () => {
  it('is answered from totals, exactly where doubles would not do', () => {
    const values = [3e7, 3e7 - 1, -3e7, 0];
    const totals = ownTotals({ values }).map((word) => BigInt.asUintN(64, word));
    const mean = -1 / 4 + 3e7 / 4;
    const spread = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 3;
    const answer = answerOf(totals, 2)!;
    expect(answer.count).toBe(4);
    expect(answer.mean).toBeCloseTo(mean / 100, 9);
    expect(answer.deviation).toBeCloseTo(Math.sqrt(spread) / 100, 6);
    expect(answerOf([0n, 0n, 0n], 2)).toBeUndefined();
    expect(answerOf([1n, 5n, 25n], 0)).toMatchObject({ count: 1, mean: 5, deviation: NaN });
  });

  it('takes values in units of the last decimal, without those that miss', () => {
    expect(unitsOf([1.05, NaN, -2.5, 0.29], 2)).toEqual([105, -250, 29]);
    expect(() => unitsOf([1, 1.005], 2)).toThrow(/Row 2 has 1.005, with more digits .* than the 2 of this/);
    expect(() => unitsOf([1e-9], 4)).toThrow(/Row 1 has 1e-9/);
    // Of every third row, which are counted as in the file.
    expect(unitsOf([0, 1, 2, 3, 4, 5, 6], 0, 2, 3)).toEqual([2, 5]);
    expect(() => unitsOf([0, 1, 2, 3, 0.5, 5], 0, 1, 3)).toThrow(/Row 5 has/);
    expect(() => unitsOf([0, LARGEST], 1)).toThrow(/Row 2 has 30000000/);
    expect(() => unitsOf(new Array(MOST_VALUES + 1).fill(1), 0)).toThrow(/4097 values are more than 4096/);
    expect(() => unitsOf([NaN], 0)).toThrow(/no value/);
  });

  it('is asked of values as words', () => {
    const inputs = inputsOf('b', { values: [-1] });
    expect(Object.keys(inputs)).toEqual(['b: values', 'b: how many']);
    expect(inputs['b: values']![0]).toBe(2n ** 64n - 1n);
    expect(inputs['b: how many']).toEqual(BigUint64Array.of(1n));
    expect(totalsIn({ 'b: totals': BigInt64Array.of(1n, -1n) }, 'b')).toEqual([1n, 2n ** 64n - 1n]);
  });
});

describe('the wire', () => {
  it('tells of messages in both directions, and where their values are', async () => {
    const sent: Uint8Array[] = [];
    let deliver: (from: string, bytes: Uint8Array) => void = () => {};
    const transport = {
      send: async (_: string, bytes: Uint8Array) => void sent.push(bytes),
      listen: (hear: typeof deliver) => {
        deliver = hear;
        return () => {};
      },
      close: () => {},
    };
    const crossing = (from: string, to: string, channel: string) => ({
      ...{
        from,
        to,
        channel,
        number: 0,
        input: true,
        producer: 'x',
        of: 'u64',
        type: 'u64',
        encrypted: undefined,
      },
      bytes: 2,
    });
    const [out, back] = [crossing('a', 'b', '0a0b'), crossing('b', 'a', '0c0d')];
    const heard: Message[] = [];
    let mute = false;
    const wire = overheard(transport, {
      party: 'a',
      crossings: [out, back],
      heard: (message) => heard.push(message),
      isMute: () => mute,
    });
    const got: Uint8Array[] = [];
    wire.listen((_, bytes) => got.push(bytes));
    await wire.send('b', Uint8Array.of(1, 10, 11, 7, 8));
    deliver('b', Uint8Array.of(12, 13, 5, 6));
    deliver('b', Uint8Array.of(10, 11, 5, 6));
    expect(sent).toHaveLength(1);
    expect(got).toHaveLength(2);
    expect(heard.map(({ from, to, value }) => [from, to, value?.crossing.channel, value?.at])).toEqual([
      ['a', 'b', '0a0b', 3],
      ['b', 'a', '0c0d', 2],
      ['b', 'a', undefined, undefined],
    ]);
    mute = true;
    await wire.send('b', Uint8Array.of(1, 10, 11, 9, 9));
    expect([sent.length, heard.length]).toEqual([1, 3]);
  });
});

describe('the title of a meeting', () => {
  it('says first how it stands', () => {
    expect(titleOf({ at: 'none' })).toBe('Together · cipherloom');
    expect(titleOf({ at: 'waiting' })).toBe('Waiting · Together · cipherloom');
    expect(titleOf({ at: 'seated' })).toBe('Your turn · Together · cipherloom');
    expect(titleOf({ at: 'running', absent: ['north', 'west'] })).toBe(
      'Waiting for north and west · Together · cipherloom',
    );
    expect(titleOf({ at: 'running', absent: [] })).toBe('Computing · Together · cipherloom');
    expect(titleOf({ at: 'done' })).toBe('Done · Together · cipherloom');
    expect(titleOf({ at: 'over' })).toBe('Over · Together · cipherloom');
  });
});
