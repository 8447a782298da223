/** A key holder: encrypts and decrypts in a client worker. */
import {
  CALL_OPTIONS,
  checkCall,
  CIPHERTEXTS,
  ENCRYPT_OPTIONS,
  PASSPHRASE,
  DECRYPT_OPTIONS,
  HOLD_OPTIONS,
  TRACED_OPTIONS,
  VALUES_BY_NAME,
} from '../arguments.js';
import { checkBytes } from '../bytes.js';
import { type ErrorRecord, fromRecord } from '../errors.js';
import type { WorkerLoom } from '../loom.js';
import { JobProgress } from '../progress.js';
import type { RawCells, RawOutput } from '../raw.js';
import { abortable, Resource } from '../resource.js';
import { told } from '../tracing.js';
import type { CallOptions, Ciphertexts, EncryptOptions, EvaluationKeys, TraceOptions } from '../types.js';
import type { Key } from '../worker/key.js';
import { lentCopy } from '../worker/lent.js';
import { decodeValue, type ValueRule } from './cells.js';
import { encryptedBy } from './encryption.js';
import { apart, buffersOf, encodedByName, orderedCiphertexts } from './named.js';
import type {
  Cells,
  Decrypted,
  DecryptedDetails,
  DecryptedExact,
  Client,
  DecryptOptions,
  HoldOptions,
  OutputInfo,
  ProgramInfo,
} from './types.js';

/** See {@link Client}. */
export class KeyHolder extends Resource implements Client {
  readonly evaluationKeys: EvaluationKeys;
  /** Keeps the workers: a loom that nobody refers to is ended. */
  protected readonly loom: WorkerLoom;
  readonly #info: ProgramInfo;
  readonly #rules: readonly ValueRule[];
  readonly #key: Key;

  constructor(
    loom: WorkerLoom,
    info: ProgramInfo,
    rules: readonly ValueRule[],
    key: Key,
    keys: EvaluationKeys,
  ) {
    super('client', () => key.free());
    this.evaluationKeys = keys;
    this.loom = loom;
    this.#info = info;
    this.#rules = rules;
    this.#key = key;
  }

