/** What the core tells of a program, as people read it. */
import { isName } from './arguments.js';
import { failure } from './errors.js';
import { ExactDecimal } from './exact.js';
import type { RawProgramInfo } from './raw.js';
import type { ProgramInfo } from './types.js';

/**
 * The core's info with bounds as decimals. Errors: FormatError if a name is none that a task would take: other
 * builders may not have asked.
 */
export function describeProgram(raw: RawProgramInfo): ProgramInfo {
  const bad = [...raw.inputs, ...raw.outputs].find(({ name }) => !isName(name));
  if (bad !== undefined) {
    const problem = `Not a program: ${JSON.stringify(bad.name)} is no name of an input or output`;
    throw failure('format.program', problem, { name: bad.name });
  }
  return {
    ...raw,
    inputs: raw.inputs.map((input) => {
      const bound = (units: string): ExactDecimal => new ExactDecimal(BigInt(units), input.decimals);
      return { ...input, min: bound(input.min), max: bound(input.max) };
    }),
  };
}
