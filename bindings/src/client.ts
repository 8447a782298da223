/** A key holder: encrypts and decrypts in the client worker. */
import {
  CALL_OPTIONS,
  checkCall,
  CIPHERTEXTS,
  COLUMNS,
  DECRYPT_OPTIONS,
  ENCRYPT_OPTIONS,
  PASSPHRASE,
} from './arguments.js';
import { byName, checksums, checkSize, movable, orderedInputs } from './bytes.js';
import { encodeColumn, ruleOf } from './columns.js';
import { failure } from './errors.js';
import type { WorkerLoom } from './loom.js';
import { JobProgress } from './progress.js';
import type { NamedBytes } from './raw.js';
import { abortable, Resource } from './resource.js';
import { outcome } from './statistics.js';
import type {
  CallOptions,
  Ciphertexts,
  Client,
  DecryptedOutput,
  DecryptedValue,
  DecryptOptions,
  EncryptOptions,
  EvaluationKeys,
  ProgramInfo,
  Values,
} from './types.js';
import type { Key } from './worker/key.js';
import type { ClientMethods } from './worker/protocol.js';

/** See {@link Client}. */
export class KeyHolder extends Resource implements Client {
  readonly evaluationKeys: EvaluationKeys;
  /** Keeps the workers: a loom that nobody refers to is ended. */
  protected readonly loom: WorkerLoom;
  readonly #info: ProgramInfo;
  readonly #key: Key<ClientMethods>;

  constructor(loom: WorkerLoom, info: ProgramInfo, key: Key<ClientMethods>, keys: EvaluationKeys) {
    super('client', () => key.free());
    this.evaluationKeys = keys;
    this.loom = loom;
    this.#info = info;
    this.#key = key;
  }

  async encrypt(
    columns: Readonly<Record<string, Values>>,
    options: EncryptOptions = {},
  ): Promise<Ciphertexts> {
    checkCall('encrypt', { columns: [columns, COLUMNS] }, options, ENCRYPT_OPTIONS);
    const signal = this.signal(options.signal);
    // All columns are checked before the first is encrypted.
    const encoded = declared(this.#info.inputs, 'input', columns).map(([info, values]) => {
      const { name, bytes } = info;
      return { name, bytes, ...encodeColumn(ruleOf(info), values, options.showValues) };
    });
    const { connection, handle } = await abortable(this.#key.find(), signal);
    const progress = new JobProgress('encrypt', encoded.length, options.onProgress);
    const made: NamedBytes[] = [];
    for (const batch of batches(encoded)) {
      const present = batch.map(({ present }) => present);
      const units = batch.map(({ units }) => units);
      const objects = await connection.call(
        'encrypt',
        [handle, batch.map(({ name }) => name), units, present],
        {
          signal,
          onProgress: progress.part(batch.length),
          transfer: [...units, ...present].flatMap((array) => array?.buffer ?? []),
        },
      );
      made.push(...objects);
      for (const { name } of batch) progress.finished(name);
    }
    return byName(made, this.#info.inputs);
  }

  async decrypt(outputs: Ciphertexts, options: DecryptOptions = {}): Promise<Record<string, DecryptedValue>> {
    checkCall('decrypt', { outputs: [outputs, CIPHERTEXTS] }, options, DECRYPT_OPTIONS);
    const details = await this.decryptDetails(outputs, options);
    return Object.fromEntries(
      Object.entries(details).map(([name, { value, problem }]) => {
        if (value === undefined) throw problem;
        return [name, value];
      }),
    );
  }

  async decryptDetails(
    outputs: Ciphertexts,
    options: DecryptOptions = {},
  ): Promise<Record<string, DecryptedOutput>> {
    checkCall('decryptDetails', { outputs: [outputs, CIPHERTEXTS] }, options, DECRYPT_OPTIONS);
    const signal = this.signal(options.signal);
    const wanted = declared(this.#info.outputs, 'output', outputs).map(([info, bytes]) => ({
      info,
      bytes: checkSize(`Output "${info.name}"`, bytes, [info.bytes]),
    }));
    const of = options.inputs && checksums(orderedInputs(this.#info, options.inputs));
    const mostRows = Math.max(...this.#info.inputs.map(({ rows }) => rows));
    if (wanted.length === 0) return {};
    const progress = new JobProgress('decrypt', wanted.length, options.onProgress);
    // Bytes that several outputs share go once.
    const distinct = [...new Set(wanted.map(({ bytes }) => bytes))];
    const at = Uint32Array.from(wanted, ({ bytes }) => distinct.indexOf(bytes));
    const sent = distinct.map(movable);
    const names = wanted.map(({ info }) => info.name);
    const { connection, handle } = await abortable(this.#key.find(), signal);
    const raw = await connection.call('decrypt', [handle, names, at, sent, of], {
      signal,
      onProgress: progress.part(wanted.length),
      transfer: sent.map(({ buffer }) => buffer),
    });
    const details: Record<string, DecryptedOutput> = {};
    for (const [index, { parts: integers, noiseBudgetBits }] of raw.entries()) {
      const { info } = wanted[index] as (typeof wanted)[number];
      const parts = Object.fromEntries(
        Object.entries(integers).map(([part, values]) => [
          part,
          values instanceof BigInt64Array ? Array.from(values) : values.map(BigInt),
        ]),
      );
      details[info.name] = { ...outcome({ ...info, mostRows }, parts), parts, noiseBudgetBits };
    }
    progress.finished();
    return details;
  }

  async save(options: CallOptions = {}): Promise<Uint8Array> {
    checkCall('save', {}, options, CALL_OPTIONS);
    return this.#key.save(this.signal(options.signal));
  }

  async exportKey(passphrase: string, options: CallOptions = {}): Promise<Uint8Array> {
    checkCall('exportKey', { passphrase: [passphrase, PASSPHRASE] }, options, CALL_OPTIONS);
    return this.#key.export(passphrase, this.signal(options.signal));
  }
}

/** Most bytes of ciphertexts that one job makes, but for a longer column: a job holds all that it makes. */
const MOST_BYTES = 32 << 20;

/** Columns in groups, in order. */
function* batches<T extends { readonly bytes: number }>(columns: readonly T[]): Generator<T[]> {
  let batch: T[] = [];
  let bytes = 0;
  for (const column of columns) {
    if (batch.length > 0 && bytes + column.bytes > MOST_BYTES) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(column);
    bytes += column.bytes;
  }
  if (batch.length > 0) yield batch;
}

/**
 * What was given by name, in the order that the names were declared in. Errors: InputError `input.unknown` for
 * other names.
 */
function declared<T extends { readonly name: string }, V>(
  all: readonly T[],
  what: 'input' | 'output',
  given: Readonly<Record<string, V>>,
): [T, V][] {
  const expected = all.map(({ name }) => name);
  const unknown = Object.keys(given).find((name) => !expected.includes(name));
  if (unknown !== undefined) {
    const problem = `The program has no ${what} "${unknown}"; it has ${expected.join(', ')}`;
    throw failure('input.unknown', problem, { found: unknown, expected });
  }
  return all.flatMap((one) => (Object.hasOwn(given, one.name) ? [[one, given[one.name] as V]] : []));
}
