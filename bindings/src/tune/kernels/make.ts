/** From a schedule to its code. */
import { makeChange } from './changes.js';
import type { Made } from './emitter.js';
import { checkSchedule, type Schedule } from './schedule.js';
import { makeSum } from './sums.js';
import { makeTransform } from './transform.js';

/** The code of a schedule. Errors: TuneError `tune.record` for what is none. */
export function make(value: Schedule): Made {
  const schedule = checkSchedule(value);
  switch (schedule.piece) {
    case 'ring.sum':
      return makeSum(schedule);
    case 'rns.change':
      return makeChange(schedule);
    default:
      return makeTransform(schedule);
  }
}
