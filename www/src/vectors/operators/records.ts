/** Records of CSV text (RFC 4180), one at a time, so that tables of any size can be read as they come. */

/** Joins lines to records: a field in quotes may have line ends in it. Lines without anything are none. */
export async function* recordsOf(lines: AsyncIterable<string>, delimiter: string): AsyncGenerator<string> {
  let record: string[] = [];
  for await (const line of lines) {
    const isOpen = staysOpen(line, delimiter, record.length > 0);
    if (record.length === 0 && line.trim() === '' && !line.includes(delimiter)) continue;
    record.push(line);
    if (isOpen) continue;
    yield record.join('\n');
    record = [];
  }
  if (record.length > 0) throw unclosed();
}

/** Cells of a record. */
export function cellsOf(record: string, delimiter: string): string[] {
  const cells: string[] = [];
  let at = 0;
  for (;;) {
    let cell = '';
    const isQuoted = record[at] === '"';
    if (isQuoted) {
      const end = closingQuote(record, at + 1);
      if (end < 0) throw unclosed();
      cell = record.slice(at + 1, end).replaceAll('""', '"');
      at = end + 1;
    }
    const next = record.indexOf(delimiter, at);
    const rest = record.slice(at, next < 0 ? undefined : next);
    if (isQuoted && rest.trim() !== '') throw new Error('a quote is closed before its field ends');
    cells.push(isQuoted ? cell : rest);
    if (next < 0) return cells;
    at = next + delimiter.length;
  }
}

/** Whether a field in quotes goes on behind a line. A quote within a field that does not begin with one is a letter. */
function staysOpen(line: string, delimiter: string, open: boolean): boolean {
  if (!open && !line.includes('"')) return false;
  let isOpen = open;
  let at = 0;
  for (;;) {
    if (isOpen || line[at] === '"') {
      const end = closingQuote(line, isOpen ? at : at + 1);
      if (end < 0) return true;
      isOpen = false;
      at = end + 1;
    }
    const next = line.indexOf(delimiter, at);
    if (next < 0) return false;
    at = next + delimiter.length;
  }
}

/** The first quote that is not one of two, which stand for one within a field. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

function unclosed(): Error {
  return new Error('a quote is opened and never closed');
}
