/** The memories of the engines. A refusal, such as for want of addresses, is a typed error. */
import { sharedMemory as largest } from '../../wasm/threads/shared-memory.js';
import { failure } from '../errors.js';
import type { WasmMemory } from '../web-types.js';

/** A memory, and how far it can grow. */
export interface SharedMemory {
  readonly memory: WasmMemory;
  readonly maximumBytes: number;
}

/** The largest shared memory that is granted here. Errors: MemoryError `memory.shared`. */
export function engineMemory(): SharedMemory {
  try {
    return largest();
  } catch (cause) {
    throw failure('memory.shared', `Shared memory could not be allocated: ${String(cause)}`, {}, cause);
  }
}

/** Starts what takes memory. Errors: MemoryError `memory.refused` where the platform has none to give. */
export function granted<T>(start: () => T): T {
  try {
    return start();
  } catch (cause) {
    throw refusal(cause) ?? cause;
  }
}

/** Engines say with a RangeError that there are no addresses, or no memory, for one more instance. */
export function refusal(cause: unknown): Error | undefined {
  if (!(cause instanceof RangeError)) return undefined;
  const advice = 'dispose() looms that are not used, or take fewer threads';
  return failure('memory.refused', `No memory for another engine: ${cause.message}; ${advice}`, {}, cause);
}
