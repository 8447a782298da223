/** One phase of a round: its units as tasks, and what comes of these as a vector. */
import { failure } from '../errors.js';
import { countWorkers, type Kind } from './kinds.js';
import { type Phase, placed } from './phases.js';
import { Pool } from './pool.js';
import { importPartitioner } from './operators/function.js';
import { Reduction, type SortedRun } from './reduction.js';
import type { JobRun } from './rounds.js';
import type { SubOperator } from './split-operator.js';
import { SparseValueVector } from './templates.js';
import type { CircuitOperator, FunctionOperator, Round, Template } from './types.js';
import { untilAborted } from './until-aborted.js';
import { ownFiles, sharedFiles, type Unit, type Units, UNITS } from './units.js';
import { type PlacedChunk, Vector } from './vector.js';
import type { Chunk, PlacedOperator, TaskResult, Work } from './work.js';

/** Tasks that are under way for each thread of a worker: one is done, the next one waits. */
const AHEAD = 2;

/** What a phase is to do. */
export interface PhaseSettings {
  /** Unique in its job. */
  readonly name: string;
  /** Number of its round. */
  readonly round: number;
  readonly settings: Round;
  readonly phase: Phase;
  /** What it is over; of `DirMap` nothing. */
  readonly over: Vector | undefined;
  /** Whether that is read later, too. */
  readonly keep: boolean;
  /** Whether a round follows. */
  readonly goesOn: boolean;
  readonly reduce: FunctionOperator | CircuitOperator | undefined;
  readonly result: Template | undefined;
}

/** Does it. Errors: as of `JobRun.rounds`. */
export function runPhase(run: JobRun, settings: PhaseSettings): Promise<Vector> {
  return new PhaseRun(run, settings).result();
}

/** Sub-operators that one task does, one after the other. */
interface Group {
  readonly kind: Kind;
  readonly steps: readonly SubOperator[];
  /** Under which name its times are kept; none where it is not measured. */
  readonly measured: string | undefined;
}

/** What came of a unit. */
interface Given {
  readonly unit: Unit;
  readonly chunks: readonly Chunk[];
}

class PhaseRun {
  readonly #run: JobRun;
  readonly #settings: PhaseSettings;
  readonly #pool: Pool;
  readonly #threads: number;
  /** In the order in which units were made. */
  readonly #given: (Given | undefined)[] = [];
  readonly #reductions = new Map<number, { reduction: Reduction; count: number }>();
  #template: Template | undefined;
  #aligned = true;
  /** With how many rows units were called. */
  #rows = 0;

  constructor(run: JobRun, settings: PhaseSettings) {
    this.#run = run;
    this.#settings = settings;
    const { map, threads = 1 } = settings.settings;
    this.#threads = map === 'TaskMap' || map === 'DirMap' ? threads : 1;
    this.#pool = new Pool(AHEAD * this.#workers() * this.#threads, run.signal, (error) => run.fail(error));
  }

  async result(): Promise<Vector> {
    try {
      return await this.#result();
    } catch (error) {
      // What is under way has to end, or it would leave its results behind.
      this.#run.fail(error);
      await this.#pool.end().catch(() => {});
      throw error;
    }
  }

