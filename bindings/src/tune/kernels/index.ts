/**
 * Kernels made at run time: `cipherloom/tune/kernels`.
 *
 * @module cipherloom/tune/kernels
 */
export { checkSchedule, scheduleName } from './schedule.js';
export type {
  Piece,
  Rounding,
  Schedule,
  ShaderSchedule,
  SumSchedule,
  Terms,
  TransformSchedule,
  WasmSchedule,
  Change,
  ChangeSchedule,
} from './schedule.js';
export { make } from './make.js';
export { deriveCode as derive } from './derive.js';
export type { Made } from './emitter.js';
export type { Factors, MadeShader } from './gpu-transform.js';
export { gpuTraits } from './bench.js';
export type { BenchOptions } from './bench.js';
export type { GpuTraits } from '../../worker/protocol.js';
export type { WorkgroupNeeds } from '../../gpu/needs.js';
export { kernelText } from './wasm-text.js';
export type { KernelFunction } from './wasm-text.js';
export { changePlanOf, planOf, sumPlanOf } from './bounds.js';
export type { PassPlan, Plan, SumPlan } from './bounds.js';
export { chooseKernels } from './choose.js';
export type { ChooseOptions, KernelSource } from './choose.js';
export type { ChosenKernel, ChosenKernels } from './chosen.js';
export { KernelExplorer } from './explorer.js';
export type { Compared, ExploreOptions, Exploring } from './explorer.js';
export type { PieceOfKey } from './pieces.js';
export { seeded, spaceOf } from './space.js';
export type { Random, Space } from './space.js';
export { ChangeSpace } from './change-space.js';
export { SumSpace } from './sum-space.js';
export { ShaderSpace } from './gpu-space.js';
export type { Choices } from './gpu-space.js';
export { TransformSpace } from './transform-space.js';
export { grid } from './techniques/grid.js';
export { randomly } from './techniques/random.js';
export { evolution } from './techniques/evolution.js';
export type { Technique, Tried } from './techniques/technique.js';
