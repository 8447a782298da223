/**
 * What parties say to each other, as bytes. Everything has its fixed place: there is nothing to nest, to name or to leave out.
 *
 * ```text
 * "clp" | version u8 | kind u8 | run: 16 bytes | attempt of the sender: 8 bytes | attempt of the receiver: 8 bytes | what the kind says
 *
 * 1 hello  id of the shared graph: 16 bytes
 * 2 piece  channel: 16 bytes | bytes of the value u64 | where the piece begins u64 | 1 to 262144 bytes
 * 3 got    channel: 16 bytes | bytes of the value that are there u64
 * 4 here
 * 5 stop   u8: 0 cancelled, 1 failed
 * 6 bye
 * 7 done
 * ```
 *
 * Numbers are little-endian. An attempt is how often its party has begun this run (u32, big-endian, from 1) and 4 random bytes; that of a receiver of whom
 * nothing was heard is zeros.
 */
import { failure } from '../errors.js';
import { bytesOfDigits, digitsOf } from './digits.js';

/** Most bytes of a piece. */
export const PIECE = 2 ** 18;

/** Why a party stops. */
export const REASONS = ['cancelled', 'failed'] as const;
export type Reason = (typeof REASONS)[number];

/** The attempt of a receiver of whom nothing was heard. */
export const NOBODY = '0'.repeat(16);

/** What a message says. Identities are 32 hexadecimal digits. */
export type Said =
  | { readonly kind: 'hello'; readonly id: string }
  | {
      readonly kind: 'piece';
      readonly channel: string;
      readonly total: number;
      readonly from: number;
      readonly bytes: Uint8Array;
    }
  | { readonly kind: 'got'; readonly channel: string; readonly upTo: number }
  | { readonly kind: 'here' | 'bye' | 'done' }
  | { readonly kind: 'stop'; readonly reason: Reason };

/** A message: what it says, in which run, and the attempts of both ends, 16 hexadecimal digits. */
export type Frame = Said & { readonly run: string; readonly attempt: string; readonly to: string };

const MAGIC = [0x63, 0x6c, 0x70]; // "clp"
const VERSION = 3;
const ID = 16;
const ATTEMPT = 8;
const RUN_AT = MAGIC.length + 2;
const ATTEMPT_AT = RUN_AT + ID;
const TO_AT = ATTEMPT_AT + ATTEMPT;
const HEADER = TO_AT + ATTEMPT;
const KINDS = ['hello', 'piece', 'got', 'here', 'stop', 'bye', 'done'] as const;
/** Bytes behind the header; of a piece those before its bytes. */
const SIZES = { hello: ID, piece: ID + 16, got: ID + 8, here: 0, stop: 1, bye: 0, done: 0 } as const;
/** Most bytes of a message. */
export const MOST = HEADER + SIZES.piece + PIECE;

/** A message as bytes. */
export function encode(frame: Frame): Uint8Array<ArrayBuffer> {
  const piece = frame.kind === 'piece' ? frame.bytes : new Uint8Array();
  const bytes = new Uint8Array(HEADER + SIZES[frame.kind] + piece.length);
  const view = new DataView(bytes.buffer);
  bytes.set([...MAGIC, VERSION, KINDS.indexOf(frame.kind) + 1]);
  bytes.set(bytesOfDigits(frame.run), RUN_AT);
  bytes.set(bytesOfDigits(frame.attempt), ATTEMPT_AT);
  bytes.set(bytesOfDigits(frame.to), TO_AT);
  switch (frame.kind) {
    case 'hello':
      bytes.set(bytesOfDigits(frame.id), HEADER);
      break;
    case 'piece':
      bytes.set(bytesOfDigits(frame.channel), HEADER);
      view.setBigUint64(HEADER + ID, BigInt(frame.total), true);
      view.setBigUint64(HEADER + ID + 8, BigInt(frame.from), true);
      bytes.set(piece, HEADER + SIZES.piece);
      break;
    case 'got':
      bytes.set(bytesOfDigits(frame.channel), HEADER);
      view.setBigUint64(HEADER + ID, BigInt(frame.upTo), true);
      break;
    case 'stop':
      bytes[HEADER] = REASONS.indexOf(frame.reason);
  }
  return bytes;
}

