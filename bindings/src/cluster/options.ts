/** Settings of a cluster and its workers, and their checks. */
import {
  BYTES,
  checkArgument,
  checkOptions,
  describe,
  FUNCTION,
  type Kind as ArgumentKind,
  type Kinds,
  objectOf,
  TEXT,
  TEXTS,
  WHOLE,
} from '../arguments.js';
import { failure } from '../errors.js';
import { KINDS, type Kind } from '../job/kinds.js';
import type { FolderStoreOptions } from './folder-store.js';
import type { RedisStoreOptions } from './redis-store.js';
import type { RedisOptions } from './redis.js';
import type { S3StoreOptions } from './s3-store.js';
import type { SharedStore } from './shared-store.js';
import type { Speculation } from './speculation.js';
import type { ClusterWorkerOptions } from './worker.js';

/** Settings of `cluster`. */
export interface ClusterOptions extends RedisOptions {
  /** What names in Redis begin with, `cipherloom` where it is not said: as the workers have it. */
  readonly prefix?: string;
  /** Where chunks lie: a store that workers have, too. The same Redis where it is not said. */
  readonly store?: SharedStore;
  /** How many workers of which kind it waits for at the start; for one of any kind where it is not said. */
  readonly workers?: Readonly<Partial<Record<Kind, number>>>;
  /** Milliseconds for which it waits for these, and later for any at all if all are gone, 30,000 where it is not said. */
  readonly wait?: number;
  /** Milliseconds for which Redis may be away in the middle of a job, 60,000 where it is not said. */
  readonly outage?: number;
  /** Tasks in queues and with workers at a time; four for each worker, and 16 at least, where it is not said. */
  readonly inFlight?: number;
  /** How many workers may die of a task before it counts as its fault, 3 where it is not said. */
  readonly attempts?: number;
  /** Of its tasks among those of other managers: 1 comes first, 2,097,151 last; 1,000 where it is not said. */
  readonly priority?: number;
  /** Milliseconds that a task may take before it is ended; as long as it likes where it is not said. */
  readonly timeout?: number;
  /** When a task that takes long is begun a second time; `false`: never. */
  readonly speculate?: Speculation | false;
  /**
   * A name for what is computed. Under the same name a manager that starts anew takes over what was done, and what is waiting, of tasks over the same rows by the same operators: a module in a
   * file that this machine can read is the same if its bytes are, of what it imports nothing is looked at. Without one, what is left is deleted at the end.
   */
  readonly run?: string;
}

const NUMBER: ArgumentKind = { expected: 'a number', fits: (value) => typeof value === 'number' };
const BYTE_COUNT: ArgumentKind = {
  expected: 'a number of bytes',
  fits: (value) => typeof value === 'number' && value >= 0,
};
const SECONDS: ArgumentKind = {
  expected: 'a number of seconds, at least 1',
  fits: (value) => typeof value === 'number' && value >= 1,
};
const STORE: ArgumentKind = {
  expected: 'a store with identity, put, get, has, drop and close',
  fits: (value) => {
    const { identity, put, get, has, drop, close } = (value ?? {}) as Partial<SharedStore>;
    return [identity, put, get, has, drop, close].every(FUNCTION.fits);
  },
};
const REDIS: Kinds<RedisOptions> = {
  redis: { ...TEXT, secret: true },
  tls: { ...objectOf('settings of TLS'), secret: true },
  connectTimeout: NUMBER,
};
const CLUSTER: Kinds<ClusterOptions> = {
  ...REDIS,
  prefix: TEXT,
  store: STORE,
  workers: objectOf('how many workers of which kind'),
  wait: NUMBER,
  outage: NUMBER,
  inFlight: NUMBER,
  attempts: NUMBER,
  priority: NUMBER,
  timeout: NUMBER,
  speculate: {
    expected: 'false, or an object with times and least',
    fits: (value) => value === false || objectOf('').fits(value),
  },
  run: TEXT,
};
const SPECULATION: Kinds<Speculation> = {
  times: { expected: 'a number, 1 or more', fits: (value) => typeof value === 'number' && value >= 1 },
  least: { expected: 'a number of milliseconds', fits: (value) => typeof value === 'number' && value >= 0 },
};
const WORKER: Kinds<ClusterWorkerOptions> = {
  ...REDIS,
  prefix: TEXT,
  store: STORE,
  kind: TEXT,
  threads: NUMBER,
  allow: {
    expected: "hashes, or 'any'",
    fits: (value) =>
      value === 'any' || (typeof value === 'object' && value !== null && Symbol.iterator in value),
  },
  files: TEXTS,
  lease: NUMBER,
  cache: BYTE_COUNT,
  crew: FUNCTION,
  print: FUNCTION,
};
const REDIS_STORE: Kinds<RedisStoreOptions> = {
  ...REDIS,
  prefix: TEXT,
  limit: BYTE_COUNT,
  keep: { ...WHOLE, fits: (value) => WHOLE.fits(value) && value !== 0 },
};
const FOLDER_STORE: Kinds<FolderStoreOptions> = { keep: SECONDS };
const S3_STORE: Kinds<S3StoreOptions> = {
  bucket: TEXT,
  prefix: TEXT,
  client: { ...objectOf('settings of a client of S3'), secret: true },
};
const REF = objectOf('a name and a number of bytes');

