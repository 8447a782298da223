/** The evaluator worker: runs programs on ciphertexts. Nothing secret ever comes here. */
import type { RawColumns, RawEvaluator } from '../raw.js';
import { openColumns } from '../raw-columns.js';
import { Handles } from './handles.js';
import { programMethods } from './program-methods.js';
import type { EvaluatorMethods } from './protocol.js';
import { Moved, serve } from './serve.js';

const evaluators = new Handles<RawEvaluator>();
let raw: RawColumns;

serve<EvaluatorMethods>({
  start(_, options) {
    const instance = openColumns(options);
    raw = instance.raw;
    return { version: raw.version(), memoryBytes: instance.memoryBytes };
  },
  ...programMethods(() => raw),
  open: (_, program) => evaluators.add(new raw.RawEvaluator(program)),
  loadKey: (_, evaluator, key) => evaluators.get(evaluator).loadKey(key),
  missingKeys: (_, evaluator) => evaluators.get(evaluator).missingKeys(),
  run: (call, evaluator, inputs, trace) => {
    // Taken out of the message: it must not keep the bytes while the job, which has its own, runs.
    const job = evaluators.get(evaluator).runJob(inputs.splice(0));
    job.setTrace(trace);
    return call.finish(job, () => {
      const outputs = job.takeObjects();
      const buffers = outputs.map(({ bytes }) => bytes.buffer);
      return new Moved({ outputs, trace: trace ? job.trace() : undefined }, buffers);
    });
  },
  free: (_, evaluator) => evaluators.free(evaluator),
});
