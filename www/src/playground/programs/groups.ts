// How many rows of each group lie above a limit: who belongs to which group is encrypted, and so is what is compared.
import type { Task } from 'cipherloom';
import { columnOptions, type Table } from 'cipherloom/table';

export default function program(task: Task, table: Table) {
  const [group, x] = table.numeric;
  if (!group || !x) throw new Error('This program takes two columns: groups, numbered from 0, and numbers');
  if (group.decimals > 0 || group.missing > 0 || !(group.min >= 0 && group.max < 16))
    throw new Error(`"${group.name}" does not number groups: expected whole numbers from 0 to 15`);
  if (x.missing > 0) throw new Error(`"${x.name}" has empty cells: this program takes none`);

  const categories = group.max + 1;
  const belongs = task.encrypted(group.name, { kind: 'category', categories, shape: [table.rows] });
  const options = columnOptions(x);
  // Narrow bounds make a comparison cheap.
  const value = task.encrypted(x.name, options);
  const limit = Math.round((Number(options.min) + Number(options.max)) / 2);

  const above = value.greaterThan(limit);
  for (let at = 0; at < categories; at++) {
    const inGroup = belongs.equals(at);
    task.output(`group ${at}`, inGroup.count());
    task.output(`group ${at}, above ${limit}`, inGroup.and(above).count());
  }
  return { encrypted: { [group.name]: group.values, [x.name]: x.values } };
}
