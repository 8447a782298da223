/**
 * Jobs over vectors: the public types. Values are plain data, so that a definition can be sent to workers on other machines, and its hash is its identity.
 * Source of the whole room: seed 002; requirement ids in brackets are those of the specification.
 */
import type { Kind } from './kinds.js';

/** A key of a row: text, or a finite number. Rows of a matrix have a pair of numbers, row and column. */
export type Key = string | number;
/** Row and column of an element of a matrix, whole numbers from 0. */
export type Position = readonly [row: number, column: number];
/** Either. */
export type AnyKey = Key | Position;

/** What JSON can say, and bytes and typed arrays: the values of vectors of varying length. */
export type Data =
  | null
  | boolean
  | number
  | string
  | Uint8Array
  | Float64Array
  | Float32Array
  | Int32Array
  | Uint32Array
  | readonly Data[]
  | { readonly [name: string]: Data };

/** A row: what `emit` takes, and `getItr` gives. */
export type Row<K extends AnyKey = AnyKey, V extends Data = Data> = readonly [key: K, value: V];

/** Templates of vectors, by the seed's names [V1]. */
export type TemplateName =
  'FixValueVector' | 'SparseValueVector' | 'SparseTextVector' | 'VariableLenVector' | 'SparseMatrix';

/** How a vector is cut into sub-vectors [V2]: `parts` of them, each to one worker. */
export interface Split {
  /** Number of sub-vectors, 1 to 65,536; as many as the crew has workers where it is not given. */
  readonly parts?: number;
  /** Which of them gets a row: `(key, parts) => 0..parts-1`. Without one, sub-vectors are runs of rows in the order in which these came. */
  readonly partitioner?: FunctionOperator;
}

/** What a vector holds. Made by the function of the template's name. */
export interface Template extends Split {
  readonly template: TemplateName;
}

/**
 * What is copied to every worker, for reading, at the start of each round [V2, R16]. A `Var` travels with each part of the work; a `PVar` (of large data) once to
 * each worker, which keeps it.
 */
export interface GlobalTemplate {
  readonly template: 'Var' | 'PVar';
}

/** How an operator is placed [V4]. */
export interface Traits {
  /** What it computes with; where it is not said, programs with integers and others with floats. */
  readonly type?: 'int' | 'float';
  /** Memory that the computation takes for one row, bytes; twice the row's where it is not said. */
  readonly need?: number;
  /** The kind of worker that it has to run on, whatever the table says. */
  readonly processor?: Kind;
}

/** A function of a module, by the module's address; `on` has other ones for other kinds of workers. */
export interface FunctionOperator extends Traits {
  readonly kind: 'function';
  /** Its address: a URL that every worker can import. */
  readonly module: string;
  /** The name under which the module exports it; `default` where it is not given. */
  readonly name?: string;
  /** What computes the same on a kind of worker. */
  readonly on?: Readonly<Partial<Record<Kind, { readonly module: string; readonly name?: string }>>>;
}

/** A graph: `Circuit.toBytes()`. A row's value is its only input, or an object with one for each; of two rows these are called `a` and `b`, or `a_NAME` and `b_NAME`. */
export interface CircuitOperator extends Traits {
  readonly kind: 'circuit';
  readonly bytes: Uint8Array;
}

/** A compiled program over ciphertexts: `Program.toBytes()`. A row's value are its inputs, as `Client.encrypt` gave them; the result's is what `Program.run` gives. */
export interface ProgramOperator extends Traits {
  readonly kind: 'program';
  readonly bytes: Uint8Array;
  /** The global whose rows, in their order, are the client's `evaluationKeys`. */
  readonly keys: string;
}

/** What is not made of others. */
export type SimpleOperator = FunctionOperator | CircuitOperator | ProgramOperator;

/** One after the other, each over the whole sub-vector [V10]. A name is that of an operator of the library, or of the definition's own. */
export interface Sequence extends Traits {
  readonly kind: 'sequence';
  readonly steps: readonly (string | Operator)[];
}

/**
 * `for (i = from; i < to; i++)` over row i of the sub-vector; rows outside are not visited, and give no result. Where its turns are `independent` it is cut into `parts` shorter
 * ones, each of which gets the rows of its range [V3, V10].
 */
export interface Loop extends Traits {
  readonly kind: 'for';
  readonly from: number;
  readonly to: number;
  readonly parts?: number;
  readonly independent?: boolean;
  readonly body: string | Operator;
}

/** As long as `condition`, a function that gives a boolean, holds for a row, `body` computes it anew; at most `most` times. Never cut by count [R19]. */
export interface While extends Traits {
  readonly kind: 'while';
  readonly condition: FunctionOperator;
  readonly body: string | Operator;
  readonly most: number;
}

/** `then` for the rows for which `condition`, a function that gives a boolean, holds; `otherwise` for the others, which stay as they are without it. */
export interface If extends Traits {
  readonly kind: 'if';
  readonly condition: FunctionOperator;
  readonly then: string | Operator;
  readonly otherwise?: string | Operator;
}

/** What a map calls. */
export type Operator = SimpleOperator | Sequence | Loop | While | If;

/** Operators by name. */
export type Library = Readonly<Record<string, Operator>>;