/** A message from bytes of somebody, which are copied first: whoever shares their memory cannot change them later. Errors: PartyError `party.message`. */
export function decode(given: unknown): Frame {
  if (!isBytes(given)) throw wrong('no bytes', 'bytes');
  const { length } = given;
  if (length < HEADER || length > MOST) throw wrong(`${length} bytes`, `${HEADER} to ${MOST} bytes`);
  const bytes = new Uint8Array(given);
  if (MAGIC.some((byte, at) => bytes[at] !== byte)) throw wrong('other bytes', 'a message of a party');
  if (bytes[MAGIC.length] !== VERSION) throw wrong(`version ${bytes[MAGIC.length]}`, `version ${VERSION}`);
  const number = bytes[MAGIC.length + 1] as number;
  const kind = KINDS[number - 1];
  if (kind === undefined) throw wrong(`kind ${number}`, `a kind from 1 to ${KINDS.length}`);
  const rest = length - HEADER;
  const size = SIZES[kind];
  const fits = kind === 'piece' ? rest > size : rest === size;
  if (!fits) throw wrong(`a ${kind} of ${rest} bytes`, kind === 'piece' ? `more than ${size}` : `${size}`);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const ends = {
    run: digitsOf(bytes.subarray(RUN_AT, RUN_AT + ID)),
    attempt: digitsOf(bytes.subarray(ATTEMPT_AT, ATTEMPT_AT + ATTEMPT)),
    to: digitsOf(bytes.subarray(TO_AT, TO_AT + ATTEMPT)),
  };
  if (/^0{8}/.test(ends.attempt)) throw wrong('attempt 0', 'attempt 1 or a later one');
  const id = rest < ID ? '' : digitsOf(bytes.subarray(HEADER, HEADER + ID));
  switch (kind) {
    case 'hello':
      return { kind, ...ends, id };
    case 'piece': {
      const [total, from] = [whole(view, HEADER + ID), whole(view, HEADER + ID + 8)];
      return { kind, ...ends, channel: id, total, from, bytes: bytes.subarray(HEADER + size) };
    }
    case 'got':
      return { kind, ...ends, channel: id, upTo: whole(view, HEADER + ID) };
    case 'stop': {
      const reason = REASONS[bytes[HEADER] as number];
      if (reason === undefined) throw wrong(`reason ${bytes[HEADER]}`, `0 to ${REASONS.length - 1}`);
      return { kind, ...ends, reason };
    }
    default:
      return { kind, ...ends };
  }
}

/** Whether bytes of somebody are nothing for a run, at a glance: of what several runs over one transport hear, most is of the others. */
export function isOfAnother(run: string, given: unknown): boolean {
  // By their places alone: it may be something that only calls itself bytes, or have been moved elsewhere.
  if (!isBytes(given) || given.length < RUN_AT + ID) return true;
  for (let at = 0; at < ID; at++)
    if (given[RUN_AT + at] !== Number.parseInt(run.slice(2 * at, 2 * at + 2), 16)) return true;
  return false;
}

function isBytes(given: unknown): given is Uint8Array {
  return Object.prototype.toString.call(given) === '[object Uint8Array]';
}

/** Numbers of bytes that no array has are refused here, so that all others are exact. */
function whole(view: DataView, at: number): number {
  const number = view.getBigUint64(at, true);
  if (number > BigInt(Number.MAX_SAFE_INTEGER)) throw wrong(`${number} bytes`, 'less than 2^53');
  return Number(number);
}

function wrong(found: string, expected: string): Error {
  return failure('party.message', `A message is none: expected ${expected}, found ${found}`, {
    found,
    expected,
  });
}
