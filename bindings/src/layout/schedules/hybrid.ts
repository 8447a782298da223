/** Hybrid: weights stay, inputs travel; what comes out goes to the owner of its input (R49). */
import { round } from './round.js';
import type { Scheduler } from './task.js';

/** See the file. Errors: those of `round`. */
export const hybrid: Scheduler = (labelled) => round(labelled, 'hybrid', 'weight');
