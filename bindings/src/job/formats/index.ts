/** Results in the formats of others [V6], in pieces, so that what is larger than memory can be written. Each with its library, which is loaded when the format is asked for. */
import type { ArrowOptions } from './arrow.js';
import type { CsvOptions } from './csv.js';
import type { Rows } from './text.js';

export type { ArrowOptions, CsvOptions, Rows };
export { toArrow } from './arrow.js';
export { toJson } from './json.js';

/** Rows as CSV (csv.ts): columns `key,value`, or `row,column,value`. */
export async function* toCsv(rows: Rows, options?: CsvOptions): AsyncGenerator<string, void, void> {
  const csv = await import('./csv.js');
  yield* csv.toCsv(rows, options);
}

/** Rows as XML (xml.ts): `<rows><row>...`. */
export async function* toXml(rows: Rows): AsyncGenerator<string, void, void> {
  const xml = await import('./xml.js');
  yield* xml.toXml(rows);
}
