// A score between 0 and 1 for every row, of a model whose weights are the server's. Numbers are real here, so that results are
// off by a little, which the plan says beforehand.
import type { Task, Value } from 'cipherloom';
import type { Table } from 'cipherloom/table';
import { columnOptions } from 'cipherloom/table';

/** Made up; those of a model that was trained belong here. */
const WEIGHTS = [2.5, 1, -1.5];

export default function program(task: Task, table: Table) {
  const columns = table.numeric.slice(0, WEIGHTS.length);
  const encrypted: Record<string, Float64Array> = {};
  let sum: Value = task.constant(0.25);
  for (const [index, column] of columns.entries()) {
    if (column.missing > 0) throw new Error(`"${column.name}" has empty cells: this program takes none`);
    const { min, max } = columnOptions(column);
    const [low, high] = [Number(min), Number(max)];
    const x = task.encrypted(column.name, { kind: 'real', shape: [table.rows], min: low, max: high });
    // From -1 to 1, times its weight.
    const weight = (WEIGHTS[index] ?? 0) / ((high - low) / 2);
    sum = x
      .sub((low + high) / 2)
      .multiply(weight)
      .add(sum);
    encrypted[column.name] = column.values;
  }
  // A polynomial in place of 1 / (1 + e^-x).
  const scores = sum.sigmoid({ from: -6, to: 6, degree: 15 });

  task.output('score', scores);
  task.output('mean score', scores.mean());
  return { encrypted };
}
