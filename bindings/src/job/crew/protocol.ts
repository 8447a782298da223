/** What a crew of threads and its workers say to each other. */
import type { Kind } from '../kinds.js';
import type { Ref } from '../store.js';
import type { LogLine } from '../types.js';
import type { Task, TaskResult } from '../work.js';

/** What a worker does. */
export interface JobMethods {
  start(who: { readonly worker: number; readonly kind: Kind }): void;
  /** `stale`: it has a module of the task as it was before it was edited; another worker is to do it. */
  run(task: Task): TaskResult | 'stale';
}

/** What it asks for, or tells, in the middle of it. */
export type Question = { readonly get: Ref } | { readonly put: Uint8Array } | { readonly log: LogLine };
