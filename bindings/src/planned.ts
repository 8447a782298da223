/** How much of a worker's memory may be planned. */

/** Plans leave an eighth of the memory to everything else: 3.5 of 4 GiB. */
const PLANNED_SHARE = 7 / 8;
/** The stack of a thread, which wasm-bindgen takes from the memory. */
const STACK_BYTES = 2 ** 21;

/** Bytes that a plan may take in a worker of that memory and that many threads. */
export function plannedBytes(memoryBytes: number, threads: number): number {
  return (memoryBytes - threads * STACK_BYTES) * PLANNED_SHARE;
}
