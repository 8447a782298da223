// Whole tasks over values (`loom.task()`) against the same by hand on node-seal, one thread each. The figure of a row is the server's
// run; the task as a whole, with encryption and decryption, is in `whole`.
import { effortOf, jobRows } from './lib/whole.mjs';
import { VALUE_JOBS } from './tasks/value-jobs.mjs';

export async function* valueRows({ effort, quick, names }) {
  for (const [name, job] of Object.entries(VALUE_JOBS)) {
    if (names === undefined || names.includes(name)) yield* jobRows('value', name, job, [1], effortOf(effort, quick));
  }
}
