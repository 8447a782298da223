/** A store in Redis, for small ones. */
import { failure } from '../errors.js';
import type { Ref } from '../job/store.js';
import type { Redis } from './libraries.js';
import { checkBytes, checkRedisStore, checkRef, checkRefs } from './options.js';
import { absent, hashIn, nameOf, verified } from './named.js';
import { type Address, connect, redisError, type RedisOptions } from './redis.js';
import type { SharedStore } from './shared-store.js';

/** Settings of {@link redisStore}. */
export interface RedisStoreOptions extends RedisOptions {
  /** What names in Redis begin with, `cipherloom` where it is not said. */
  readonly prefix?: string;
  /** Bytes that one chunk may have, 67,108,864 (64 MiB) where it is not said. */
  readonly limit?: number;
  /** Seconds for which bytes stay after they were last used, 86,400 (a day) where it is not said. */
  readonly keep?: number;
}

const LIMIT = 64 * 2 ** 20;
const DAY = 24 * 3600;
/** For which Redis may be away before who stores or reads is told. */
const PATIENCE_MS = 60_000;

/** A store in Redis: all that is in it lies in Redis' memory. Errors of its methods: JobError `job.store` (full, gone for a minute, too large), `job.chunk`. */
export async function redisStore(options: RedisStoreOptions): Promise<SharedStore> {
  checkRedisStore(options);
  return openRedisStore(options);
}

/** The same with options that were looked at, and may have others beside. */
export async function openRedisStore(options: RedisStoreOptions): Promise<SharedStore> {
  const { redis, address } = await connect(options, { commandTimeout: PATIENCE_MS });
  return new RedisStore(redis, address, options);
}

class RedisStore implements SharedStore {
  readonly #redis: Redis;
  readonly #address: Address;
  readonly #prefix: string;
  readonly #limit: number;
  readonly #keep: number;
  #closed = false;

  constructor(
    redis: Redis,
    address: Address,
    { prefix = 'cipherloom', limit = LIMIT, keep = DAY }: RedisStoreOptions,
  ) {
    this.#redis = redis;
    this.#address = address;
    this.#prefix = prefix;
    this.#limit = limit;
    this.#keep = keep;
  }

  async identity(): Promise<string> {
    // Its host may have another name elsewhere.
    return `redis ${this.#prefix}`;
  }

  async put(bytes: Uint8Array): Promise<Ref> {
    checkBytes(bytes);
    if (bytes.length > this.#limit)
      throw failure(
        'job.store',
        `${this.#where}: ${bytes.length} bytes are more than ${this.#limit}, which the store takes at once: keep large ones in a folder`,
        { found: bytes.length, expected: `at most ${this.#limit}` },
      );
    const name = nameOf(bytes);
    await this.#asked(() => this.#redis.call('SET', this.#key(name), buffer(bytes), 'EX', this.#keep));
    return { name, bytes: bytes.length };
  }

  async get(ref: Ref): Promise<Uint8Array> {
    checkRef(ref);
    const found = (await this.#asked(() =>
      this.#redis.callBuffer('GETEX', this.#key(ref.name), 'EX', this.#keep),
    )) as Buffer | null;
    if (found === null) throw absent(ref, this.#where);
    return verified(new Uint8Array(found), ref, this.#where);
  }

  async has(refs: readonly Ref[]): Promise<boolean> {
    checkRefs('has', refs);
    if (refs.length === 0) return true;
    const keys = [...new Set(refs.map(({ name }) => this.#key(name)))];
    return (await this.#asked(() => this.#redis.call('EXISTS', ...keys))) === keys.length;
  }

  async drop(refs: readonly Ref[]): Promise<void> {
    checkRefs('drop', refs);
    // Few at a time, since Redis does nothing else meanwhile.
    for (let from = 0; from < refs.length; from += 500) {
      const keys = refs.slice(from, from + 500).map(({ name }) => this.#key(name));
      await this.#asked(() => this.#redis.call('UNLINK', ...keys));
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#redis.disconnect();
  }

  get #where(): string {
    return `Redis at ${this.#address.shown}`;
  }

  #key(name: string): string {
    hashIn(name);
    return `${this.#prefix}:bytes:${name}`;
  }

  async #asked(what: () => Promise<unknown>): Promise<unknown> {
    if (this.#closed) throw failure('disposed', 'The store was closed', {});
    try {
      return await what();
    } catch (error) {
      throw redisError(error, this.#address);
    }
  }
}

/** The same bytes as the client takes them. */
function buffer({ buffer, byteOffset, length }: Uint8Array): Uint8Array {
  return Buffer.from(buffer, byteOffset, length);
}
