/** A worker's half: does tasks. */
import type { Kind } from './kinds.js';
import type { Store } from './store.js';
import type { LogLine } from './types.js';
import type { Task, TaskResult } from './work.js';

/** Who does tasks, and what it has for that. */
export interface Surroundings {
  readonly store: Pick<Store, 'get' | 'put'>;
  /** Its number, from 0. */
  readonly worker: number;
  readonly kind: Kind;
  log(line: LogLine): void;
  /** Asked before a function's module is imported, or a circuit or program opened. Throws where it may not be: JobError `job.refused`. */
  readonly admit?: (what: { module: string } | { bytes: Uint8Array }) => Promise<void>;
}

/** Does one task after the other; keeps modules, programs, keys and large globals between them. */
export class TaskRunner {
  constructor(surroundings: Surroundings) {
    void surroundings;
  }

  /** See `Crew.run`. */
  async run(task: Task): Promise<TaskResult> {
    throw new Error(`not written yet: ${task.id}`);
  }

  /** Frees what it keeps. */
  close(): void {}
}
