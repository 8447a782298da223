/** A party at a shared key: its secret lives in a client worker, its parts of protocols run in the graph worker. */
import {
  CALL_OPTIONS,
  checkArgument,
  checkCall,
  CIPHERTEXTS,
  BYTES,
  DECRYPT_TOGETHER_OPTIONS,
  MAKE_KEYS_OPTIONS,
  PROTOCOL_OPTIONS,
  REFRESH_OPTIONS,
  RUN_NAME,
  SWITCH_OPTIONS,
  FUNCTION,
  TRANSPORT,
} from '../arguments.js';
import { checkBytes, movable } from '../bytes.js';
import { failure } from '../errors.js';
import type { DataArray, RunInputs, RunOutputs } from '../graph-types.js';
import type { WorkerLoom } from '../loom.js';
import type { NamedData } from '../raw.js';
import { abortable, Resource } from '../resource.js';
import type { CallOptions, Ciphertexts } from '../types.js';
import { decryptedCells, outputsOf } from '../values/client.js';
import { decodeValue, type ValueRule } from '../values/cells.js';
import { apart, buffersOf, encodedByName } from '../values/named.js';
import type { Decrypted, ProgramInfo } from '../values/types.js';
import type { Key } from '../worker/key.js';
import type { Secrets } from '../worker/protocol.js';
import type { PartyCut } from './cut.js';
import { bytesOfDigits } from './digits.js';
import { Shared } from './shared.js';
import type {
  DecryptTogetherOptions,
  JointKeys,
  KeyParty,
  MakeKeysOptions,
  ProtocolOptions,
  RefreshOptions,
  SwitchOptions,
} from './types.js';

/** Who shares a key, in an order that all agree on. */
export interface KeyGroup {
  readonly parties: readonly string[];
  readonly threshold: number | undefined;
}

/** See {@link KeyParty}. */
export class SharingParty extends Resource implements KeyParty {
  readonly name: string;
  readonly parties: readonly string[];
  readonly threshold: number | undefined;
  readonly #loom: WorkerLoom;
  readonly #info: ProgramInfo;
  readonly #rules: readonly ValueRule[];
  readonly #key: Key;

  constructor(
    loom: WorkerLoom,
    info: ProgramInfo,
    rules: readonly ValueRule[],
    key: Key,
    name: string,
    { parties, threshold }: KeyGroup,
  ) {
    super('party', () => key.free());
    this.name = name;
    this.parties = Object.freeze([...parties]);
    this.threshold = threshold;
    this.#loom = loom;
    this.#info = info;
    this.#rules = rules;
    this.#key = key;
  }

