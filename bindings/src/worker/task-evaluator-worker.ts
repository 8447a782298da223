/** A task evaluator worker: runs programs over values on ciphertexts and on the server's own values. No secret key ever comes here. */
import type { RawTaskEvaluator, RawTasks } from '../raw.js';
import { openTasks } from '../raw-tasks.js';
import { Handles } from './handles.js';
import type { TaskEvaluatorMethods } from './protocol.js';
import { Moved, serve } from './serve.js';
import { taskMethods } from './task-methods.js';

const evaluators = new Handles<RawTaskEvaluator>();
let raw: RawTasks;

serve<TaskEvaluatorMethods>({
  start(_, options) {
    const instance = openTasks(options);
    raw = instance.raw;
    return { version: raw.version(), memoryBytes: instance.memoryBytes };
  },
  ...taskMethods(() => raw),
  open: (_, program) => evaluators.add(new raw.RawTaskEvaluator(program)),
  loadKey: (_, evaluator, key) => evaluators.get(evaluator).loadKey(key),
  missingKeys: (_, evaluator) => evaluators.get(evaluator).missingKeys(),
  run: (call, evaluator, names, encrypted, clear, cells, present, trace) => {
    // Taken out of the message: it must not keep the bytes while the job, which has its own, runs.
    const [ciphertexts, own] = [encrypted.splice(0), cells.splice(0)];
    const job = evaluators.get(evaluator).runJob(names, ciphertexts, clear, own, present);
    job.setTrace(trace);
    return call.finish(job, () => {
      const outputs = job.takeObjects();
      const buffers = outputs.map(({ bytes }) => bytes.buffer);
      return new Moved({ outputs, trace: trace ? job.trace() : undefined }, buffers);
    });
  },
  free: (_, evaluator) => evaluators.free(evaluator),
});
