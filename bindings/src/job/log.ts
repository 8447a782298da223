/** A job's log: one append-only part for each worker, gathered [V7, R16]; and what it comes to. */
import type { JobStatistics, LogLine } from './types.js';

/** The log of one job. */
export class JobLog {
  readonly #lines: LogLine[] = [];
  /** By worker: how many of its lines were taken. */
  readonly #taken = new Map<string, number>();
  readonly #ended = new Set<string>();
  readonly #planned = new Set<string>();
  #rounds = 0;
  #roundsDone = 0;
  #closed = false;
  #wake: (() => void)[] = [];

  /** Takes a line of a worker. One that was taken before, such as of a message that came twice, is not taken again. */
  append(line: LogLine): void {
    const worker = `${line.kind} ${line.worker}`;
    const taken = this.#taken.get(worker) ?? 0;
    if (line.line < taken) return;
    this.#taken.set(worker, line.line + 1);
    this.#lines.push(line);
    this.#news();
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
    const workers = new Map<
      string,
      { worker: number; kind: LogLine['kind']; tasks: number; calls: number; milliseconds: number }
    >();
    const counted = new Set<string>();
    let calls = 0;
    for (const line of this.#lines) {
      const name = `${line.kind} ${line.worker}`;
      const of = workers.get(name) ?? {
        worker: line.worker,
        kind: line.kind,
        tasks: 0,
        calls: 0,
        milliseconds: 0,
      };
      workers.set(name, of);
      if (line.event !== 'end') continue;
      of.tasks += 1;
      of.calls += line.calls ?? 0;
      of.milliseconds += line.milliseconds ?? 0;
      // A task that was done twice counts once.
      if (!counted.has(line.task)) calls += line.calls ?? 0;
      counted.add(line.task);
    }
    return {
      tasks: this.#planned.size,
      done: this.#ended.size,
      calls,
      rounds: this.#rounds,
      roundsDone: this.#roundsDone,
      workers: [...workers.values()].sort((a, b) =>
        a.kind === b.kind ? a.worker - b.worker : a.kind < b.kind ? -1 : 1,
      ),
      finished: this.#rounds > 0 && this.#roundsDone === this.#rounds,
    };
  }

  #news(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}
