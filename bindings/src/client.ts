/** A key holder: encrypts and decrypts in the client worker. */
import { CALL_OPTIONS, checkCall, CIPHERTEXTS, COLUMNS } from './arguments.js';
import { byName, checkBytes, movable } from './bytes.js';
import { encodeColumn, ruleOf } from './columns.js';
import { failure } from './errors.js';
import type { WorkerLoom } from './loom.js';
import { JobProgress } from './progress.js';
import type { NamedBytes } from './raw.js';
import { Resource } from './resource.js';
import { outcome } from './statistics.js';
import type {
  CallOptions,
  Ciphertexts,
  Client,
  DecryptedOutput,
  DecryptedValue,
  EvaluationKeys,
  ProgramInfo,
  Values,
} from './types.js';
import type { Connection } from './worker/connection.js';
import type { ClientMethods, Handle } from './worker/protocol.js';

/** See {@link Client}. */
export class KeyHolder extends Resource implements Client {
  readonly evaluationKeys: EvaluationKeys;
  /** Keeps the workers: a loom that nobody refers to is ended. */
  protected readonly loom: WorkerLoom;
  readonly #info: ProgramInfo;
  readonly #worker: Connection<ClientMethods>;
  readonly #handle: Handle;

  constructor(
    loom: WorkerLoom,
    info: ProgramInfo,
    worker: Connection<ClientMethods>,
    handle: Handle,
    keys: EvaluationKeys,
  ) {
    super('client', () => worker.send('freeClient', [handle]));
    this.evaluationKeys = keys;
    this.loom = loom;
    this.#info = info;
    this.#worker = worker;
    this.#handle = handle;
  }

  async encrypt(columns: Readonly<Record<string, Values>>, options: CallOptions = {}): Promise<Ciphertexts> {
    checkCall('encrypt', { columns: [columns, COLUMNS] }, options, CALL_OPTIONS);
    const signal = this.signal(options.signal);
    // All columns are checked before the first is encrypted.
    const encoded = Object.entries(columns).map(([name, values]) => {
      const info = named(this.#info.inputs, 'input', name);
      return { name, bytes: info.bytes, ...encodeColumn(ruleOf(info), values) };
    });
    const progress = new JobProgress('encrypt', encoded.length, options.onProgress);
    const made: NamedBytes[] = [];
    for (const batch of batches(encoded)) {
      const present = batch.map(({ present }) => present);
      const units = batch.map(({ units }) => units);
      const objects = await this.#worker.call(
        'encrypt',
        [this.#handle, batch.map(({ name }) => name), units, present],
        {
          signal,
          onProgress: progress.part(batch.length),
          transfer: [...units, ...present].flatMap((array) => array?.buffer ?? []),
        },
      );
      made.push(...objects);
      for (const { name } of batch) progress.finished(name);
    }
    return byName(made);
  }

  async decrypt(outputs: Ciphertexts, options: CallOptions = {}): Promise<Record<string, DecryptedValue>> {
    checkCall('decrypt', { outputs: [outputs, CIPHERTEXTS] }, options, CALL_OPTIONS);
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
    options: CallOptions = {},
  ): Promise<Record<string, DecryptedOutput>> {
    checkCall('decryptDetails', { outputs: [outputs, CIPHERTEXTS] }, options, CALL_OPTIONS);
    const signal = this.signal(options.signal);
    const wanted = Object.entries(outputs).map(([name, bytes]) => ({
      info: named(this.#info.outputs, 'output', name),
      bytes: checkBytes(`Output "${name}"`, bytes),
    }));
    const mostRows = Math.max(...this.#info.inputs.map(({ rows }) => rows));
    if (wanted.length === 0) return {};
    const progress = new JobProgress('decrypt', wanted.length, options.onProgress);
    // Bytes that several outputs share go once.
    const distinct = [...new Set(wanted.map(({ bytes }) => bytes))];
    const at = Uint32Array.from(wanted, ({ bytes }) => distinct.indexOf(bytes));
    const sent = distinct.map(movable);
    const names = wanted.map(({ info }) => info.name);
    const raw = await this.#worker.call('decrypt', [this.#handle, names, at, sent], {
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
    return this.#worker.call('saveClient', [this.#handle], { signal: this.signal(options.signal) });
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

function named<T extends { readonly name: string }>(
  all: readonly T[],
  what: 'input' | 'output',
  name: string,
): T {
  const found = all.find((one) => one.name === name);
  if (found !== undefined) return found;
  const expected = all.map((one) => one.name);
  throw failure('input.unknown', `The program has no ${what} "${name}"; it has ${expected.join(', ')}`, {
    found: name,
    expected,
  });
}
