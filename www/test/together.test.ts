import { describe, expect, it } from 'vitest';
import { hashOf, newMeeting, seatOf, wrongNames } from '../src/together/meeting.js';
import { answerOf, inputsOf, LARGEST, MOST_VALUES, ownTotals, unitsOf } from '../src/together/question.js';
import { overheard, type Message } from '../src/together/wire.js';

describe('invitations', () => {
  it('are read as they were written, whatever the names', () => {
    const meeting = newMeeting(['north', 'Süd 2', 'west-end'], 3);
    for (const party of meeting.parties) {
      const seat = { meeting, party };
      expect(seatOf(hashOf(seat))).toEqual(seat);
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
    ] as const)
      expect(() => seatOf(hash.replace(from, to)), to).toThrow(/no invitation/);
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
    expect(unitsOf([1.005, NaN, -2.5], 2)).toEqual([100, -250]);
    expect(() => unitsOf([0, LARGEST], 1)).toThrow(/Row 2 has 30000000/);
    expect(() => unitsOf(new Array(MOST_VALUES + 1).fill(1), 0)).toThrow(/4097 values are more than 4096/);
    expect(() => unitsOf([NaN], 0)).toThrow(/no value/);
  });

  it('has a fresh mask for each other party', () => {
    const once = inputsOf('b', ['a', 'b', 'c'], { values: [-1] });
    const again = inputsOf('b', ['a', 'b', 'c'], { values: [-1] });
    expect(Object.keys(once)).toEqual(['b: values', 'b: how many', 'b: mask for a', 'b: mask for c']);
    expect(once['b: values']![0]).toBe(2n ** 64n - 1n);
    expect(once['b: how many']).toEqual(BigUint64Array.of(1n));
    for (const name of ['b: mask for a', 'b: mask for c']) expect(once[name]).not.toEqual(again[name]);
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
    const wire = overheard(transport, 'a', [out, back], (message) => heard.push(message));
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
  });
});
