/** A job [V9]: loaded first; its data are read after. */
import { checkOptions, JOB_OPTIONS, JOB_RUN_OPTIONS } from '../arguments.js';
import { failure } from '../errors.js';
import { disposeSymbol, Resource } from '../resource.js';
import { decodeChunk } from './chunk.js';
import { threads } from './crew/threads.js';
import { checkDefinition } from './definition.js';
import { decodeJobFile, encodeJobFile, vectorOf } from './job-file.js';
import { countWorkers } from './kinds.js';
import { JobLog } from './log.js';
import { importPartitioner } from './operators/function.js';
import type { PlacementTable } from './placement.js';
import { globalRef, JobRun, type RunSettings } from './rounds.js';
import type {
  AnyKey,
  Data,
  GlobalTemplate,
  JobDefinition,
  JobStatistics,
  Key,
  LogLine,
  PartitionerFunction,
  Row,
  Template,
} from './types.js';
import { type Source, Vector } from './vector.js';
import type { Crew, GlobalRef } from './work.js';

/** Settings of {@link loadJob}. */
export interface JobOptions {
  /** Who does the work; a crew of threads of its own where it is not given, which ends with the job. */
  readonly crew?: Crew;
  /** Where operators go that are not pinned and not measured, by type and memory; the seed's table where it is not given. */
  readonly table?: PlacementTable;
  /** From how many bytes on the seed's table calls an operator large; 3e9 where it is not given. */
  readonly threshold?: number;
}

/** Settings of {@link Job.run}. */
export interface JobRunOptions {
  readonly signal?: AbortSignal;
}

/** Where an input's rows go in. */
export interface JobInput {
  /**
   * Takes a row. Gives a promise now and then: who awaits it holds no more in memory than has to be. Errors: JobError `job.key`, `job.template`, `job.partitioner`, `job.definition` (the job
   * runs already).
   */
  emit(key: AnyKey, value: Data): Promise<void> | undefined;
  /** Rows that are read while the job runs, no faster than they are worked on: there may be more than memory holds. After what was emitted before. Errors: InputError; JobError `job.definition`. */
  read(source: Source): void;
}

/** Where a global's rows go in. */
export interface JobGlobal {
  /** Takes a row. Errors: as of {@link JobInput.emit}; `job.key` for a key that is there. */
  emit(key: Key, value: Data): Promise<void> | undefined;
}

/** Rows that a job gave. They lie with the crew until the result, or the job, is disposed of. */
export interface JobResult extends Disposable {
  /** What they are. */
  readonly template: Template;
  /** How many. */
  readonly rows: number;
  /** All of them: in the order of the rows that they come from, reduced ones by key; within each sub-vector, where the round's result has a partitioner. Errors: JobError `job.store`, `job.chunk`. */
  getItr(): AsyncIterableIterator<Row>;
  dispose(): void;
}

/** Its log. */
export interface JobLogView {
  /** Each line once, from the first one on, those of a worker in their order; goes on until the job is over. */
  getItr(): AsyncIterableIterator<LogLine>;
}

/** A job that is loaded. */
export interface Job extends Disposable {
  /** By name. */
  readonly inputs: Readonly<Record<string, JobInput>>;
  /** By name. */
  readonly globals: Readonly<Record<string, JobGlobal>>;
  readonly log: JobLogView;
  /** What the log comes to, so far. */
  statistics(): JobStatistics;
  /**
   * The job and its data as one array of bytes: a job file, for `cipherloom-run` of the native build, or for {@link loadJobFile}. Before `run`, which may follow; rows come before both.
   * Errors: JobError `job.definition` (it has run, File objects, too large), `job.store`; what sources throw.
   */
  toBytes(): Promise<Uint8Array>;
  /**
   * Does all rounds, once; gives what the last one gave. Inputs are used up. Errors: JobError (`job.operator`, `job.result`, `job.key`, `job.template`, `job.definition`, `job.partitioner`, `job.kind`, `job.timeout`,
   * `job.worker`, `job.store`, `job.chunk`, `job.refused`), what sources throw, the signal's reason, also where a source has not given its next row. After an error the crew is as it was before, and sources are closed.
   */
  run(options?: JobRunOptions): Promise<JobResult>;
  /** What a round gave that has a name (`as`), once the job has run. Errors: InputError `input.unknown`. */
  result(name: string): JobResult;
  /** Forgets all rows, and ends a run that is under way. */
  dispose(): void;
}

