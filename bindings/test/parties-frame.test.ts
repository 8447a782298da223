// Messages between parties as bytes, and bytes that are none.
import { describe, expect, it } from 'vitest';
import { decode, encode, type Frame, PIECE, type Said } from '../src/parties/frame.js';
import { codeOf } from './code.js';
import { random } from './random.js';

const run = '00112233445566778899aabbccddeeff';
const other = 'f'.repeat(32);

const ends = { run, attempt: '00000001ffffffff', to: '0'.repeat(16) } as const;

const SAID: readonly Said[] = [
  { kind: 'hello', id: run },
  { kind: 'hello', id: other },
  { kind: 'piece', channel: other, total: 2 ** 52, from: 2 ** 33, bytes: Uint8Array.of(1, 2, 3) },
  { kind: 'piece', channel: other, total: PIECE, from: 0, bytes: new Uint8Array(PIECE) },
  { kind: 'got', channel: other, upTo: Number.MAX_SAFE_INTEGER },
  { kind: 'here' },
  { kind: 'stop', reason: 'cancelled' },
  { kind: 'stop', reason: 'failed' },
  { kind: 'bye' },
  { kind: 'done' },
];
const FRAMES: readonly Frame[] = SAID.map((said) => ({ ...said, ...ends }));

describe('a message', () => {
  it('comes back as it was', () => {
    for (const frame of FRAMES) {
      const { bytes, ...rest } = decode(encode(frame)) as Extract<Frame, { kind: 'piece' }>;
      const { bytes: expected, ...others } = frame as Extract<Frame, { kind: 'piece' }>;
      expect(rest).toEqual(others);
      expect(Buffer.from(bytes ?? []).equals(Buffer.from(expected ?? []))).toBe(true);
    }
  });

  it('is copied: whoever shares its memory cannot change it', () => {
    const bytes = encode(FRAMES[2] as Frame);
    const frame = decode(bytes);
    bytes.fill(0);
    expect(frame).toEqual(FRAMES[2]);
    const shared = new Uint8Array(new SharedArrayBuffer(64));
    shared.set(encode(FRAMES[6] as Frame));
    expect(decode(shared.subarray(0, encode(FRAMES[6] as Frame).length))).toEqual(FRAMES[6]);
  });

  it('is none, cut short or with more behind it', () => {
    for (const frame of FRAMES) {
      const bytes = encode(frame);
      // A shorter piece is a piece, and a longer one, too.
      const least = frame.kind === 'piece' ? bytes.length - frame.bytes.length + 1 : bytes.length;
      for (let length = 0; length < Math.min(least, 64); length++)
        expect(codeOf(() => decode(bytes.slice(0, length)))).toBe('party.message');
      const longer = new Uint8Array(bytes.length + 1);
      longer.set(bytes);
      if (frame.kind !== 'piece' || frame.bytes.length === PIECE)
        expect(codeOf(() => decode(longer))).toBe('party.message');
    }
  });

  it('is none of anything else', () => {
    const things = [
      undefined,
      null,
      'clp',
      5,
      [],
      {},
      new ArrayBuffer(64),
      new Uint16Array(64),
      { length: 64 },
    ];
    for (const thing of things) expect(codeOf(() => decode(thing))).toBe('party.message');
    const hello = encode(FRAMES[0] as Frame);
    const changed = (at: number, byte: number): Uint8Array => {
      const bytes = hello.slice();
      bytes[at] = byte;
      return bytes;
    };
    // The mark, the version, kinds that there are not, and an attempt that is none.
    for (const [at, byte] of [
      [0, 0],
      [2, 0],
      [3, 1],
      [4, 0],
      [4, 7],
      [4, 255],
      // Attempt 0.
      [24, 0],
    ] as const)
      expect(codeOf(() => decode(changed(at, byte)))).toBe('party.message');
    const stop = encode(FRAMES[6] as Frame);
    stop[stop.length - 1] = 2;
    expect(codeOf(() => decode(stop))).toBe('party.message');
    // Sizes that no array has.
    const got = encode(FRAMES[4] as Frame);
    got.fill(255, got.length - 8);
    expect(codeOf(() => decode(got))).toBe('party.message');
  });

  it('is refused by a code, whatever the bytes are', () => {
    for (let round = 0; round < 20_000; round++) {
      const bytes = encode(FRAMES[round % 9 === 3 ? 2 : round % 9] as Frame).slice(
        0,
        random(2) ? undefined : random(80),
      );
      for (let change = random(4); change > 0; change--)
        bytes[random(Math.max(1, bytes.length))] = random(256);
      try {
        expect(typeof decode(bytes).run).toBe('string');
      } catch (error) {
        expect((error as { code?: string }).code).toBe('party.message');
      }
    }
  });
});
