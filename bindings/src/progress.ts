/** Progress of a phase that is made of several jobs. */
import type { Progress } from './types.js';

type Report = ((progress: Progress) => void) | undefined;

/** Tells of jobs one by one: each counts as 1 of `total`, in fractions while it runs. */
export class JobProgress {
  readonly #phase: Progress['phase'];
  readonly #total: number;
  readonly #report: Report;
  #finished = 0;

  constructor(phase: Progress['phase'], total: number, report: Report) {
    this.#phase = phase;
    this.#total = total;
    this.#report = report;
  }

  /** Receives the running job's own progress. */
  readonly during =
    (item: string) =>
    ({ done, total }: { done: number; total: number }): void => {
      this.#tell(this.#finished + (total > 0 ? done / total : 0), item);
    };

  /** Receives the progress of a job that does the next `count` ones at once. */
  readonly part =
    (count: number) =>
    ({ done, total }: { done: number; total: number }): void => {
      this.#tell(this.#finished + (total > 0 ? (count * done) / total : 0));
    };

  /** The next one is done, by default all. */
  finished(item?: string): void {
    this.#finished = item === undefined ? this.#total : this.#finished + 1;
    this.#tell(this.#finished, item);
  }

  #tell(done: number, item?: string): void {
    this.#report?.({ phase: this.#phase, done, total: this.#total, ...(item !== undefined && { item }) });
  }
}
