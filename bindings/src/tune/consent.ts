/**
 * What may run on this device, of what a record says is fast. Nobody's code runs because somebody said so: built-in code is called by its name; code that follows from a
 * schedule is derived here, and has to be the code that was measured; other code only if the user has listed its hash. And all of it has to conform here before it
 * is used.
 */
import { BYTES, checkArgument, objectOf } from '../arguments.js';
import { digitsOf } from '../parties/digits.js';
import { webCrypto } from '../sealed-key.js';
import { KINDS } from './record.js';
import type { Implementation, TuneRecord, Verify } from './record.js';
import { CipherloomError } from '../errors.js';
import { wrong } from './wrong.js';

/** What a user allows. */
export interface Consent {
  /** Whether the package has a built-in implementation of that name, for that operator. Default: none. */
  readonly builtIn?: ((record: TuneRecord, call: string) => boolean) | undefined;
  /** Makes code from a schedule, on this device. Default: schedules are of no use. */
  readonly derive?: ((record: TuneRecord, implementation: Implementation) => Promise<Uint8Array>) | undefined;
  /** SHA-256 of code that may run, as hexadecimal digits. Default: none. */
  readonly codes?: ReadonlySet<string> | undefined;
  /** Fetches code by its hash. Asked for listed hashes alone. */
  readonly fetchCode?: ((hash: string) => Promise<Uint8Array>) | undefined;
  /** Whether it conforms on this device. Without it no code runs but what is built in. */
  readonly verify?: Verify | undefined;
}

/** Something that may run. */
export interface Runnable {
  readonly implementation: Implementation;
  /** Its code, whose hash was compared; undefined of what is built in. */
  readonly code: Uint8Array | undefined;
}

/** What may run of a record, the fastest; and why what is faster may not. */
export interface Choice {
  readonly runnable: Runnable | undefined;
  /** An error for each implementation that was refused, the fastest first. */
  readonly refused: readonly CipherloomError[];
}

/** The fastest implementation of a record that may run here. Errors: InputError `input.type`. */
export async function consented(record: TuneRecord, consent: Consent): Promise<Choice> {
  checkArgument('consented, record', record, objectOf('the members of a record'));
  checkArgument('consented, consent', consent, objectOf('what a user allows'));
  const order = KINDS.flatMap((kind) => record.best[kind] ?? []).sort((one, other) => one.time - other.time);
  const refused: CipherloomError[] = [];
  for (const implementation of order) {
    const runnable = await allowed(record, implementation, consent);
    if (!(runnable instanceof Error)) return { runnable, refused };
    refused.push(runnable);
  }
  return { runnable: undefined, refused };
}

async function allowed(
  record: TuneRecord,
  implementation: Implementation,
  consent: Consent,
): Promise<Runnable | CipherloomError> {
  const where = `${record.key.operator}, ${implementation.kind}`;
  const { verify } = consent;
  let code: Uint8Array | undefined;
  try {
    if (implementation.kind === 'library') {
      const call = implementation.call as string;
      if (consent.builtIn?.(record, call) !== true)
        return wrong('tune.code', where, `"${call}"`, 'a call that this package has');
    } else {
      const found = await codeOf(record, implementation, consent, where);
      if (found instanceof Error) return found;
      code = found;
      if (verify === undefined)
        return wrong('tune.conformance', where, 'nobody who looks whether it conforms', 'verify');
    }
    if (verify !== undefined && (await verify(record, implementation, code)) !== true)
      return wrong('tune.conformance', where, 'other results than those of scalar', 'the same bits');
  } catch (cause) {
    // What says already what is wrong with the record says it better.
    if (isOfRecord(cause)) return cause;
    return wrong(
      'tune.conformance',
      where,
      cause instanceof Error ? cause.message : 'an error',
      'none',
      cause,
    );
  }
  return { implementation, code };
}

async function codeOf(
  record: TuneRecord,
  implementation: Implementation,
  { derive, codes, fetchCode }: Consent,
  where: string,
): Promise<Uint8Array | CipherloomError> {
  const named = implementation.code;
  if (implementation.kind === 'generated' && derive !== undefined) {
    const code = await derive(record, implementation);
    const hash = await hashOf(code);
    // Another version of the generator: what was measured is not what would run.
    if (named !== undefined && named !== hash)
      return wrong('tune.code', where, hash, `${named}, as the record says that its schedule gives`);
    return code;
  }
  if (named === undefined || codes?.has(named) !== true)
    return wrong(
      'tune.code',
      where,
      named ?? 'no hash',
      'code that this device derives, or a hash on your list',
    );
  if (fetchCode === undefined) return wrong('tune.code', where, 'nowhere to have it from', 'fetchCode');
  const code = await fetchCode(named);
  const hash = await hashOf(code);
  return hash === named ? code : wrong('tune.code', where, hash, named);
}

/** Whether a refusal says something of the record, and not of a moment in which nobody could look: a network that was away, a worker that ended. */
export function isVerdict({ cause }: CipherloomError): boolean {
  return cause === undefined || isOfRecord(cause);
}

/** Whether an error is of this room, and not of a service. */
function isOfRecord(error: unknown): error is CipherloomError {
  return error instanceof CipherloomError && error.code.startsWith('tune.') && error.code !== 'tune.service';
}

/** SHA-256 of code, as records name it. */
export async function hashOf(code: Uint8Array): Promise<string> {
  checkArgument('hashOf, code', code, BYTES);
  const copy = new Uint8Array(code);
  return digitsOf(new Uint8Array(await webCrypto('hashes of code').subtle.digest('SHA-256', copy)));
}
