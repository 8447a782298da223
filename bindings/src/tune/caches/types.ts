import type { TuneRecord } from '../record.js';

/** Where a client keeps what it has learned (SPEC T4). Keys are canonical texts (`keyText`). The client reads all of it once, and checks each record again. */
export interface TuneCache {
  /** All records of a class of devices, at most so many. */
  load(device: string, most: number): Promise<readonly unknown[]>;
  /** Keeps records; those of the same key are replaced. */
  put(records: ReadonlyMap<string, TuneRecord>): Promise<void>;
  /** Forgets what was found to be no record. */
  remove(keys: readonly string[]): Promise<void>;
  close(): Promise<void>;
}
