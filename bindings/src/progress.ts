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

  /** Receives the progress of one job that does all. */
  readonly together = ({ done, total }: { done: number; total: number }): void => {
    this.#tell(total > 0 ? (this.#total * done) / total : 0);
  };

  /** The running job is done. */
  finished(item: string): void {
    this.#finished += 1;
    this.#tell(this.#finished, item);
  }

  #tell(done: number, item?: string): void {
    this.#report?.({ phase: this.#phase, done, total: this.#total, ...(item !== undefined && { item }) });
  }
}
