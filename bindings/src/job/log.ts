/** A job's log: one append-only part for each worker, gathered [V7, R16]; and what it comes to. */
import type { JobStatistics, LogLine } from './types.js';

/** What a worker has done; `lines`: how many of its lines were taken. */
interface LogWorker {
  readonly worker: number;
  readonly kind: LogLine['kind'];
  lines: number;
  tasks: number;
  calls: number;
  milliseconds: number;
}

/** The log of one job. */
export class JobLog {
  readonly #lines: LogLine[] = [];
  readonly #workers = new Map<string, LogWorker>();
  /** Tasks whose end was heard of. */
  readonly #counted = new Set<string>();
  #calls = 0;
  readonly #ended = new Set<string>();
  readonly #planned = new Set<string>();
  #rounds = 0;
  #roundsDone = 0;
  #closed = false;
  #wake: (() => void)[] = [];

  /** Takes a line of a worker. One that was taken before, such as of a message that came twice, is not taken again. */
  append(line: LogLine): void {
    const worker = this.#workerOf(line);
    if (line.line < worker.lines) return;
    worker.lines = line.line + 1;
    this.#lines.push(line);
    if (line.event === 'end') this.#count(worker, line);
    this.#news();
  }

  #workerOf({ kind, worker }: LogLine): LogWorker {
    const name = `${kind} ${worker}`;
    const known = this.#workers.get(name) ?? { worker, kind, lines: 0, tasks: 0, calls: 0, milliseconds: 0 };
    this.#workers.set(name, known);
    return known;
  }

  #count(worker: LogWorker, { task, calls = 0, milliseconds = 0 }: LogLine): void {
    worker.tasks += 1;
    worker.calls += calls;
    worker.milliseconds += milliseconds;
    // A task that was done twice counts once.
    if (!this.#counted.has(task)) this.#calls += calls;
    this.#counted.add(task);
  }

  /** A task is known of. */
  plan(task: string): void {
    this.#planned.add(task);
  }

  /** Its result was taken, whoever gave it: once. */
  ended(task: string): boolean {
    if (this.#ended.has(task)) return false;
    this.#ended.add(task);
    return true;
  }

  /** The job has that many rounds. */
  begin(rounds: number): void {
    this.#rounds = rounds;
  }

  /** One more round is over. */
  roundDone(): void {
    this.#roundsDone += 1;
    this.#news();
  }

  /** Nothing more comes. */
  close(): void {
    this.#closed = true;
    this.#news();
  }

  /** All lines from the first on, each once, those of a worker in their order; goes on until the job is over. */
  async *getItr(): AsyncGenerator<LogLine> {
    for (let next = 0; ;) {
      while (next < this.#lines.length) yield this.#lines[next++] as LogLine;
      if (this.#closed) return;
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
  }

  /** What it comes to, so far. */
  statistics(): JobStatistics {
    const byKind = (a: Pick<LogWorker, 'kind'>, b: Pick<LogWorker, 'kind'>): number =>
      a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : 0;
    return {
      tasks: this.#planned.size,
      done: this.#ended.size,
      calls: this.#calls,
      rounds: this.#rounds,
      roundsDone: this.#roundsDone,
      workers: [...this.#workers.values()]
        .map(({ worker, kind, tasks, calls, milliseconds }) => ({ worker, kind, tasks, calls, milliseconds }))
        .sort((a, b) => byKind(a, b) || a.worker - b.worker),
      finished: this.#rounds > 0 && this.#roundsDone === this.#rounds,
    };
  }

  #news(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}
