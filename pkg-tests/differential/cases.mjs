/** A case: some programs in one task, how it is run, and what came of it. */
import { check } from './check.mjs';
import { LIMITS } from './limits.mjs';
import { predict } from './model.mjs';
import { backwards, nameIn, runEncrypted, runPlain } from './subject.mjs';

/** Without encryption: what is wrong with one program. The reference does not look at columns that it does not need. */
export function checkPlain(pkg, program) {
  if (program.surplus !== undefined) return [];
  return check(pkg, program, predict(program), runPlain(pkg, program)).differences;
}

/**
 * With encryption: of each program `{ program, together, differences, refused }`, where `together` counts the programs
 * of its task. Programs that must be refused are run alone; where the compiler refuses several, each half is tried.
 */
export async function checkCase(pkg, loom, { programs, journey }) {
  const expected = programs.map(predict);
  const alone = programs.filter((_, index) => programs.length > 1 && expected[index].refusal);
  const rest = programs.filter((program) => !alone.includes(program));
  const results = [];
  for (const program of alone) results.push(...(await checkCase(pkg, loom, { programs: [program], journey })));
  return rest.length === 0 ? results : [...results, ...(await checkTogether(pkg, loom, { programs: rest, journey }))];
}

async function checkTogether(pkg, loom, { programs, journey }) {
  const found = await runEncrypted(pkg, loom, programs, journey);
  if (programs.length > 1 && isTooLarge(found.refusal)) {
    const middle = programs.length >> 1;
    const halves = [programs.slice(0, middle), programs.slice(middle)];
    const results = [];
    for (const half of halves) results.push(...(await checkTogether(pkg, loom, { programs: half, journey })));
    return results;
  }
  return programs.map((program, k) => {
    const expected = predict(program);
    const own = found.refusal ? found : ofProgram(programs, k, found);
    const { differences, refused } = check(pkg, program, expected, own, journey);
    const second = found.again
      ? check(pkg, program, predict(backwards(program)), ofProgram(programs, k, { ...found, ...found.again }), journey)
      : { differences: [] };
    const again = second.differences.map(({ where, ...rest }) => ({ where: `second run, ${where}`, ...rest }));
    return { program, together: programs.length, differences: [...differences, ...again], refused };
  });
}

function isTooLarge(refusal) {
  return refusal?.step === 'compile' && LIMITS.includes(refusal.error.code);
}

/** The share of the k-th program in what several gave. */
function ofProgram(programs, k, { info, outputs, short }) {
  if (programs.length === 1) return { info, outputs, short };
  const own = (list, names) => {
    return names.flatMap(({ name }) =>
      list.filter((one) => one.name === nameIn(programs, k, name)).map((one) => ({ ...one, name })),
    );
  };
  const renamed = (values) =>
    Object.fromEntries(programs[k].outputs.map(({ name }) => [name, values[nameIn(programs, k, name)]]));
  return {
    info: { ...info, inputs: own(info.inputs, programs[k].inputs), outputs: own(info.outputs, programs[k].outputs) },
    outputs: renamed(outputs),
    // An output without a value may be another program's.
    short: short.problem ? undefined : renamed(short),
  };
}
