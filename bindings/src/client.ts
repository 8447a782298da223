/** A key holder: encrypts and decrypts in the client worker. */
import { CALL_OPTIONS, checkCall, CIPHERTEXTS, COLUMNS } from './arguments.js';
import { checkBytes, movable } from './bytes.js';
import { encodeColumn } from './columns.js';
import { failure } from './errors.js';
import type { WorkerLoom } from './loom.js';
import { ruleOf } from './program-file.js';
import { JobProgress } from './progress.js';
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
      return { name, ...encodeColumn(ruleOf(named(this.#info.inputs, 'input', name)), values) };
    });
    const progress = new JobProgress('encrypt', encoded.length, options.onProgress);
    signal?.throwIfAborted();
    const stop = new AbortController();
    const abort = (): void => stop.abort(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    // The worker takes one after the other; asked at once, it does not wait for the next.
    const encrypting = encoded.map(async ({ name, units, present }) => {
      const ciphertexts = await this.#worker.call('encrypt', [this.#handle, name, units, present], {
        signal: stop.signal,
        onProgress: progress.during(name),
        transfer: [units.buffer, ...(present ? [present.buffer] : [])],
      });
      progress.finished(name);
      return [name, ciphertexts] as const;
    });
    try {
      return Object.fromEntries(await Promise.all(encrypting));
    } catch (reason) {
      // Where one fails, the others are of no use.
      stop.abort(reason);
      throw reason;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
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
    const sent = wanted.map(({ bytes }) => movable(bytes));
    const raw = await this.#worker.call(
      'decrypt',
      [this.#handle, wanted.map(({ info }) => info.name), sent],
      {
        signal,
        onProgress: progress.together,
        transfer: sent.map(({ buffer }) => buffer),
      },
    );
    const details: Record<string, DecryptedOutput> = {};
    for (const [index, { parts: integers, noiseBudgetBits }] of raw.entries()) {
      const { info } = wanted[index] as (typeof wanted)[number];
      const parts = Object.fromEntries(
        Object.entries(integers).map(([part, values]) => [
          part,
          Array.from<bigint | string, bigint>(values, BigInt),
        ]),
      );
      details[info.name] = { ...outcome({ ...info, mostRows }, parts), parts, noiseBudgetBits };
    }
    progress.together({ done: 1, total: 1 });
    return details;
  }

  async save(options: CallOptions = {}): Promise<Uint8Array> {
    checkCall('save', {}, options, CALL_OPTIONS);
    return this.#worker.call('saveClient', [this.#handle], { signal: this.signal(options.signal) });
  }
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
