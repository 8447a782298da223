/** Ways to search for the best schedule. Each proposes what is tried next, from what was tried before, and knows nothing of how. */
import type { Schedule } from '../schedule.js';
import type { Random, Space } from '../space.js';

/** A schedule that was tried. */
export interface Tried {
  readonly schedule: Schedule;
  /** Its time by that of the built-in kernel, measured beside it; infinite where it does not conform. */
  readonly ratio: number;
}

/** One way to search. */
export interface Technique {
  readonly name: string;
  /** At most `count` schedules; fewer where it has no more. `tried`: all so far, also those of other techniques. */
  propose(space: Space, tried: readonly Tried[], count: number, random: Random): Schedule[];
}
