/**
 * Bytes in a folder, by their SHA-256: names from users never become paths. What is being received lies under a name of its own, is on the disk before
 * it gets the name of its content, and is compared with that name whenever it is read.
 */
import { createHash, randomUUID } from 'node:crypto';
import {
  copyFile,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  unlink,
  utimes,
} from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { notFound, ServiceError } from './errors.mjs';

/** Kinds of bytes of cipherloom (FORMAT.md) that may be stored. */
export const KINDS = { program: 7, value: 8, evaluationKey: 9, publicKey: 11 };
/** Those that hold a secret key, which is not to be here. */
const SECRET = { 2: 'a saved client', 10: 'a key under a passphrase' };
const MAGIC = Buffer.from('cipherloom');
/** Magic and kind. */
const HEAD = MAGIC.length + 1;
/** Where identities of parameters and key lie, behind the frame. */
const IDENTITY = { start: 21, end: 53 };
const SHA = /^[0-9a-f]{64}$/;
const INCOMING = 'incoming';
const PINNED = 'pinned-';
/** Nothing has come of what is received for so long, longer than a request may take, and nobody has said that what is pinned is wanted. */
const LEFT_MS = 3_600_000;

export class BlobStore {
  /** @param {string} folder */
  constructor(folder) {
    this.folder = folder;
  }

  /** Makes the folder, and tidies it. */
  async open() {
    await mkdir(join(this.folder, INCOMING), { recursive: true, mode: 0o700 });
    await this.tidy();
  }