  async encrypt(values: Readonly<Record<string, Cells>>, options: EncryptOptions = {}): Promise<Ciphertexts> {
    checkCall('encrypt', { values: [values, VALUES_BY_NAME] }, options, ENCRYPT_OPTIONS);
    return this.during(options.signal, (signal) =>
      encryptedBy(this.#key, 'encrypt', this.#rules, values, { ...options, signal }),
    );
  }

  async publicKey(options: CallOptions & TraceOptions = {}): Promise<Uint8Array> {
    checkCall('publicKey', {}, options, TRACED_OPTIONS);
    const signal = this.signal(options.signal);
    const progress = new JobProgress('keys', 1, options.onProgress);
    const { connection, handle } = await abortable(this.#key.find(), signal);
    const onProgress = progress.during('public key');
    const { onTrace } = options;
    const made = await connection.call('publicKey', [handle, onTrace !== undefined], { signal, onProgress });
    progress.finished('public key');
    return told(made, onTrace, { phase: 'keys', item: 'public key', role: 'client' });
  }

  async decrypt(results: Ciphertexts, options: DecryptOptions = {}): Promise<Record<string, Decrypted>> {
    checkCall('decrypt', { results: [results, CIPHERTEXTS] }, options, DECRYPT_OPTIONS);
    const found = await this.#decrypted(results, options);
    return this.#outputs(found, (info, raw) => decodeValue(info, decryptedCells(raw), false));
  }

  async decryptExact(
    results: Ciphertexts,
    options: DecryptOptions = {},
  ): Promise<Record<string, DecryptedExact>> {
    checkCall('decryptExact', { results: [results, CIPHERTEXTS] }, options, DECRYPT_OPTIONS);
    const found = await this.#decrypted(results, options);
    return this.#outputs(found, (info, raw) => decodeValue(info, decryptedCells(raw), true));
  }

  async decryptDetails(
    results: Ciphertexts,
    options: DecryptOptions = {},
  ): Promise<Record<string, DecryptedDetails>> {
    checkCall('decryptDetails', { results: [results, CIPHERTEXTS] }, options, DECRYPT_OPTIONS);
    return this.#details(await this.#decrypted(results, options));
  }

  async plain(
    values: Readonly<Record<string, Cells>>,
    options: HoldOptions = {},
  ): Promise<Record<string, DecryptedExact>> {
    const found = await this.#plain('plain', values, options);
    return this.#outputs(found, (info, raw) => decodeValue(info, decryptedCells(raw), true));
  }

  async plainDetails(
    values: Readonly<Record<string, Cells>>,
    options: HoldOptions = {},
  ): Promise<Record<string, DecryptedDetails>> {
    return this.#details(await this.#plain('plainDetails', values, options));
  }

  async released(options: CallOptions = {}): Promise<number> {
    checkCall('released', {}, options, CALL_OPTIONS);
    const signal = this.signal(options.signal);
    const { connection, handle } = await abortable(this.#key.find(), signal);
    return connection.call('released', [handle], { signal });
  }

  async save(options: CallOptions = {}): Promise<Uint8Array> {
    checkCall('save', {}, options, CALL_OPTIONS);
    return this.#key.save(this.signal(options.signal));
  }

  async exportKey(passphrase: string, options: CallOptions = {}): Promise<Uint8Array> {
    checkCall('exportKey', { passphrase: [passphrase, PASSPHRASE] }, options, CALL_OPTIONS);
    return this.#key.export(passphrase, this.signal(options.signal));
  }

  async #plain(
    method: string,
    values: Readonly<Record<string, Cells>>,
    options: HoldOptions,
  ): Promise<readonly RawOutput<ErrorRecord>[]> {
    checkCall(method, { values: [values, VALUES_BY_NAME] }, options, HOLD_OPTIONS);
    const signal = this.signal(options.signal);
    const given = [
      ...encodedByName(this.#rules, 'encrypted', values, false),
      ...encodedByName(this.#rules, 'plain', options.plain),
      ...encodedByName(this.#rules, 'public', options.public),
    ];
    const { connection, handle } = await abortable(this.#key.find(), signal);
    return connection.call('plain', [handle, ...apart(given)], { signal, transfer: buffersOf(given) });
  }

  #decrypted(results: Ciphertexts, options: DecryptOptions): Promise<readonly RawOutput<ErrorRecord>[]> {
    return this.during(options.signal, (signal) => this.#decryptedUntil(signal, results, options));
  }

  async #decryptedUntil(
    signal: AbortSignal,
    results: Ciphertexts,
    { onProgress, onTrace, ...options }: DecryptOptions,
  ): Promise<readonly RawOutput<ErrorRecord>[]> {
    // Which there have to be, the core tells by what is in them.
    const sent = Object.entries(results).map(([name, bytes]) =>
      lentCopy(checkBytes(`Result "${name}"`, bytes)),
    );
    const open = encodedByName(this.#rules, 'public', options.public);
    const bound = options.inputs && orderedCiphertexts(this.#rules, options.inputs);
    const inputs = bound && {
      names: bound.map(({ name }) => name),
      encrypted: bound.map(({ bytes }) => lentCopy(bytes)),
    };
    const { connection, handle } = await abortable(this.#key.find(), signal);
    const total = this.#info.outputs.length;
    const call = connection.call('decrypt', [handle, onTrace !== undefined, sent, ...apart(open), inputs], {
      signal,
      onProgress:
        onProgress &&
        (({ done, total: all }) => onProgress({ phase: 'decrypt', done: (total * done) / all, total })),
      transfer: [...[...sent, ...(inputs?.encrypted ?? [])].map(({ buffer }) => buffer), ...buffersOf(open)],
    });
    // What it counted must not be forgotten with its worker: before anything is told, and where it fails.
    const answered = await (this.#info.releases
      ? call.finally(() => this.#key.keep(connection, handle))
      : call);
    onProgress?.({ phase: 'decrypt', done: total, total });
    return told(answered, onTrace, { phase: 'decrypt', role: 'client' });
  }

  #details(found: readonly RawOutput<ErrorRecord>[]): Record<string, DecryptedDetails> {
    return this.#outputs(found, (info, raw) => {
      const { problem, budgetBits, error } = raw;
      if (problem !== undefined) return { value: undefined, problem: fromRecord(problem), budgetBits, error };
      return { value: decodeValue(info, decryptedCells(raw), true), problem: undefined, budgetBits, error };
    });
  }

  #outputs<T>(
    found: readonly RawOutput<ErrorRecord>[],
    decode: (info: OutputInfo, raw: RawOutput<ErrorRecord>) => T,
  ): Record<string, T> {
    return outputsOf(this.#info, found, decode);
  }
}

/** By the names of the task's outputs, in their order. */
export function outputsOf<T>(
  { outputs }: ProgramInfo,
  found: readonly RawOutput<ErrorRecord>[],
  decode: (info: OutputInfo, raw: RawOutput<ErrorRecord>) => T,
): Record<string, T> {
  const byOutput = new Map(found.map((raw) => [raw.name, raw]));
  return Object.fromEntries(
    outputs.map((info) => [info.name, decode(info, byOutput.get(info.name) as RawOutput<ErrorRecord>)]),
  );
}

/** Errors: UndefinedStatisticError. */
export function decryptedCells({ cells, present, integers, problem }: RawOutput<ErrorRecord>): RawCells {
  if (problem !== undefined) throw fromRecord(problem);
  return { cells: cells as RawCells['cells'], ...(present && { present }), ...(integers && { integers }) };
}
