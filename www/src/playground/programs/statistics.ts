// Where two columns lie, and how they go together. Sums are computed on ciphertexts, exactly; dividing them is left to who
// holds the key.
import type { Task } from 'cipherloom';
import { columnOptions, type Table } from 'cipherloom/table';

export default function program(task: Task, table: Table) {
  const [x, y] = table.numeric;
  if (!x || !y) throw new Error('This program takes two columns: choose them above');

  // What is said of a column in public: how many rows, and bounds, rounded outward.
  const a = task.encrypted(x.name, columnOptions(x));
  const b = task.encrypted(y.name, columnOptions(y));

  task.output(`mean of ${x.name}`, a.mean());
  task.output(`variance of ${x.name}`, a.variance());
  task.output(`mean of ${y.name}`, b.mean());
  task.output(`variance of ${y.name}`, b.variance());
  task.output('correlation', a.correlation(b));

  return { encrypted: { [x.name]: x.values, [y.name]: y.values } };
}
