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
  /** By what digits they are. */
  readonly digits: ReadonlyMap<string, Uint8Array>;
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

/** What {@link withDigits} joined. Bytes that are no such are one: whoever reads them says what is wrong. */
export function partsOf(bytes: Uint8Array): EncryptedParts {
  const digits = new Map<string, Uint8Array>();
  const value = bytes.subarray(0, endOf(bytes));
  for (let rest = bytes.subarray(value.length); rest.length > 0;) {
    const one = rest.subarray(0, endOf(rest));
    const told = digitsNamed(nameOf(one) ?? '');
    // What is nothing that could stand there is not lost: the value is refused with it.
    if (told === undefined) return { value: bytes, digits: new Map() };
    digits.set(told, one);
    rest = rest.subarray(one.length);
  }
  return { value, digits };
}

/** Where the first object ends; all of it, where that does not say. */
function endOf(bytes: Uint8Array): number {
  const { length } = bytes;
  if (length < BEFORE + BEHIND) return length;
  const content = viewOf(bytes).getBigUint64(LENGTH_AT, true);
  return content > BigInt(length) ? length : Math.min(length, BEFORE + Number(content) + BEHIND);
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
