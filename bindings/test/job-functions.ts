/** Operators that tests of jobs have in common, and what comes of jobs. */
import { fromModule } from '../src/job/index.js';
import type { Row } from '../src/job/types.js';

export const FUNCTIONS = new URL('./fixtures/job-functions.mjs', import.meta.url);

/** The function of that name. */
export const from = (name: string) => fromModule(FUNCTIONS, { name });

/** All rows of a result. */
export async function rowsOf(result: { getItr(): AsyncIterable<Row> | Iterable<Row> }): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of result.getItr()) rows.push(row);
  return rows;
}
