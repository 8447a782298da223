/** `while` over one row: it stays where the row is, and is never cut. */
import { runBody } from './body.js';
import { broken, type Computing, type Named, noReducer } from './computing.js';
import { holds } from './condition.js';

const NAMED: Named = { words: 'operator "while"', details: { kind: 'while' } };

/** See `While`. A row that its body drops is gone. Errors of calls: JobError `job.operator` where the condition still holds after `most` turns. */
export function whileOf(condition: Computing, body: readonly Computing[], most: number): Computing {
  return {
    async call([key, given], context, other) {
      let value = given;
      for (let turn = 0; await holds('while', condition, [key, value], context, other); turn++) {
        if (turn === most) {
          const problem = `its condition still holds after ${most} turns, the most that it may take`;
          throw broken(NAMED, key, context, problem, { most });
        }
        const next = await runBody(body, [key, value], context, other);
        if (next === undefined) return undefined;
        value = next;
      }
      return value;
    },
    reduce(key, _a, _b, place) {
      throw noReducer(NAMED, key, place, 'it works on one value');
    },
  };
}
