/**
 * A sealed message, as bytes.
 *
 * ```text
 * "cls" | version u8 | encapsulated key: 65 bytes | end: 8 bytes | before u64 | counter u64 | 4 times: an end that was heard: 8 bytes, since u64 | what HPKE seals, with all before it as additional data
 * ```
 *
 * Numbers are little-endian. One encapsulation is a *stream*: messages of one sender to one receiver, counted from 0. An *end* is one sealed transport of a party's, and the name that it has drawn for itself; what an end sends to
 * a party is numbered over all its streams: a message has number `before + counter`, where `before` is what was sent in streams before this one. Which ends of the receiver's the sender has heard
 * of, at most the four that it has heard last, stands beside the number of the first message that was sent since then; places that are left are zeros.
 */
import { tag } from '../../arguments.js';
import { type CipherloomError, failure } from '../../errors.js';
import { bytesOfDigits, digitsOf } from '../digits.js';
import { MOST as MOST_FRAME } from '../frame.js';
import { POINT } from './keys.js';

/** The name of the layout, which HPKE binds both ends to. */
export const LAYOUT = 'cipherloom parties sealed 3';
const MAGIC = [0x63, 0x6c, 0x73]; // "cls"
const VERSION = 3;
/** Bytes of an end's name. */
export const END = 8;
const NUMBER = 8;
/** Ends that a message names. */
export const ENDS = 4;
const ENC_AT = MAGIC.length + 1;
const END_AT = ENC_AT + POINT;
const BEFORE_AT = END_AT + END;
const COUNTER_AT = BEFORE_AT + NUMBER;
const HEARD_AT = COUNTER_AT + NUMBER;
const HEAD = HEARD_AT + ENDS * (END + NUMBER);
const TAG = 16;
const NOBODY = '00'.repeat(END);

/** What a message says of itself. Names are digits. */
export interface Head {
  /** Of its stream: the encapsulated key. */
  readonly enc: Uint8Array;
  readonly end: string;
  readonly before: number;
  readonly counter: number;
  /** Ends of the receiver's that the sender has heard of, and the number of the first message that was sent since. */
  readonly heard: ReadonlyMap<string, number>;
}

/** One that came. Nothing of it is certain before it was opened. */
export interface Message extends Omit<Head, 'enc'> {
  /** The digits of the encapsulated key. */
  readonly stream: string;
  /** Among all of its end to this party. */
  readonly number: number;
  readonly head: Uint8Array;
  readonly body: Uint8Array;
}

/** The bytes before what is sealed. */
export function writeHead({ enc, end, before, counter, heard }: Head): Uint8Array<ArrayBuffer> {
  const head = new Uint8Array(HEAD);
  head.set([...MAGIC, VERSION]);
  head.set(enc, ENC_AT);
  head.set(bytesOfDigits(end), END_AT);
  const view = new DataView(head.buffer);
  view.setBigUint64(BEFORE_AT, BigInt(before), true);
  view.setBigUint64(COUNTER_AT, BigInt(counter), true);
  [...heard].forEach(([name, since], index) => {
    const at = HEARD_AT + index * (END + NUMBER);
    head.set(bytesOfDigits(name), at);
    view.setBigUint64(at + END, BigInt(since), true);
  });
  return head;
}

/** Bytes of somebody as a message, copied. Errors: PartyError `party.message`. */
export function messageOf(given: unknown): Message {
  const wrong = (found: string, expected: string): CipherloomError =>
    failure('party.message', `A message is no sealed one: expected ${expected}, found ${found}`, {
      found,
      expected,
    });
  if (tag(given) !== 'Uint8Array') throw wrong('no bytes', 'bytes');
  const { length } = given as Uint8Array;
  const most = HEAD + MOST_FRAME + TAG;
  if (length <= HEAD + TAG || length > most)
    throw wrong(`${length} bytes`, `${HEAD + TAG + 1} to ${most} bytes`);
  // No slice: of a Buffer of Node's that is no copy.
  const bytes = new Uint8Array(given as Uint8Array);
  if (MAGIC.some((byte, at) => bytes[at] !== byte)) throw wrong('other bytes', 'a sealed message');
  if (bytes[MAGIC.length] !== VERSION) throw wrong(`version ${bytes[MAGIC.length]}`, `version ${VERSION}`);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const numberAt = (at: number): number => {
    const number = view.getBigUint64(at, true);
    if (number >= 2n ** 52n) throw wrong(`message ${number}`, 'less than 2^52');
    return Number(number);
  };
  const nameAt = (at: number): string => digitsOf(bytes.subarray(at, at + END));
  const heard = Array.from({ length: ENDS }, (_, index) => {
    const at = HEARD_AT + index * (END + NUMBER);
    return [nameAt(at), numberAt(at + END)] as const;
  });
  const [before, counter] = [numberAt(BEFORE_AT), numberAt(COUNTER_AT)];
  return {
    ...{ stream: digitsOf(bytes.subarray(ENC_AT, END_AT)), end: nameAt(END_AT) },
    ...{ before, counter, number: before + counter },
    heard: new Map(heard.filter(([name]) => name !== NOBODY)),
    ...{ head: bytes.subarray(0, HEAD), body: bytes.subarray(HEAD) },
  };
}
