/** Kernels made at run time: `cipherloom/tune/kernels`. */
export { checkSchedule, scheduleName } from './schedule.js';
export type { Piece, Rounding, Schedule } from './schedule.js';
export { make } from './transform.js';
export { deriveCode as derive } from './derive.js';
export type { Made } from './transform.js';
export { planOf } from './bounds.js';
export type { PassPlan, Plan } from './bounds.js';
export { KernelExplorer } from './explorer.js';
export type { ExploreOptions } from './explorer.js';
export { seeded, Space } from './space.js';
export type { Random } from './space.js';
export { grid } from './techniques/grid.js';
export { randomly } from './techniques/random.js';
export { evolution } from './techniques/evolution.js';
export type { Technique, Tried } from './techniques/technique.js';
