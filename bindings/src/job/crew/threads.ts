/** A crew of this machine's threads: workers of the page or of Node. */
import { checkOptions, THREADS_OPTIONS } from '../../arguments.js';
import { processors } from '../../choose-mode.js';
import { CipherloomError, failure } from '../../errors.js';
import type { WorkerLike } from '../../types.js';
import { Connection } from '../../worker/connection.js';
import { startScript } from '../../worker/start.js';
import type { Kind } from '../kinds.js';
import { MemoryStore } from '../memory-store.js';
import { type Store, TrackingStore } from '../store.js';
import type { Crew, Hearing, Task, TaskResult } from '../work.js';
import type { JobMethods, Question } from './protocol.js';

/** Settings of {@link threads}. */
export interface ThreadsOptions {
  /** Workers of kind `cpu`, 0 to 256; as many as the machine has processors where it is not said, 16 at most. */
  readonly cpu?: number;
  /** Workers of kind `gpu`, 0 to 256; none where it is not said. Functions of `on.gpu` run there, which use the GPU themselves. */
  readonly gpu?: number;
  /** Milliseconds that a task may take before it is ended with its worker; as long as it likes where it is not said. */
  readonly timeout?: number;
  /** Where chunks lie: memory where it is not said. */
  readonly store?: Store;
  /** Starts a worker with the package's script `cipherloom/job-worker`, where the bundler does not find it by itself. */
  readonly worker?: () => WorkerLike;
}

/** How often a task is begun whose workers die. */
const ATTEMPTS = 3;

/** A crew of threads. They are started when they are first needed, and anew where one has imported a module that was edited since (in Node: in a page a module is what it was when it was first imported). Errors: InputError. */
export function threads(options: ThreadsOptions = {}): Crew {
  checkOptions('threads', options, THREADS_OPTIONS);
  return new Threads(options);
}

class Threads implements Crew {
  readonly store: Store;
  readonly workers: Readonly<Partial<Record<Kind, number>>>;
  readonly #slots = new Map<string, Slot>();
  /** How many lines workers have written, by who hears of them. */
  readonly #lines = new WeakMap<Hearing, Map<string, number>>();
  readonly #timeout: number | undefined;
  readonly #create: () => WorkerLike;
  #closed = false;

  constructor({
    cpu = Math.min(16, processors()),
    gpu = 0,
    timeout,
    store = new MemoryStore(),
    worker,
  }: ThreadsOptions) {
    this.store = store;
    this.workers = { ...(cpu > 0 && { cpu }), ...(gpu > 0 && { gpu }) };
    this.#timeout = timeout;
    this.#create = worker ?? startJobWorker;
  }

