/** A key holder of a program over values: encrypts and decrypts in a task client worker. */
import {
  CALL_OPTIONS,
  checkCall,
  CIPHERTEXTS,
  ENCRYPT_OPTIONS,
  PASSPHRASE,
  VALUE_DECRYPT_OPTIONS,
  VALUES_BY_NAME,
} from '../arguments.js';
import { byName, checkBytes, movable } from '../bytes.js';
import type { WorkerLoom } from '../loom.js';
import type { RawCells } from '../raw.js';
import { abortable, Resource } from '../resource.js';
import type { CallOptions, Ciphertexts, EncryptOptions, EvaluationKeys } from '../types.js';
import type { Key } from '../worker/key.js';
import type { TaskClientMethods } from '../worker/protocol.js';
import { decodeValue, type ValueRule } from './cells.js';
import { buffersOf, encodedByName } from './named.js';
import type {
  Cells,
  Decrypted,
  DecryptedExact,
  ValueClient,
  ValueDecryptOptions,
  ValueOutputInfo,
  ValueProgramInfo,
} from './types.js';

/** See {@link ValueClient}. */
export class ValueKeyHolder extends Resource implements ValueClient {
  readonly evaluationKeys: EvaluationKeys;
  /** Keeps the workers: a loom that nobody refers to is ended. */
  protected readonly loom: WorkerLoom;
  readonly #info: ValueProgramInfo;
  readonly #rules: readonly ValueRule[];
  readonly #key: Key<TaskClientMethods>;

  constructor(
    loom: WorkerLoom,
    info: ValueProgramInfo,
    rules: readonly ValueRule[],
    key: Key<TaskClientMethods>,
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
    const signal = this.signal(options.signal);
    const { onProgress } = options;
    const encoded = encodedByName(this.#rules, 'encrypted', values, options.showValues ?? false);
    const { connection, handle } = await abortable(this.#key.find(), signal);
    const names = encoded.map(({ name }) => name);
    const [cells, present] = [encoded.map(({ cells }) => cells), encoded.map(({ present }) => present)];
    const total = encoded.length;
    const objects = await connection.call('encrypt', [handle, names, cells, present], {
      signal,
      onProgress:
        onProgress &&
        (({ done, total: all }) => onProgress({ phase: 'encrypt', done: (total * done) / all, total })),
      transfer: buffersOf(encoded),
    });
    onProgress?.({ phase: 'encrypt', done: total, total });
    return byName(objects, this.#rules);
  }

  async decrypt(results: Ciphertexts, options: ValueDecryptOptions = {}): Promise<Record<string, Decrypted>> {
    checkCall('decrypt', { results: [results, CIPHERTEXTS] }, options, VALUE_DECRYPT_OPTIONS);
    return this.#decrypted(results, options, (info, raw) => decodeValue(info, raw, false));
  }

  async decryptExact(
    results: Ciphertexts,
    options: ValueDecryptOptions = {},
  ): Promise<Record<string, DecryptedExact>> {
    checkCall('decryptExact', { results: [results, CIPHERTEXTS] }, options, VALUE_DECRYPT_OPTIONS);
    return this.#decrypted(results, options, (info, raw) => decodeValue(info, raw, true));
  }

  async save(options: CallOptions = {}): Promise<Uint8Array> {
    checkCall('save', {}, options, CALL_OPTIONS);
    return this.#key.save(this.signal(options.signal));
  }

  async exportKey(passphrase: string, options: CallOptions = {}): Promise<Uint8Array> {
    checkCall('exportKey', { passphrase: [passphrase, PASSPHRASE] }, options, CALL_OPTIONS);
    return this.#key.export(passphrase, this.signal(options.signal));
  }

  async #decrypted<T>(
    results: Ciphertexts,
    options: ValueDecryptOptions,
    decode: (info: ValueOutputInfo, raw: RawCells) => T,
  ): Promise<Record<string, T>> {
    const signal = this.signal(options.signal);
    const { onProgress } = options;
    // Which there have to be, the core tells by what is in them.
    const sent = Object.entries(results).map(([name, bytes]) =>
      movable(checkBytes(`Result "${name}"`, bytes)),
    );
    const open = encodedByName(this.#rules, 'public', options.public);
    const names = open.map(({ name }) => name);
    const [cells, present] = [open.map(({ cells }) => cells), open.map(({ present }) => present)];
    const { connection, handle } = await abortable(this.#key.find(), signal);
    const total = this.#info.outputs.length;
    const found = await connection.call('decrypt', [handle, sent, names, cells, present], {
      signal,
      onProgress:
        onProgress &&
        (({ done, total: all }) => onProgress({ phase: 'decrypt', done: (total * done) / all, total })),
      transfer: [...sent.map(({ buffer }) => buffer), ...buffersOf(open)],
    });
    onProgress?.({ phase: 'decrypt', done: total, total });
    const byOutput = new Map(found.map((raw) => [raw.name, raw]));
    return Object.fromEntries(
      this.#info.outputs.map((info) => [info.name, decode(info, byOutput.get(info.name) as RawCells)]),
    );
  }
}
