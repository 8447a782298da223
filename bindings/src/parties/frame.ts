/**
 * What parties say to each other, as bytes. Everything has its fixed place: there is nothing to nest, to name or to leave out.
 *
 * ```text
 * "clp" | version u8 | kind u8 | run: 16 bytes | what the kind says
 *
 * 1 hello  id of the shared graph: 16 bytes | u8: 1 for an answer to another hello
 * 2 piece  channel: 16 bytes | bytes of the value u64 | where the piece begins u64 | 1 to 262144 bytes
 * 3 got    channel: 16 bytes | bytes of the value that are there u64
 * 4 here
 * 5 stop   u8: 0 cancelled, 1 failed
 * 6 bye
 * ```
 *
 * Numbers are little-endian.
 */
import { failure } from '../errors.js';

/** Most bytes of a piece. */
export const PIECE = 2 ** 18;

/** Why a party stops. */
export const REASONS = ['cancelled', 'failed'] as const;
export type Reason = (typeof REASONS)[number];

/** A message. Identities are 32 hexadecimal digits. */
export type Frame =
  | { readonly kind: 'hello'; readonly run: string; readonly id: string; readonly answer: boolean }
  | {
      readonly kind: 'piece';
      readonly run: string;
      readonly channel: string;
      readonly total: number;
      readonly from: number;
      readonly bytes: Uint8Array;
    }
  | { readonly kind: 'got'; readonly run: string; readonly channel: string; readonly upTo: number }
  | { readonly kind: 'here' | 'bye'; readonly run: string }
  | { readonly kind: 'stop'; readonly run: string; readonly reason: Reason };

const MAGIC = [0x63, 0x6c, 0x70]; // "clp"
const VERSION = 1;
const ID = 16;
const HEADER = MAGIC.length + 2 + ID;
const KINDS = ['hello', 'piece', 'got', 'here', 'stop', 'bye'] as const;
/** Bytes behind the header; of a piece those before its bytes. */
const SIZES = { hello: ID + 1, piece: ID + 16, got: ID + 8, here: 0, stop: 1, bye: 0 } as const;
/** Most bytes of a message. */
export const MOST = HEADER + SIZES.piece + PIECE;

/** A message as bytes. */
export function encode(frame: Frame): Uint8Array<ArrayBuffer> {
  const piece = frame.kind === 'piece' ? frame.bytes : new Uint8Array();
  const bytes = new Uint8Array(HEADER + SIZES[frame.kind] + piece.length);
  const view = new DataView(bytes.buffer);
  bytes.set([...MAGIC, VERSION, KINDS.indexOf(frame.kind) + 1]);
  putId(bytes, HEADER - ID, frame.run);
  switch (frame.kind) {
    case 'hello':
      putId(bytes, HEADER, frame.id);
      bytes[HEADER + ID] = frame.answer ? 1 : 0;
      break;
    case 'piece':
      putId(bytes, HEADER, frame.channel);
      view.setBigUint64(HEADER + ID, BigInt(frame.total), true);
      view.setBigUint64(HEADER + ID + 8, BigInt(frame.from), true);
      bytes.set(piece, HEADER + SIZES.piece);
      break;
    case 'got':
      putId(bytes, HEADER, frame.channel);
      view.setBigUint64(HEADER + ID, BigInt(frame.upTo), true);
      break;
    case 'stop':
      bytes[HEADER] = REASONS.indexOf(frame.reason);
  }
  return bytes;
}

/** A message from bytes of somebody, which are copied first: whoever shares their memory cannot change them later. Errors: PartyError `party.message`. */
export function decode(given: unknown): Frame {
  if (Object.prototype.toString.call(given) !== '[object Uint8Array]') throw wrong('no bytes', 'bytes');
  const { length } = given as Uint8Array;
  if (length < HEADER || length > MOST) throw wrong(`${length} bytes`, `${HEADER} to ${MOST} bytes`);
  const bytes = (given as Uint8Array).slice();
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
  const run = getId(bytes, HEADER - ID);
  const id = rest < ID ? '' : getId(bytes, HEADER);
  switch (kind) {
    case 'hello':
      return { kind, run, id, answer: flag(bytes[HEADER + ID]) };
    case 'piece': {
      const [total, from] = [whole(view, HEADER + ID), whole(view, HEADER + ID + 8)];
      return { kind, run, channel: id, total, from, bytes: bytes.subarray(HEADER + size) };
    }
    case 'got':
      return { kind, run, channel: id, upTo: whole(view, HEADER + ID) };
    case 'stop': {
      const reason = REASONS[bytes[HEADER] as number];
      if (reason === undefined) throw wrong(`reason ${bytes[HEADER]}`, `0 to ${REASONS.length - 1}`);
      return { kind, run, reason };
    }
    default:
      return { kind, run };
  }
}

function flag(byte: number | undefined): boolean {
  if (byte === 0 || byte === 1) return byte === 1;
  throw wrong(`${byte}`, '0 or 1');
}

/** Numbers of bytes that no array has are refused here, so that all others are exact. */
function whole(view: DataView, at: number): number {
  const number = view.getBigUint64(at, true);
  if (number > BigInt(Number.MAX_SAFE_INTEGER)) throw wrong(`${number} bytes`, 'less than 2^53');
  return Number(number);
}

function putId(bytes: Uint8Array, at: number, id: string): void {
  for (let byte = 0; byte < ID; byte++)
    bytes[at + byte] = Number.parseInt(id.slice(2 * byte, 2 * byte + 2), 16);
}

function getId(bytes: Uint8Array, at: number): string {
  return Array.from(bytes.subarray(at, at + ID), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function wrong(found: string, expected: string): Error {
  return failure('party.message', `A message is none: expected ${expected}, found ${found}`, {
    found,
    expected,
  });
}
