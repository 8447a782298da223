/** The tree in which a round's reduced results become one run: by neighbours, so that it depends on the data and not on who was faster. */
import type { Chunk } from './work.js';

/** Rows sorted by key, each key once. */
export type SortedRun = readonly Chunk[];

/** Makes one run of several neighbouring ones, on a worker; `name` says which of the sub-vector's merges it is. */
export type Merge = (runs: readonly SortedRun[], part: number, name: string) => Promise<SortedRun>;

/** Runs that are merged at once. */
const ARITY = 16;

/** The runs of one sub-vector, numbered in the order of its chunks. */
export class Reduction {
  readonly #part: number;
  readonly #merge: Merge;
  /** By level: runs that are there, by their number. */
  readonly #levels: Map<number, SortedRun>[] = [];
  #count = 0;

  constructor(part: number, merge: Merge) {
    this.#part = part;
    this.#merge = merge;
  }

  /** Takes the run of a chunk, by its number in the sub-vector, from 0 without gaps, in any order. Full groups are merged at once; resolves when that has been done. */
  async add(number: number, run: SortedRun): Promise<void> {
    this.#count = Math.max(this.#count, number + 1);
    await this.#put(0, number, run);
  }

  /** The one run of all that were added, once all of these are; an empty one of none. */
  async end(): Promise<SortedRun> {
    let count = this.#count;
    for (let level = 0; count > 1; level++, count = Math.ceil(count / ARITY)) {
      const rest = count % ARITY;
      if (rest !== 0) await this.#group(level, Math.floor(count / ARITY), rest);
    }
    return (
      this.#levels
        .findLast((runs) => runs.size > 0)
        ?.values()
        .next().value ?? []
    );
  }

  async #put(level: number, number: number, run: SortedRun): Promise<void> {
    const runs = (this.#levels[level] ??= new Map<number, SortedRun>());
    runs.set(number, run);
    const group = Math.floor(number / ARITY);
    for (let index = 0; index < ARITY; index++) if (!runs.has(group * ARITY + index)) return;
    await this.#group(level, group, ARITY);
  }

  /** Merges a group of a level, and puts it on the next one. */
  async #group(level: number, group: number, size: number): Promise<void> {
    const runs = this.#levels[level] as Map<number, SortedRun>;
    const members: SortedRun[] = [];
    for (let index = 0; index < size; index++) {
      const number = group * ARITY + index;
      members.push(runs.get(number) ?? []);
      runs.delete(number);
    }
    const full = members.filter((run) => run.length > 0);
    const merged =
      full.length > 1 ? await this.#merge(full, this.#part, `${level}-${group}`) : (full[0] ?? []);
    await this.#put(level + 1, group, merged);
  }
}
