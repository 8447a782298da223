// The inputs of the tasks: numbers, and nothing that a library does with them.
import { readFileSync } from 'node:fs';
import { parseTable } from 'cipherloom/table';
import { generator } from '../lib/random.mjs';

const CSV = new URL('../../data/breast-cancer-wisconsin.csv', import.meta.url);

/** Two columns { name, values, decimals, min, max } of that many rows: the bundled table's, or random ones like them. */
export function columns(rows) {
  const table = parseTable(readFileSync(CSV));
  const [a, b] = table.numeric.slice(0, 2);
  return [plain(a, rows, 1), plain(b, rows, 2)];
}

function plain({ name, values, decimals }, rows, seed) {
  const scale = 10 ** decimals;
  const [min, max] = [Math.min(...values), Math.max(...values)];
  if (values.length === rows) return { name, values: Array.from(values), decimals, min, max };
  const random = generator(seed);
  const value = () => Math.round((min + random() * (max - min)) * scale) / scale;
  return { name, values: Array.from({ length: rows }, value), decimals, min, max };
}

/** Pairs of vectors of integers from -limit to limit. */
export function vectorPairs({ count, length, limit }) {
  const random = generator(3);
  const vector = () => Array.from({ length }, () => Math.floor(random() * (2 * limit + 1)) - limit);
  return Array.from({ length: count }, () => [vector(), vector()]);
}
