/** A store in a bucket of S3, or of another service that speaks its protocol (MinIO, Ceph, R2): for chunks too many for Redis, and machines that share no folder. */
import { randomUUID } from 'node:crypto';
import { failure } from '../errors.js';
import type { Ref } from '../job/store.js';
import { type S3, type S3Settings, s3Library } from './libraries.js';
import { checkBytes, checkRef, checkRefs, checkS3Store } from './options.js';
import { absent, hashIn, nameOf, verified } from './named.js';
import type { SharedStore } from './shared-store.js';

/** Settings of {@link s3Store}. */
export interface S3StoreOptions {
  /** The bucket, which is there already. */
  readonly bucket: string;
  /** What names in the bucket begin with, `cipherloom/` where it is not said. */
  readonly prefix?: string;
  /**
   * Settings of the client of `@aws-sdk/client-s3`, such as `region`, `endpoint`, `forcePathStyle`, `credentials`. What is not said it takes from where AWS' own tools do: the environment
   * (`AWS_REGION`, `AWS_ENDPOINT_URL`, `AWS_ACCESS_KEY_ID`, ...), files of the user, the machine's role. A try ends where nobody takes the connection for 10 seconds, or nothing moves on it for 60: other times are
   * `requestHandler: { connectionTimeout, socketTimeout }`, in milliseconds, and tries `maxAttempts`.
   */
  readonly client?: S3Settings;
}

/** The client would wait for ever for who accepts a connection and says nothing. Idle times: what is large may take long. */
const PATIENCE = { connectionTimeout: 10_000, socketTimeout: 60_000 };
/** Names that one request deletes at most. */
const TOGETHER = 1000;
/** Requests at a time that ask whether something is there. */
const ASKED = 16;
/** Tries to number a store: who is passed over by one that is still writing reads nothing yet. */
const NUMBERED = 5;

/**
 * A store in a bucket. An object is there as a whole or not at all. What jobs that never came to their end left stays: give the prefix a rule of the bucket's life cycle. Errors:
 * JobError `job.store` (the library is not installed, no such bucket, no rights, nobody answers), `job.chunk`.
 */
export async function s3Store(options: S3StoreOptions): Promise<SharedStore> {
  checkS3Store(options);
  const { bucket, prefix = 'cipherloom/', client = {} } = options;
  if (typeof bucket !== 'string' || bucket === '')
    throw failure('job.store', `the bucket of a store is ${JSON.stringify(bucket)}, expected a name`, {
      found: bucket,
    });
  const library = await s3Library();
  return new S3Store(library, new library.S3Client({ requestHandler: PATIENCE, ...client }), bucket, prefix);
}

class S3Store implements SharedStore {
  readonly #library: Awaited<ReturnType<typeof s3Library>>;
  readonly #client: S3;
  readonly #bucket: string;
  readonly #prefix: string;
  #identity: Promise<string> | undefined;
  #closed = false;

