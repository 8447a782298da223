/** A worker's half: does tasks. */
import { describe } from '../arguments.js';
import { failure } from '../errors.js';
import { rowsOf } from './chunk-reader.js';
import { copyOfRow } from './data.js';
import { listFiles, openFile, pathOf } from './files.js';
import { Globals } from './globals.js';
import type { Kind } from './kinds.js';
import { type Computing, Operators } from './operators/index.js';
import type { Reduce } from './merge.js';
import { checked, merged, Results, ResultType } from './results.js';
import type { Store } from './store.js';
import type { AnyKey, Context, Data, JobFile, LogLine, Row } from './types.js';
import type { Chunk, PlacedOperator, Task, TaskResult, Work } from './work.js';

/** Who does tasks, and what it has for that. */
export interface Surroundings {
  readonly store: Pick<Store, 'get' | 'put'>;
  /** Its number, from 0. */
  readonly worker: number;
  readonly kind: Kind;
  log(line: LogLine): void;
  /** Lets other things happen, now and then in the middle of a task; throws where the task is not to go on. */
  readonly pause?: () => Promise<void>;
}

/** Milliseconds between two pauses. */
const PAUSE_MS = 25;

/** What a task that gives no rows comes to. */
const NOTHING = { chunks: [], template: undefined, aligned: false, files: [] };

type MapWork = Extract<Work, { do: 'map' }>;
type FileWork = Extract<Work, { do: 'file' }>;
type ReduceWork = Extract<Work, { do: 'reduce' }>;
type Found = Pick<TaskResult, 'chunks' | 'template' | 'aligned' | 'files'>;

/** A row that an operator is called with. `other`: of `CrossMap`. */
interface Call {
  readonly row: readonly [key: AnyKey, value: Data | JobFile];
  readonly other?: Row;
}

/** Does one task after the other; keeps modules, programs, keys and large globals between them. */
export class TaskRunner {
  readonly #surroundings: Surroundings;
  readonly #globals: Globals;
  readonly #operators: Operators;
  #line = 0;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
    const { store } = surroundings;
    this.#globals = new Globals(store);
    this.#operators = new Operators(store);
  }

  /** See `Crew.run`. Errors also: StaleModule, before anything is done, as far as modules do not change in the middle of it. */
  async run(task: Task): Promise<TaskResult> {
    const { worker } = this.#surroundings;
    await this.#operators.imported(task.work);
    const began = performance.now();
    this.#log(task, 'begin');
    const doing = new Doing(
      task,
      this.#surroundings,
      this.#operators,
      await this.#globals.open(task.globals),
      (text) => this.#log(task, 'text', { text }),
    );
    const found = await doing.done();
    const { calls } = doing;
    const milliseconds = performance.now() - began;
    this.#log(task, 'end', { calls, milliseconds });
    return { ...found, calls, milliseconds, worker };
  }

  /** Frees what it keeps. */
  close(): void {
    this.#operators.close();
  }

  #log(task: Task, event: LogLine['event'], more: Partial<LogLine> = {}): void {
    const { worker, kind } = this.#surroundings;
    const { id, round, part, work } = task;
    const file = work.do === 'file' && {
      file: typeof work.file === 'string' ? work.file : pathOf(work.file),
    };
    const which = { task: id, round, part, kind, does: work.do, ...file };
    const line = { worker, line: this.#line++, time: Date.now(), ...which };
    this.#surroundings.log({ event, text: '', ...line, ...more });
  }
}

/** One task. */
class Doing {
  calls = 0;
  readonly #task: Task;
  readonly #surroundings: Surroundings;
  readonly #operators: Operators;
  readonly #globals: Context['globals'];
  readonly #write: (text: string) => void;
  #paused = performance.now();

  constructor(
    task: Task,
    surroundings: Surroundings,
    operators: Operators,
    globals: Context['globals'],
    write: (text: string) => void,
  ) {
    this.#task = task;
    this.#surroundings = surroundings;
    this.#operators = operators;
    this.#globals = globals;
    this.#write = write;
  }

  async done(): Promise<Found> {
    const { work } = this.#task;
    switch (work.do) {
      case 'map':
        return this.#mapped(work, await this.#callsOf(work));
      case 'file':
        return this.#mapped(work, await this.#callOf(work));
      case 'list':
        return { ...NOTHING, files: await listFiles(work.directory) };
      case 'reduce':
        return this.#reduced(work);
    }
  }

