/** Programs in a worker, and what both kinds of worker answer about them. */
import type { RawColumns, RawProgram } from '../raw.js';
import { Handles } from './handles.js';
import type { OpenProgram, ProgramMethods } from './protocol.js';
import { type Handlers, Moved } from './serve.js';

/** The programs that are open in this worker. */
export const programs = new Handles<RawProgram>();

/** Keeps a program, and tells of it. */
export function open(program: RawProgram): Moved<OpenProgram> {
  const bytes = program.bytes();
  return new Moved({ program: programs.add(program), info: program.info(), bytes }, [bytes.buffer]);
}

/** The handlers; `raw` gives the instance, once it was started. */
export function programMethods(raw: () => RawColumns): Omit<Handlers<ProgramMethods>, 'start'> {
  return {
    openProgram: ({ hear }, bytes) => open(raw().RawProgram.fromBytes(bytes, hear)),
    text: (_, program, stage) => programs.get(program).text(stage),
    graph: (_, program, stage) => programs.get(program).graph(stage),
    freeProgram: (_, program) => programs.free(program),
  };
}
