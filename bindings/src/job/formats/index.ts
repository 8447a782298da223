/** Results in the formats of others [V6], in pieces, so that what is larger than memory can be written. */
export { type ArrowOptions, toArrow } from './arrow.js';
export { type CsvOptions, toCsv } from './csv.js';
export { toJson } from './json.js';
export type { Rows } from './text.js';
export { toXml } from './xml.js';
