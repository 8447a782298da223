/** Values and ciphertexts by name, as callers hand them in. */
import { checkBytes } from '../bytes.js';
import { failure } from '../errors.js';
import type { RawGivenValues, RawValues } from '../raw.js';
import type { Ciphertexts } from '../types.js';
import { type EncodedValue, encodeValue, type ValueRule } from './cells.js';
import { digitsOfCells, digitsTold } from './digits.js';
import { type EncryptedParts, partsOf } from './parts.js';
import type { Cells, ValuePlace } from './types.js';

/** A value that was encoded, and its name. */
export type EncodedByName = EncodedValue & { readonly name: string };

/**
 * Values by the names of inputs of a place, checked and scaled; any subset of them. Errors: InputError `input.unknown` for other names; as of
 * {@link encodeValue}.
 */
export function encodedByName(
  rules: readonly ValueRule[],
  place: ValuePlace,
  given: Readonly<Record<string, Cells>> = {},
  showValues = false,
): EncodedByName[] {
  const own = rules.filter(({ type }) => type.place === place);
  checkNames(
    own.filter(({ digits }) => digits === undefined),
    `${place} input`,
    given,
  );
  const all = new Map<string, EncodedValue>();
  for (const rule of own) {
    const { name, digits, type } = rule;
    const of = digits && all.get(digits.of);
    if (of !== undefined && digits !== undefined) {
      all.set(name, { cells: digitsOfCells(of.cells, digits, type.shape[0] ?? 0), present: undefined });
    } else if (Object.hasOwn(given, name)) {
      all.set(name, encodeValue(rule, given[name], showValues));
    }
  }
  return [...all].map(([name, encoded]) => ({ name, ...encoded }));
}

/** That whoever gives clear values gives those of which digits are compared, or they are `held`. Errors: InputError `input.missing`. */
export function checkDigitsGiven(
  rules: readonly ValueRule[],
  given: readonly EncodedByName[],
  held: ReadonlySet<string> = new Set(),
): void {
  const lacking = rules.find(
    ({ name, digits, type }) =>
      digits !== undefined &&
      type.place !== 'encrypted' &&
      !held.has(name) &&
      given.every((one) => one.name !== name),
  );
  const of = lacking?.digits?.of;
  if (of !== undefined) throw failure('input.missing', `Input "${of}" is missing`, { input: of });
}

/** What moves to a worker of encoded values. */
export function buffersOf(values: readonly EncodedValue[]): ArrayBuffer[] {
  return values.flatMap(({ cells, present }) =>
    [cells, present].flatMap((data) => (ArrayBuffer.isView(data) ? [data.buffer] : [])),
  );
}

/** Errors: InputError `input.unknown` for a name that none of those has. */
export function checkNames(
  known: readonly { readonly name: string }[],
  what: string,
  given: Readonly<Record<string, unknown>>,
): void {
  const expected = known.map(({ name }) => name);
  const unknown = Object.keys(given).find((name) => !expected.includes(name));
  if (unknown === undefined) return;
  const problem = `The program has no ${what} "${unknown}"; it has ${expected.join(', ') || 'none'}`;
  throw failure('input.unknown', problem, { found: unknown, expected });
}

/**
 * Encrypted inputs, all but those that `need` not be given; with each of them the digits that this program compares. Errors: InputError `input.unknown`, `input.missing`,
 * `input.type`.
 */
export function orderedCiphertexts(
  rules: readonly ValueRule[],
  given: Ciphertexts,
  need: (name: string) => boolean = () => true,
): { name: string; bytes: Uint8Array }[] {
  const encrypted = rules.filter(({ type }) => type.place === 'encrypted');
  const declared = encrypted.filter(({ digits }) => digits === undefined);
  checkNames(declared, 'encrypted input', given);
  const expected = declared.map(({ name }) => name);
  const all = new Map<string, EncryptedParts>();
  for (const { name } of declared) {
    const own = Object.hasOwn(given, name) ? given[name] : undefined;
    if (own !== undefined) all.set(name, partsOf(checkBytes(`Input "${name}"`, own)));
    else if (need(name))
      throw failure('input.missing', `Input "${name}" is missing`, { input: name, expected });
  }
  return encrypted.flatMap(({ name, digits, type }) => {
    const parts = all.get(digits?.of ?? name);
    if (parts === undefined) return [];
    if (digits === undefined) return [{ name, bytes: parts.value }];
    // Who reads it says what is wrong with it.
    if (parts.digits === undefined) return [{ name, bytes: parts.value }];
    const told = digitsTold(digits, type.shape[0] ?? 0);
    const bytes = parts.digits.get(told);
    if (bytes !== undefined) return [{ name, bytes }];
    const problem = `Input "${digits.of}" was encrypted without what this program compares (${told}): encrypt it for this program`;
    throw failure('input.missing', problem, { input: digits.of, expected });
  });
}

/** Names, cells and which of them are there. */
export function apart(values: readonly EncodedByName[]): RawValues {
  return [
    values.map(({ name }) => name),
    values.map(({ cells }) => cells),
    values.map(({ present }) => present),
  ];
}

/** Values as an evaluator takes them. */
export function givenValues(
  encrypted: readonly { readonly name: string; readonly bytes: Uint8Array }[],
  clear: readonly EncodedByName[],
): RawGivenValues {
  return [encrypted.map(({ name }) => name), encrypted.map(({ bytes }) => bytes), ...apart(clear)];
}
