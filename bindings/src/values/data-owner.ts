/** A holder of a public key: encrypts in a client worker that has no secret key. */
import { checkCall, ENCRYPT_OPTIONS, VALUES_BY_NAME } from '../arguments.js';
import type { WorkerLoom } from '../loom.js';
import { Resource } from '../resource.js';
import type { Ciphertexts, EncryptOptions } from '../types.js';
import type { Key } from '../worker/key.js';
import type { ValueRule } from './cells.js';
import { encryptedBy } from './encryption.js';
import type { Cells, DataOwner } from './types.js';

/** See {@link DataOwner}. */
export class PublicKeyHolder extends Resource implements DataOwner {
  /** Keeps the workers: a loom that nobody refers to is ended. */
  protected readonly loom: WorkerLoom;
  readonly #rules: readonly ValueRule[];
  readonly #key: Key;

  constructor(loom: WorkerLoom, rules: readonly ValueRule[], key: Key) {
    super('data owner', () => key.free());
    this.loom = loom;
    this.#rules = rules;
    this.#key = key;
  }

  async encrypt(values: Readonly<Record<string, Cells>>, options: EncryptOptions = {}): Promise<Ciphertexts> {
    checkCall('encrypt', { values: [values, VALUES_BY_NAME] }, options, ENCRYPT_OPTIONS);
    return this.during(options.signal, (signal) =>
      encryptedBy(this.#key, 'encryptAsOwner', this.#rules, values, { ...options, signal }),
    );
  }
}
