/** Connections to Redis, and what goes wrong with them in the package's own errors. No error or address here has a password. */
import { createHash } from 'node:crypto';
import { CipherloomError, failure } from '../errors.js';
import { libraries, type Redis, type RedisSettings } from './libraries.js';
import { checkTime } from './options.js';

/** Where Redis is. */
export interface RedisOptions {
  /** `redis://user:password@host:port/database`, or `rediss://` for TLS. */
  readonly redis: string;
  /** Settings of TLS beside Node's usual ones, as of `tls.connect`: `ca`, `cert`, `key`, `servername`. For `rediss://` only. */
  readonly tls?: object;
  /** Milliseconds within which Redis has to answer at the start, 10,000 where it is not said. */
  readonly connectTimeout?: number;
}

/** What is known of an address, without its password. */
export interface Address {
  readonly settings: Pick<RedisSettings, 'host' | 'port' | 'username' | 'password' | 'db' | 'tls'>;
  readonly shown: string;
}

const TIMEOUT_MS = 10_000;
/** The first Redis with GETEX, and ranges of streams that leave out their first. */
const OLDEST = { major: 6, minor: 2 };
/** Between two tries to connect again. */
const RETRY_MS = { least: 50, most: 1000 };

/** Reads an address. Errors: JobError `job.store`. */
export function addressOf({ redis, tls }: RedisOptions): Address {
  let url: URL;
  try {
    url = new URL(redis);
  } catch {
    // Not even a part of it is told: it may be a password.
    throw failure('job.store', 'the address of Redis is no URL; expected redis://host:port', {
      expected: 'redis://host:port',
    });
  }
  const { protocol, hostname, port, pathname } = url;
  if (protocol !== 'redis:' && protocol !== 'rediss:')
    throw failure(
      'job.store',
      `the address of Redis begins with ${protocol}//, expected redis:// or rediss://`,
      {
        found: protocol,
        expected: ['redis:', 'rediss:'],
      },
    );
  if (tls !== undefined && protocol === 'redis:')
    throw failure('job.store', 'settings of TLS are given for redis://, which has none; expected rediss://', {
      found: protocol,
      expected: 'rediss:',
    });
  const db = pathname.replace(/^\//, '');
  if (!/^\d*$/.test(db))
    throw failure('job.store', `the database in the address of Redis is "${db}", expected a number`, {
      found: db,
      expected: 'a number',
    });
  const host = decoded(hostname, 'host').replace(/^\[(.*)\]$/, '$1') || 'localhost';
  const settings = {
    host,
    port: Number(port || 6379),
    ...(url.username && { username: decoded(url.username, 'user') }),
    ...(url.password && { password: decoded(url.password, 'password') }),
    ...(db && { db: Number(db) }),
    ...(protocol === 'rediss:' && { tls: { servername: host, ...tls } }),
  };
  return { settings, shown: `${protocol}//${hostname || 'localhost'}:${port || 6379}${db && `/${db}`}` };
}

/** What it is without `%`. Not shown where it is not well-formed: of a password not a part is told. */
function decoded(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    const expected = '% before two hexadecimal digits, which are UTF-8; % itself is %25';
    const problem = `the ${what} in the address of Redis is not well-formed: expected ${expected}`;
    throw failure('job.store', problem, { where: what, expected });
  }
}

/** Connects, within a time. Later losses are mended without end: who waits says how long. Errors: JobError `job.store`. */
export async function connect(
  options: RedisOptions,
  more: Pick<RedisSettings, 'commandTimeout'> = {},
): Promise<{ redis: Redis; address: Address }> {
  const address = addressOf(options);
  checkTime('Redis', 'connectTimeout', options.connectTimeout, 0);
  const { connectTimeout: timeout = TIMEOUT_MS } = options;
  const { Redis } = await libraries();
  const redis = new Redis({
    ...address.settings,
    ...more,
    lazyConnect: true,
    maxRetriesPerRequest: null,
    connectTimeout: timeout,
    retryStrategy: (times) => Math.min(RETRY_MS.least * 2 ** Math.min(times, 10), RETRY_MS.most),
  });
  try {
    await ready(redis, address, timeout);
    checkVersion(String(await redis.call('INFO', 'server')), address);
    await select(redis, address);
  } catch (error) {
    redis.disconnect();
    throw redisError(error, address);
  }
  return { redis, address };
}