  async run(task: Task, hearing: Hearing): Promise<TaskResult> {
    if (this.#closed) throw failure('disposed', 'The crew was closed', {});
    hearing.signal.throwIfAborted();
    const home = this.#slot(task.kind, task.part % this.#count(task.kind), task.lane);
    return new Promise((resolve, reject) => {
      home.waiting.push({ task, hearing, resolve, reject });
      this.#work(home);
      for (const slot of this.#slots.values()) this.#work(slot);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const slot of this.#slots.values()) {
      slot.connection?.close();
      for (const { reject } of slot.waiting.splice(0)) reject(failure('disposed', 'The crew was closed', {}));
    }
  }

  #count(kind: Kind): number {
    const count = this.workers[kind];
    if (count !== undefined) return count;
    const found = Object.keys(this.workers).join(', ') || 'no workers';
    throw failure('job.kind', `the crew has ${found}, and no worker of kind ${kind}`, {
      found,
      expected: kind,
    });
  }

  #slot(kind: Kind, worker: number, lane: number): Slot {
    const name = `${kind} ${worker} ${lane}`;
    let slot = this.#slots.get(name);
    if (slot === undefined) this.#slots.set(name, (slot = { kind, worker, lane, waiting: [], busy: false }));
    // Workers that have had nothing to do yet are there, too.
    for (let other = 0; lane === 0 && worker === 0 && other < this.#count(kind); other++)
      if (!this.#slots.has(`${kind} ${other} 0`)) this.#slot(kind, other, 0);
    return slot;
  }

  /** Has a slot begin what waits for it, or for one that is far behind. */
  #work(slot: Slot): void {
    if (slot.busy) return;
    const next = slot.waiting.shift() ?? this.#help(slot);
    if (next === undefined) return;
    slot.busy = true;
    const { hearing, resolve, reject, task } = next;
    this.#done(slot, task, hearing)
      .then(resolve, reject)
      .finally(() => {
        slot.busy = false;
        this.#work(slot);
      });
  }

  /** What a slot does for another one of its kind that has two and more waiting. */
  #help(slot: Slot): Waiting | undefined {
    let longest: Slot | undefined;
    for (const other of this.#slots.values()) {
      const same = other.kind === slot.kind && other.lane === slot.lane;
      if (same && other.waiting.length > Math.max(1, longest?.waiting.length ?? 0)) longest = other;
    }
    const index = longest?.waiting.findLastIndex(({ task }) => !task.pinned) ?? -1;
    return index < 0 ? undefined : longest?.waiting.splice(index, 1)[0];
  }

  async #done(slot: Slot, task: Task, hearing: Hearing): Promise<TaskResult> {
    for (let attempt = 1; ; attempt++) {
      hearing.signal.throwIfAborted();
      if (this.#closed) throw failure('disposed', 'The crew was closed', {});
      let result;
      try {
        result = await this.#attempt(slot, task, hearing);
      } catch (error) {
        if (hearing.signal.aborted || this.#closed || slot.connection?.alive) throw error;
        slot.connection = undefined;
        if (error instanceof CipherloomError && error.code === 'job.timeout') throw error;
        if (attempt === ATTEMPTS) throw died(task, error);
        continue;
      }
      if (result !== 'stale') return result;
      // A thread imports a module once: a new one has it as it is now, and what it imports.
      slot.connection?.close();
      slot.connection = undefined;
      if (attempt === ATTEMPTS) throw edited(task);
    }
  }

  async #attempt(slot: Slot, task: Task, hearing: Hearing): Promise<TaskResult | 'stale'> {
    // One of its own: Node warns of many listeners to one.
    const signal = AbortSignal.any([hearing.signal]);
    const connection = await this.#connection(slot);
    // While the worker was started, nobody listened.
    signal.throwIfAborted();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      if (this.#timeout === undefined) return;
      timer = setTimeout(() => {
        reject(tooLong(task, this.#timeout as number));
        connection.close();
      }, this.#timeout);
    });
    // One that does not look at its messages ends with its worker.
    const abort = (): void => connection.close();
    signal.addEventListener('abort', abort, { once: true });
    const store = new TrackingStore(this.store);
    const answer = async (question: unknown): Promise<[unknown, Transferable[]]> => {
      const asked = question as Question;
      if ('get' in asked) return [await store.get(asked.get), []];
      if ('put' in asked) return [await store.put(asked.put), []];
      hearing.log({ ...asked.log, line: this.#nextLine(slot, hearing) });
      return [undefined, []];
    };
    try {
      return await Promise.race([connection.call('run', [task], { answer }), late]);
    } catch (error) {
      await store.forget();
      throw signal.aborted ? signal.reason : error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  }

  /** Lines of a worker are counted here: it may have several threads, and one in place of another that died goes on. */
  #nextLine({ kind, worker }: Slot, hearing: Hearing): number {
    const lines = this.#lines.get(hearing) ?? new Map<string, number>();
    this.#lines.set(hearing, lines);
    const name = `${kind} ${worker}`;
    const line = lines.get(name) ?? 0;
    lines.set(name, line + 1);
    return line;
  }

  async #connection(slot: Slot): Promise<Connection<JobMethods>> {
    if (slot.connection?.alive) return slot.connection;
    const { kind, worker } = slot;
    const connection = (slot.connection = new Connection<JobMethods>('job', this.#create(), () => {}));
    await connection.call('start', [{ worker, kind }]);
    return connection;
  }
}

/** A thread of a worker. */
interface Slot {
  readonly kind: Kind;
  readonly worker: number;
  readonly lane: number;
  readonly waiting: Waiting[];
  connection?: Connection<JobMethods> | undefined;
  busy: boolean;
}

interface Waiting {
  readonly task: Task;
  readonly hearing: Hearing;
  resolve(result: TaskResult): void;
  reject(reason: unknown): void;
}

function startJobWorker(): WorkerLike {
  return startScript(
    'job',
    import.meta.dirname,
    'job-worker.js',
    () => new Worker(new URL('./job-worker.js', import.meta.url), { type: 'module', name: 'cipherloom-job' }),
  );
}

function died({ id, round, part }: Task, cause: unknown): CipherloomError {
  const problem = `round ${round}, part ${part}: ${ATTEMPTS} workers died of it: ${String((cause as Error).message)}`;
  return failure('job.worker', problem, { task: id, round, part, attempts: ATTEMPTS }, cause);
}

function edited({ id, round, part }: Task): CipherloomError {
  const problem = `round ${round}, part ${part}: its modules were edited ${ATTEMPTS} times while they were imported`;
  return failure('job.refused', problem, { task: id, round, part, attempts: ATTEMPTS });
}

function tooLong({ id, round, part }: Task, timeout: number): CipherloomError {
  const problem = `round ${round}, part ${part}: it took longer than ${timeout} ms, and was ended`;
  return failure('job.timeout', problem, { task: id, round, part, expected: timeout });
}
