/**
 * From what is known of operators to what runs: the only way. Of each record the signature is checked, the class of the device, whether the generated implementation is
 * faster than the built-in one by more than noise, whether its schedule gives here the code that was measured, and whether that conforms on this device. Only then there is a
 * kernel, and only such kernels are what `load` takes ({@link ChosenKernels}).
 */
import { checkOptions, describe } from '../../arguments.js';
import { CipherloomError } from '../../errors.js';
import type { TuneClient } from '../client.js';
import { consented } from '../consent.js';
import type { OperatorKey } from '../key.js';
import { beats } from '../measure.js';
import { checkDigits, type Implementation, type TuneRecord } from '../record.js';
import { checkSigned } from '../sign.js';
import { CHOOSE } from '../options.js';
import { checkText, wrong } from '../wrong.js';
import type { BenchOptions } from './bench.js';
import { chosen, type ChosenKernels, type Taken } from './chosen.js';
import { deriveCode, deriveFor } from './derive.js';
import { KernelExplorer } from './explorer.js';

/** What is known: what a client finds of some operators, or records that are at hand. */
export type KernelSource =
  | {
      /** Whose explorers are believed, and whose class of device this one is of. */
      readonly client: TuneClient;
      /** Operators to ask for; those that are not known have the built-in kernels. */
      readonly keys: readonly OperatorKey[];
    }
  | {
      readonly records: readonly TuneRecord[];
      /** Public keys of the explorers to believe. */
      readonly explorers: readonly string[];
      /** Class of this device: `deviceClass()`. */
      readonly device: string;
    };

/** How they are chosen: where the worker that tries them comes from, as for `load`. */
export interface ChooseOptions extends BenchOptions {
  readonly signal?: AbortSignal | undefined;
}

/**
 * The kernels that may run here, for `load({ kernels })`: of each record the generated implementation, if it is signed by an explorer that is believed, of this class of device, faster
 * than the built-in one by more than noise, derived here (with the hash that was measured, where the record says one), and if it gives on this device what the reference does, on the largest residues and others.
 * What fails is left out, and `refused` says why; the others are taken. A client is asked for all keys at once, and what it does not know is no error. Takes a worker for a moment, and
 * some tens of milliseconds for each record. Where kernels made at run time do not run (without relaxed SIMD that rounds once) none are chosen.
 *
 * Errors: TuneError `tune.option`, `tune.record` of what is no source, `tune.device` of keys of another class; DisposedError of a client that was closed; WorkerError, MemoryError where the worker does not start; those
 * of the signal.
 */
export async function chooseKernels(
  source: KernelSource,
  options: ChooseOptions = {},
): Promise<ChosenKernels> {
  checkOptions('chooseKernels', options, CHOOSE);
  const { signal, ...bench } = options;
  signal?.throwIfAborted();
  const { records, explorers, device } = await found(source);
  signal?.throwIfAborted();
  const refused: CipherloomError[] = [];
  const kernels = new Map<string, Taken>();
  const explorer = new KernelExplorer({ ...bench, device });
  try {
    for (const given of records) {
      signal?.throwIfAborted();
      const taken = await verified(given, { explorers, device }, explorer, refused, signal);
      if (taken === undefined) continue;
      // Of two for the same work one runs: the faster.
      const { n, bits, prime, piece, shape } = taken.kernel;
      const work = [piece, n, bits, prime, ...shape].join();
      const other = kernels.get(work);
      if (other === undefined || gain(taken) < gain(other)) kernels.set(work, taken);
    }
  } finally {
    explorer.close();
  }
  signal?.throwIfAborted();
  // The last one that fits is taken: those for fewer primes after those for more.
  const order = ({ kernel: { bits, prime } }: Taken): number => (prime === undefined ? bits : 0);
  return chosen(
    [...kernels.values()].sort((one, other) => order(other) - order(one)),
    refused,
  );
}

/** What part of the built-in kernel's time it takes. */
function gain({ why: { time, instead } }: Taken): number {
  return time / (instead?.time ?? time);
}

interface Known {
  readonly records: readonly unknown[];
  readonly explorers: ReadonlySet<string>;
  readonly device: string;
}

/** Errors: as of {@link chooseKernels}. */
async function found(source: KernelSource): Promise<Known> {
  if (typeof source !== 'object' || source === null)
    throw wrong(
      'tune.option',
      'chooseKernels',
      describe(source),
      'a client and keys, or records, explorers and a device',
    );
  if ('client' in source) {
    const { client, keys } = source;
    if (typeof (client as Partial<TuneClient> | null)?.query !== 'function')
      throw wrong('tune.option', 'chooseKernels, client', describe(client), 'what tuneClient gave');
    if (!Array.isArray(keys))
      throw wrong('tune.option', 'chooseKernels, keys', describe(keys), 'an array of keys');
    const records = await Promise.all(keys.map((key: OperatorKey) => client.query(key)));
    const { explorers, device } = client;
    return { records: records.filter((record) => record !== undefined), explorers, device };
  }
  const { records, explorers, device } = source;
  for (const [name, value] of Object.entries({ records, explorers }))
    if (!Array.isArray(value))
      throw wrong('tune.option', `chooseKernels, ${name}`, describe(value), 'an array');
  return {
    records,
    explorers: new Set(explorers.map((key) => checkDigits('chooseKernels, explorers', key, 32))),
    device: checkText('tune.option', 'chooseKernels, device', device, 256),
  };
}

/** The kernel of a record, if everything holds; what does not is told to `refused`. */
async function verified(
  given: unknown,
  { explorers, device }: Pick<Known, 'explorers' | 'device'>,
  explorer: KernelExplorer,
  refused: CipherloomError[],
  signal: AbortSignal | undefined,
): Promise<Taken | undefined> {
  try {
    const record = await checkSigned(given, explorers);
    const { key, best } = record;
    if (key.device !== device) throw wrong('tune.device', 'record, key', `"${key.device}"`, `"${device}"`);
    const { library, ...made } = best;
    const { generated } = made;
    if (!explorer.runs(key)) return undefined;
    // What wins by less than noise replaces nothing, and neither does what was compared with nothing.
    if (generated === undefined || library === undefined || !beats(generated, library)) return undefined;
    // What is built in runs anyway, and is not tried here.
    const verify = (given: TuneRecord, one: Implementation): Promise<boolean> =>
      explorer.conforms(given, one, signal);
    const consent = { derive: deriveCode, verify };
    const { runnable, refused: others } = await consented({ ...record, best: made }, consent);
    signal?.throwIfAborted();
    for (const other of others) {
      const { cause } = other;
      if (isOfDevice(cause)) throw cause;
      // Without its GPU a record could not be tried: others can.
      refused.push(cause instanceof CipherloomError && cause.code.startsWith('gpu.') ? cause : other);
    }
    if (runnable?.implementation.kind !== 'generated') return undefined;
    const { kernel } = await deriveFor(key, runnable.implementation);
    const { explorer: by, at } = record;
    const { name } = kernel;
    const { operator } = key;
    const { time } = runnable.implementation;
    return { kernel, why: { name, operator, time, instead: library, explorer: by, at } };
  } catch (error) {
    if (!(error instanceof CipherloomError) || !error.code.startsWith('tune.')) throw error;
    refused.push(error);
    return undefined;
  }
}

/** Whether nothing could be tried, which says nothing of a record. A kernel that traps does. */
function isOfDevice(cause: unknown): cause is CipherloomError {
  return (
    cause instanceof CipherloomError && /^(worker|memory)\./.test(cause.code) && cause.code !== 'worker.trap'
  );
}