  async deal(options: ProtocolOptions): Promise<void> {
    checkCall('deal', {}, options, PROTOCOL_OPTIONS);
    const signal = this.signal(options.signal);
    const { connection, handle } = await abortable(this.#key.find(), signal);
    const graph = await connection.call('partyDealing', [handle], { signal });
    const outputs = await this.#run(graph, [], { of: 'deal' }, options, signal);
    const share = bytesOf(outputs[`share ${this.name}`] as DataArray);
    await connection.call('partyKeep', [handle, share], { signal, transfer: [share.buffer] });
    await this.#key.keep(connection, handle);
  }

  async makeKeys(options: MakeKeysOptions): Promise<JointKeys> {
    checkCall('makeKeys', {}, options, MAKE_KEYS_OPTIONS);
    const signal = this.signal(options.signal);
    const { active = this.parties, hub = active[0] ?? this.name } = options;
    checkArgument('option run', options.run, RUN_NAME);
    const run = bytesOfDigits(options.run);
    const { connection, handle } = await abortable(this.#key.find(), signal);
    const graph = await connection.call('partyKeys', [handle, [...active], hub, run, options.publicKey], {
      signal,
    });
    const secret = this.#takesPart(active) ? ({ of: 'keys', run } as const) : undefined;
    const outputs = await this.#run(graph, [], secret, options, signal);
    const made = bytesOf(outputs[`public key ${this.name}`] as DataArray);
    const publicKey =
      options.publicKey ?? (await connection.call('partyPublicKey', [handle, run, made], { signal }));
    const evaluationKeys: Uint8Array[] = [];
    if (hub === this.name) {
      for (const { name } of this.#info.keys) {
        const made = bytesOf(outputs[`key ${name}`] as DataArray);
        evaluationKeys.push(
          await connection.call('partyKey', [handle, run, name, made, publicKey], { signal }),
        );
      }
    }
    return { publicKey, evaluationKeys: hub === this.name ? Object.freeze(evaluationKeys) : undefined };
  }

  async decrypt(
    results: Ciphertexts,
    options: DecryptTogetherOptions,
  ): Promise<Record<string, Decrypted> | undefined> {
    checkCall('decrypt', { results: [results, CIPHERTEXTS] }, options, DECRYPT_TOGETHER_OPTIONS);
    const signal = this.signal(options.signal);
    const { publicKey, active = this.parties, to = active } = options;
    checkArgument('decrypt, option publicKey', publicKey, BYTES);
    const sent = sentOf(results);
    const open = encodedByName(this.#rules, 'public', options.public);
    const { connection, handle } = await abortable(this.#key.find(), signal);
    const { shared, inputs } = await connection.call(
      'partyDecryption',
      [handle, sent, publicKey, [...active], [...to]],
      { signal },
    );
    const secret = this.#takesPart(active) ? ({ of: 'decrypt' } as const) : undefined;
    const outputs = await this.#run(shared, inputs, secret, options, signal);
    if (!to.includes(this.name)) return undefined;
    const found = await connection.call(
      'partyOpened',
      [handle, sent, publicKey, ...namedOutputs(outputs), apart(open)],
      { signal, transfer: buffersOf(open) },
    );
    return outputsOf(this.#info, found, (info, raw) => decodeValue(info, decryptedCells(raw), false));
  }

  async switchTo(
    receiver: Uint8Array,
    results: Ciphertexts,
    options: SwitchOptions,
  ): Promise<Ciphertexts | undefined> {
    const given = { receiver: [receiver, BYTES], results: [results, CIPHERTEXTS] } as const;
    checkCall('switchTo', given, options, SWITCH_OPTIONS);
    const signal = this.signal(options.signal);
    const { publicKey, active = this.parties, hub = active[0] ?? this.name } = options;
    checkArgument('switchTo, option publicKey', publicKey, BYTES);
    const sent = sentOf(results);
    const { connection, handle } = await abortable(this.#key.find(), signal);
    const { shared, inputs } = await connection.call(
      'partySwitching',
      [handle, sent, publicKey, receiver, [...active], hub],
      { signal },
    );
    const secret = this.#takesPart(active) ? ({ of: 'decrypt' } as const) : undefined;
    const outputs = await this.#run(shared, inputs, secret, options, signal);
    if (hub !== this.name) return undefined;
    const values = await connection.call(
      'partySwitched',
      [handle, sent, publicKey, receiver, ...namedOutputs(outputs)],
      { signal },
    );
    return ciphertextsOf(values);
  }

  async refresh(results: Ciphertexts, options: RefreshOptions): Promise<Ciphertexts | undefined> {
    checkCall('refresh', { results: [results, CIPHERTEXTS] }, options, REFRESH_OPTIONS);
    const signal = this.signal(options.signal);
    const { publicKey, active = this.parties, hub = active[0] ?? this.name } = options;
    checkArgument('refresh, option publicKey', publicKey, BYTES);
    checkArgument('option run', options.run, RUN_NAME);
    const run = bytesOfDigits(options.run);
    const sent = sentOf(results);
    const { connection, handle } = await abortable(this.#key.find(), signal);
    const { shared, inputs } = await connection.call(
      'partyRefreshing',
      [handle, sent, publicKey, [...active], hub, run],
      { signal },
    );
    const secret = this.#takesPart(active) ? ({ of: 'refresh', run } as const) : undefined;
    const outputs = await this.#run(shared, inputs, secret, options, signal);
    if (hub !== this.name) return undefined;
    const values = await connection.call(
      'partyRefreshed',
      [handle, sent, publicKey, ...namedOutputs(outputs)],
      { signal },
    );
    return ciphertextsOf(values);
  }

  async released(options: CallOptions = {}): Promise<number> {
    checkCall('released', {}, options, CALL_OPTIONS);
    const signal = this.signal(options.signal);
    const { connection, handle } = await abortable(this.#key.find(), signal);
    return connection.call('partyReleased', [handle], { signal });
  }

  async save(options: CallOptions = {}): Promise<Uint8Array> {
    checkCall('save', {}, options, CALL_OPTIONS);
    return this.#key.save(this.signal(options.signal));
  }

  #takesPart(active: readonly string[]): boolean {
    return active.includes(this.name);
  }

  /** Runs this party's part of a graph, on words that are no secret and on secret ones, which are asked for once what leaves was approved of, and all others are there. */
  async #run(
    graph: Uint8Array,
    open: readonly NamedData[],
    secret: Secrets | undefined,
    options: ProtocolOptions,
    signal: AbortSignal,
  ): Promise<RunOutputs> {
    const { transport, run, approve, timeout, onRefused, onProgress } = options;
    checkArgument(`option transport`, transport, TRANSPORT);
    checkArgument(`option run`, run, RUN_NAME);
    checkArgument(`option approve`, approve, FUNCTION);
    const shared = await Shared.saved(this.#loom, graph, signal);
    using whole = await shared.cut(this.name, { signal });
    const cut = await whole.expand({ platform: 'simd', signal });
    try {
      const { leaves } = cut;
      // Also where its secret is used for what others send, and nothing leaves.
      const isAsked = leaves.length > 0 || secret !== undefined;
      if (isAsked && (await abortable(Promise.resolve(approve(leaves)), signal)) !== true) {
        const bytes = leaves.reduce((sum, crossing) => sum + crossing.bytes, 0);
        const problem = `${leaves.length} values (${bytes} bytes) of party "${this.name}" were not approved: nothing was sent`;
        throw failure('party.refused', problem, { bytes });
      }
      signal.throwIfAborted();
      let own: readonly NamedData[] = [];
      const inputs = async (signal: AbortSignal): Promise<RunInputs> => {
        if (secret !== undefined) {
          const { connection, handle } = await abortable(this.#key.find(), signal);
          own = await connection.call('partyInputs', [handle, secret], { signal }, overwrite);
          // What it counted, and which runs it has used, must not be forgotten with its worker: where that died already, an older save would come back, and nothing may leave.
          if (secret.of !== 'deal') await this.#key.keep(connection, handle);
        }
        return Object.fromEntries([...open, ...own].map(({ name, bytes }) => [name, wordsOf(bytes)]));
      };
      try {
        const settings = { transport, run, leaves, timeout, onRefused, onProgress, signal };
        return await (cut as PartyCut).runOnceGreeted(inputs, { ...settings, secret: true });
      } finally {
        overwrite(own);
      }
    } finally {
      cut.dispose();
    }
  }
}

function overwrite(secrets: readonly NamedData[]): void {
  for (const { bytes } of secrets) bytes.fill(0);
}

/** Words over bytes that were made in a worker: they have a buffer of their own. */
function wordsOf(bytes: Uint8Array<ArrayBuffer>): BigUint64Array {
  return new BigUint64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 8);
}

function sentOf(results: Ciphertexts): Uint8Array<ArrayBuffer>[] {
  return Object.entries(results).map(([name, bytes]) => movable(checkBytes(`Result "${name}"`, bytes)));
}

/** Names of what came out of a protocol, and the bytes of each. */
function namedOutputs(outputs: RunOutputs): [names: string[], bytes: Uint8Array[]] {
  const names = Object.keys(outputs);
  return [names, names.map((name) => bytesOf(outputs[name] as DataArray))];
}

function ciphertextsOf(values: readonly NamedData[]): Ciphertexts {
  return Object.fromEntries(values.map(({ name, bytes }) => [name, bytes]));
}

/** The bytes of words. */
function bytesOf({ buffer, byteOffset, byteLength }: DataArray): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
}
