/** Grid search: all choices of a space, the usual ones first, in a fixed order. */
import { scheduleName, type Schedule } from '../schedule.js';
import type { Technique } from './technique.js';

/** A new grid search. */
export function grid(): Technique {
  let rest: Iterator<Schedule> | undefined;
  return {
    name: 'grid',
    propose(space, tried, count) {
      rest ??= space.points()[Symbol.iterator]();
      const known = new Set(tried.map(({ schedule }) => scheduleName(schedule)));
      const found: Schedule[] = [];
      while (found.length < count) {
        const next = rest.next();
        if (next.done === true) break;
        if (!known.has(scheduleName(next.value))) found.push(next.value);
      }
      return found;
    },
  };
}
