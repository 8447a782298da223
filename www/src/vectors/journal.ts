/** What the lines of a job's log come to, so far: who does which task, and who did. */
import type { Crew, JobStatistics, Kind, LogLine } from 'cipherloom/job';

/** A worker, as it is shown. */
export interface Lane {
  readonly kind: Kind;
  readonly worker: number;
  /** Of a worker that has several, from 0. */
  readonly thread?: number;
}

/** A task that was begun. `lost`: its worker died, and another one does it anew; or the job ended before it. */
export interface Turn {
  readonly task: string;
  readonly round: number;
  readonly part: number;
  readonly lane: number;
  /** Milliseconds from the beginning of the run. */
  readonly start: number;
  end: number | undefined;
  state: 'working' | 'done' | 'lost';
  /** Whether it puts results together. */
  readonly gathers: boolean;
  /** Calls of operators. */
  calls: number;
  /** What its operator wrote last. */
  said: string;
}

/** All workers of a crew, also those that have had nothing to do; where each has several threads, all of these. */
export function lanesOfCrew({ workers }: Pick<Crew, 'workers'>, threads = 1): Lane[] {
  const own = (lane: Lane): Lane[] =>
    threads === 1 ? [lane] : Array.from({ length: threads }, (_, thread) => ({ ...lane, thread }));
  return Object.entries(workers).flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, worker) => own({ kind: kind as Kind, worker })).flat(),
  );
}

/** "CPU 0", or, of a worker with several threads, "CPU 0.1". */
export function laneName({ kind, worker, thread }: Lane): string {
  return `${kind.toUpperCase()} ${worker}${thread === undefined ? '' : `.${thread}`}`;
}

export class Journal {
  readonly lanes: readonly Lane[];
  /** In the order in which they were begun. */
  readonly turns: Turn[] = [];
  /** The last lines. */
  readonly lines: LogLine[] = [];
  lineCount = 0;
  readonly #began: number;
  readonly #expected: number;
  readonly #keep: number;
  readonly #working = new Map<string, Turn>();
  /** Tasks that only put results together: they come beside those that are expected. */
  #gathering = 0;
  #last = 0;
  #done = 0;

  /** `began`: milliseconds since 1970; `expected`: tasks that are known of beforehand. Keeps the last `keep` lines. */
  constructor(lanes: readonly Lane[], began: number, expected: number, keep = 300) {
    this.lanes = lanes;
    this.#began = began;
    this.#expected = expected;
    this.#keep = keep;
  }

  take(line: LogLine): void {
    this.lineCount += 1;
    this.lines.push(line);
    if (this.lines.length > 2 * this.#keep) this.lines.splice(0, this.lines.length - this.#keep);
    const at = Math.max(line.time - this.#began, 0);
    this.#last = Math.max(this.#last, at);
    const open = this.#working.get(line.task);
    if (line.event === 'begin') {
      if (open !== undefined) this.#lose(open, at);
      const lane = this.#laneFor(line);
      const { task, round, part } = line;
      const turn: Turn = {
        ...{ task, round, part, lane, start: at },
        ...{ gathers: line.does === 'reduce', end: undefined, state: 'working' as const, calls: 0, said: '' },
      };
      this.turns.push(turn);
      this.#working.set(task, turn);
    } else if (line.event === 'text' && open !== undefined) {
      open.said = line.text;
    } else if (line.event === 'end' && open !== undefined) {
      this.#working.delete(line.task);
      // Clocks tell whole milliseconds, a task's own time is finer.
      open.end = open.start + (line.milliseconds ?? at - open.start);
      open.state = 'done';
      this.#done += 1;
      open.calls = line.calls ?? 0;
      if (open.gathers) this.#gathering += 1;
      this.#last = Math.max(this.#last, open.end);
    }
  }

  /** The lane that a task goes on: of a worker with several threads, of which the log tells nothing, the first that is free. */
  #laneFor({ kind, worker }: LogLine): number {
    const busy = new Set(this.working.map(({ lane }) => lane));
    const own = [...this.lanes.keys()].filter((at) => {
      const lane = this.lanes[at]!;
      return lane.kind === kind && lane.worker === worker;
    });
    return own.find((at) => !busy.has(at)) ?? own[0] ?? -1;
  }

  /** One lane for each worker, as a whole. */
  get workers(): readonly Lane[] {
    return this.lanes
      .filter(({ thread = 0 }) => thread === 0)
      .map(({ kind, worker }): Lane => ({ kind, worker }));
  }

  /** The job is over: what has not ended will not. */
  close(time: number): void {
    for (const turn of this.#working.values()) this.#lose(turn, Math.max(time - this.#began, turn.start));
    this.#working.clear();
  }

  /** Milliseconds until what is known last. */
  get length(): number {
    return this.#last;
  }

  get working(): readonly Turn[] {
    return [...this.#working.values()];
  }

  /** How many tasks ended. */
  get done(): number {
    return this.#done;
  }

  /** How many tasks there are, as far as is known; at least as many as the job's own `statistics` know of. */
  tasks({ tasks }: Pick<JobStatistics, 'tasks'>): number {
    return Math.max(this.#expected + this.#gathering, tasks);
  }

  /** The last lines, at most as many as are kept. */
  get tail(): readonly LogLine[] {
    return this.lines.slice(-this.#keep);
  }

  #lose(turn: Turn, at: number): void {
    turn.end = at;
    turn.state = 'lost';
    this.#last = Math.max(this.#last, at);
  }
}
