/**
 * Memory of messages that comes back. What moves to a worker is copied there into the core, and the page's next message of that size
 * would take new memory, page by page from the system: for megabytes that takes longer than to copy them. So the worker sends the
 * memory back with its answer, and the page writes its next message there.
 */

/** Less is made anew faster than it is looked after. */
const LEAST = 1 << 16;
/** Most bytes that are kept, and that come back with one answer. */
const MOST = 8 << 20;

/** Buffers by the page; only `cleared` ones are 0 from one end to the other. */
const kept = { cleared: [] as ArrayBuffer[], used: [] as ArrayBuffer[] };
let bytesKept = 0;

/** What a worker sends back. */
export type GivenBack = Record<keyof typeof kept, ArrayBuffer[]>;

/** Room for so many bytes, in a buffer that may be larger; all 0 where it is to be `cleared`. */
export function lent(how: keyof typeof kept, bytes: number): ArrayBuffer {
  if (bytes < LEAST || bytes > MOST) return new ArrayBuffer(bytes);
  const size = Math.ceil(bytes / LEAST) * LEAST;
  const at = kept[how].findIndex(({ byteLength }) => byteLength === size);
  const [found] = at < 0 ? [] : kept[how].splice(at, 1);
  if (found === undefined) return new ArrayBuffer(size);
  bytesKept -= size;
  return found;
}

/** A copy that can move to a worker, in memory that came back where there is some. */
export function lentCopy(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(lent('used', bytes.length), 0, bytes.length);
  copy.set(bytes);
  return copy;
}

/** Takes back what a worker has no use for any more. */
export function takeBack(back: GivenBack): void {
  for (const how of ['cleared', 'used'] as const)
    for (const buffer of back[how]) {
      const size = buffer.byteLength;
      if (size === 0 || size % LEAST !== 0 || bytesKept + size > MOST) continue;
      kept[how].push(buffer);
      bytesKept += size;
    }
}

/** The memory of data, the worker's side: no more of it than is kept, so that it is held for no longer than before. */
export function backOf(data: readonly unknown[]): ArrayBuffer[] {
  const buffers = data.flatMap((view) =>
    ArrayBuffer.isView(view) && view.buffer instanceof ArrayBuffer ? [view.buffer] : [],
  );
  const own = [...new Set(buffers)].filter(
    ({ byteLength }) => byteLength >= LEAST && byteLength % LEAST === 0,
  );
  return own.reduce((sum, { byteLength }) => sum + byteLength, 0) > MOST ? [] : own;
}
