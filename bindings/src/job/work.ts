/**
 * What the management node and workers say to each other [V11]: parts of a round as tasks, and crews that do them. Everything in a task is plain data; large data are
 * named, and lie in the crew's store.
 */
import type { Kind } from './kinds.js';
import type { Ref, Store } from './store.js';
import type { LogLine, MapName, Template } from './types.js';

/** Rows of one vector, in their order, as bytes in a store. */
export interface Chunk {
  readonly ref: Ref;
  readonly rows: number;
  /** The position of its first row in its sub-vector. */
  readonly first: number;
}

/** Operators as tasks have them: large bytes are in the store. */
export type PlacedOperator =
  | {
      readonly kind: 'function';
      readonly module: string;
      readonly name: string;
      /** SHA-256 of the module when its run first named it, where the manager can read it: nothing else may run. */
      readonly hash?: string;
    }
  | { readonly kind: 'circuit'; readonly bytes: Ref }
  | { readonly kind: 'program'; readonly bytes: Ref; readonly keys: string }
  | {
      readonly kind: 'while';
      readonly condition: PlacedOperator;
      readonly body: readonly PlacedOperator[];
      readonly most: number;
    }
  | {
      readonly kind: 'if';
      readonly condition: PlacedOperator;
      readonly then: readonly PlacedOperator[];
      readonly otherwise: readonly PlacedOperator[];
    };

/** What one task does with its rows. */
export type Work =
  | {
      readonly do: 'map';
      readonly map: MapName;
      /** One after the other, each over all that the one before gave. */
      readonly steps: readonly PlacedOperator[];
      readonly chunk: Chunk;
      /** Positions in the sub-vector of the rows that are visited, half-open; all without it. */
      readonly range?: readonly [from: number, to: number];
      /** `CrossMap`: rows of another sub-vector. */
      readonly other?: Chunk;
      /** Template of the rows. */
      readonly of: Template;
      /** Where results have to go, if the round says so. */
      readonly result?: Template;
      readonly reduce?: PlacedOperator;
    }
  | {
      readonly do: 'file';
      readonly steps: readonly PlacedOperator[];
      readonly file: string | File;
      readonly result?: Template;
      readonly reduce?: PlacedOperator;
    }
  | { readonly do: 'list'; readonly directory: string }
  | {
      /** Makes one run of chunks, sorted by key, of several such, by `reduce` over rows of equal keys: those of earlier runs come first. */
      readonly do: 'reduce';
      readonly runs: readonly (readonly Chunk[])[];
      readonly of: Template;
      readonly reduce: PlacedOperator;
    };

/** A global's rows; `keep`: those of a `PVar`, which a worker keeps for later tasks. */
export interface GlobalRef {
  readonly chunk: Ref;
  readonly keep: boolean;
}

/** A piece of work for one worker. Doing it twice gives the same bytes. */
export interface Task {
  /** Unique in its job. */
  readonly id: string;
  readonly round: number;
  /** The sub-vector that it belongs to. */
  readonly part: number;
  /** Which of the worker's threads, from 0: above 0 for `TaskMap` and `DirMap` only. */
  readonly lane: number;
  readonly kind: Kind;
  readonly work: Work;
  /** Globals by name: their rows. */
  readonly globals: Readonly<Record<string, GlobalRef>>;
  /** Only the worker that has the part may do it: its directory is that worker's own. */
  readonly pinned?: boolean;
}

/** What came of it. */
export interface TaskResult {
  /** In order; sorted by key where there is a reducer. None where nothing was given. */
  readonly chunks: readonly Chunk[];
  /** The template that they go to; none where there are none. */
  readonly template: Template | undefined;
  /** Whether each row that was visited gave one row, under its own key, in order. */
  readonly aligned: boolean;
  /** Paths, of `list`. */
  readonly files: readonly string[];
  /** How often the operator was called. */
  readonly calls: number;
  /** Milliseconds of computing. */
  readonly milliseconds: number;
  /** Who did it, from 0. */
  readonly worker: number;
}

/** What a crew tells while it works. */
export interface Hearing {
  readonly signal: AbortSignal;
  log(line: LogLine): void;
}

/** Workers, of one or several kinds, and the store that they share. */
export interface Crew {
  readonly store: Store;
  /** How many workers of each kind; none of a kind that is not there. */
  readonly workers: Readonly<Partial<Record<Kind, number>>>;
  /**
   * Does a task: by the worker that has the part (`part` modulo the workers of the kind) unless that one is much behind. A worker that dies is replaced and the task done again.
   * Errors: JobError `job.operator` (a function threw; names module, part and key), `job.result`, `job.worker` (workers die of it again and again), `job.timeout`, `job.refused`
   * (a module that is not what its `hash` says); the signal's reason.
   */
  run(task: Task, hearing: Hearing): Promise<TaskResult>;
  /** Ends all workers. */
  close(): Promise<void>;
}
