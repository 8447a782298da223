/** Grid search: all ways to cut layers into passes with the usual choices, then all other choices for each, in a fixed order. */
import { scheduleName, type Schedule } from '../schedule.js';
import type { Space } from '../space.js';
import type { Technique } from './technique.js';

/** A new grid search. */
export function grid(): Technique {
  let rest: Iterator<Schedule> | undefined;
  return {
    name: 'grid',
    propose(space, tried, count) {
      rest ??= points(space);
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

function* points(space: Space): Generator<Schedule, undefined> {
  // Cuts into passes that are alike come first: they are rarely bad.
  const spread = (cut: readonly number[]): number => Math.max(...cut) - Math.min(...cut);
  const cuts = [...space.cuts].sort((one, other) => spread(one) - spread(other) || one.length - other.length);
  for (const unroll of [1, 2])
    for (const held of [true, false])
      for (const rounding of ['add', 'nearest'] as const)
        for (const passes of cuts)
          for (const computed of [passes.length, 0])
            yield space.schedule(passes, { rounding, computed, held, unroll });
  return undefined;
}
