/** Data that nobody should find any more. */

/** Overwrites data, whatever type its elements have; texts cannot be. */
export function overwrite(data: ArrayBufferView | readonly string[] | undefined): void {
  if (data === undefined || !ArrayBuffer.isView(data)) return;
  new Uint8Array(data.buffer, data.byteOffset, data.byteLength).fill(0);
}
