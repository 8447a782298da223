/**
 * Evolutionary search: the best few of all that were tried, whoever proposed them, are changed in one choice or two. What is better displaces what it came from by being
 * among the best itself (a (mu + lambda) strategy; H.-G. Beyer, H.-P. Schwefel, "Evolution strategies", 2002).
 */
import { scheduleName } from '../schedule.js';
import type { Technique } from './technique.js';

/** How many may have descendants. */
const PARENTS = 4;
/** Draws for one that was not tried yet. */
const DRAWS = 20;

/** A new evolutionary search. */
export function evolution(): Technique {
  return {
    name: 'evolution',
    propose(space, tried, count, random) {
      const parents = [...tried].sort((one, other) => one.ratio - other.ratio).slice(0, PARENTS);
      const known = new Set(tried.map(({ schedule }) => scheduleName(schedule)));
      return Array.from({ length: count }, () => {
        let found = space.random(random);
        for (let draw = 0; draw < DRAWS && parents.length > 0; draw++) {
          const parent = parents[Math.floor(random() * parents.length)] as (typeof parents)[number];
          found = space.mutated(parent.schedule, random);
          if (random() < 0.5) found = space.mutated(found, random);
          if (!known.has(scheduleName(found))) break;
        }
        known.add(scheduleName(found));
        return found;
      });
    },
  };
}
