/**
 * What is known of an operator on devices of a class (SPEC T1, T2; seed 003 ¶107-116): the best implementation of each kind, by whom it was measured, and that one's
 * signature.
 */
import { checkArgument, describe, type Kind as ArgumentKind, objectOf } from '../arguments.js';
import { canonicalJson } from './canonical.js';
import type { Json } from './canonical.js';
import { checkKey } from './key.js';
import type { OperatorKey } from './key.js';
import { checkNumber, checkObject, checkText, wrong } from './wrong.js';

/** Kinds of implementations: of a library, that is, built in; made from a schedule; written by hand. */
export type Kind = 'library' | 'generated' | 'hand-written';

/** All kinds, in the order in which they are preferred if they are equally fast: the less foreign code the better. */
export const KINDS: readonly Kind[] = ['library', 'hand-written', 'generated'];

/** One way to compute an operator. */
export interface Implementation {
  readonly kind: Kind;
  /** Of a library: the name of the call. */
  readonly call?: string;
  /** Of generated ones: what the code follows from. */
  readonly schedule?: Json;
  /** SHA-256 of the code's bytes, as 64 hexadecimal digits. */
  readonly code?: string;
  /** Median, in nanoseconds. */
  readonly time: number;
  /** Interquartile range, in nanoseconds. */
  readonly spread: number;
  /** How many were measured. */
  readonly samples: number;
  /** Milliseconds that looking for it took: what the kinds are compared by (T2). */
  readonly searched?: number;
}

/** The best of each kind; none where a kind has none. */
export type Best = { readonly [kind in Kind]?: Implementation };

/** What an explorer found, before it is signed. */
export interface UnsignedRecord {
  readonly key: OperatorKey;
  readonly best: Best;
  /** When, in milliseconds since 1970. */
  readonly at: number;
  /** Of the package and its kernels. */
  readonly version: string;
  /** Public key of who explored: 64 hexadecimal digits. */
  readonly explorer: string;
}

/** What an explorer found, signed by it. */
export interface TuneRecord extends UnsignedRecord {
  /** Ed25519 (RFC 8032) over `signedText`, as 128 hexadecimal digits. */
  readonly signature: string;
}

/** Whoever measures, on a device of a class. Gives the best of each kind for which there is one that conforms; `{}` where there is none. */
export interface Explorer {
  /** Class of the device that it measures on. */
  readonly device: string;
  explore(key: OperatorKey, options: { readonly signal: AbortSignal }): Promise<Best>;
  /** Bytes of code that `best` names by their hash, to be handed out with the record. None where code follows from schedules. */
  code?(hash: string): Promise<Uint8Array | undefined>;
}

/**
 * Whether an implementation computes on this device what its operator says: conformance with scalar, over the shapes of the key. `code` was compared with its
 * hash; it is undefined of a library's call. Anything but true is a refusal.
 */
export type Verify = (
  record: TuneRecord,
  implementation: Implementation,
  code: Uint8Array | undefined,
) => Promise<boolean>;

const NAMES = ['key', 'best', 'at', 'version', 'explorer', 'signature'];
const IMPLEMENTATION = ['kind', 'time', 'spread', 'samples'];
const OPTIONAL = ['call', 'schedule', 'code', 'searched'];
const LONGEST_SCHEDULE = 65_536;
/** A week, in nanoseconds: nothing that takes longer is measured. */
const LONGEST_NS = 6.048e14;
const LATEST = 8.64e15;

const IMPLEMENTATIONS: ArgumentKind = {
  expected: 'an array of implementations',
  fits: (value) => Array.isArray(value) && value.every(objectOf('').fits),
};

/** The best implementation of all kinds: the fastest; undefined where none is known. */
export function fastest(best: Best): Implementation | undefined {
  checkArgument('fastest, best', best, objectOf('implementations by kind'));
  return KINDS.flatMap((kind) => best[kind] ?? []).reduce<Implementation | undefined>(
    (least, one) => (least === undefined || one.time < least.time ? one : least),
    undefined,
  );
}

