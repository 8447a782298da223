/** The libraries of a cluster, BullMQ and ioredis, and AWS' client for stores in a bucket: optional peers, fetched when they are needed. Here is what is used of them. */
import { failure } from '../errors.js';

/** A connection to Redis. */
export interface Redis {
  readonly status: string;
  call(command: string, ...args: readonly (string | number | Uint8Array)[]): Promise<unknown>;
  callBuffer(command: string, ...args: readonly (string | number | Uint8Array)[]): Promise<unknown>;
  subscribe(...channels: string[]): Promise<unknown>;
  duplicate(...settings: unknown[]): Redis;
  connect(): Promise<void>;
  disconnect(reconnect?: boolean): void;
  on(event: 'message', listener: (channel: string, text: string) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'ready' | 'close' | 'end', listener: () => void): unknown;
  off(event: string, listener: (...args: never[]) => void): unknown;
}

/** What is told to Redis' client. */
export interface RedisSettings {
  readonly host: string;
  readonly port: number;
  readonly username?: string;
  readonly password?: string;
  readonly db?: number;
  readonly tls?: object;
  readonly lazyConnect: true;
  readonly maxRetriesPerRequest: null;
  readonly connectTimeout: number;
  /** Milliseconds after which a command fails; those of queues wait as long as it takes. */
  readonly commandTimeout?: number;
  retryStrategy(times: number): number | null;
}

/** A queue of BullMQ, on the manager's side. */
export interface Queue {
  add(name: string, data: unknown, options: JobSettings): Promise<unknown>;
  /** 1 if it was there and nobody had begun it. */
  remove(id: string): Promise<number>;
  toKey(name: string): string;
  close(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** How a job of BullMQ is queued. */
export interface JobSettings {
  readonly jobId: string;
  readonly priority: number;
  readonly removeOnComplete: true;
  readonly removeOnFail: true;
}

/** A job of BullMQ, on the worker's side. */
export interface Job {
  readonly id?: string;
  readonly data: unknown;
  moveToDelayed(time: number, token: string): Promise<void>;
}

/** Who takes jobs from a queue. */
export interface QueueWorker {
  close(force?: boolean): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'stalled', listener: (id: string) => void): unknown;
}

interface Libraries {
  readonly Redis: new (settings: RedisSettings) => Redis;
  readonly Queue: new (name: string, settings: { connection: Redis; prefix: string }) => Queue;
  readonly Worker: new (
    name: string,
    work: (job: Job, token: string) => Promise<void>,
    settings: WorkerSettings,
  ) => QueueWorker;
  /** Thrown where a job was put back. */
  readonly DelayedError: new () => Error;
}

interface WorkerSettings {
  readonly connection: Redis;
  readonly prefix: string;
  readonly concurrency: number;
  readonly lockDuration: number;
  readonly stalledInterval: number;
  readonly maxStalledCount: number;
  readonly drainDelay: number;
  readonly runRetryDelay: number;
}

/** What is told to the client of S3: see `S3ClientConfig` of `@aws-sdk/client-s3`. */
export type S3Settings = Readonly<Record<string, unknown>>;

/** A client of S3. */
export interface S3 {
  send(command: object): Promise<unknown>;
  destroy(): void;
}

type Command = new (input: object) => object;

interface S3Library {
  readonly S3Client: new (settings: S3Settings) => S3;
  readonly DeleteObjectsCommand: Command;
  readonly GetObjectCommand: Command;
  readonly HeadBucketCommand: Command;
  readonly HeadObjectCommand: Command;
  readonly PutObjectCommand: Command;
}

/** Fetches those of queues. Errors: JobError `job.store`, with what to install. */
export async function libraries(): Promise<Libraries> {
  const both = ['bullmq', 'ioredis'];
  const [{ DelayedError, Queue, Worker }, { Redis }] = await Promise.all([
    found('bullmq', 'a cluster', both),
    found('ioredis', 'a cluster', both),
  ]);
  return { DelayedError, Queue, Redis, Worker } as Libraries;
}

/** Fetches that of buckets. Errors: as above. */
export async function s3Library(): Promise<S3Library> {
  const name = '@aws-sdk/client-s3';
  return (await found(name, 'a store in a bucket', [name])) as unknown as S3Library;
}

async function found(name: string, who: string, needed: readonly string[]): Promise<Record<string, unknown>> {
  try {
    // By a variable: neither compiler nor bundlers look for what need not be installed.
    return (await import(name)) as Record<string, unknown>;
  } catch (cause) {
    const packages = needed.length === 1 ? 'package' : 'packages';
    throw failure(
      'job.store',
      `${who} needs the ${packages} ${needed.join(' and ')}, and ${name} cannot be loaded: npm install ${needed.join(' ')}`,
      { found: undefined, expected: name },
      cause,
    );
  }
}