/** The longest time that a timer takes: one of more ends at once. */
export const LONGEST_MS = 2 ** 31 - 1;

/** Errors: InputError `input.type`, `input.option`; JobError `job.definition` for what a setting cannot be. */
export function checkCluster(options: ClusterOptions): void {
  checkOptions('cluster', options, CLUSTER);
  const { speculate, workers = {}, run, prefix } = options;
  if (speculate) checkOptions('cluster, option speculate', speculate, SPECULATION);
  for (const name of ['wait', 'outage', 'timeout'] as const) checkTime('cluster', name, options[name], 0);
  const whole = { inFlight: 2 ** 20, attempts: 1000, priority: 2 ** 21 - 1 } as const;
  for (const [name, most] of Object.entries(whole) as [keyof typeof whole, number][])
    check(
      'cluster',
      name,
      options[name],
      (value) => Number.isInteger(value) && value >= 1 && value <= most,
      `a whole number from 1 to ${most}`,
    );
  for (const [kind, count] of Object.entries(workers)) {
    check('cluster', 'workers', kind, (value) => KINDS.includes(value as Kind), `kinds: ${KINDS.join(', ')}`);
    check(
      'cluster',
      `workers.${kind}`,
      count,
      (value) => Number.isInteger(value) && value >= 0,
      'a whole number',
    );
  }
  checkName('cluster', 'run', run);
  checkName('cluster', 'prefix', prefix);
}

/** Errors: as of {@link checkCluster}. */
export function checkWorker(options: ClusterWorkerOptions): void {
  checkOptions('clusterWorker', options, WORKER);
  const { store, kind, threads, lease, prefix } = options;
  checkArgument('clusterWorker, option store', store, STORE);
  check('clusterWorker', 'kind', kind, (value) => KINDS.includes(value), `one of ${KINDS.join(', ')}`);
  check(
    'clusterWorker',
    'threads',
    threads,
    (value) => Number.isInteger(value) && value >= 1 && value <= 256,
    'a whole number from 1 to 256',
  );
  checkTime('clusterWorker', 'lease', lease, 1000);
  checkName('clusterWorker', 'prefix', prefix);
}

/** Errors: as of {@link checkCluster}. */
export function checkRedisStore(options: RedisStoreOptions): void {
  checkOptions('redisStore', options, REDIS_STORE);
  checkName('redisStore', 'prefix', options.prefix);
}

/** Errors: InputError `input.type`, `input.option`. */
export function checkFolderStore(options: FolderStoreOptions): void {
  checkOptions('folderStore', options, FOLDER_STORE);
}

/** Errors: InputError `input.type`, `input.option`. */
export function checkS3Store(options: S3StoreOptions): void {
  checkOptions('s3Store', options, S3_STORE);
}

/** What is given to a store's methods. Errors: InputError `input.type`. */
export function checkRefs(method: string, refs: unknown): void {
  const all: ArgumentKind = {
    expected: 'an array of names of stored bytes',
    fits: (value) => Array.isArray(value) && value.every(REF.fits),
  };
  checkArgument(`${method}, refs`, refs, all);
}

/** Errors: InputError `input.type`. */
export function checkRef(ref: unknown): void {
  checkArgument('get, ref', ref, REF);
}

/** Errors: InputError `input.type`. */
export function checkBytes(bytes: unknown): void {
  checkArgument('put, bytes', bytes, BYTES);
}

/** Whether something can be a run's name, or what names in Redis begin with. */
export const isName = (value: string): boolean => /^[^\s]{1,200}$/.test(value);
/** In words. */
export const NAME = 'a name of 1 to 200 characters without blanks';

function checkName(of: string, name: string, found: string | undefined): void {
  check(of, name, found, isName, NAME);
}

/** Milliseconds: more than 0, at least so many, and no more than a timer takes. Errors: JobError `job.definition`. */
export function checkTime(of: string, name: string, found: number | undefined, least: number): void {
  const from = least > 0 ? `, at least ${least},` : '';
  check(
    of,
    name,
    found,
    (value) => value > 0 && value >= least && value <= LONGEST_MS,
    `a number of milliseconds${from} up to ${LONGEST_MS}`,
  );
}

function check<T>(
  of: string,
  name: string,
  found: T | undefined,
  fits: (value: T) => boolean,
  expected: string,
): void {
  if (found === undefined || fits(found)) return;
  throw failure('job.definition', `${of}: ${name} is ${describe(found)}, expected ${expected}`, {
    where: name,
    found,
    expected,
  });
}
