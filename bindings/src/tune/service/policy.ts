/**
 * What becomes of a missed operator (SPEC T3; seed 003 ¶172). Replaceable. This one drops what nobody could explore, and what would wait behind more than sixteen rounds of
 * those who can; what was missed often comes first.
 */
import type { Policy } from './types.js';

/** Rounds of all explorers that may wait. */
const ROUNDS = 16;
/** Misses that make an operator worth hurrying for. */
const OFTEN = 3;

export const defaultPolicy: Policy = ({ misses }, { explorers, room, running, waiting }) => {
  if (explorers === 0) return 'drop';
  const often = misses >= OFTEN;
  // When it gets tight, those that were missed once make room for those that are missed all the time.
  const full = running + waiting >= ROUNDS * room * (often ? 2 : 1);
  return full ? 'drop' : often ? 'high' : 'low';
};
