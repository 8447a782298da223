/** Records of CSV text (RFC 4180), one at a time, so that tables of any size can be read as they come. */

const DELIMITERS = [',', ';', '\t', '|'] as const;

/** What splits a header into most fields. */
export function delimiterOf(header: string): string {
  const fields = (delimiter: string): number => cellsOf(header, delimiter).length;
  return DELIMITERS.reduce((best, other) => (fields(other) > fields(best) ? other : best));
}

/** Joins lines to records: a field in quotes may have line ends in it. Lines without anything are none. */
export async function* recordsOf(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let record: string | undefined;
  for await (const line of lines) {
    record = record === undefined ? line : `${record}\n${line}`;
    // Quotes come in pairs, also those that stand for one within a field.
    if ((record.split('"').length - 1) % 2 === 1) continue;
    if (record.trim() !== '') yield record;
    record = undefined;
  }
  if (record !== undefined) throw new Error('a quote is opened and never closed');
}

/** Cells of a record. */
export function cellsOf(record: string, delimiter: string): string[] {
  const cells: string[] = [];
  let at = 0;
  for (;;) {
    let cell = '';
    if (record[at] === '"') {
      let end = record.indexOf('"', at + 1);
      for (; end >= 0 && record[end + 1] === '"'; end = record.indexOf('"', end + 2)) {
        cell += record.slice(at + 1, end + 1);
        at = end + 1;
      }
      if (end < 0) throw new Error('a quote is opened and never closed');
      cell += record.slice(at + 1, end);
      at = end + 1;
    }
    const next = record.indexOf(delimiter, at);
    cells.push(cell + record.slice(at, next < 0 ? undefined : next));
    if (next < 0) return cells;
    at = next + delimiter.length;
  }
}
