/**
 * Jobs over vectors: `cipherloom/job`.
 *
 * @module cipherloom/job
 */
export { loadJob, loadJobFile } from './job.js';
export type { Job, JobGlobal, JobInput, JobLogView, JobOptions, JobResult, JobRunOptions } from './job.js';
export { readRows } from './job-file.js';
export type { JobRows } from './job-file.js';
export { inline } from './crew/inline.js';
export type { InlineOptions } from './crew/inline.js';
export { threads } from './crew/threads.js';
export type { ThreadsOptions } from './crew/threads.js';
export { linesOf } from './files.js';
export { KINDS } from './kinds.js';
export type { Kind } from './kinds.js';
export {
  FixValueVector,
  PVar,
  SparseMatrix,
  SparseTextVector,
  SparseValueVector,
  Var,
  VariableLenVector,
} from './templates.js';
export { CrossMap, DirMap, GlobalMap, MatrixMap, TaskMap, VectorMap } from './maps.js';
export type { DirMapOptions, MapOptions, TaskMapOptions } from './maps.js';
export { fromCircuit, fromModule, fromProgram, loop, repeatWhile, sequence, when } from './operators.js';
export type { ModuleOptions } from './operators.js';
export type * from './types.js';
export { MemoryStore } from './memory-store.js';
export type { Ref, Store } from './store.js';
export type { Chunk, Crew, GlobalRef, Hearing, PlacedOperator, Task, TaskResult, Work } from './work.js';
export * from './formats/index.js';
export { SEED_TABLE, seedTable, THRESHOLD } from './placement.js';
export type { PlacementTable } from './placement.js';
