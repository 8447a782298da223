/** Reads files and computes the plain reference, away from the page's thread. */
import { CipherloomError, createTask, plainStatistics } from 'cipherloom';
import { columnOptions, parseTable } from 'cipherloom/table';
import { resultOf } from '../compare.js';
import { fillTask } from '../selection.js';
import type { Answers, DataTable, Reply, Request } from './messages.js';

addEventListener('message', ({ data: { id, request } }: MessageEvent<{ id: number; request: Request }>) => {
  postMessage(answer(id, request));
});

function answer(id: number, request: Request): Reply {
  try {
    return { id, value: request.kind === 'read' ? read(request.file) : plain(request) };
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

function plain({ selection, columns }: Extract<Request, { kind: 'plain' }>): Answers['plain'] {
  const task = createTask();
  fillTask(task, selection);
  return Object.fromEntries(
    Object.entries(plainStatistics(task, columns)).map(([output, value]) => [output, resultOf(value)]),
  );
}
