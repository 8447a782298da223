/** Names of stored bytes: the SHA-256 of the bytes, and a number of their own. */
import { createHash, randomBytes } from 'node:crypto';
import { failure } from '../errors.js';
import type { Ref } from '../job/store.js';

/** Letters of a hash. */
const HASH = 64;
const NAME = /^[0-9a-f]{64}-[0-9a-f]{16}$/;

/** SHA-256 of bytes, in hexadecimal. */
export function hashOf(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** A name for bytes. Equal bytes that were put twice have two names: who drops one does not drop the other's. */
export function nameOf(bytes: Uint8Array): string {
  return `${hashOf(bytes)}-${randomBytes(8).toString('hex')}`;
}

/** The hash in a name. Errors: JobError `job.chunk` where it is none: names come from outside, and become paths. */
export function hashIn(name: string): string {
  if (typeof name === 'string' && NAME.test(name)) return name.slice(0, HASH);
  throw failure('job.chunk', `"${String(name)}" is no name of stored bytes`, {
    found: name,
    expected: 'hash-number',
  });
}

/** Gives bytes if they are what their name says. Errors: JobError `job.chunk`. */
export function verified(bytes: Uint8Array, { name, bytes: length }: Ref, where: string): Uint8Array {
  const expected = hashIn(name);
  const found = hashOf(bytes);
  if (found === expected && bytes.length === length) return bytes;
  throw failure(
    'job.chunk',
    `${where}: the ${bytes.length} bytes under ${name} are others than were put there (${length} bytes of that hash)`,
    { name, found: { hash: found, bytes: bytes.length }, expected: { hash: expected, bytes: length }, where },
  );
}

/** JobError `job.store`: bytes that are not there. */
export function absent({ name }: Ref, where: string): Error {
  return failure(
    'job.store',
    `${where}: nothing is stored under ${name}: it was dropped, or is of another store`,
    {
      name,
      where,
    },
  );
}