/**
 * Loads a job: checks its definition, and imports its Partitioners. Errors: JobError `job.definition`, `job.operator` (a Partitioner's module), `job.refused` (one that was edited after this
 * thread had imported it), `job.kind` (no workers); InputError for options.
 */
export async function loadJob(definition: JobDefinition, options: JobOptions = {}): Promise<Job> {
  const setting = settingOf('loadJob', options);
  const checked = checkDefinition(definition);
  const partitioners = new Map<string, PartitionerFunction>();
  for (const [name, { partitioner }] of Object.entries(checked.inputs ?? {})) {
    if (partitioner !== undefined) partitioners.set(name, await importPartitioner(partitioner));
  }
  const { crew } = setting;
  const workers = countWorkers(crew.workers);
  const made = (kind: string, templates: Readonly<Record<string, Template | GlobalTemplate>> = {}) =>
    new Map(
      Object.entries(templates).map(([name, template]) => {
        const parts = ('parts' in template ? template.parts : undefined) ?? workers;
        const partitioner = kind === 'input' ? partitioners.get(name) : undefined;
        const options = partitioner === undefined ? {} : { partitioner };
        return [name, new Vector(`${kind} "${name}"`, template, crew.store, parts, options)] as const;
      }),
    );
  return new LoadedJob(checked, made('input', checked.inputs), made('global', checked.globals), setting);
}

/**
 * Loads a job whose data are there: from the bytes of {@link Job.toBytes}. It takes no more rows, and imports no Partitioners, since its vectors are cut. Errors: InputError for options and bytes;
 * FormatError `format.job`; JobError `job.definition`, `job.kind`, `job.chunk`, `job.key`, `job.template`, `job.store`.
 */
export async function loadJobFile(bytes: Uint8Array, options: JobOptions = {}): Promise<Job> {
  const setting = settingOf('loadJobFile', options);
  const { definition, inputs, globals } = decodeJobFile(bytes);
  const checked = checkDefinition(definition);
  const { store } = setting.crew;
  const read: Vector[] = [];
  const vectors = async <T>(
    kind: string,
    templates: Readonly<Record<string, Template | GlobalTemplate>> = {},
    data: ReadonlyMap<string, T>,
    chunks: (data: T) => Parameters<typeof vectorOf>[2],
  ) => {
    const names = new Set([...Object.keys(templates), ...data.keys()]);
    const found = new Map<string, Vector>();
    for (const name of names) {
      const [template, rows] = [Object.hasOwn(templates, name) ? templates[name] : undefined, data.get(name)];
      if (template === undefined || rows === undefined) {
        const [has, lacks] = rows === undefined ? ['definition', 'rows'] : ['rows', 'definition'];
        const problem = `A job file: ${kind} ${JSON.stringify(name)} is in its ${has}, and not in its ${lacks}`;
        throw failure('format.job', problem, { found: name, at: kind });
      }
      const vector = await vectorOf(`${kind} "${name}"`, template, chunks(rows), store);
      read.push(vector);
      found.set(name, vector);
    }
    return found;
  };
  try {
    return new LoadedJob(
      checked,
      await vectors('input', checked.inputs, inputs, (vector) => vector),
      await vectors('global', checked.globals, globals, (rows) => [1, [[0, decodeChunk(rows).length, rows]]]),
      setting,
    );
  } catch (error) {
    await Promise.allSettled(read.map((vector) => vector.drop()));
    throw error;
  }
}

/** Who does the work, and how it is placed. */
interface Setting {
  readonly crew: Crew;
  /** Whether it ends with the job. */
  readonly ownCrew: boolean;
  readonly placement: RunSettings['placement'];
}

function settingOf(at: string, options: JobOptions): Setting {
  checkOptions(at, options, JOB_OPTIONS);
  const { crew = threads(), table, threshold } = options;
  if (countWorkers(crew.workers) === 0)
    throw failure('job.kind', 'The crew has no workers', { found: crew.workers, expected: 'a worker' });
  const placement = { ...(table && { table }), ...(threshold !== undefined && { threshold }) };
  return { crew, ownCrew: options.crew === undefined, placement };
}

