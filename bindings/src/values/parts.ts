/**
 * An encrypted value with its digits, as one: its bytes, and theirs behind. Each of them says how long it is and has a checksum (FORMAT.md), and who has a value has the digits that are its own.
 */
import type { Ciphertexts } from '../types.js';
import type { ValueRule } from './cells.js';
import { digitsNamed } from './digits.js';

/** Bytes before and behind the content of an object, where its length stands, and where the text that describes a value. */
const BEFORE = 21;
const BEHIND = 16;
const LENGTH_AT = 13;
const TEXT_AT = BEFORE + 3 * 16;

export interface EncryptedParts {
  readonly value: Uint8Array;
  /** By what digits they are; undefined where the bytes are not what was joined. */
  readonly digits: ReadonlyMap<string, Uint8Array> | undefined;
}

/** Values by name, each with its digits in its bytes. */
export function withDigits(encrypted: Ciphertexts, rules: readonly ValueRule[]): Ciphertexts {
  // A name may be one that every object has.
  const found = new Map(Object.entries(encrypted));
  const all = rules.flatMap(({ name, digits }) => {
    const own = found.get(name);
    if (own === undefined || digits !== undefined) return [];
    const behind = rules.flatMap((rule) => (rule.digits?.of === name ? (found.get(rule.name) ?? []) : []));
    return [[name, behind.length > 0 ? joined([own, ...behind]) : own] as const];
  });
  return Object.fromEntries(all);
}

/** What {@link withDigits} joined. Bytes that are no such are one value: whoever reads them says what is wrong. */
export function partsOf(bytes: Uint8Array): EncryptedParts {
  const digits = new Map<string, Uint8Array>();
  const end = endOf(bytes);
  for (let at = end; at !== undefined && at < bytes.length;) {
    const rest = bytes.subarray(at);
    const one = rest.subarray(0, endOf(rest));
    const told = digitsNamed(nameOf(one) ?? '');
    // What is nothing that could stand there is not lost: the value is refused with it.
    if (told === undefined) return { value: bytes, digits: undefined };
    digits.set(told, one);
    at += one.length;
  }
  return end === undefined ? { value: bytes, digits: undefined } : { value: bytes.subarray(0, end), digits };
}

/** Where the first object ends; undefined where that does not say. */
function endOf(bytes: Uint8Array): number | undefined {
  const { length } = bytes;
  if (length < BEFORE + BEHIND) return undefined;
  const end = viewOf(bytes).getBigUint64(LENGTH_AT, true) + BigInt(BEFORE + BEHIND);
  return end > BigInt(length) ? undefined : Number(end);
}

/** The name that a value had where it was encrypted. */
function nameOf(bytes: Uint8Array): string | undefined {
  if (bytes.length < TEXT_AT + 4) return undefined;
  const size = viewOf(bytes).getUint32(TEXT_AT, true);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(
      bytes.subarray(TEXT_AT + 4).subarray(0, size),
    );
    const { name } = JSON.parse(text) as { readonly name?: unknown };
    return typeof name === 'string' ? name : undefined;
  } catch {
    return undefined;
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

function joined(all: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(all.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const one of all) {
    bytes.set(one, at);
    at += one.length;
  }
  return bytes;
}
