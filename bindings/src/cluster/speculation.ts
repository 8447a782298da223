/** Which tasks are begun a second time: those that take much longer than others of their round. */

/** When a second run begins. */
export interface Speculation {
  /** Times the median of the round's tasks that are done, 3 where it is not said. */
  readonly times?: number;
  /** Milliseconds that a task may take in any case, 2,000 where it is not said. */
  readonly least?: number;
}

/** Tasks of a round that have to be done before a median means anything. */
const ENOUGH = 3;
/** Times that are kept of each round. */
const KEPT = 1001;

/** How long tasks took, by group. */
export class Durations {
  readonly #times: number;
  readonly #least: number;
  /** In order. */
  readonly #sorted = new Map<string, number[]>();

  constructor({ times = 3, least = 2000 }: Speculation) {
    this.#times = times;
    this.#least = least;
  }

  add(group: string, milliseconds: number): void {
    const sorted = this.#sorted.get(group) ?? [];
    this.#sorted.set(group, sorted);
    const after = sorted.findIndex((other) => other > milliseconds);
    sorted.splice(after < 0 ? sorted.length : after, 0, milliseconds);
    // The outermost two say nothing about the middle.
    if (sorted.length > KEPT) {
      sorted.pop();
      sorted.shift();
    }
  }

  /** True where a task of the group that has taken so long should be run a second time. */
  isLate(group: string, milliseconds: number): boolean {
    const sorted = this.#sorted.get(group);
    if (sorted === undefined || sorted.length < ENOUGH) return false;
    const median = sorted[sorted.length >> 1] as number;
    return milliseconds > Math.max(this.#least, this.#times * median);
  }
}
