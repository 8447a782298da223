/** Programs over values in a worker, and what both kinds of their workers answer about them. */
import type { RawExplanation, RawReport, RawTask, RawTaskReport, RawTasks } from '../raw.js';
import type { ValueProgramStats, ValueTaskLiteral } from '../values/types.js';
import { Handles } from './handles.js';
import type { OpenTask, Rounds, TaskMethods } from './protocol.js';
import { type Handlers, Moved } from './serve.js';
import { makeChecks } from './verification.js';

/** The programs that are open in this worker. */
export const tasks = new Handles<RawTask>();

/** Keeps a program, and tells of it. */
export function open(task: RawTask): Moved<OpenTask> {
  const bytes = task.bytes();
  const told = {
    report: JSON.parse(task.report()) as RawTaskReport,
    literal: JSON.parse(task.literal()) as ValueTaskLiteral,
    bytes,
  };
  return new Moved({ task: tasks.add(task), ...told }, [bytes.buffer]);
}

/** The handlers; `raw` gives the instance, once it was started. */
export function taskMethods(raw: () => RawTasks): Omit<Handlers<TaskMethods>, 'start'> {
  return {
    openProgram: ({ hear }, bytes) => open(raw().RawTask.fromBytes(bytes, hear)),
    explain: (_, task) => JSON.parse(tasks.get(task).explain()) as RawExplanation,
    sizes: (_, task) => JSON.parse(tasks.get(task).sizes()) as ValueProgramStats,
    text: (_, task, stage) => tasks.get(task).text(stage),
    graph: (_, task, stage) => tasks.get(task).graph(stage),
    verify: (call, task, stage, trials) => {
      const raw = tasks.get(task);
      const run = ({ seed = 0n, first, rounds }: Rounds): RawReport =>
        JSON.parse(raw.verify(stage, seed, first, rounds, call.listen)) as RawReport;
      return makeChecks(call, [{ kind: 'meaning', run }], trials);
    },
    freeProgram: (_, task) => tasks.free(task),
  };
}
