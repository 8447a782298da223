/**
 * From a schedule to a kernel that engines take. This is the only way to one: code is always derived here, on the device that runs it, and never taken from whoever sent
 * a record. A record may say the hash of the code that it means; where that is another one, the record is refused before anything of it is instantiated.
 */
import type { RawKernel } from '../../raw.js';
import { canonicalJson } from '../canonical.js';
import type { OperatorKey } from '../key.js';
import { checkRecord, fastest, type Implementation, type TuneRecord } from '../record.js';
import { wrong } from '../wrong.js';
import { bitsOf, pieceOf } from './pieces.js';
import { checkSchedule, type Schedule, scheduleName } from './schedule.js';
import { make } from './transform.js';

/** A kernel, and the hash of its code. */
export interface Derived {
  readonly kernel: RawKernel;
  /** SHA-256, as 64 hexadecimal digits. */
  readonly code: string;
}

const derived = new Map<string, Promise<Derived>>();

/** The kernel of a schedule. Errors: TuneError `tune.record` for what is no schedule. */
export function derive(value: unknown): Promise<Derived> {
  const schedule = checkSchedule(value);
  const key = canonicalJson(schedule);
  let found = derived.get(key);
  if (found === undefined) {
    found = compile(schedule);
    derived.set(key, found);
    // What failed for want of memory may be tried again.
    found.catch(() => derived.delete(key));
  }
  return found;
}

async function compile(schedule: Schedule): Promise<Derived> {
  const { bytes, layout } = make(schedule);
  const { piece, n, bits, prime } = schedule;
  const kernel: RawKernel = {
    name: scheduleName(schedule),
    piece,
    n,
    bits,
    prime,
    module: await WebAssembly.compile(bytes),
    layout,
  };
  return { kernel, code: await hashOf(bytes) };
}

/** SHA-256 of bytes, as 64 hexadecimal digits. */
export async function hashOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The kernel of a generated implementation of a key. Errors: TuneError `tune.record` where schedule and key do not fit, `tune.code` where another code was meant. */
export async function deriveFor(key: OperatorKey, { schedule, code }: Implementation): Promise<Derived> {
  const { piece, n, bits, prime } = checkSchedule(schedule);
  const asked = pieceOf(key);
  if (asked === undefined || asked.piece !== piece || asked.n !== n)
    throw wrong('tune.record', 'record, schedule', `${piece} of dimension ${n}`, `one for ${key.operator}`);
  if (bitsOf(asked.prime) > bits || (prime !== undefined && BigInt(prime) !== asked.prime))
    throw wrong('tune.record', 'record, schedule', `other primes`, `one for ${asked.prime}`);
  const made = await derive(schedule);
  if (code !== undefined && code !== made.code)
    throw wrong('tune.code', 'record, code', code, `${made.code}, which follows from the schedule`);
  return made;
}

/** Whose schedules `load` takes: of each record the fastest implementation, if it is a generated one. Errors: as of {@link deriveFor}. */
export async function kernelsOf(records: readonly TuneRecord[]): Promise<RawKernel[]> {
  const kernels = new Map<string, RawKernel>();
  for (const given of records) {
    const { key, best } = checkRecord(given);
    const implementation = fastest(best);
    if (implementation?.kind !== 'generated') continue;
    const { kernel } = await deriveFor(key, implementation);
    kernels.set(kernel.name, kernel);
  }
  // The last one that fits is taken: those for fewer primes after those for more.
  const order = ({ bits, prime }: RawKernel): number => (prime === undefined ? bits : 0);
  return [...kernels.values()].sort((one, other) => order(other) - order(one));
}
