/** Bytes that callers hand in and out. What lies where in them: FORMAT.md. */
import { BYTES, checkArgument } from './arguments.js';
import { failure } from './errors.js';
import type { NamedBytes } from './raw.js';
import type { Ciphertexts } from './types.js';

/** More than a saved client takes. */
export const MOST_SAVED_BYTES = 4096;
/** Errors: InputError `input.type` if `what` is not bytes. */
export function checkBytes(what: string, bytes: unknown): Uint8Array {
  checkArgument(what, bytes, BYTES);
  return bytes as Uint8Array;
}

/**
 * Bytes of at most some size: what is too large would be copied first and refused then, and could take all of a worker's memory. Errors: FormatError
 * `format.size`.
 */
export function checkAtMost(what: string, bytes: Uint8Array, most: number): void {
  if (bytes.length > most) throw wrongSize(what, bytes, `at most ${most}`);
}

function wrongSize(what: string, { length }: Uint8Array, expected: string): Error {
  const problem = `${what}: expected ${expected || 'no'} bytes, found ${length}; cut short, or of another program?`;
  return failure('format.size', problem, { what, found: length, expected });
}

/**
 * A copy that can move to a worker. Posting the bytes themselves would copy them twice, on the way out and on the
 * way in.
 */
export function movable(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}

/** Objects under each of their names, in the order that these were declared in. */
export function byName(
  objects: readonly NamedBytes[],
  declared: readonly { readonly name: string }[],
): Ciphertexts {
  const found = new Map(objects.flatMap(({ names, bytes }) => names.map((name) => [name, bytes] as const)));
  return Object.fromEntries(
    declared.flatMap(({ name }) => {
      const bytes = found.get(name);
      return bytes === undefined ? [] : [[name, bytes] as const];
    }),
  );
}
