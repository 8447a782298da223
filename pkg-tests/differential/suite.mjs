/** Runs the cases of a range of indexes, several at a time, and counts. */
import { checkCase, checkPlain } from './cases.mjs';
import { randomJourney, randomProgram } from './generator.mjs';
import { predict } from './model.mjs';
import { shrink } from './shrink.mjs';
import { sourceOf } from './source.mjs';

/** Of so many indexes in a row, the first few are programs of one task. All others are alone in theirs. */
const PERIOD = 40;
const TOGETHER = 4;
/** Cases under way at a time: while one waits for its client worker, another's evaluator works. */
const LANES = 3;
/** Most of a process that are made smaller and printed; time for each. */
const MOST_PRINTED = 5;
const SHRINK_MS = 30_000;
let printed = 0;

/**
 * What runs are added up in: programs alone in their task and together in one, those with mistakes, those that are too
 * large for the compiler by its code, those that are wrong.
 */
export function noCounts() {
  return { programs: 0, alone: 0, together: 0, mistakes: 0, refused: {}, wrong: 0 };
}

export function addCounts(a, b) {
  const refused = { ...a.refused };
  for (const [code, count] of Object.entries(b.refused)) refused[code] = (refused[code] ?? 0) + count;
  return { ...Object.fromEntries(Object.keys(a).map((key) => [key, a[key] + b[key]])), refused };
}

/** Indexes as cases: `[first, after the last]` each. */
export function* casesOf(from, to) {
  for (let index = from; index < to;) {
    const size = index % PERIOD === 0 ? TOGETHER : 1;
    yield [index, Math.min(to, index + size)];
    index += size;
  }
}

/** The case of some indexes of a seed. */
export function randomCase(seed, from, to) {
  const programs = Array.from({ length: to - from }, (_, k) => randomProgram(seed, from + k));
  return { programs, journey: randomJourney(seed, from, programs) };
}

/** Programs `from` to below `to`, with encryption and without. Prints what is wrong. */
export async function runRange({ pkg, loom, seed, from, to, print }) {
  let counts = noCounts();
  const cases = casesOf(from, to);
  const lane = async () => {
    for (const [first, end] of cases) {
      const random = randomCase(seed, first, end);
      const results = await run(pkg, loom, random);
      for (const result of results) counts = addCounts(counts, countOf(result));
      const wrong = results.find(({ differences }) => differences.length > 0);
      if (wrong) await report({ seed, first, random, wrong, print, again: (one) => run(pkg, loom, one) });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return counts;
}

/** Without encryption only: the package's own reference. */
export async function runRangePlain({ pkg, seed, from, to, print }) {
  let counts = noCounts();
  const plain = (programs) =>
    programs.map((program) => ({ program, together: 1, differences: checkPlain(pkg, program) }));
  for (let index = from; index < to; index++) {
    const [result] = plain([randomProgram(seed, index)]);
    counts = addCounts(counts, countOf(result));
    if (result.differences.length === 0) continue;
    const random = { programs: [result.program], journey: {} };
    await report({ seed, first: index, random, wrong: result, print, again: ({ programs }) => plain(programs) });
  }
  return counts;
}

async function run(pkg, loom, random) {
  const results = await checkCase(pkg, loom, random);
  // After a trap, what follows is to be tried, too.
  if (results.some(({ differences }) => differences.some(({ found }) => found.includes('worker.'))))
    await loom.restart();
  return results.map(({ program, differences, ...rest }) => {
    const plain = checkPlain(pkg, program).map(({ where, ...values }) => ({
      where: `plainStatistics, ${where}`,
      ...values,
    }));
    return { program, differences: [...differences, ...plain], ...rest };
  });
}

/** Prints a failing case as small as it can be made. */
async function report({ seed, first, random, wrong, print, again }) {
  if (printed++ >= MOST_PRINTED) return;
  const kind = kindOf(wrong);
  let last = wrong;
  const fails = async (smaller) => {
    const result = (await again(smaller)).find((one) => one.differences.length > 0 && kindOf(one) === kind);
    if (result) last = result;
    return Boolean(result);
  };
  const smallest = await shrink(random, fails, SHRINK_MS);
  const before = `WRONG: seed ${seed}, program ${first}.\n${shown(wrong.differences)}`;
  print(`${before}\nAs a short one:\n${sourceOf(smallest)}${shown(last.differences)}\n`);
}

/** Of the first difference: a smaller case must fail in the same way. */
function kindOf({ differences: [{ where, found, expected }] }) {
  const refusal = (text) => text.match(/^(refused|accepted)/)?.[0];
  return [where.startsWith('plainStatistics'), refusal(found), refusal(expected)].join();
}

function shown(differences) {
  return differences
    .slice(0, 4)
    .map(({ where, found, expected }) => `// ${where}: found ${found}, expected ${expected}`)
    .join('\n');
}

function countOf({ program, together, differences, refused }) {
  return {
    programs: 1,
    alone: together === 1 ? 1 : 0,
    together: together === 1 ? 0 : 1,
    mistakes: predict(program).refusal ? 1 : 0,
    refused: refused ? { [refused]: 1 } : {},
    wrong: differences.length > 0 ? 1 : 0,
  };
}

/** The counts in words. */
export function summary({ programs, alone, together, mistakes, refused, wrong }) {
  const limits = Object.values(refused).reduce((a, b) => a + b, 0);
  const codes = Object.entries(refused)
    .map(([code, count]) => `${code} ${count}`)
    .join(', ');
  return [
    `${programs} programs, ${alone} in tasks of their own, ${together} in shared ones`,
    `with mistakes, and refused: ${mistakes}`,
    `too large, and refused: ${limits}${codes && ` (${codes})`}`,
    `wrong: ${wrong}`,
  ].join('; ');
}