function checkVersion(info: string, { shown }: Address): void {
  const [, version = '', major, minor] = /^redis_version:((\d+)\.(\d+)\S*)/m.exec(info) ?? [];
  if (
    version === '' ||
    Number(major) > OLDEST.major ||
    (Number(major) === OLDEST.major && Number(minor) >= OLDEST.minor)
  )
    return;
  const expected = `${OLDEST.major}.${OLDEST.minor} or newer`;
  throw failure('job.store', `Redis at ${shown} is ${version}, expected ${expected}`, {
    redis: shown,
    reason: 'version',
    found: version,
    expected,
  });
}

/** The client goes on in database 0 where the one that was meant is none: so it is asked for once more, and the answer looked at. */
async function select(redis: Redis, { settings: { db }, shown }: Address): Promise<void> {
  if (db === undefined) return;
  try {
    await redis.call('SELECT', db);
  } catch (error) {
    const { message } = error as Error;
    if (!/^ERR /.test(message)) throw error;
    throw failure('job.store', `Redis at ${shown} has no database ${db}: ${message}`, {
      redis: shown,
      reason: 'database',
      found: db,
      expected: 'one of its databases: 0 to 15, where its settings say nothing else',
    });
  }
}

/** Another connection of the same kind. */
export async function another(redis: Redis, address: Address, timeout = TIMEOUT_MS): Promise<Redis> {
  const other = redis.duplicate();
  await ready(other, address, timeout).catch((error: unknown) => {
    other.disconnect();
    throw error;
  });
  return other;
}

function ready(redis: Redis, address: Address, timeout: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let last = new Error('no answer');
    const timer = setTimeout(
      () =>
        reject(redisError(last, address, `Redis at ${address.shown} gave no answer within ${timeout} ms`)),
      timeout,
    );
    redis.on('error', (error) => {
      last = error;
      // It will not get better by itself.
      if (!isRefusal(error)) return;
      clearTimeout(timer);
      reject(redisError(error, address));
    });
    redis.on('ready', () => {
      clearTimeout(timer);
      resolve();
    });
    // What went wrong is told by events; it goes on trying.
    redis.connect().catch((error: Error) => {
      if (!isRefusal(error)) return;
      clearTimeout(timer);
      reject(redisError(error, address));
    });
  });
}

const isRefusal = ({ message }: Error): boolean =>
  /WRONGPASS|NOAUTH|NOPERM|invalid (username|password)|ERR AUTH/.test(message);
/** True where Redis has no memory left. */
export const isFull = ({ message }: Error): boolean => /\bOOM\b/.test(message);

/**
 * What Redis or its client said, as JobError `job.store`. The client's own errors know the command, a password among its arguments: they are no cause of it. An error of the
 * package stays as it is.
 */
export function redisError(error: unknown, { shown }: Address, what = `Redis at ${shown}`): CipherloomError {
  if (error instanceof CipherloomError) return error;
  const { message } = error as Error;
  const [reason, told] = isFull(error as Error)
    ? ['full', 'it is full: raise maxmemory, or keep chunks in a folder']
    : isRefusal(error as Error)
      ? ['password', 'it does not accept user and password']
      : ['gone', message];
  return failure('job.store', `${what}: ${told}`, { redis: shown, reason });
}

/** A script for Redis, which is sent once. */
export class Script {
  readonly #text: string;
  readonly #hash: string;

  constructor(text: string) {
    this.#text = text;
    this.#hash = createHash('sha1').update(text).digest('hex');
  }

  async run(redis: Redis, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    try {
      return await redis.call('EVALSHA', this.#hash, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error as Error).message.startsWith('NOSCRIPT')) throw error;
      return redis.call('EVAL', this.#text, keys.length, ...keys, ...args);
    }
  }
}
