/** Files of a `DirMap`: of a folder in Node, or what a page was given. */
import { failure } from '../errors.js';
import type { JobFile } from './types.js';

type Fs = typeof import('node:fs/promises');

/** Paths of all files in a directory and in those inside it, in order; links are not followed. Errors: JobError `job.operator`. */
export async function listFiles(directory: string): Promise<string[]> {
  const fs = nodeFs(directory);
  try {
    const entries = await fs.readdir(directory, { withFileTypes: true, recursive: true });
    const paths = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => `${parentPath}/${name}`);
    // By code units: locales differ between machines.
    return paths.sort((a, b) => (a < b ? -1 : 1));
  } catch (cause) {
    throw unreadable(directory, cause);
  }
}

/** A file by its path, in Node, or as a page has it. Errors: JobError `job.operator`. */
export async function openFile(file: string | File): Promise<JobFile> {
  if (typeof file !== 'string') return ofBlob(pathOf(file), file);
  const fs = nodeFs(file);
  try {
    const { size } = await fs.stat(file);
    return {
      path: file,
      size,
      // As a page's file has it: without the mark at its beginning.
      text: async () => new TextDecoder().decode(await fs.readFile(file)),
      bytes: async () => new Uint8Array(await fs.readFile(file)),
      lines: () => linesOf(streamOf(fs, file)),
    };
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

/** Lines of UTF-8 text as they are read, without their ends (`\n` or `\r\n`). A last line without an end counts; nothing after the last end does not. */
export async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  // Of a line that has not ended: put together once it has, so that a long one costs no more than its length.
  let rest: string[] = [];
  for await (const piece of pieces) {
    const lines = decoder.decode(piece, { stream: true }).split('\n');
    const last = lines.pop() as string;
    for (const part of lines) {
      const line = rest.join('') + part;
      rest = [];
      yield line.endsWith('\r') ? line.slice(0, -1) : line;
    }
    rest.push(last);
  }
  const line = rest.join('') + decoder.decode();
  if (line !== '') yield line;
}

/** A page's file by its path in the folder that was chosen, or by its name. */
export function pathOf(file: File): string {
  return file.webkitRelativePath || file.name;
}

function ofBlob(path: string, blob: Blob): JobFile {
  const read = <T>(reading: Promise<T>): Promise<T> =>
    reading.catch((cause: unknown) => {
      throw unreadable(path, cause);
    });
  return {
    path,
    size: blob.size,
    text: () => read(blob.text()),
    bytes: async () => new Uint8Array(await read(blob.arrayBuffer())),
    lines: () => linesOf(piecesOf(path, blob.stream())),
  };
}

/** A stream as an iterator, which not every browser's is. */
async function* piecesOf(path: string, stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read().catch((cause: unknown) => {
        // It is gone, or another one, since the page was given it.
        throw unreadable(path, cause);
      });
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function* streamOf(fs: Fs, path: string): AsyncGenerator<Uint8Array> {
  const handle = await fs.open(path);
  try {
    yield* handle.createReadStream({ highWaterMark: 2 ** 18 }) as AsyncIterable<Uint8Array>;
  } finally {
    await handle.close();
  }
}

function nodeFs(path: string): Fs {
  const fs = globalThis.process?.getBuiltinModule?.('node:fs/promises');
  if (fs !== undefined) return fs;
  throw unreadable(path, 'paths are for Node alone: give File objects');
}

function unreadable(path: string, cause: unknown): Error {
  return failure('job.operator', `"${path}" cannot be read: ${String(cause)}`, { path }, cause);
}
