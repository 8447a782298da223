/** A crew of this thread: nothing starts, and a debugger stops in operators. */
import { checkOptions, INLINE_OPTIONS } from '../../arguments.js';
import { DisposedError, failure } from '../../errors.js';
import type { Kind } from '../kinds.js';
import { MemoryStore } from '../memory-store.js';
import { TaskRunner } from '../run-task.js';
import { type Store, TrackingStore } from '../store.js';
import type { LogLine } from '../types.js';
import type { Crew, Hearing, Task, TaskResult } from '../work.js';

/** Settings of {@link inline}. */
export interface InlineOptions {
  /** As how many workers it does the work, 1 to 256, one after the other; 1 where it is not said. */
  readonly workers?: number;
  /** Where chunks lie: memory where it is not said. */
  readonly store?: Store;
}

/**
 * A crew of this thread, which is busy while an operator computes; one that never ends stops everything. A module that was edited after this thread had imported it is refused (JobError
 * `job.refused`): there is no other thread to import it anew. Errors: InputError.
 */
export function inline(options: InlineOptions = {}): Crew {
  checkOptions('inline', options, INLINE_OPTIONS);
  return new Inline(options);
}

class Inline implements Crew {
  readonly store: Store;
  readonly workers: Readonly<Partial<Record<Kind, number>>>;
  readonly #runners: TaskRunner[] = [];
  #log: ((line: LogLine) => void) | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #signal: AbortSignal | undefined;
  /** Of the task that is done now. */
  #tracking: TrackingStore | undefined;
  #closed = false;

  constructor({ workers = 1, store = new MemoryStore() }: InlineOptions) {
    this.store = store;
    this.workers = { cpu: workers };
  }

  run(task: Task, hearing: Hearing): Promise<TaskResult> {
    const done = this.#last.then(() => this.#run(task, hearing));
    this.#last = done.catch(() => {});
    return done;
  }

  async #run(task: Task, { signal, log }: Hearing): Promise<TaskResult> {
    if (this.#closed) throw new DisposedError('disposed', 'The crew was closed');
    signal.throwIfAborted();
    if (task.kind !== 'cpu') {
      const problem = `the crew has cpu, and no worker of kind ${task.kind}`;
      throw failure('job.kind', problem, { found: 'cpu', expected: task.kind });
    }
    this.#log = log;
    this.#signal = signal;
    const store = (this.#tracking = new TrackingStore(this.store));
    try {
      return await this.#runner(task.part % (this.workers.cpu as number)).run(task);
    } catch (error) {
      await store.forget();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const runner of this.#runners) runner?.close();
  }

  #runner(worker: number): TaskRunner {
    return (this.#runners[worker] ??= new TaskRunner({
      store: {
        get: (ref) => this.store.get(ref),
        put: (bytes) => (this.#tracking as TrackingStore).put(bytes),
      },
      worker,
      kind: 'cpu',
      log: (line) => this.#log?.(line),
      pause: async () => {
        await new Promise((resolve) => setTimeout(resolve));
        this.#signal?.throwIfAborted();
      },
    }));
  }
}
