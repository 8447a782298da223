import type { TuneRecord } from '../record.js';

/** Where a client keeps what it has learned (SPEC T4). Keys are canonical texts (`keyText`). The client reads all of it once, and checks each record again. */
export interface TuneCache {
  /** What is kept of a class of devices, at most so many, each with the key that it is kept under. */
  load(device: string, most: number): Promise<readonly (readonly [key: string, record: unknown])[]>;
  /** Keeps records; those of the same key are replaced. Of a class others are forgotten where there are more than `most`. */
  put(records: ReadonlyMap<string, TuneRecord>, most: number): Promise<void>;
  /** Forgets what was found to be no record, by the keys of {@link load}. */
  remove(keys: readonly string[]): Promise<void>;
  close(): Promise<void>;
}
