/** Runs the programs of a range of numbers, several at a time, and counts. */
import { check } from './check.mjs';
import { randomProgram } from './generator.mjs';
import { randomJourney, SOON } from './journey.mjs';
import { predict } from './model/predict.mjs';
import { shrink } from './shrink.mjs';
import { sourceOf } from './source.mjs';
import { run } from './subject.mjs';

/** Programs under way at a time: while one waits for its client worker, another's evaluator works. */
const LANES = 2;
/** Most of a process that are made smaller and printed; time for each. */
const MOST_PRINTED = 4;
const SHRINK_MS = 40_000;
let printed = 0;

/**
 * What runs are added up in: programs by scheme, those with a mistake, those that the compiler may refuse by code, those of two threads, wrong ones; the largest part
 * of a bound of reals that was used, and the least budget beyond what was promised.
 */
export function noCounts() {
  return {
    BGV: 0,
    CKKS: 0,
    mistakes: 0,
    threads: 0,
    wrong: 0,
    refused: {},
    share: { most: 0 },
    spare: { least: Infinity },
  };
}

export function addCounts(a, b) {
  const refused = { ...a.refused };
  for (const [code, count] of Object.entries(b.refused)) refused[code] = (refused[code] ?? 0) + count;
  const sums = Object.fromEntries(['BGV', 'CKKS', 'mistakes', 'threads', 'wrong'].map((key) => [key, a[key] + b[key]]));
  // As text an infinity is null.
  const share = a.share.most >= b.share.most ? a.share : b.share;
  const spare = a.spare.least <= (b.spare.least ?? Infinity) ? a.spare : b.spare;
  return { ...sums, refused, share, spare };
}

export function programsIn({ BGV, CKKS }) {
  return BGV + CKKS;
}

export function refusedIn({ refused }) {
  return Object.values(refused).reduce((a, b) => a + b, 0);
}

/** Programs `from` to below `to`. Prints what is wrong. `mistakes`: how many have one. */
export async function runRange({ pkg, looms, seed, from, to, mistakes, print }) {
  let counts = noCounts();
  const numbers = Array.from({ length: to - from }, (_, at) => from + at).values();
  const lane = async () => {
    for (const index of numbers) {
      const program = randomProgram(seed, index, mistakes);
      const journey = mistakes === 1 ? SOON : randomJourney(seed, index, program);
      const result = await tryOne(pkg, looms, program, journey);
      counts = addCounts(counts, countOf(program, journey, result, index));
      if (result.differences.length > 0)
        await report({
          seed,
          index,
          program,
          journey,
          result,
          print,
          again: (...smaller) => tryOne(pkg, looms, ...smaller),
        });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return counts;
}

async function tryOne(pkg, looms, program, journey) {
  const found = await run(pkg, looms, program, journey);
  const result = check(pkg, program, found, journey);
  // After a trap, what follows is to be tried, too.
  if (found.refusal?.error?.code?.startsWith('worker.')) for (const loom of looms) await loom.restart();
  return result;
}

function countOf(program, { threads }, { differences, refused, share, spare }, index) {
  const isMistake = predict(program).refusal !== undefined;
  return {
    ...noCounts(),
    [program.scheme]: 1,
    mistakes: isMistake ? 1 : 0,
    threads: threads && !isMistake && !refused ? 1 : 0,
    wrong: differences.length > 0 ? 1 : 0,
    refused: refused ? { [refused]: 1 } : {},
    share: { most: share, of: index },
    spare: { least: spare, of: index },
  };
}

/** Prints a failing program as small as it can be made. */
async function report({ seed, index, program, journey, result, print, again }) {
  if (printed++ >= MOST_PRINTED) return;
  const kind = kindOf(result);
  let last = result;
  const fails = async (smaller, how) => {
    try {
      const result = await again(smaller, how);
      if (result.differences.length === 0 || kindOf(result) !== kind) return false;
      last = result;
      return true;
    } catch {
      // Some cuts leave no program.
      return false;
    }
  };
  const smallest = await shrink({ program, journey }, fails, SHRINK_MS);
  print(
    `WRONG: seed ${seed}, program ${index}.\n${shown(result)}\nAs a short one:\n${sourceOf(smallest.program, smallest.journey)}${shown(last)}\n`,
  );
}

/** Of the first difference: a smaller program must fail in the same way. */
function kindOf({ differences: [{ where, found, expected }] }) {
  const refusal = (text) => text.match(/^(refused[^:]*: [\w.]*|accepted)/)?.[0];
  return [
    where.match(/type$|budget$|^plain|^shared|^second|^two threads|^info|^decrypt/)?.[0],
    refusal(found),
    refusal(expected)?.split(':')[0],
  ].join();
}

function shown({ differences }) {
  return differences
    .slice(0, 4)
    .map(({ where, found, expected }) => `// ${where}: found ${found}, expected ${expected}`)
    .join('\n');
}

/** The counts in words. */
export function summary(counts) {
  const { BGV, CKKS, mistakes, threads, refused, wrong, share, spare } = counts;
  const codes = Object.entries(refused)
    .map(([code, count]) => `${code} ${count}`)
    .join(', ');
  return [
    `${BGV} programs of integers (BGV), ${CKKS} of reals (CKKS), ${threads} of them on two threads, too`,
    `with mistakes, and refused: ${mistakes}`,
    `too deep or too large, and refused: ${refusedIn(counts)}${codes && ` (${codes})`}`,
    `at most ${(100 * share.most).toFixed(0)}% of an error bound used (program ${share.of})`,
    `at least ${spare.least?.toFixed(1)} bits of budget beyond the promised ones (program ${spare.of})`,
    `wrong: ${wrong}`,
  ].join('; ');
}
