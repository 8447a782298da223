/** Reads files, away from the page's thread. */
import { CipherloomError } from 'cipherloom';
import { columnOptions, parseTable } from 'cipherloom/table';
import type { DataTable, Reply } from './messages.js';

addEventListener('message', ({ data: { id, file } }: MessageEvent<{ id: number; file: ArrayBuffer }>) => {
  postMessage(answer(id, file));
});

function answer(id: number, file: ArrayBuffer): Reply {
  try {
    return { id, value: read(file) };
  } catch (error) {
    const { code, details } = error instanceof CipherloomError ? error : { code: undefined, details: {} };
    return { id, error: { code, message: error instanceof Error ? error.message : String(error), details } };
  }
}

function read(file: ArrayBuffer): DataTable {
  const table = parseTable(file);
  return {
    rows: table.rows,
    numeric: table.numeric.map((column) => {
      const { name, values, min, max, decimals, missing } = column;
      return { name, values, min, max, decimals, missing, declared: { name, ...columnOptions(column) } };
    }),
    others: table.columns.flatMap((column) => {
      if (column.kind === 'numeric') return [];
      const what = column.reason === 'text' ? 'is no number' : 'has more digits than a double holds';
      return [{ name: column.name, why: `row ${column.row + 1}, "${column.found}", ${what}` }];
    }),
  };
}