  async #callsOf(work: MapWork): Promise<Iterable<Call>> {
    const { chunk, other, range: [from, to] = [0, Infinity] } = work;
    const rows = (await this.#rows(chunk)).filter(
      (_, index) => from <= chunk.first + index && chunk.first + index < to,
    );
    if (other === undefined) return rows.map((row) => ({ row }));
    const others = await this.#rows(other);
    return pairs(rows, others);
  }

  async #callOf({ file }: FileWork): Promise<Call[]> {
    const opened = await openFile(file);
    return [{ row: [opened.path, opened] }];
  }

  async #rows(chunk: Chunk): Promise<readonly Row[]> {
    const rows: Row[] = [];
    for await (const some of rowsOf([chunk], this.#surroundings.store)) rows.push(...some);
    return rows;
  }

  async #mapped(work: MapWork | FileWork, calls: Iterable<Call>): Promise<Found> {
    const { store } = this.#surroundings;
    const reduce = work.reduce && (await this.#reducer(work.reduce));
    let of = work.do === 'map' ? work.of : undefined;
    let next = calls;
    let aligned = work.do === 'map' && reduce === undefined;
    for (const [index, step] of work.steps.entries()) {
      const last = index === work.steps.length - 1;
      const where = `round ${this.#task.round}, part ${this.#task.part}`;
      const type = new ResultType(of, last ? work.result : undefined, where);
      const given: Row[] = [];
      const results = last ? new Results(type, reduce, store) : undefined;
      const give = (key: AnyKey, value: Data): void => {
        if (results !== undefined) return results.give(key, value);
        type.check([key, value]);
        given.push(copyOfRow([key, value]));
      };
      const computing = await this.#operators.open(step);
      aligned = (await this.#step(computing, next, give, results)) && aligned;
      if (results !== undefined) {
        const chunks = await results.end();
        return { ...NOTHING, chunks, template: chunks.length > 0 ? type.template : undefined, aligned };
      }
      of = type.template;
      next = given.map((row) => ({ row }));
    }
    return NOTHING;
  }

  /** Calls an operator with each row; true where each call gave one row, under its own key. */
  async #step(
    computing: Computing,
    calls: Iterable<Call>,
    give: (key: AnyKey, value: Data) => void,
    results: Results | undefined,
  ): Promise<boolean> {
    let aligned = true;
    let own = true;
    let given = 0;
    const emit = (key: AnyKey, value: Data): void => {
      given += 1;
      own = false;
      give(key, value);
    };
    const { round, part, kind } = this.#task;
    const { worker } = this.#surroundings;
    const context: Context = { emit, log: this.#write, globals: this.#globals, round, part, worker, kind };
    for (const { row, other } of calls) {
      [own, given] = [true, 0];
      this.calls += 1;
      const result = computing.call(row as Row, context, other);
      const value = result instanceof Promise ? await result : result;
      if (value !== undefined) {
        given += 1;
        give(other === undefined ? row[0] : this.#position(row[0], other[0]), value);
      }
      aligned &&= own && given === 1 && other === undefined;
      if (results?.isFull) await results.settle();
      if (performance.now() - this.#paused >= PAUSE_MS) await this.#pause();
    }
    return aligned;
  }

  /** Under which what `CrossMap` returns goes. */
  #position(key: AnyKey, other: AnyKey): AnyKey {
    if (isIndex(key) && isIndex(other)) return [key, other];
    const { round, part } = this.#task;
    throw failure(
      'job.result',
      `round ${round}, part ${part}: a result for the rows ${describe(key)} and ${describe(other)} has no key, since these are not both whole numbers: emit it under a key`,
      { found: [key, other], expected: 'whole numbers from 0', round, part },
    );
  }

  async #reduced({ runs, of, reduce }: ReduceWork): Promise<Found> {
    const reducer = await this.#reducer(reduce);
    const type = new ResultType(of, of, `round ${this.#task.round}, part ${this.#task.part}, reduced`);
    const chunks = await merged(runs, checked(reducer, type), this.#surroundings.store);
    return { ...NOTHING, chunks, template: of };
  }

  async #reducer(placed: PlacedOperator): Promise<Reduce> {
    const computing = await this.#operators.open(placed);
    return (key, a, b) => computing.reduce(key, a, b, this.#task);
  }

  async #pause(): Promise<void> {
    await this.#surroundings.pause?.();
    this.#paused = performance.now();
  }
}

/** Each with each, one after the other: all at once are too many to hold. */
function* pairs(rows: readonly Row[], others: readonly Row[]): Generator<Call> {
  for (const row of rows) for (const other of others) yield { row, other };
}

function isIndex(key: AnyKey): key is number {
  return typeof key === 'number' && Number.isSafeInteger(key) && key >= 0;
}
