/** What a table of times is made of, for both sides. */
import type { RawTimes, RawUse } from '../raw.js';

/** Uses of equal keys take the same time. */
export function keyOf({ op, work }: Pick<RawUse, 'op' | 'work'>): string {
  return `${op} ${work}`;
}

/** Where nothing was measured: all that is not pinned is the processors'. */
export const NO_TIMES: RawTimes = {
  uses: [],
  submission: 0,
  up: { fixed: 0, each: 0 },
  down: { fixed: 0, each: 0 },
  shared: false,
};
