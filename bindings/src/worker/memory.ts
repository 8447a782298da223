/** The memory of the builds that share it, with a typed error. */
import { sharedMemory as granted, type SharedMemory } from '../../wasm/threads/shared-memory.js';
import { failure } from '../errors.js';

export type { SharedMemory };

/** The largest shared memory that is granted here. Errors: MemoryError `memory.shared`. */
export function sharedMemory(): SharedMemory {
  try {
    return granted();
  } catch (cause) {
    throw failure('memory.shared', `Shared memory could not be allocated: ${String(cause)}`, {}, cause);
  }
}
