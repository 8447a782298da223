/** `if` over one row: one of two branches, or the row as it is. */
import { runBody } from './body.js';
import { type Computing, type Named, noReducer } from './computing.js';
import { holds } from './condition.js';

const NAMED: Named = { words: 'operator "if"', details: { kind: 'if' } };

/** See `If`. Without steps in `otherwise` rows for which the condition does not hold stay as they are. */
export function ifOf(
  condition: Computing,
  then: readonly Computing[],
  otherwise: readonly Computing[],
): Computing {
  return {
    async call(row, context, other) {
      const branch = (await holds('if', condition, row, context, other)) ? then : otherwise;
      return runBody(branch, row, context, other);
    },
    reduce(key, _a, _b, place) {
      throw noReducer(NAMED, key, place, 'it works on one value');
    },
  };
}
