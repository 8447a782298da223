/** Runs a range of recipes, several at a time, and counts. */
import { checkRecipe } from './check.mjs';
import { randomRecipe } from './generator.mjs';
import { sourceOf } from './recipe.mjs';
import { shrink } from './shrink.mjs';

/** Recipes under way at a time: while one waits for its worker, another is interpreted. */
const LANES = 3;
/** Most of a process that are made smaller and printed; time for each. */
const MOST_PRINTED = 5;
const SHRINK_MS = 30_000;
let printed = 0;

/** What runs are added up in: graphs, their operators, runs, elements compared, those of them that are left open. */
export function noCounts() {
  return { graphs: 0, calls: 0, runs: 0, elements: 0, open: 0, wrong: 0 };
}

export function addCounts(a, b) {
  return Object.fromEntries(Object.keys(a).map((key) => [key, a[key] + b[key]]));
}

/** Looms of 1, 2 and 4 threads. */
export function openLooms(pkg) {
  return Promise.all([1, 2, 4].map((threads) => pkg.load({ threads })));
}

/** Recipes `from` to below `to`. Prints what is wrong. */
export async function runRange({ pkg, looms, seed, from, to, print }) {
  let counts = noCounts();
  let next = from;
  const lane = async () => {
    while (next < to) {
      const index = next++;
      const recipe = randomRecipe(seed, index);
      const result = await attempt(pkg, looms, recipe);
      counts = addCounts(counts, countOf(recipe, result));
      if (result.differences.length > 0) await report({ pkg, looms, seed, index, recipe, result, print });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return counts;
}

/** A recipe that the package refuses, and a text that cannot be interpreted, are wrong, too. */
async function attempt(pkg, looms, recipe) {
  try {
    const result = await checkRecipe(pkg, looms, recipe);
    // After a trap, what follows is to be tried, too.
    if (result.differences.some(({ found }) => String(found).startsWith('worker.')))
      await Promise.all(looms.map((loom) => loom.restart()));
    return result;
  } catch (error) {
    const differences = [{ where: 'build', found: error.stack, expected: 'no error' }];
    return { differences, runs: 0, elements: 0, open: 0 };
  }
}

/** Prints a failing recipe as small as it can be made. */
async function report({ pkg, looms, seed, index, recipe, result, print }) {
  if (printed++ >= MOST_PRINTED) return;
  let last = result;
  const fails = async (smaller) => {
    const found = await attempt(pkg, looms, smaller);
    if (found.differences.length === 0 || kindOf(found) !== kindOf(result)) return false;
    last = found;
    return true;
  };
  const smallest = await shrink(recipe, fails, SHRINK_MS);
  const before = `WRONG: seed ${seed}, graph ${index}.\n${shown(result.differences)}`;
  print(`${before}\nAs a small one:\n${sourceOf(smallest)}${shown(last.differences)}\n`);
}

/** A smaller recipe must fail in the same way: by values, or by the same error. */
function kindOf({ differences: [{ where, found, expected }] }) {
  if (expected !== 'no error') return where.startsWith('the text');
  return String(found).slice(0, 30);
}

function shown(differences) {
  return differences
    .slice(0, 4)
    .map(({ where, found, expected }) => `// ${where}: found ${found}, expected ${expected}`)
    .join('\n');
}

function countOf({ steps }, { differences, runs, elements, open }) {
  return { graphs: 1, calls: steps.length, runs, elements, open, wrong: differences.length > 0 ? 1 : 0 };
}

/** The counts in words. */
export function summary({ graphs, calls, runs, elements, open, wrong }) {
  return `${graphs} graphs of ${calls} calls, run ${runs} times; ${elements} elements, ${open} of them left open; wrong: ${wrong}`;
}
