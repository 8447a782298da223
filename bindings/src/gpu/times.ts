/**
 * Times that operators are placed by, on the page's side: measured on first use, in the background, by a worker of their own; kept; dropped when the package, the build, the
 * engine or the GPU with its driver are others. No run waits for them: until they are there all is computed by the processors.
 */
import { CipherloomError } from '../errors.js';
import type { RawTimes, RawUse } from '../raw.js';
import type { TimesStore } from '../types.js';
import type { Connection } from '../worker/connection.js';
import type { ConformanceMethods } from '../worker/protocol.js';
import { memoryStore, usualStore } from './stores.js';
import { keyOf, NO_TIMES } from './table.js';

/** What was measured, and of what: of another device it means nothing. */
export interface KnownTimes {
  readonly of: string;
  readonly times: RawTimes;
}

/** Works with a worker that can measure, which ends with the work. */
export type WithWorker = <T>(
  work: (connection: Connection<ConformanceMethods>, ended: AbortSignal) => Promise<T>,
) => Promise<T>;

/** See above. */
export class DeviceTimes {
  readonly #worker: WithWorker;
  /** Package and build. */
  readonly #about: string;
  readonly #store: TimesStore;
  #known: KnownTimes | undefined;
  /** The table as the core reads it. */
  #text: string | undefined;
  /** What was asked for in this process: what cannot be measured is not tried again. */
  readonly #tried = new Set<string>();
  /** Programs all of whose operators were. */
  readonly #done = new WeakSet<object>();
  readonly #asked = new WeakMap<object, Promise<string>>();
  #working: Promise<unknown> = Promise.resolve();
  #failed: { error: unknown } | undefined;

  constructor(worker: WithWorker, about: string, store: TimesStore | false = usualStore()) {
    [this.#worker, this.#about, this.#store] = [worker, about, store === false ? memoryStore() : store];
  }

  /** A table with nothing in it. */
  readonly none = JSON.stringify(NO_TIMES);

  /** The table, where it has what a program is made of. */
  of(program: object): string | undefined {
    return this.#done.has(program) ? this.#text : undefined;
  }

  /**
   * The table, once what a program is made of was measured, one program after another. Errors: those of `uses`, which say nothing of the device, so that the next call tries again;
   * GpuError `gpu.none` where there is no GPU, WorkerError, MemoryError: a device that fails is not tried again. Who does not wait may ignore the promise.
   */
  learn(program: object, uses: () => Promise<readonly RawUse[]>): Promise<string> {
    const asked = this.#asked.get(program);
    if (asked !== undefined) return asked;
    const learned = this.#working.then(() => this.#measure(program, uses));
    this.#asked.set(program, learned);
    this.#working = learned.catch(() => {});
    return learned;
  }

  /** Waits for what is being measured; undefined where nothing was. Errors: GpuError `gpu.none` where there is none; WorkerError, MemoryError. */
  async ready(): Promise<RawTimes | undefined> {
    let working;
    do {
      working = this.#working;
      await working;
    } while (working !== this.#working);
    if (this.#failed !== undefined) throw this.#failed.error;
    return this.#known?.times;
  }

  async #measure(program: object, uses: () => Promise<readonly RawUse[]>): Promise<string> {
    if (this.#failed !== undefined) throw this.#failed.error;
    let all: readonly RawUse[];
    try {
      all = await uses();
    } catch (error) {
      // A program that is gone by now says nothing of the device.
      this.#asked.delete(program);
      throw error;
    }
    try {
      const table = await this.#measured(all);
      this.#done.add(program);
      return table;
    } catch (error) {
      this.#failed = { error };
      throw error;
    }
  }

  /** The table, with all of these in it. */
  async #measured(all: readonly RawUse[]): Promise<string> {
    const missing = all.filter((use) => !this.#tried.has(keyOf(use)));
    // Of another device, whatever it says, it has nothing: one worker looks at this one, once.
    if (missing.length > 0 || this.#known === undefined) {
      const known = this.#known ?? (await this.#kept());
      const found = await this.#worker((connection, signal) =>
        connection.call('times', [this.#about, known, missing], { signal }),
      );
      this.#known = found;
      this.#text = JSON.stringify(found.times);
      if (JSON.stringify(known) !== JSON.stringify(found)) await this.#keep(found);
      for (const use of missing) this.#tried.add(keyOf(use));
    }
    return this.#text ?? this.none;
  }

  /** What is kept, if it can be read. */
  async #kept(): Promise<KnownTimes | undefined> {
    try {
      const text = await this.#store.get(NAME);
      if (text === undefined) return undefined;
      const found = readTimes(text);
      if (found === undefined) await this.#store.delete(NAME);
      return found;
    } catch {
      return undefined;
    }
  }

  async #keep(known: KnownTimes): Promise<void> {
    try {
      await this.#store.put(NAME, JSON.stringify(known));
    } catch (error) {
      // They are measured anew at the next start. What is wrong with this package is another matter.
      if (error instanceof CipherloomError) throw error;
    }
  }
}

/** One place: times of other versions are written over. */
const NAME = 'gpu-times';

/** What was kept, if it is a table. */
export function readTimes(text: string): KnownTimes | undefined {
  const isTime = (value: unknown): boolean =>
    typeof value === 'number' && Number.isFinite(value) && value >= 0 && value <= 1e15;
  const isLine = (value: { fixed?: unknown; each?: unknown } | undefined): boolean =>
    isTime(value?.fixed) && isTime(value?.each);
  try {
    const { of, times } = JSON.parse(text) as KnownTimes;
    const { uses, submission, up, down, shared } = times;
    const isUse = ({ op, work, host, wave, each }: RawTimes['uses'][number]): boolean =>
      typeof op === 'string' &&
      isTime(work) &&
      isTime(host) &&
      ((wave === undefined && each === undefined) || (isTime(wave) && isTime(each)));
    const fits =
      typeof of === 'string' &&
      isTime(submission) &&
      isLine(up) &&
      isLine(down) &&
      typeof shared === 'boolean' &&
      uses.every(isUse);
    return fits ? { of, times } : undefined;
  } catch {
    return undefined;
  }
}