  /** What was being received when a service ended goes, and what a backup pinned that was ended. Others may be at it now: what changes stays. */
  async tidy() {
    const [all, incoming] = await Promise.all(
      [this.folder, join(this.folder, INCOMING)].map((folder) => readdir(folder)),
    );
    const pinned = all.filter((name) => name.startsWith(PINNED));
    for (const name of [...pinned, ...incoming.map((name) => join(INCOMING, name))]) {
      const path = join(this.folder, name);
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }));
      if (mtimeMs < Date.now() - LEFT_MS) await rm(path, { recursive: true, force: true });
    }
  }

  /** Errors: 404 for what is no SHA-256. */
  path(sha) {
    if (!SHA.test(sha)) throw notFound('blob');
    return join(this.folder, sha.slice(0, 2), sha);
  }

  /**
   * Receives bytes, and refuses them as soon as that can be told. They are not kept yet ({@link keep}).
   * @param {AsyncIterable<Buffer> | Iterable<Buffer>} stream
   * @param {{most: number, left: number}} limits `most` of one blob, `left` of what this user or the store may have
   * Errors: 413 `upload.large`, 507 `storage.full`, 422 `upload.kind`, `upload.secret`, `upload.empty`.
   */
  async receive(stream, { most, left }) {
    const temporary = join(this.folder, INCOMING, randomUUID());
    const file = await open(temporary, 'wx', 0o600);
    const hash = createHash('sha256');
    let bytes = 0;
    let head = Buffer.alloc(0);
    try {
      for await (const chunk of stream) {
        bytes += chunk.length;
        if (bytes > most) throw tooLarge(bytes, most);
        if (bytes > left) throw full(bytes, left);
        if (head.length < HEAD) {
          head = Buffer.concat([head, chunk.subarray(0, HEAD - head.length)]);
          if (head.length === HEAD) checkKind(head);
        }
        hash.update(chunk);
        await this.write(file, chunk);
      }
      if (head.length < HEAD) checkKind(head);
      await file.sync();
    } catch (error) {
      await file.close();
      await unlink(temporary);
      throw error;
    }
    await file.close();
    return { temporary, sha: hash.digest('hex'), bytes, kind: head[MAGIC.length] };
  }

  /** Reads bytes that are there already, and keeps none of them. Errors: 422 `upload.digest` where they are others. */
  async compare(stream, { sha, bytes: most }) {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of stream) {
      bytes += chunk.length;
      if (bytes > most) throw otherBytes(`more than ${most} bytes`, sha);
      hash.update(chunk);
    }
    const found = hash.digest('hex');
    if (found !== sha) throw otherBytes(found, sha);
  }

  /**
   * What encrypted values and keys say of their parameters and of the secret key that they belong to (FORMAT.md, kinds 8, 9 and 11), in hexadecimal digits: equal of what goes together.
   * Undefined where bytes are too few or gone, which whoever reads them finds.
   */
  async identity(sha) {
    try {
      const file = await open(this.path(sha), 'r');
      try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(IDENTITY.end), 0, IDENTITY.end, 0);
        return bytesRead === IDENTITY.end ? buffer.toString('hex', IDENTITY.start) : undefined;
      } finally {
        await file.close();
      }
    } catch (error) {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** @param {import('node:fs/promises').FileHandle} file */
  async write(file, chunk) {
    for (let at = 0; at < chunk.length;) at += (await file.write(chunk, at)).bytesWritten;
  }

  /** Gives received bytes their name. */
  async keep({ temporary, sha }) {
    const path = this.path(sha);
    const folder = join(path, '..');
    const made = await mkdir(folder, { recursive: true, mode: 0o700 });
    await rename(temporary, path);
    await synced(folder);
    if (made !== undefined) await synced(this.folder);
  }

  /** Those that are not to be kept after all. */
  async discard({ temporary }) {
    await rm(temporary, { force: true });
  }

  /** Errors: 404; 500 `storage.damaged` where the bytes are not what their name says. */
  async read(sha) {
    const bytes = await readFile(this.path(sha)).catch((error) => {
      throw error.code === 'ENOENT' ? notFound('blob') : error;
    });
    if (shaOf(bytes) === sha) return bytes;
    throw damaged(sha);
  }

  /**
   * The same a piece at a time. The last piece is held back until all are known to be what the name says: of damaged bytes nobody gets all.
   * Errors: 404; of the stream, `storage.damaged`.
   */
  async stream(sha) {
    const file = await open(this.path(sha), 'r').catch((error) => {
      throw error.code === 'ENOENT' ? notFound('blob') : error;
    });
    try {
      const { size } = await file.stat();
      const stream = Readable.from(checked(file, sha), { objectMode: false });
      // Also where nothing was read of it.
      stream.once('close', () => void file.close().catch(() => undefined));
      return { bytes: size, stream };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async remove(sha) {
    await rm(this.path(sha), { force: true });
  }

  /** Keeps blobs under second names, whatever is removed meanwhile, until it is closed. */
  async pins() {
    const folder = join(this.folder, `${PINNED}${randomUUID()}`);
    // Also where nothing was stored yet.
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const wanted = setInterval(() => {
      const now = new Date();
      void utimes(folder, now, now).catch(() => undefined);
    }, LEFT_MS / 10);
    return {
      path: (sha) => join(folder, sha),
      /** Takes next to no time where files can be linked; else it is copied. False where there is no such blob. */
      add: async (sha) => {
        const [from, to] = [this.path(sha), join(folder, sha)];
        try {
          await link(from, to).catch((error) => {
            if (!['ENOENT', 'EEXIST'].includes(error.code)) return copyFile(from, to);
            throw error;
          });
        } catch (error) {
          if (error.code === 'ENOENT') return false;
          if (error.code !== 'EEXIST') throw error;
        }
        return true;
      },
      close: async () => {
        clearInterval(wanted);
        await rm(folder, { recursive: true, force: true });
      },
    };
  }

  /** All names that there are, a folder at a time. */
  async *list() {
    for (const folder of await readdir(this.folder))
      if (/^[0-9a-f]{2}$/.test(folder))
        yield (await readdir(join(this.folder, folder))).filter((name) => SHA.test(name));
  }
}

/** Before a byte is read. Errors: 413 `upload.large`, 507 `storage.full`. */
export function checkDeclared(declared, { most, left }) {
  if (declared > most) throw tooLarge(declared, most);
  if (declared > left) throw full(declared, left);
}

/** @param {import('node:fs/promises').FileHandle} file */
async function* checked(file, sha) {
  const hash = createHash('sha256');
  let last;
  for await (const piece of file.createReadStream()) {
    if (last) yield last;
    hash.update(piece);
    last = piece;
  }
  if (hash.digest('hex') !== sha) throw damaged(sha);
  if (last) yield last;
}

function damaged(sha) {
  return new ServiceError(500, 'storage.damaged', 'Stored bytes are not what their name says', {
    where: sha,
  });
}

function checkKind(head) {
  if (head.length === 0) throw new ServiceError(422, 'upload.empty', 'No bytes came');
  const kind = head[MAGIC.length];
  const ours = head.length === HEAD && head.subarray(0, MAGIC.length).equals(MAGIC);
  if (ours && kind in SECRET)
    throw new ServiceError(
      422,
      'upload.secret',
      `This is ${SECRET[kind]}, which holds a secret key: keep it to yourself`,
      {
        found: SECRET[kind],
        expected: Object.keys(KINDS),
      },
    );
  if (ours && Object.values(KINDS).includes(kind)) return;
  throw new ServiceError(422, 'upload.kind', 'These are no bytes that cipherloom made to be sent', {
    found: ours ? `kind ${kind}` : 'other bytes',
    expected: Object.keys(KINDS),
  });
}

export function shaOf(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

export function otherBytes(found, expected) {
  return new ServiceError(422, 'upload.digest', 'The bytes are not those that were announced', {
    found,
    expected,
  });
}

function tooLarge(found, most) {
  return new ServiceError(413, 'upload.large', `A blob has at most ${most} bytes`, { found, expected: most });
}

function full(found, left) {
  return new ServiceError(507, 'storage.full', `There is room for ${left} bytes more`, {
    found,
    expected: left,
  });
}

/** A file, or a folder: a new name is on the disk once the folder is. */
export async function synced(path) {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
