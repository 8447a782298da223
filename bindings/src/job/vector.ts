/** Vectors [V1, V2]: rows go in by `emit` or from a source, lie in a store as chunks, and come out by `getItr`. */
import { checkArgument, checkOptions, describe, type Kind, type Kinds, TEXT } from '../arguments.js';
import { failure } from '../errors.js';
import { decodeChunk, encodeChunk } from './chunk.js';
import { rowsOf } from './chunk-reader.js';
import { MOST_BYTES, MOST_ROWS } from './chunk-writer.js';
import { type Cutter, cutterFor, type Run, uncut } from './cutter.js';
import { copyOfRow, isSequence } from './data.js';
import { merge } from './merge.js';
import type { Store } from './store.js';
import { checkRow, isParts, MOST_PARTS, rowError } from './templates.js';
import type { AnyKey, Data, GlobalTemplate, PartitionerFunction, Row, Template } from './types.js';
import type { Chunk } from './work.js';

/** A chunk of a vector, and where it belongs. */
export interface PlacedChunk extends Chunk {
  /** The sub-vector, from 0. */
  readonly part: number;
  /** Its place among all chunks of the vector, from 0: in this order rows are read. */
  readonly number: number;
}

/** How rows become chunks. */
export interface VectorOptions {
  /** Rows of a full chunk; 4,096 where it is not given. */
  readonly rows?: number;
  /** Bytes of a full chunk, about; a megabyte where it is not given. With more than 64 parts chunks are shorter, so that all parts are filled with what 64 would take. */
  readonly bytes?: number;
  /** The function of the template's `partitioner`. */
  readonly partitioner?: PartitionerFunction | undefined;
}

/** Rows, one after the other. */
export type Source = Iterable<Row> | AsyncIterable<Row>;

const AT_LEAST_ONE: Kind = {
  expected: 'a number, 1 or more',
  fits: (value) => typeof value === 'number' && value >= 1,
};
const PARTS: Kind = { expected: `a whole number from 1 to ${MOST_PARTS}`, fits: isParts };
const SOURCE: Kind = {
  expected: 'rows: an iterable, or an asynchronous one',
  fits: isSequence,
};
const OPTIONS: Kinds<VectorOptions> = {
  rows: AT_LEAST_ONE,
  bytes: AT_LEAST_ONE,
  partitioner: { expected: 'a function', fits: (value) => typeof value === 'function' },
};

/**
 * A vector, or a global (of `Var` or `PVar`): a vector of one part whose rows are one chunk. It takes rows until it is read for the first time; then
 * its sources are read, no faster than chunks are asked for.
 */
export class Vector {
  /** For errors, such as `input "x"`. */
  readonly name: string;
  readonly template: Template | GlobalTemplate;
  readonly #store: Store;
  readonly #parts: number;
  readonly #cutter: Cutter;
  /** Of a global: keys, each of which is there once. */
  readonly #keys: Set<AnyKey> | undefined;
  readonly #chunks: PlacedChunk[] = [];
  readonly #sources: Source[] = [];
  #state: 'open' | 'read' | 'done' | 'dropped' = 'open';
  #rows = 0;
  /** The source that is being read. */
  #reading: Iterator<Row> | AsyncIterator<Row> | undefined;
  #isSync = false;
  /** Chunks on their way to the store, one after the other, so that they stay in order. */
  #storing: Promise<void> = Promise.resolve();
  #pulling: Promise<void> | undefined;
  #failed: { readonly error: unknown } | undefined;

  /** Errors: InputError `input.type`, `input.option`. */
  constructor(
    name: string,
    template: Template | GlobalTemplate,
    store: Store,
    parts: number,
    options: VectorOptions = {},
  ) {
    checkArgument('Vector, name', name, TEXT);
    checkArgument(`${name}, parts`, parts, PARTS);
    checkOptions(name, options, OPTIONS);
    const isGlobal = template.template === 'Var' || template.template === 'PVar';
    this.name = name;
    this.template = template;
    this.#store = store;
    this.#parts = isGlobal ? 1 : parts;
    this.#keys = isGlobal ? new Set() : undefined;
    const { rows = MOST_ROWS, bytes = MOST_BYTES, partitioner } = options;
    this.#cutter = isGlobal ? uncut() : cutterFor(parts, { rows, bytes }, partitioner);
  }

