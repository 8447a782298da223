/** The evaluator worker: runs programs on ciphertexts. Nothing secret ever comes here. */
import { openRaw, type OpenedRaw, type RawEvaluator } from "../raw.js";
import { Handles } from "./handles.js";
import type { EvaluatorMethods } from "./protocol.js";
import { Moved, serve } from "./serve.js";

const evaluators = new Handles<RawEvaluator>();
let opened: OpenedRaw;

serve<EvaluatorMethods>({
  async start(_, options) {
    opened = await openRaw(options);
    const { raw, memoryBytes, monitors } = opened;
    return new Moved({ version: raw.version(), memoryBytes, monitors }, monitors);
  },
  open: (_, program) => evaluators.add(new opened.raw.RawEvaluator(program)),
  loadKey: (_, evaluator, key) => evaluators.get(evaluator).loadKey(key),
  missingKeys: (_, evaluator) => evaluators.get(evaluator).missingKeys(),
  run: (call, evaluator, inputs, trace) => {
    const job = evaluators.get(evaluator).runJob(inputs);
    job.setTrace(trace);
    return call.finish(job, () => {
      const outputs = job.takeOutputs();
      const buffers = outputs.map(({ bytes }) => bytes.buffer);
      return new Moved({ outputs, trace: trace ? job.trace() : undefined }, buffers);
    });
  },
  free: (_, evaluator) => evaluators.free(evaluator),
});
