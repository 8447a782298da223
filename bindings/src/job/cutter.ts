/**
 * Rows cut into runs, which become chunks: by count or by a partitioner [V2]. Which rows are in which run depends on rows and limits alone, not on when
 * they come or who computes.
 */
import { describe, WHOLE } from '../arguments.js';
import { sizeOf } from './data.js';
import { rowError, type Where } from './templates.js';
import type { PartitionerFunction, Row } from './types.js';

/** Rows that become one chunk. */
export interface Run {
  /** Its sub-vector. */
  readonly part: number;
  /** Its place among all runs. */
  readonly number: number;
  /** The position of its first row in its sub-vector. */
  readonly first: number;
  readonly rows: readonly Row[];
}

/** Takes rows, and gives runs once they are full. */
export interface Cutter {
  add(row: Row, where: Where): readonly Run[];
  /** What is left. */
  end(): readonly Run[];
}

/** When a run is full: as soon as it has as many rows, or bytes. */
export interface Limits {
  readonly rows: number;
  readonly bytes: number;
}

/** So many full runs are held at most before any is given; where there are more parts than that, runs are shorter. */
const HELD_RUNS = 64;
/** What a row takes in memory beside its data: lists of short rows are not for nothing. */
const ROW_BYTES = 32;

/** The cutter of a vector with `parts` sub-vectors. */
export function cutterFor(parts: number, limits: Limits, partitioner?: PartitionerFunction): Cutter {
  const bytes = parts <= HELD_RUNS ? limits.bytes : Math.max(1, (limits.bytes * HELD_RUNS) / parts);
  const fitting = { rows: limits.rows, bytes };
  if (partitioner === undefined) return new CountCutter(parts, fitting);
  return new PartitionCutter(parts, fitting, partitioner);
}

/** The cutter of a global: all of it is one run, also when it is empty. */
export function uncut(): Cutter {
  const rows: Row[] = [];
  return {
    add: (row) => {
      rows.push(row);
      return NONE;
    },
    end: () => [{ part: 0, number: 0, first: 0, rows }],
  };
}

const NONE: readonly Run[] = [];

/** Numbers runs. */
class Numbering {
  readonly #first: Map<number, number> = new Map();
  #next = 0;

  run(part: number, rows: readonly Row[]): Run {
    const first = this.#first.get(part) ?? 0;
    this.#first.set(part, first + rows.length);
    return { part, number: this.#next++, first, rows };
  }
}

/** Rows on their way to be a run. */
class Held {
  rows: Row[] = [];
  bytes = 0;

  add(row: Row): void {
    this.rows.push(row);
    this.bytes += sizeOf(row) + ROW_BYTES;
  }

  has({ rows, bytes }: Limits, times = 1): boolean {
    return this.rows.length >= rows * times || this.bytes >= bytes * times;
  }
}

/** What fills all parts is dealt to them in turn, a run at a time; what ends before is cut into as many lengths as there are parts. */
class CountCutter implements Cutter {
  readonly #parts: number;
  readonly #limits: Limits;
  readonly #numbering = new Numbering();
  #held = new Held();
  #turn = 0;
  #dealing = false;

  constructor(parts: number, limits: Limits) {
    this.#parts = parts;
    this.#limits = limits;
  }

  add(row: Row): readonly Run[] {
    this.#held.add(row);
    if (!this.#held.has(this.#limits, this.#dealing ? 1 : this.#parts)) return NONE;
    this.#dealing = true;
    const runs = inRuns(this.#held.rows, this.#limits);
    const last = runs.at(-1) as Held;
    this.#held = last.has(this.#limits) ? new Held() : (runs.pop() as Held);
    return runs.map(({ rows }) => this.#deal(rows));
  }

  end(): readonly Run[] {
    const { rows } = this.#held;
    this.#held = new Held();
    if (rows.length === 0) return NONE;
    if (this.#dealing) return [this.#deal(rows)];
    const length = Math.ceil(rows.length / this.#parts);
    const runs: Run[] = [];
    for (let part = 0; part * length < rows.length; part++) {
      const some = rows.slice(part * length, (part + 1) * length);
      for (const run of inRuns(some, this.#limits)) runs.push(this.#numbering.run(part, run.rows));
    }
    return runs;
  }

  #deal(rows: readonly Row[]): Run {
    return this.#numbering.run(this.#turn++ % this.#parts, rows);
  }
}

/** All are full but for the last. */
function inRuns(rows: readonly Row[], limits: Limits): Held[] {
  const runs: Held[] = [];
  let run: Held | undefined;
  for (const row of rows) {
    if (run === undefined || run.has(limits)) runs.push((run = new Held()));
    run.add(row);
  }
  return runs;
}

/** Each row goes where the user's function says; parts fill one beside the other. */
class PartitionCutter implements Cutter {
  readonly #parts: number;
  readonly #limits: Limits;
  readonly #partitioner: PartitionerFunction;
  readonly #numbering = new Numbering();
  readonly #held = new Map<number, Held>();

  constructor(parts: number, limits: Limits, partitioner: PartitionerFunction) {
    this.#parts = parts;
    this.#limits = limits;
    this.#partitioner = partitioner;
  }

  add(row: Row, where: Where): readonly Run[] {
    const part = this.#partOf(row, where);
    let held = this.#held.get(part);
    if (held === undefined) this.#held.set(part, (held = new Held()));
    held.add(row);
    if (!held.has(this.#limits)) return NONE;
    this.#held.delete(part);
    return [this.#numbering.run(part, held.rows)];
  }

  end(): readonly Run[] {
    const held = [...this.#held].sort(([a], [b]) => a - b);
    this.#held.clear();
    return held.map(([part, { rows }]) => this.#numbering.run(part, rows));
  }

  #partOf([key]: Row, where: Where): number {
    const expected = `a whole number from 0 to ${this.#parts - 1}`;
    let part: unknown;
    try {
      part = this.#partitioner(key, this.#parts);
    } catch (cause) {
      const found = `an error: ${cause instanceof Error ? cause.message : describe(cause)}`;
      throw rowError('job.partitioner', where, { found, expected, inside: '' }, key, ROLE, cause);
    }
    if (WHOLE.fits(part) && (part as number) < this.#parts) return (part as number) + 0;
    throw rowError('job.partitioner', where, { found: describe(part), expected, inside: '' }, key, ROLE);
  }
}

/** What was expected. */
const ROLE = 'from the partitioner ';
