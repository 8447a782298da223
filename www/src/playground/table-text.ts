/** Columns as CSV: what the program in its sandbox and the file that is exported read, both with the package's own reader. */

export interface TextColumn {
  readonly name: string;
  /** NaN where missing. */
  readonly values: ArrayLike<number>;
}

/** With a comma between fields. Reading it gives the same doubles, in the same order. */
export function csvOf(columns: readonly TextColumn[], rows = columns[0]?.values.length ?? 0): string {
  const lines = [columns.map(({ name }) => field(name)).join(',')];
  for (let row = 0; row < rows; row++)
    lines.push(columns.map(({ values }) => cell(values[row] ?? Number.NaN)).join(','));
  return `${lines.join('\n')}\n`;
}

/** A cell of text, quoted where it has to be. */
export function field(text: string): string {
  return /[",;|\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** NA is what a column of one empty cell could not say. */
function cell(value: number): string {
  return Number.isNaN(value) ? 'NA' : String(value);
}