  constructor(library: Awaited<ReturnType<typeof s3Library>>, client: S3, bucket: string, prefix: string) {
    [this.#library, this.#client, this.#bucket, this.#prefix] = [library, client, bucket, prefix];
  }

  /** A number that is written once, by whoever is first. */
  async identity(): Promise<string> {
    this.#identity ??= this.#numbered().catch((error: unknown) => {
      this.#identity = undefined;
      throw error;
    });
    return `s3 ${await this.#identity}`;
  }

  async put(bytes: Uint8Array): Promise<Ref> {
    checkBytes(bytes);
    const { PutObjectCommand } = this.#library;
    const name = nameOf(bytes);
    await this.#asked('write', new PutObjectCommand({ ...this.#at(this.#keyOf(name)), Body: bytes }));
    return { name, bytes: bytes.length };
  }

  async get(ref: Ref): Promise<Uint8Array> {
    checkRef(ref);
    const bytes = await this.#read(this.#keyOf(ref.name));
    if (bytes === undefined) throw absent(ref, this.#where);
    return verified(bytes, ref, this.#where);
  }

  async has(refs: readonly Ref[]): Promise<boolean> {
    checkRefs('has', refs);
    const { HeadBucketCommand, HeadObjectCommand } = this.#library;
    const wanted = [...new Map(refs.map((ref) => [ref.name, ref])).values()];
    for (let from = 0; from < wanted.length; from += ASKED) {
      const found = await Promise.all(
        wanted.slice(from, from + ASKED).map(async ({ name, bytes }) => {
          const head = await this.#ifThere('look for', new HeadObjectCommand(this.#at(this.#keyOf(name))));
          return head?.ContentLength === bytes;
        }),
      );
      if (found.includes(false)) {
        // Of a bucket that is not there the answer is the same, and who believed it would compute all anew.
        await this.#asked('look into', new HeadBucketCommand({ Bucket: this.#bucket }));
        return false;
      }
    }
    return true;
  }

  async drop(refs: readonly Ref[]): Promise<void> {
    checkRefs('drop', refs);
    const { DeleteObjectsCommand } = this.#library;
    for (let from = 0; from < refs.length; from += TOGETHER) {
      const Objects = refs.slice(from, from + TOGETHER).map(({ name }) => ({ Key: this.#keyOf(name) }));
      const { Errors = [] } = await this.#asked(
        'delete',
        new DeleteObjectsCommand({ Bucket: this.#bucket, Delete: { Objects, Quiet: true } }),
      );
      const [first] = Errors;
      if (first !== undefined) throw this.#failed('delete', { name: first.Code, message: first.Message });
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#client.destroy();
  }

  get #where(): string {
    return `bucket ${this.#bucket}, ${this.#prefix}`;
  }

  #at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: key };
  }

  #keyOf(name: string): string {
    hashIn(name);
    return `${this.#prefix}chunks/${name}`;
  }

  async #numbered(): Promise<string> {
    const { PutObjectCommand } = this.#library;
    const at = this.#at(`${this.#prefix}store-id`);
    const read = async (): Promise<string | undefined> => {
      const bytes = await this.#read(at.Key);
      return bytes && new TextDecoder().decode(bytes);
    };
    const own = new PutObjectCommand({
      ...at,
      Body: new TextEncoder().encode(randomUUID()),
      IfNoneMatch: '*',
    });
    let found = await read();
    for (let go = 0; found === undefined && go < NUMBERED; go++) {
      await this.#asked('write', own, PASSED_OVER);
      // Another one's, where that was first.
      found = await read();
    }
    if (found !== undefined) return found;
    throw this.#failed('read', { name: 'NoSuchKey', message: `${at.Key} is not there after it was written` });
  }

  async #read(key: string): Promise<Uint8Array | undefined> {
    const { GetObjectCommand } = this.#library;
    const found = await this.#ifThere('read', new GetObjectCommand(this.#at(key)));
    try {
      return await found?.Body?.transformToByteArray();
    } catch (error) {
      throw this.#failed('read', error);
    }
  }

  #ifThere(what: string, command: object): Promise<Answer | undefined> {
    return this.#asked(what, command, ABSENT);
  }

  #asked(what: string, command: object): Promise<Answer>;
  #asked(what: string, command: object, instead: readonly string[]): Promise<Answer | undefined>;
  async #asked(what: string, command: object, instead: readonly string[] = []): Promise<Answer | undefined> {
    if (this.#closed) throw failure('disposed', 'The store was closed', {});
    try {
      return (await this.#client.send(command)) as Answer;
    } catch (error) {
      if (instead.includes((error as Error).name)) return undefined;
      throw this.#failed(what, error);
    }
  }

  #failed(what: string, error: unknown): Error {
    const { name, message } = error as Error;
    return failure(
      'job.store',
      `${this.#where}: cannot ${what}: ${message || name} (${name})`,
      { bucket: this.#bucket, reason: name },
      error,
    );
  }
}

/** Names of errors of the protocol: nothing is there; somebody was first, or is at it. */
const ABSENT = ['NoSuchKey', 'NotFound'];
const PASSED_OVER = ['PreconditionFailed', 'ConditionalRequestConflict'];

/** What answers have that are looked into here. */
interface Answer {
  readonly ContentLength?: number;
  readonly Body?: { transformToByteArray(): Promise<Uint8Array> };
  readonly Errors?: readonly { readonly Code: string; readonly Message: string }[];
}
