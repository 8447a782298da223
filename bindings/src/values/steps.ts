/** Tasks with what ties them together, as the core compiles them. */
import { failure } from '../errors.js';
import type { RawStep } from '../raw.js';
import { givenOf } from './program-info.js';
import type { Program, ProgramInfo, SchemeName, Task } from './types.js';

/** Whether a result is one of a program that is compiled already. */
export function isProgram(of: Task | Program): of is Program {
  return 'info' in of;
}

/**
 * The tasks in order, and the programs whose results they take, of which the parameters are taken. Errors: GraphError if a task has no output, or takes the result
 * of one that does not stand before it.
 */
export function stepsOf(
  tasks: readonly Task[],
  scheme: SchemeName | undefined,
): { steps: RawStep[]; under: ProgramInfo | undefined } {
  let under: ProgramInfo | undefined;
  // All have one scheme.
  const programs = tasks.flatMap((task) => [...task.ties().results.values()].map(({ of }) => of));
  const given = scheme ?? programs.find(isProgram)?.info.scheme;
  const reals = given === undefined ? tasks.some((task) => task.hasReals) : given === 'CKKS';
  const steps = tasks.map((task, number): RawStep => {
    const from: Record<string, RawStep['from'][string]> = {};
    const results: Record<string, RawStep['results'][string]> = {};
    const { results: ties, kept, refreshed: own } = task.ties();
    for (const [name, { of, output, refreshed }] of ties) {
      if (isProgram(of)) {
        under ??= of.info;
        results[name] = givenOf(of.info, output, refreshed);
        continue;
      }
      const before = tasks.indexOf(of);
      if (before < 0 || before >= number) {
        const expected = 'a task that stands before it in loom.compileAll([...])';
        const problem = `Input "${name}" is a result of ${before < 0 ? 'a task that is not compiled with it' : `task ${before}`}; expected ${expected}`;
        throw failure('graph.foreign', problem, { input: name, expected });
      }
      from[name] = { task: before, output, refreshed };
    }
    return { task: task.literal(reals), from, results, kept, refreshed: own };
  });
  return { steps, under };
}
