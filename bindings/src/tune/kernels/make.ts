/** From a schedule to its code. */
import { makeChange } from './changes.js';
import type { Made } from './emitter.js';
import { makeShader, type MadeShader } from './gpu-transform.js';
import {
  checkSchedule,
  isShader,
  type Schedule,
  type ShaderSchedule,
  type WasmSchedule,
} from './schedule.js';
import { makeSum } from './sums.js';
import { makeTransform } from './transform.js';

/** The code of a schedule. Errors: TuneError `tune.record` for what is none. */
export function make(value: WasmSchedule): Made;
export function make(value: ShaderSchedule): MadeShader;
export function make(value: Schedule): Made | MadeShader;
export function make(value: Schedule): Made | MadeShader {
  const schedule = checkSchedule(value);
  if (isShader(schedule)) return makeShader(schedule);
  switch (schedule.piece) {
    case 'ring.sum':
      return makeSum(schedule);
    case 'rns.change':
      return makeChange(schedule);
    default:
      return makeTransform(schedule);
  }
}
