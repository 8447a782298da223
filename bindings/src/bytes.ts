/** Bytes that callers hand in and out. What lies where in them: FORMAT.md. */
import { BYTES, checkArgument } from './arguments.js';
import { failure } from './errors.js';
import type { NamedBytes } from './raw.js';
import type { Ciphertexts, ProgramInfo } from './types.js';

/** More than a saved client takes. */
export const MOST_SAVED_BYTES = 4096;
/** Bytes at the end of an object that are its checksum. */
const CHECKSUM_BYTES = 16;

/** Where the kind of an object stands, and the number of encrypted inputs there. */
const KIND_AT = 10;
const INPUT_KIND = 4;
/** Where the name of an encrypted input stands, behind header, program and client: its length as u32, and UTF-8. */
const NAME_AT = 10 + 1 + 2 + 8 + 16 + 16;

/** Errors: InputError `input.type` if `what` is not bytes. */
export function checkBytes(what: string, bytes: unknown): Uint8Array {
  checkArgument(what, bytes, BYTES);
  return bytes as Uint8Array;
}

/**
 * Bytes of one of some sizes. What is too large would be copied first and refused then, and could take all of a
 * worker's memory. Errors: InputError `input.type`, FormatError `format.size`.
 */
export function checkSize(what: string, bytes: unknown, expected: readonly number[]): Uint8Array {
  const checked = checkBytes(what, bytes);
  if (!expected.includes(checked.length)) throw wrongSize(what, checked, [...new Set(expected)].join(' or '));
  return checked;
}

/** Bytes of at most some size. Errors: as of {@link checkSize}. */
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

/**
 * All encrypted inputs in the program's order. Errors: InputError (unknown, missing, not bytes, or the bytes of
 * another input), FormatError `format.size`.
 */
export function orderedInputs({ inputs }: ProgramInfo, given: Ciphertexts): Uint8Array[] {
  const expected = inputs.map(({ name }) => name);
  const unknown = Object.keys(given).find((name) => !expected.includes(name));
  if (unknown !== undefined) {
    throw failure('input.unknown', `The program has no input "${unknown}"`, { found: unknown, expected });
  }
  return inputs.map(({ name, bytes }) => {
    const own = Object.hasOwn(given, name) ? given[name] : undefined;
    if (own === undefined)
      throw failure('input.missing', `Input "${name}" is missing`, { input: name, expected });
    const what = `Input "${name}"`;
    const found = inputNameIn(checkBytes(what, own));
    if (found !== undefined && found !== name) {
      throw failure('input.name', `${what}: the bytes are those of input "${found}"`, {
        input: name,
        found,
        expected: name,
      });
    }
    return checkSize(what, own, [bytes]);
  });
}

/** What tells encrypted inputs from all others: their checksums. */
export function checksums(inputs: readonly Uint8Array[]): Uint8Array[] {
  return inputs.map((bytes) => bytes.slice(-CHECKSUM_BYTES));
}

/** The name in the bytes of an encrypted input; undefined if they are something else, which the core can tell. */
function inputNameIn(bytes: Uint8Array): string | undefined {
  if (bytes.length < NAME_AT + 4 || bytes[KIND_AT] !== INPUT_KIND) return undefined;
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(NAME_AT, true);
  const start = NAME_AT + 4;
  return length > bytes.length - start
    ? undefined
    : new TextDecoder().decode(bytes.subarray(start, start + length));
}
