/** Rows as JSON. */
import { forJson, formatError, groups, type Rows } from './text.js';

/**
 * One JSON document, in pieces: a list of `{"key", "value"}`, and of `{"row", "column", "value"}` for elements of a matrix. Bytes are base64, other typed arrays are lists.
 * Errors: JobError `job.format` for NaN and infinities, which JSON has not, and for what is no row; InputError `input.type`; what reading the rows throws.
 */
export async function* toJson(rows: Rows): AsyncGenerator<string, void, void> {
  let before = '[\n';
  for await (const { first, group } of groups(rows, 'JSON')) {
    const lines = group.map(([key, data], index) => {
      const refuse = (found: string) => formatError(first + index, key, 'JSON', found, 'finite numbers');
      const value = forJson(data, refuse);
      return JSON.stringify(
        typeof key === 'object' ? { row: key[0], column: key[1], value } : { key, value },
      );
    });
    yield before + lines.join(',\n');
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}