  /** A vector of chunks that are there already, in the order of their numbers; it takes no rows. */
  static of(
    name: string,
    template: Template | GlobalTemplate,
    store: Store,
    parts: number,
    chunks: readonly PlacedChunk[],
  ): Vector {
    const vector = new Vector(name, template, store, parts);
    for (const chunk of chunks) {
      vector.#chunks.push(chunk);
      vector.#rows += chunk.rows;
    }
    vector.#state = 'done';
    return vector;
  }

  /** Number of sub-vectors. */
  parts(): number {
    return this.#parts;
  }

  /** Number of chunks so far. */
  get chunks(): number {
    return this.#chunks.length;
  }

  /** Rows so far; all, once the vector was read to its end. */
  get rows(): number {
    return this.#rows;
  }

  /**
   * Takes a row, and copies what it is made of. Gives a promise only when a chunk has to be stored: who awaits it holds no more than what is not a
   * chunk yet. Errors: JobError `job.key`, `job.template`, `job.partitioner`, `job.definition` if the vector was read before; `job.store` of an earlier row.
   */
  emit(key: AnyKey, value: Data): Promise<void> | undefined {
    this.#checkOpen('row');
    const runs = this.#take([key, value]);
    return runs.length === 0 ? undefined : this.#put(runs);
  }

  /** Remembers a source, which is read once chunks are asked for, after what was emitted and after the sources before it. Errors: InputError `input.type`; JobError `job.definition`. */
  read(source: Source): void {
    this.#checkOpen('source');
    checkArgument(`${this.name}.read, source`, source, SOURCE);
    this.#sources.push(source);
  }

