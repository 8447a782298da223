/** A worker of a crew of threads. */
import { Moved, serve, type Call } from '../../worker/serve.js';
import { isReplaced, StaleModule } from '../operators/modules.js';
import { TaskRunner } from '../run-task.js';
import type { Ref } from '../store.js';
import type { JobMethods, Question } from './protocol.js';

let current: Call;
let runner: TaskRunner | undefined;

serve<JobMethods>({
  start(_, { worker, kind }) {
    const store = {
      get: (get: Ref) => current.ask<Uint8Array>({ get } satisfies Question),
      put: (put: Uint8Array) => current.ask<Ref>({ put } satisfies Question, [put.buffer as ArrayBuffer]),
    };
    isReplaced();
    runner = new TaskRunner({
      store,
      worker,
      kind,
      // Nobody waits for the answer.
      log: (log) => void current.ask({ log } satisfies Question).catch(() => {}),
      pause: () => current.pause({ done: 0, total: 1 }),
    });
  },
  async run(call, task) {
    current = call;
    try {
      return new Moved(await (runner as TaskRunner).run(task), []);
    } catch (error) {
      if (error instanceof StaleModule) return 'stale';
      throw error;
    }
  },
});