class LoadedJob extends Resource implements Job {
  readonly inputs: Readonly<Record<string, JobInput>>;
  readonly globals: Readonly<Record<string, JobGlobal>>;
  readonly log: JobLog;
  readonly #definition: JobDefinition;
  readonly #crew: Crew;
  readonly #vectors: Map<string, Vector>;
  readonly #globals: Map<string, Vector>;
  readonly #inputNames: ReadonlySet<string>;
  readonly #placement: RunSettings['placement'];
  #ran = false;

  constructor(
    definition: JobDefinition,
    vectors: Map<string, Vector>,
    globals: Map<string, Vector>,
    { crew, ownCrew, placement }: Setting,
  ) {
    const log = new JobLog();
    super('job', () => {
      log.close();
      const dropped = [...vectors.values(), ...globals.values()].map((vector) => vector.drop());
      // Nobody waits for it; a store that is gone has forgotten them, too.
      void Promise.allSettled(dropped).then(() => (ownCrew ? crew.close() : undefined));
    });
    this.log = log;
    this.#definition = definition;
    this.#placement = placement;
    this.#crew = crew;
    this.#vectors = vectors;
    this.#globals = globals;
    this.#inputNames = new Set(vectors.keys());
    this.inputs = named(vectors, (vector) => ({
      emit: (key: AnyKey, value: Data) => vector.emit(key, value),
      read: (source: Source) => vector.read(source),
    }));
    this.globals = named(globals, (vector) => ({ emit: (key: Key, value: Data) => vector.emit(key, value) }));
  }

  statistics(): JobStatistics {
    return this.log.statistics();
  }

  async toBytes(): Promise<Uint8Array> {
    this.check();
    if (this.#ran) {
      const problem = 'A job as bytes: expected one that has not run, found one whose inputs are used up';
      throw failure('job.definition', problem, { at: 'toBytes' });
    }
    return encodeJobFile(this.#definition, this.#vectors, this.#globals, this.#crew.store);
  }

  async run(options: JobRunOptions = {}): Promise<JobResult> {
    checkOptions('run', options, JOB_RUN_OPTIONS);
    const signal = this.signal(options.signal);
    signal.throwIfAborted();
    if (this.#ran) throw failure('job.definition', 'A job runs once: load it again', { at: 'run' });
    this.#ran = true;
    const globals = new Map<string, GlobalRef>();
    for (const [name, vector] of this.#globals) globals.set(name, await globalRef(vector));
    const run = new JobRun({
      definition: this.#definition,
      crew: this.#crew,
      vectors: this.#vectors,
      globals,
      log: this.log,
      placement: this.#placement,
      signal,
    });
    try {
      const last = await run.rounds();
      this.#vectors.set('', last);
      return new Result(last, this);
    } catch (error) {
      // Inputs are used up: sources that were not read to their ends are closed.
      for (const vector of this.#vectors.values()) void vector.drop().catch(() => undefined);
      throw error;
    } finally {
      this.log.close();
    }
  }

  /** Errors: DisposedError. */
  check(): void {
    this.checkLife();
  }

  result(name: string): JobResult {
    this.check();
    const vector = this.#inputNames.has(name) || name === '' ? undefined : this.#vectors.get(name);
    if (vector !== undefined) return new Result(vector, this);
    const expected = [...this.#vectors.keys()].filter((name) => name !== '' && !this.#inputNames.has(name));
    const problem = `There is no result "${name}"; there are ${expected.join(', ') || 'none'}`;
    throw failure('input.unknown', problem, { found: name, expected });
  }
}

/** See {@link JobResult}. */
class Result implements JobResult {
  readonly #vector: Vector;
  /** Kept, or the job would be collected, and its rows with it. */
  readonly #job: LoadedJob;

  constructor(vector: Vector, job: LoadedJob) {
    this.#vector = vector;
    this.#job = job;
  }

  get template(): Template {
    return this.#vector.template as Template;
  }

  get rows(): number {
    return this.#vector.rows;
  }

  getItr(): AsyncIterableIterator<Row> {
    this.#job.check();
    return this.#vector.getItr();
  }

  dispose(): void {
    void this.#vector.drop().catch(() => {});
  }

  [disposeSymbol](): void {
    this.dispose();
  }
}

/** Without a prototype: names are the user's. */
function named<T>(
  vectors: ReadonlyMap<string, Vector>,
  view: (vector: Vector) => T,
): Readonly<Record<string, T>> {
  const views = Object.create(null) as Record<string, T>;
  for (const [name, vector] of vectors) views[name] = view(vector);
  return Object.freeze(views);
}
