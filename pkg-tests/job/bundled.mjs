import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/lib/run.mjs';

/** Columns of the bundled file by name, as { decimals, units }, read in the simplest way. */
export function bundled(...names) {
  const [head, ...lines] = readFileSync(join(ROOT, 'data', 'breast-cancer-wisconsin.csv'), 'utf8')
    .trim()
    .split('\n');
  return Object.fromEntries(
    names.map((name) => {
      const cells = lines.map((line) => line.split(',')[head.split(',').indexOf(name)]);
      const decimals = Math.max(...cells.map((cell) => cell.split('.')[1]?.length ?? 0));
      return [name, { decimals, units: cells.map((cell) => Math.round(Number(cell) * 10 ** decimals)) }];
    }),
  );
}