  /**
   * The chunks, in order. The first call ends the vector: it takes no row any more. Sources are read as far as the next chunk needs; another call gives the same chunks
   * again. Errors: those of `emit`, and what sources throw, as it is.
   */
  async *pieces(): AsyncGenerator<PlacedChunk, void, void> {
    if (this.#state === 'open') this.#state = 'read';
    for (let next = 0; ;) {
      const chunk = this.#chunks[next];
      if (this.#state === 'dropped') throw this.#droppedError();
      if (chunk !== undefined) {
        next++;
        yield chunk;
      } else if (this.#failed !== undefined) throw this.#failed.error;
      else if (this.#state === 'done') return;
      else await (this.#pulling ??= this.#pull().finally(() => (this.#pulling = undefined)));
    }
  }

  /** The rows, in the order of chunks; dense ones of a partitioner, in that of their keys. Errors: as of `pieces`, JobError `job.store`, `job.chunk`. */
  async *getItr(): AsyncGenerator<Row, void, void> {
    const { template } = this;
    if (template.template === 'FixValueVector' && template.partitioner !== undefined) yield* this.#byKey();
    else for await (const { ref } of this.pieces()) yield* decodeChunk(await this.#store.get(ref));
  }

  /** Rows that are in order in each sub-vector, each key once. */
  async *#byKey(): AsyncGenerator<Row, void, void> {
    const parts = new Map<number, PlacedChunk[]>();
    for await (const chunk of this.pieces()) {
      const of = parts.get(chunk.part);
      if (of === undefined) parts.set(chunk.part, [chunk]);
      else of.push(chunk);
    }
    const runs = [...parts.values()].map((chunks) => rowsOf(chunks, this.#store));
    yield* merge(runs, (key) => {
      const problem = { found: describe(key), expected: 'a key that is there once', inside: '' };
      throw rowError('job.key', this.name, problem, key);
    });
  }

  /** Frees the chunks, and closes a source that was not read to its end. */
  async drop(): Promise<void> {
    this.#state = 'dropped';
    this.#closeSources();
    // None is stored from here on but what is on its way.
    await this.#storing.catch(() => undefined);
    await this.#store.drop(this.#chunks.splice(0).map(({ ref }) => ref));
  }

  #checkOpen(what: 'row' | 'source'): void {
    if (this.#failed !== undefined) throw this.#failed.error;
    if (this.#state === 'dropped') throw this.#droppedError();
    if (this.#state === 'open') return;
    const problem = `${this.name}: it is being read, and takes no ${what} any more: all have to come before`;
    throw failure('job.definition', problem, { where: this.name, rows: this.#rows });
  }

  #droppedError(): Error {
    return failure('job.store', `${this.name}: its rows were dropped`, { where: this.name });
  }

  #take(row: Row): readonly Run[] {
    const where = { vector: this.name, row: this.#rows };
    checkRow(this.template, row, where);
    const own = copyOfRow(row);
    this.#checkOrder(own, where);
    const runs = this.#cutter.add(own, where);
    this.#keys?.add(own[0]);
    this.#rows++;
    return runs;
  }

  /** What depends on the rows before. */
  #checkOrder([key]: Row, where: { vector: string; row: number }): void {
    const { template } = this.template;
    const found = describe(key);
    if (template === 'FixValueVector' && key !== this.#rows)
      throw rowError(
        'job.key',
        where,
        { found, expected: `${this.#rows}: keys are 0, 1, 2, ...`, inside: '' },
        key,
      );
    if (this.#keys?.has(key))
      throw rowError('job.key', where, { found, expected: 'a key that is not there yet', inside: '' }, key);
  }

  /** Rows of sources, until there is another chunk. */
  async #pull(): Promise<void> {
    try {
      const before = this.#chunks.length;
      // What was emitted goes first.
      await this.#storing;
      while (this.#state === 'read' && this.#chunks.length === before) {
        this.#reading ??= this.#open(this.#sources.shift());
        if (this.#reading !== undefined) await this.#readRun(this.#reading);
        else {
          await this.#put(this.#cutter.end());
          if (this.#state === 'read') this.#state = 'done';
        }
      }
    } catch (error) {
      this.#failed ??= { error };
      this.#closeSources();
      throw error;
    }
  }

  #open(source: Source | undefined): Iterator<Row> | AsyncIterator<Row> | undefined {
    if (source === undefined) return undefined;
    this.#isSync = !(Symbol.asyncIterator in source);
    return Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  }

  /** Up to the next run, or the source's end. */
  async #readRun(reading: Iterator<Row> | AsyncIterator<Row>): Promise<void> {
    while (this.#state === 'read') {
      // Without `await` where there is nothing to wait for: it costs more than the row.
      const next = this.#isSync ? (reading as Iterator<Row>).next() : await reading.next();
      const { done, value } = next as IteratorResult<Row>;
      if (done) {
        this.#reading = undefined;
        return;
      }
      if (this.#state !== 'read') return;
      const runs = this.#take(value);
      if (runs.length > 0) return this.#put(runs);
    }
  }

  /** What a source does at its end is its own business, and not waited for. */
  #closeSources(): void {
    this.#sources.length = 0;
    const reading = this.#reading;
    this.#reading = undefined;
    try {
      void Promise.resolve(reading?.return?.()).catch(() => undefined);
    } catch {
      // As above.
    }
  }

  /** Encoded at once, so that rows are held no longer; stored after those before. */
  #put(runs: readonly Run[]): Promise<void> {
    const encoded = runs.map(({ part, number, first, rows }) => {
      return { part, number, first, rows: rows.length, bytes: encodeChunk(rows) };
    });
    const storing = this.#storing.then(async () => {
      for (const { bytes, ...place } of encoded) {
        const ref = await this.#store.put(bytes);
        this.#chunks.push({ ref, ...place });
      }
    });
    this.#storing = storing;
    // Whoever does not await this one is told by the next call.
    storing.catch((error: unknown) => (this.#failed ??= { error }));
    return storing;
  }
}