/** The best of each kind, of any number of ways that were measured: what an explorer gives (SPEC T2). */
export function bestOfEach(measured: readonly Implementation[]): Best {
  checkArgument('bestOfEach, measured', measured, IMPLEMENTATIONS);
  const best: { [kind in Kind]?: Implementation } = {};
  for (const one of measured) {
    const before = best[one.kind];
    if (before === undefined || one.time < before.time) best[one.kind] = one;
  }
  return best;
}

/** What is signed: the record without its signature, by a name of its own, so that it is no signature of anything else. */
export function signedText(record: UnsignedRecord): string {
  checkArgument('signedText, record', record, objectOf('the members of a record'));
  const { key, best, at, version, explorer } = record;
  return canonicalJson(['cipherloom/tune/record/1', { key, best, at, version, explorer } as unknown]);
}

/** Whether a value has the shape of a record; gives a copy of it. Says nothing of its signature. Errors: TuneError `tune.record`, `tune.key`. */
export function checkRecord(value: unknown): TuneRecord {
  const record = checkObject('tune.record', 'record', value, NAMES);
  return {
    key: checkKey(record.key, 'record, key'),
    best: checkBest(record.best),
    at: checkNumber('tune.record', 'record, at', record.at, 0, LATEST, true),
    version: checkText('tune.record', 'record, version', record.version, 100),
    explorer: checkDigits('record, explorer', record.explorer, 32),
    signature: checkDigits('record, signature', record.signature, 64),
  };
}

/** Implementations by kind, at least one. Errors: TuneError `tune.record`. */
export function checkBest(value: unknown): Best {
  const kinds = checkObject('tune.record', 'record, best', value, [], KINDS);
  const best: { [kind in Kind]?: Implementation } = {};
  for (const kind of KINDS) {
    if (kinds[kind] === undefined) continue;
    best[kind] = checkImplementation(kind, kinds[kind]);
  }
  if (fastest(best) === undefined)
    throw wrong('tune.record', 'record, best', 'no implementation', 'at least one');
  return best;
}

function checkImplementation(kind: Kind, value: unknown): Implementation {
  const where = `record, ${kind}`;
  const one = checkObject('tune.record', where, value, IMPLEMENTATION, OPTIONAL);
  const { call, schedule, code, searched } = one;
  if (one.kind !== kind) throw wrong('tune.record', `${where}, kind`, describe(one.kind), kind);
  // What says which code is meant: a name, what it follows from, or its hash.
  const named = { library: call, generated: schedule, 'hand-written': code }[kind];
  if (named === undefined) {
    const expected = { library: 'a call', generated: 'a schedule', 'hand-written': 'the hash of its code' }[
      kind
    ];
    throw wrong('tune.record', where, 'none', expected);
  }
  if (schedule !== undefined && canonicalJson(schedule).length > LONGEST_SCHEDULE)
    throw wrong(
      'tune.record',
      `${where}, schedule`,
      'a longer one',
      `at most ${LONGEST_SCHEDULE} characters`,
    );
  const number = (name: string, least: number, most: number, whole = false): number =>
    checkNumber('tune.record', `${where}, ${name}`, one[name], least, most, whole);
  return {
    kind,
    ...(call !== undefined && { call: checkText('tune.record', `${where}, call`, call, 256) }),
    ...(schedule !== undefined && { schedule: schedule as Json }),
    ...(code !== undefined && { code: checkDigits(`${where}, code`, code, 32) }),
    time: number('time', Number.MIN_VALUE, LONGEST_NS),
    spread: number('spread', 0, LONGEST_NS),
    samples: number('samples', 1, 1e9, true),
    ...(searched !== undefined && { searched: number('searched', 0, LONGEST_NS) }),
  };
}

/** So many bytes as digits. Errors: TuneError `tune.record`. */
export function checkDigits(where: string, value: unknown, bytes: number): string {
  if (typeof value === 'string' && value.length === 2 * bytes && /^[0-9a-f]*$/.test(value)) return value;
  const found = typeof value === 'string' ? `${value.length} characters` : describe(value);
  throw wrong('tune.record', where, found, `${2 * bytes} hexadecimal digits`);
}
