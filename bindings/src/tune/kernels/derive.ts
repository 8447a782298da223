/**
 * From a schedule to a kernel that engines take. This is the only way to one: code is always derived here, on the device that runs it, and never taken from whoever sent
 * a record. A record may say the hash of the code that it means; where that is another one, the record is refused before anything of it is compiled.
 */
import type { RawFunctions, RawKernel, RawShader } from '../../raw.js';
import { canonicalJson } from '../canonical.js';
import { hashOf } from '../consent.js';
import type { OperatorKey } from '../key.js';
import type { Implementation, TuneRecord } from '../record.js';
import { wrong } from '../wrong.js';
import { bitsOf, pieceOf } from './pieces.js';
import {
  checkSchedule,
  type Schedule,
  scheduleName,
  type ShaderSchedule,
  shapeOf,
  type WasmSchedule,
} from './schedule.js';
import type { Made } from './emitter.js';
import type { MadeShader } from './gpu-transform.js';
import { make } from './make.js';

/** A kernel, and the hash of its code. */
export interface Derived<K extends RawKernel = RawKernel> {
  readonly kernel: K;
  /** SHA-256, as 64 hexadecimal digits. */
  readonly code: string;
}

/** Code that is made and hashed; it is compiled when somebody wants it to run. */
interface Coded {
  readonly made: Made | MadeShader;
  /** Of WebAssembly, or of a text. */
  readonly bytes: Uint8Array;
  readonly code: string;
  kernel?: Promise<RawKernel> | undefined;
}

/** Schedules whose code is kept, those that were asked for last: a search asks for some of its schedules twice. */
const MOST_KEPT = 64;
const kept = new Map<string, Promise<Coded>>();

/** The kernel of a schedule. Errors: TuneError `tune.record` for what is no schedule. */
export async function derive(value: WasmSchedule): Promise<Derived<RawFunctions>>;
export async function derive(value: ShaderSchedule): Promise<Derived<RawShader>>;
export async function derive(value: unknown): Promise<Derived>;
export async function derive(value: unknown): Promise<Derived> {
  const schedule = checkSchedule(value);
  return compiled(schedule, await codeOf(schedule));
}

function codeOf(schedule: Schedule): Promise<Coded> {
  const key = canonicalJson(schedule);
  const found = kept.get(key) ?? coded(schedule);
  kept.delete(key);
  kept.set(key, found);
  // What failed for want of memory may be tried again.
  found.catch(() => kept.delete(key));
  if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value as string);
  return found;
}

async function coded(schedule: Schedule): Promise<Coded> {
  const made = make(schedule);
  const bytes = 'body' in made ? new TextEncoder().encode(made.body) : made.bytes;
  return { made, bytes, code: await hashOf(bytes) };
}

async function compiled(schedule: Schedule, coded: Coded): Promise<Derived> {
  coded.kernel ??= kernelOf(schedule, coded.made);
  coded.kernel.catch(() => (coded.kernel = undefined));
  return { kernel: await coded.kernel, code: coded.code };
}

async function kernelOf(schedule: Schedule, made: Made | MadeShader): Promise<RawKernel> {
  const { piece, n, bits, prime } = schedule;
  const of = { name: scheduleName(schedule), piece, n, bits, shape: shapeOf(schedule), prime };
  if ('body' in made) {
    const { body, passes, factors, needs } = made;
    return { ...of, body, passes, factors, needs };
  }
  return { ...of, module: await WebAssembly.compile(made.bytes), layout: made.layout };
}

/** The schedule of a generated implementation of a key, and its code, which is not compiled yet. */
async function codeFor(key: OperatorKey, { schedule, code }: Implementation): Promise<[Schedule, Coded]> {
  const checked = checkSchedule(schedule);
  const { piece, n, bits, prime } = checked;
  const asked = pieceOf(key);
  if (asked === undefined || asked.piece !== piece || asked.n !== n)
    throw wrong('tune.record', 'record, schedule', `${piece} of dimension ${n}`, `one for ${key.operator}`);
  const [shape, wanted] = [shapeOf(checked), asked.shape ?? []].map((one) => one.join());
  if (shape !== wanted)
    throw wrong('tune.record', 'record, schedule', `${piece} of shape ${shape}`, `one of shape ${wanted}`);
  if (bitsOf(asked.prime) > bits || (prime !== undefined && BigInt(prime) !== asked.prime))
    throw wrong('tune.record', 'record, schedule', `other primes`, `one for ${asked.prime}`);
  const made = await codeOf(checked);
  if (code !== undefined && code !== made.code)
    throw wrong('tune.code', 'record, code', code, `${made.code}, which follows from the schedule`);
  return [checked, made];
}

/** The kernel of a generated implementation of a key. Errors: TuneError `tune.record` where schedule and key do not fit, `tune.code` where another code was meant, before it is compiled. */
export async function deriveFor(key: OperatorKey, implementation: Implementation): Promise<Derived> {
  return compiled(...(await codeFor(key, implementation)));
}

/** The bytes of a kernel's code, checked as {@link deriveFor} does: `derive` of a client (`Consent`). Errors: as of {@link deriveFor}. */
export async function deriveCode(record: TuneRecord, implementation: Implementation): Promise<Uint8Array> {
  return new Uint8Array((await codeFor(record.key, implementation))[1].bytes);
}
