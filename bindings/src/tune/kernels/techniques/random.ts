/** Random search (J. Bergstra, Y. Bengio, "Random search for hyper-parameter optimization", 2012): schedules drawn one by one, each choice on its own. */
import type { Technique } from './technique.js';

/** A new random search. */
export function randomly(): Technique {
  return {
    name: 'random',
    propose: (space, _, count, random) => Array.from({ length: count }, () => space.random(random)),
  };
}
