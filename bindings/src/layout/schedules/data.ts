/** Data parallel: each core has an input of its own, weights travel; nothing of the output crosses (R50). */
import { round } from './round.js';
import type { Scheduler } from './task.js';

/** See the file. Errors: those of `round`. */
export const data: Scheduler = (labelled) => round(labelled, 'data parallel', 'input');
