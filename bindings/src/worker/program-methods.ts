/** Programs of a worker, and what both kinds of workers answer about them. */
import type { RawExplanation, RawReport, RawProgram, RawProgramReport, RawTasks, RawUse } from '../raw.js';
import type { ProgramStats, TaskLiteral } from '../values/types.js';
import { Handles } from './handles.js';
import type { OpenProgram, Rounds, ProgramMethods } from './protocol.js';
import { type Handlers, Moved } from './serve.js';
import { makeChecks } from './verification.js';

/** The programs that are open in a worker. */
export class Programs extends Handles<RawProgram> {
  /** Keeps a program, and tells of it. */
  open(program: RawProgram): Moved<OpenProgram> {
    const bytes = program.bytes();
    const told = {
      report: JSON.parse(program.report()) as RawProgramReport,
      literal: JSON.parse(program.literal()) as TaskLiteral,
      bytes,
    };
    return new Moved({ program: this.add(program), ...told }, [bytes.buffer]);
  }
}

/** The handlers; `raw` gives the instance, once it was started. */
export function programMethods(
  programs: Programs,
  raw: () => RawTasks,
): Omit<Handlers<ProgramMethods>, 'start'> {
  return {
    openProgram: ({ hear }, bytes, allowInsecure) =>
      programs.open(raw().RawProgram.fromBytes(bytes, allowInsecure, hear)),
    explain: (_, program) => JSON.parse(programs.get(program).explain()) as RawExplanation,
    sizes: (_, program) => JSON.parse(programs.get(program).sizes()) as ProgramStats,
    uses: (_, program) => JSON.parse(programs.get(program).uses()) as RawUse[],
    text: (_, program, stage) => programs.get(program).text(stage),
    graph: (_, program, stage) => programs.get(program).graph(stage),
    verify: (call, program, stage, trials) => {
      const raw = programs.get(program);
      const run = ({ seed = 0n, first, rounds }: Rounds): RawReport =>
        JSON.parse(raw.verify(stage, seed, first, rounds, call.listen)) as RawReport;
      return makeChecks(call, [{ kind: 'meaning', run }], trials);
    },
    freeProgram: (_, program) => programs.free(program),
  };
}
