/** Bytes that callers hand in and out. */
import { BYTES, checkArgument } from './arguments.js';
import type { NamedBytes } from './raw.js';
import type { Ciphertexts } from './types.js';

/** Errors: InputError `input.type` if `what` is not bytes. */
export function checkBytes(what: string, bytes: unknown): Uint8Array {
  checkArgument(what, bytes, BYTES);
  return bytes as Uint8Array;
}

/**
 * A copy that can move to a worker. Posting the bytes themselves would copy them twice, on the way out and on the
 * way in.
 */
export function movable(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}

/** Objects under each of their names. */
export function byName(objects: readonly NamedBytes[]): Ciphertexts {
  return Object.fromEntries(objects.flatMap(({ names, bytes }) => names.map((name) => [name, bytes])));
}