/** Maps, by the seed's names [V5]. */
export type MapName = 'VectorMap' | 'MatrixMap' | 'GlobalMap' | 'CrossMap' | 'TaskMap' | 'DirMap';

/** One round of a job [V9]: a map over a vector. Made by the function of the map's name. */
export interface Round {
  readonly map: MapName;
  readonly operator: string | Operator;
  /** The vector, by the name of an input or of a round's `as`; what the round before gave where it is not said. Not with `DirMap`. */
  readonly over?: string;
  /**
   * Makes one value of two with equal keys, of the same type: a function `(key, a, b) => value`, or a circuit with inputs `a` and `b`. On each worker, and again at gathering
   * [V5]. It has to be associative. No program: it would be given its own results, which are not what it takes.
   */
  readonly reduce?: FunctionOperator | CircuitOperator;
  /** Where results go; without it, those of unchanged type to the same template, others to the template of their type [V6]. With `parts` or a `partitioner` they are cut anew; else they stay in the sub-vectors of the rows that they come from. */
  readonly result?: Template;
  /** A name by which later rounds can read the result. */
  readonly as?: string;
  /** The result becomes a global of that name for the rounds that follow. */
  readonly global?: string;
  /** `TaskMap`, `DirMap`: threads of each worker, 1 to 256. */
  readonly threads?: number;
  /** `DirMap`: a path that workers can read, or files. */
  readonly directory?: string | readonly File[];
  /** `DirMap`: true where all workers see the same directory, so that each file goes to one of them; false where each has its own. True where it is not said. */
  readonly shared?: boolean;
}

/** A job: what is computed, not on which data. */
export interface JobDefinition {
  readonly inputs?: Readonly<Record<string, Template>>;
  readonly globals?: Readonly<Record<string, GlobalTemplate>>;
  readonly rounds: readonly Round[];
  /** Common sub-operators, which an operator is split against [V3]. */
  readonly library?: Library;
  /** The user's other operators, by name. */
  readonly operators?: Library;
}

/** What a function of a module is called with beside its row. */
export interface Context {
  /** Gives a row to the result, beside what the function returns. Errors: JobError `job.key`, `job.result`. */
  emit(key: AnyKey, value: Data): void;
  /** Writes a line to the job's log [V7]. */
  log(text: string): void;
  /** Globals by name. */
  readonly globals: Readonly<Record<string, Global>>;
  /** Number of the round, from 0. */
  readonly round: number;
  /** The sub-vector whose rows these are, from 0. */
  readonly part: number;
  /** Who computes, from 0, and of which kind. */
  readonly worker: number;
  readonly kind: Kind;
}

/** A global as a worker sees it: for reading. */
export interface Global {
  /** The value of a key; undefined where there is none. */
  get(key: Key): Data | undefined;
  /** All rows, in the order in which they were given. */
  getItr(): IterableIterator<Row<Key>>;
}

/**
 * A function of a map: gives the row's new value, under the same key; undefined for no row. Of `MatrixMap` keys are positions; `CrossMap` gives the other row as third
 * argument, and a result, a number, under the position of both where keys are whole numbers from 0; of `DirMap` the key is the file's path, and the value a {@link JobFile}.
 */
export type MapFunction = (
  row: Row,
  context: Context,
  other?: Row,
) => Data | undefined | void | Promise<Data | undefined | void>;

/** See {@link Round.reduce}. */
export type ReduceFunction = (key: AnyKey, a: Data, b: Data) => Data | Promise<Data>;
/** See {@link Split.partitioner}. */
export type PartitionerFunction = (key: AnyKey, parts: number) => number;

/** A file of a `DirMap`. */
export interface JobFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  text(): Promise<string>;
  bytes(): Promise<Uint8Array>;
  /** Lines of UTF-8 text, without their ends, as they are read. */
  lines(): AsyncIterableIterator<string>;
}

/** A line of the log [V7]: a text that an operator wrote, or a task that a worker began or ended. */
export interface LogLine {
  readonly event: 'text' | 'begin' | 'end';
  readonly worker: number;
  /** Number among the lines of this worker, from 0. */
  readonly line: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Of the task; the same for a task that was done twice. */
  readonly task: string;
  readonly round: number;
  readonly part: number;
  readonly kind: Kind;
  /** What the task does: calls the operator with rows, or with a file; lists a directory; merges what was reduced. */
  readonly does: 'map' | 'file' | 'list' | 'reduce';
  /** Of a file, its path. */
  readonly file?: string;
  /** What the operator wrote; of an end, nothing. */
  readonly text: string;
  /** Of an end: how often the operator was called, and milliseconds. */
  readonly calls?: number;
  readonly milliseconds?: number;
}

/** What the log comes to, so far. */
export interface JobStatistics {
  /** Tasks that are known so far. */
  readonly tasks: number;
  /** Of which ended. */
  readonly done: number;
  /** Calls of operators by tasks that ended. */
  readonly calls: number;
  /** Rounds, of which this many are over. */
  readonly rounds: number;
  readonly roundsDone: number;
  /** By worker. */
  readonly workers: readonly {
    readonly worker: number;
    readonly kind: Kind;
    readonly tasks: number;
    readonly calls: number;
    readonly milliseconds: number;
  }[];
  /** True once the last round is over, and so the last worker is done. */
  readonly finished: boolean;
}
