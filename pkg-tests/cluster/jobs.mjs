// Jobs of the tests of clusters, and what they have to give.
import { fromModule, loadJob, SparseValueVector, VectorMap } from 'cipherloom/job';

export const MODULE = new URL('./functions.mjs', import.meta.url);
const named = (name) => fromModule(MODULE, { name });

/** A job over numbers 0, 1, 2...: an operator, and a reducer that adds. */
export function definition({ operator, parts, add = false }) {
  return {
    inputs: { x: SparseValueVector({ parts }) },
    rounds: [VectorMap(named(operator), { over: 'x', ...(add && { reduce: named('add') }) })],
  };
}

/** Runs one over `rows` rows. Gives its rows, its statistics, and texts of its log. */
export async function run(crew, { rows, signal, value = (key) => key, ...settings }) {
  const job = await loadJob(definition(settings), { crew });
  try {
    for (let key = 0; key < rows; key++) await job.inputs.x.emit(key, value(key));
    const result = await job.run({ ...(signal && { signal }) });
    const found = [];
    for await (const row of result.getItr()) found.push(row);
    const texts = [];
    for await (const { event, text } of job.log.getItr()) if (event === 'text') texts.push(text);
    return { rows: found, statistics: job.statistics(), texts };
  } finally {
    job.dispose();
  }
}
