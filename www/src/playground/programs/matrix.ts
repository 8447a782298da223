// A product of matrices: the table's rows, encrypted, times a matrix that the server has.
import type { Task } from 'cipherloom';
import { columnOptions, type Table } from 'cipherloom/table';

/** A row for each column of the table, a column for each result. */
const MATRIX = [
  [3, -1],
  [-2, 4],
  [1, 5],
];

export default function program(task: Task, table: Table) {
  const columns = table.numeric.slice(0, MATRIX.length);
  const incomplete = columns.find(({ missing }) => missing > 0);
  if (incomplete) throw new Error(`"${incomplete.name}" has empty cells: this program takes none`);

  // One kind of number for the whole matrix: bounds and decimals that fit all of its columns.
  const all = columns.map((column) => columnOptions(column));
  const x = task.encrypted('x', {
    shape: [table.rows, columns.length],
    min: Math.min(...all.map(({ min }) => Number(min))),
    max: Math.max(...all.map(({ max }) => Number(max))),
    decimals: Math.max(...all.map(({ decimals = 0 }) => decimals)),
  });
  const m = task.plain('m', { shape: [columns.length, 2], min: -10, max: 10 });

  task.output('x m', x.matmul(m));
  const rows = Array.from({ length: table.rows }, (_, row) => columns.map(({ values }) => values[row]));
  return { encrypted: { x: rows }, plain: { m: MATRIX.slice(0, columns.length) } };
}
