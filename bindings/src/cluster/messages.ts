/** What manager and workers of a cluster say to each other through Redis, and where it lies. All of it is JSON. */
import type { ErrorRecord } from '../errors.js';
import type { Kind } from '../job/kinds.js';
import type { LogLine } from '../job/types.js';
import type { Task, TaskResult } from '../job/work.js';

/** A task in its queue. */
export interface TaskMessage {
  readonly run: string;
  /** Who queued it: its chunks are that one's. */
  readonly manager: string;
  /** The task's name in its run: see `fields.ts`. */
  readonly field: string;
  /** 0, or 1 for the second run of a task that takes long. */
  readonly copy: number;
  readonly task: Task;
  /** The store where its chunks are. */
  readonly store: string;
  /** How many workers may die of it. */
  readonly attempts: number;
  /** Milliseconds that it may take. */
  readonly timeout?: number;
}

/** What came of a task, as the journal has it. */
export type Outcome =
  | { readonly result: TaskResult }
  | { readonly error: ErrorRecord; /** Who queued what failed. */ readonly manager: string }
  | { readonly cancelled: true };

/** What happens to tasks of a run, one after the other. */
export type TaskEvent =
  | { readonly event: 'started'; readonly field: string; readonly copy: number; readonly worker: string }
  | { readonly event: 'outcome'; readonly field: string; readonly outcome: Outcome }
  | { readonly event: 'lines'; readonly field: string; readonly lines: readonly LogLine[] };

/** What a worker process says of itself. */
export interface WorkerInfo {
  readonly version: string;
  readonly kind: Kind;
  /** Tasks that it does at once: each of its threads is a worker of the crew. */
  readonly threads: number;
  /** The number of its first thread. */
  readonly first: number;
  readonly host: string;
  readonly pid: number;
}

/** Told to all workers: a task whose result nobody waits for any more. */
export interface Stop {
  readonly run: string;
  readonly field: string;
}

/** Names of what lies in Redis. */
export class Names {
  constructor(readonly prefix: string) {}

  /** A queue for each version and kind: a worker never sees a task of another version's manager. */
  queue(version: string, kind: Kind): string {
    return `tasks-${version}-${kind}`;
  }

  /** The queue of one worker process, for what only it can do. */
  own(version: string, kind: Kind, id: string): string {
    return `${this.queue(version, kind)}-${id}`;
  }

  /** The job of BullMQ for a run of a task. BullMQ splits names at colons. */
  job(run: string, field: string, copy: number): string {
    return `${encodeURIComponent(run)}.${encodeURIComponent(field)}.${copy}`;
  }

  /** Hash: field -> Outcome. The journal of a run. */
  outcomes(run: string): string {
    return `${this.prefix}:run:${run}:outcomes`;
  }
  /** Hash: `field copy` -> id of the worker process that has it. */
  held(run: string): string {
    return `${this.prefix}:run:${run}:held`;
  }
  /** Hash: field -> how many workers died of it. */
  deaths(run: string): string {
    return `${this.prefix}:run:${run}:deaths`;
  }
  /** Hash: name of a result's first chunk -> the manager whose its chunks are. */
  owners(run: string): string {
    return `${this.prefix}:run:${run}:owners`;
  }
  /** Stream of TaskEvent. */
  events(run: string): string {
    return `${this.prefix}:run:${run}:events`;
  }
  /** Channel: there is something new in the stream. */
  news(run: string): string {
    return `${this.prefix}:run:${run}:news`;
  }
  /** Channel in which nothing is said: who listens is a manager that lives. */
  manager(run: string, id: string): string {
    return `${this.prefix}:run:${run}:manager:${id}`;
  }
  /** Channel of Stop. */
  get stops(): string {
    return `${this.prefix}:stops`;
  }
  /** Hash: id of a worker process -> WorkerInfo. */
  get workers(): string {
    return `${this.prefix}:workers`;
  }
  /** Sorted set: id of a worker process -> when it was last heard of, by Redis' clock. */
  get beats(): string {
    return `${this.prefix}:beats`;
  }
  /** Counts threads of workers. */
  get threads(): string {
    return `${this.prefix}:threads`;
  }
}
