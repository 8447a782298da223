/** A task with an input of each kind. */
import { createTask } from '../src/values/task.js';
import type { ValueOptions } from '../src/values/types.js';

export const integers: ValueOptions = { shape: [3], min: 0, max: 9 };
export const money: ValueOptions = { shape: [3], min: 0, max: 9, decimals: 2 };
export const reals: ValueOptions = { kind: 'real', shape: [3], min: -1, max: 1 };
export const flags: ValueOptions = { kind: 'boolean', shape: [3] };
export const days: ValueOptions = { kind: 'date', shape: [3], min: '2020-01-01', max: '2029-12-31' };
export const sorts: ValueOptions = { kind: 'category', shape: [3], categories: 4 };
export const matrix: ValueOptions = { shape: [2, 3], min: 0, max: 9 };

/** Inputs of all kinds, by short names. */
export function inputs() {
  const task = createTask();
  return {
    task,
    x: task.encrypted('x', integers),
    y: task.encrypted('y', money),
    r: task.encrypted('r', reals),
    b: task.encrypted('b', flags),
    d: task.encrypted('d', days),
    c: task.encrypted('c', sorts),
    m: task.encrypted('m', matrix),
    g: task.encrypted('g', { ...integers, missing: true }),
    p: task.plain('p', integers),
    u: task.public('u', integers),
  };
}
export type Inputs = ReturnType<typeof inputs>;
