/** What the core tells of a program, as people read it. */
import { isName } from './arguments.js';
import { failure } from './errors.js';
import { ExactDecimal } from './exact.js';
import type { RawProgramInfo } from './raw.js';
import type { ProgramInfo, Variant } from './types.js';

/**
 * How much longer a run takes in a build than with relaxed SIMD, which the core's estimate supposes. Measured as processor
 * time in Node 22, on one thread: 1.9 to 2.1 for statistics, products, and sums of 20,000 rows.
 */
const SLOWER: Readonly<Record<Variant, number>> = { relaxed: 1, threads: 2, single: 2 };

/**
 * The core's info with bounds as decimals, and the time that the build will take. Errors: FormatError if a name is none that a task would take: other
 * builders may not have asked.
 */
export function describeProgram(raw: RawProgramInfo, variant: Variant): ProgramInfo {
  const bad = [...raw.inputs, ...raw.outputs].find(({ name }) => !isName(name));
  if (bad !== undefined) {
    const problem = `Not a program: ${JSON.stringify(bad.name)} is no name of an input or output`;
    throw failure('format.program', problem, { name: bad.name });
  }
  return {
    ...raw,
    cost: { ...raw.cost, seconds: raw.cost.seconds * SLOWER[variant] },
    inputs: raw.inputs.map((input) => {
      const bound = (units: string): ExactDecimal => new ExactDecimal(BigInt(units), input.decimals);
      return { ...input, min: bound(input.min), max: bound(input.max) };
    }),
  };
}
