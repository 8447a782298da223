/** What evaluator workers do: one runs programs on ciphertexts and on the server's own values. No secret key ever comes here. */
import type { NamedBytes, Open, RawGivenValues, RawHeld, RawEvaluator, RawTasks } from '../raw.js';
import type { PlacementTrace } from '../types.js';
import { Handles } from './handles.js';
import type { ByTimes, EvaluatorMethods } from './protocol.js';
import { type Handlers, Moved } from './serve.js';
import { Programs, programMethods } from './program-methods.js';
import { traced } from './traced.js';

/** The handlers of one worker; `start` starts its instance. */
export function evaluatorMethods(start: Open<RawTasks>): Handlers<EvaluatorMethods> {
  const programs = new Programs();
  const evaluators = new Handles<RawEvaluator>();
  const values = new Handles<RawHeld>();
  const placements = new Placements();
  let raw: RawTasks;
  return {
    async start(_, options) {
      const instance = await start(options);
      raw = instance.raw;
      return { version: raw.version(), memoryBytes: instance.memoryBytes };
    },
    ...programMethods(programs, () => raw),
    open: (_, program, allowInsecure) => evaluators.add(new raw.RawEvaluator(program, allowInsecure)),
    loadKey: (_, evaluator, key) => evaluators.get(evaluator).loadKey(key),
    missingKeys: (_, evaluator) => evaluators.get(evaluator).missingKeys(),
    hold: (_, evaluator, given) => values.add(evaluators.get(evaluator).hold(...given)),
    freeHeld: (_, held) => values.free(held),
    run: (call, evaluator, held, [names, encrypted, clear, cells, present], trace, gpu) => {
      // Taken out of the message: it must not keep the bytes while the job, which has its own, runs.
      const given: RawGivenValues = [names, encrypted.splice(0), clear, cells.splice(0), present];
      const own = evaluators.get(evaluator);
      const placement = typeof gpu === 'boolean' ? undefined : placements.of(own, gpu);
      const byTimes = placement !== undefined;
      const there = byTimes ? placement.operators > 0 : gpu;
      const job = (() => {
        if (held === undefined) return there ? own.runJobOnGpu(byTimes, ...given) : own.runJob(...given);
        const stays = values.get(held);
        return there ? own.runHeldJobOnGpu(byTimes, stays, ...given) : own.runHeldJob(stays, ...given);
      })();
      call.giveBack([], given[1]);
      const take = (): Moved<NamedBytes[]> => {
        const outputs = job.takeObjects();
        return new Moved(
          outputs,
          outputs.map(({ bytes }) => bytes.buffer),
        );
      };
      return traced(call, job, trace, take, placement);
    },
    free: (_, evaluator) => evaluators.free(evaluator),
  };
}

/** How evaluators have placed their operators last: runs in a row are placed once. */
class Placements {
  readonly #last = new WeakMap<RawEvaluator, { readonly by: string; readonly placement: PlacementTrace }>();

  of(evaluator: RawEvaluator, { times, pinned, to }: ByTimes): PlacementTrace {
    const by = [times, ...pinned, ...to].join('\n');
    const last = this.#last.get(evaluator);
    if (last?.by === by) return last.placement;
    // Where it fails nothing is placed.
    this.#last.delete(evaluator);
    const placement = JSON.parse(evaluator.placeByTimes(times, pinned, to)) as PlacementTrace;
    this.#last.set(evaluator, { by, placement });
    return placement;
  }
}