  async #result(): Promise<Vector> {
    const { over, keep } = this.#settings;
    for await (const { units, free } of untilAborted(this.#units(), this.#run.signal)) {
      let left = units.length;
      const done = async (): Promise<void> => {
        if (!keep && left === 0) await this.#run.drop(free);
      };
      if (left === 0) {
        // Of all units before.
        await this.#pool.end();
        await done();
      }
      for (const unit of units) {
        const number = this.#given.push(undefined) - 1;
        const position = this.#positionOf(unit.part);
        this.#rows += rowsOf(unit.data);
        await this.#pool.add(async () => {
          await this.#unit(unit, number, position);
          left -= 1;
          await done();
        });
      }
    }
    await this.#pool.end();
    // Rows that nobody visited, or several times, are not one for each; parts of a loop may be both.
    this.#aligned &&= this.#rows === over?.rows && this.#settings.phase.ranges === undefined;
    const found = this.#settings.reduce === undefined ? this.#inOrder() : await this.#reduced();
    const { parts, partitioner, template } = this.#settings.result ?? {};
    // A vector that takes rows sees whether these are dense.
    const isUnseen = template === 'FixValueVector' && !this.#aligned;
    const isAsked = parts !== undefined || partitioner !== undefined || isUnseen;
    return isAsked || this.#lacksChunks(found) ? this.#cutAnew(found) : found;
  }

  #workers(): number {
    return countWorkers(this.#run.crew.workers);
  }

  /** The number of a unit among those of its sub-vector. */
  #positionOf(part: number): number {
    if (this.#settings.reduce === undefined) return 0;
    const merge = (runs: readonly SortedRun[], part: number, name: string): Promise<SortedRun> =>
      this.#merge(runs, part, `${part}-${name}`);
    const of = this.#reductions.get(part) ?? { reduction: new Reduction(part, merge), count: 0 };
    this.#reductions.set(part, of);
    return of.count++;
  }

  async *#units(): AsyncGenerator<Units> {
    const { over, phase, settings } = this.#settings;
    const { map, directory = [], shared = true } = settings;
    if (map !== 'DirMap') {
      const source = over as Vector;
      const pieces = (): AsyncIterable<PlacedChunk> => source.pieces();
      yield* UNITS[map]({ pieces, parts: source.parts(), threads: this.#threads, ranges: phase.ranges });
      return;
    }
    const workers = this.#workers();
    if (typeof directory !== 'string') {
      yield { units: sharedFiles(directory, workers, this.#threads), free: [] };
    } else if (shared) {
      yield { units: sharedFiles(await this.#list(directory, 0), workers, this.#threads), free: [] };
    } else {
      for (let worker = 0; worker < workers; worker++)
        yield { units: ownFiles(await this.#list(directory, worker), worker, this.#threads), free: [] };
    }
  }

  async #list(directory: string, worker: number): Promise<readonly string[]> {
    const { name, round, settings } = this.#settings;
    const work: Work = { do: 'list', directory };
    const kind = this.#anyKind();
    const pinned = settings.shared === false;
    const id = `${name}-list-${worker}`;
    const task = { id, round, part: worker, lane: 0, kind, work, ...(pinned && { pinned }) };
    return (await this.#run.task(task, 0, undefined)).files;
  }

  /** For what any worker can do. */
  #anyKind(): Kind {
    return this.#run.kinds[0] as Kind;
  }

  async #unit(unit: Unit, number: number, position: number): Promise<void> {
    const groups = this.#groupsOf(unit);
    let next: readonly Unit['data'][] = [unit.data];
    let of = this.#settings.over?.template as Template | undefined;
    let results: TaskResult[] = [];
    for (const [index, group] of groups.entries()) {
      const last = index === groups.length - 1;
      results = [];
      for (const [piece, data] of next.entries()) {
        const name = `${this.#settings.name}-${number}-${index}-${piece}`;
        results.push(await this.#task(name, { ...unit, data }, group, index === 0, of, last));
        if (index > 0) await this.#run.drop('chunk' in data ? [data.chunk] : []);
      }
      this.#aligned &&= results.every(({ aligned }) => aligned);
      of = results.find(({ template }) => template !== undefined)?.template ?? of;
      next = results.flatMap(({ chunks }) => chunks).map((chunk) => ({ chunk }));
    }
    await this.#take(unit, number, position, results);
  }

  async #task(
    name: string,
    { part, lane, data, pinned }: Unit,
    { kind, steps, measured }: Group,
    first: boolean,
    of: Template | undefined,
    last: boolean,
  ): Promise<TaskResult> {
    const { settings, round, reduce, result } = this.#settings;
    const reducer = last && reduce ? await placed(reduce, kind, this.#run) : undefined;
    const more = { ...(last && result && { result }), ...(reducer && { reduce: reducer }) };
    const operators: PlacedOperator[] = [];
    for (const { operator } of steps) operators.push(await placed(operator, kind, this.#run));
    const map = first ? settings.map : 'VectorMap';
    const work: Work =
      'file' in data
        ? { do: 'file', steps: operators, file: data.file, ...more }
        : { do: 'map', map, steps: operators, ...data, of: of as Template, ...more };
    const task = { id: name, round, part, lane, kind, work, ...(pinned && { pinned }) };
    return this.#run.task(task, rowsOf(data), measured);
  }

  /** Where sub-operators go; neighbours of one kind together. */
  #groupsOf({ data }: Unit): Group[] {
    const { steps } = this.#settings.phase;
    const [rows, bytes] = [rowsOf(data), 'chunk' in data ? data.chunk.ref.bytes : 0];
    const groups: { kind: Kind; steps: SubOperator[]; measured: string | undefined }[] = [];
    for (const [index, step] of steps.entries()) {
      const id = `${this.#settings.name}-${index}`;
      const kind = this.#run.kindOf(step, id, rows, bytes);
      const last = groups.at(-1);
      if (last?.kind === kind) {
        last.steps.push(step);
        last.measured = undefined;
      } else {
        groups.push({ kind, steps: [step], measured: id });
      }
    }
    return groups;
  }

  async #take(unit: Unit, number: number, position: number, results: readonly TaskResult[]): Promise<void> {
    for (const { template } of results) if (template !== undefined) this.#setTemplate(template, unit);
    const chunks = results.flatMap(({ chunks }) => chunks);
    if (this.#settings.reduce === undefined) {
      this.#given[number] = { unit, chunks };
      return;
    }
    const runs = results.map(({ chunks }) => chunks).filter((run) => run.length > 0);
    const name = `${this.#settings.name}-${number}-runs`;
    const run = runs.length > 1 ? await this.#merge(runs, unit.part, name) : (runs[0] ?? []);
    await this.#reductions.get(unit.part)?.reduction.add(position, run);
  }

  #setTemplate(template: Template, { part }: Unit): void {
    this.#template ??= template;
    if (this.#template.template === template.template) return;
    const { round } = this.#settings;
    const [found, expected] = [template.template, this.#template.template];
    const problem = `round ${round}, part ${part}: its results go to ${found}, those before it to ${expected}`;
    throw failure('job.result', problem, { round, part, found, expected });
  }

  async #merge(runs: readonly SortedRun[], part: number, name: string): Promise<SortedRun> {
    const { round, reduce } = this.#settings;
    const kind = this.#anyKind();
    const reducer = await placed(reduce as FunctionOperator, kind, this.#run);
    const work: Work = { do: 'reduce', runs, of: this.#template as Template, reduce: reducer };
    const id = `${this.#settings.name}-merge-${name}`;
    const task = { id, round, part, lane: 0, kind, work };
    const { chunks } = await this.#run.task(task, 0, undefined);
    await this.#run.drop(runs.flat());
    return chunks;
  }

  /** Results in the order of the rows that they come from, in the sub-vectors of these. */
  #inOrder(): Vector {
    const given = this.#given.filter((one) => one !== undefined);
    given.sort((a, b) => a.unit.order[0] - b.unit.order[0] || a.unit.order[1] - b.unit.order[1]);
    return this.#vector(
      given.flatMap(({ unit: { part }, chunks }) => chunks.map((chunk) => ({ chunk, part }))),
    );
  }

  /** Results of all sub-vectors, reduced, and dealt out again. */
  async #reduced(): Promise<Vector> {
    const parts = [...this.#reductions].sort(([a], [b]) => a - b);
    const ends = parts.map(async ([, { reduction }]) => {
      try {
        return await reduction.end();
      } catch (error) {
        this.#run.fail(error);
        throw error;
      }
    });
    // What is under way has to end, or it would leave its results behind.
    await Promise.allSettled(ends);
    const runs = await Promise.all(ends);
    const full = runs.filter((run) => run.length > 0);
    const run = full.length > 1 ? await this.#merge(full, 0, 'all') : (full[0] ?? []);
    this.#aligned = false;
    return this.#vector(run.map((chunk, index) => ({ chunk, part: index % this.#parts() })));
  }

  /** Whether reduced rows are in fewer chunks than there are sub-vectors, and so are no sub-vector's in particular. */
  #lacksChunks(found: Vector): boolean {
    const { reduce, goesOn } = this.#settings;
    return reduce !== undefined && goesOn && found.rows > 1 && found.chunks < found.parts();
  }

  /** What a round gave, in the sub-vectors that it says. */
  async #cutAnew(found: Vector): Promise<Vector> {
    const { result = found.template } = this.#settings;
    const { parts = this.#parts(), partitioner } = this.#settings.result ?? {};
    const options = partitioner && {
      partitioner: await importPartitioner(partitioner, await this.#run.hashOf(partitioner.module)),
    };
    const { store } = this.#run.crew;
    const cut = new Vector(found.name, result, store, parts, options);
    cut.read(found.getItr());
    try {
      for await (const { ref } of cut.pieces()) this.#run.keep(ref);
      await this.#run.drop(await chunksOf(found));
      return cut;
    } catch (error) {
      await cut.drop();
      throw error;
    }
  }

  #parts(): number {
    return this.#settings.over?.parts() ?? this.#workers();
  }

  #vector(chunks: readonly { readonly chunk: Chunk; readonly part: number }[]): Vector {
    const lengths = new Map<number, number>();
    const placed = chunks.map(({ chunk, part }, number): PlacedChunk => {
      const first = lengths.get(part) ?? 0;
      lengths.set(part, first + chunk.rows);
      return { ...chunk, first, part, number };
    });
    const { name } = this.#settings;
    return Vector.of(`result ${name}`, this.#templateOf(), this.#run.crew.store, this.#parts(), placed);
  }

  /** Dense numbers stay dense if each row gave one. */
  #templateOf(): Template {
    const { result, over } = this.#settings;
    const of = over?.template as Template | undefined;
    if (result !== undefined) {
      // Dense ones lie where the partitioner put those that they come from.
      const isPlaced = result.template === 'FixValueVector' && of?.partitioner !== undefined;
      return isPlaced ? { partitioner: of.partitioner, ...result } : result;
    }
    const found = this.#template ?? of ?? SparseValueVector();
    const isDense = of?.template === 'FixValueVector' && this.#aligned && !isOther(found);
    if (isDense) return of;
    return found.template === 'FixValueVector' ? SparseValueVector() : found;
  }
}

/** Whether that is for something else than numbers under keys. */
function isOther({ template }: Template): boolean {
  return template !== 'FixValueVector' && template !== 'SparseValueVector';
}

async function chunksOf(vector: Vector): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for await (const chunk of vector.pieces()) chunks.push(chunk);
  return chunks;
}

/** How many rows a unit is called with, where that is known. */
function rowsOf(data: Unit['data']): number {
  if ('file' in data) return 1;
  const [from, to] = data.range ?? [0, data.chunk.rows];
  return (to - from) * (data.other?.rows ?? 1);
}
