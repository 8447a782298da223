/** What the calls of a task give: rows of one type, as chunks. */
import { ChunkWriter } from './chunk-writer.js';
import { rowsOf } from './chunk-reader.js';
import { describe, sortOf } from '../arguments.js';
import { failure } from '../errors.js';
import { merge, type Reduce } from './merge.js';
import { copyOfData, copyOfKey, copyOfRow } from './data.js';
import { compareKeys, mapKey } from './order.js';
import type { Store } from './store.js';
import { checkRow, templateFor } from './templates.js';
import type { AnyKey, Data, Row, Template } from './types.js';
import type { Chunk } from './work.js';

/** Keys that are held for a reducer; more are put away as a run. */
const MOST_KEYS = 2 ** 16;

/** The type of results: the template that a round says, or else what the first of them asks for. That they are dense shows when all are there. */
export class ResultType {
  readonly #of: Template | undefined;
  readonly #where: string;
  #template: Template | undefined;

  /** `of`: the template of the rows that the operator is called with; none of files. `where`: in words. */
  constructor(of: Template | undefined, result: Template | undefined, where: string) {
    this.#of = of;
    this.#where = where;
    this.#template = result;
  }

  /** The template; none before the first result. */
  get template(): Template | undefined {
    return this.#template;
  }

  /** As {@link check}, of a value whose key was checked before: of most that a reducer is given, so that nothing is made for it. */
  checkValue(key: AnyKey, value: Data): void {
    if (typeof value === 'number' && this.#template?.template === 'SparseValueVector') return;
    this.check([key, value]);
  }

  /** Errors: JobError `job.result`, `job.key`. */
  check(row: Row): void {
    const found = templateFor(row, this.#where);
    const of = this.#of?.template === 'FixValueVector' ? undefined : this.#of;
    const template = (this.#template ??= of && fits(found, of) ? of : found);
    if (fits(found, template)) return checkRow(template, row, this.#where);
    const [key, value] = row;
    const details = { found: sortOf(value), expected: template.template, key, at: this.#where };
    throw failure(
      'job.result',
      `${this.#where}: the result under key ${describe(key)} is ${details.found}, which does not go to ${template.template} as the results before it, or as the round says`,
      details,
    );
  }
}

/** Numbers are at home in dense and in sparse vectors, and all but positions in those of varying length. */
function fits(found: Template, template: Template): boolean {
  if (found.template === template.template) return true;
  if (template.template === 'FixValueVector') return found.template === 'SparseValueVector';
  return template.template === 'VariableLenVector' && found.template !== 'SparseMatrix';
}

/** Results of one task, copied, and so is what a reducer gives: whoever gives them may use the same array again. Functions give rows in the middle of a call; what takes long is done in `settle`, between two calls. */
export class Results {
  readonly #type: ResultType;
  readonly #reduce: Reduce | undefined;
  readonly #store: Pick<Store, 'get' | 'put'>;
  readonly #writer: ChunkWriter;
  #full = false;
  /** What waits for a reducer that takes its time. */
  #waiting: Row[] = [];
  #reducing: { readonly held: Held; readonly value: Promise<Data> } | undefined;
  readonly #held = new Map<string | number, Held>();
  readonly #runs: (readonly Chunk[])[] = [];

  constructor(type: ResultType, reduce: Reduce | undefined, store: Pick<Store, 'get' | 'put'>) {
    this.#type = type;
    this.#reduce = reduce && checked(reduce, type);
    this.#store = store;
    this.#writer = new ChunkWriter(store);
  }

  /** Takes a row. Errors: JobError `job.result`, `job.key`, those of the reducer. */
  give(key: AnyKey, value: Data): void {
    if (this.#reducing !== undefined) return void this.#waiting.push(copyOfRow([key, value]));
    if (this.#reduce !== undefined) return this.#hold(key, copyOfData(value));
    const row: Row = [key, value];
    this.#type.check(row);
    this.#full = this.#writer.add(copyOfRow(row));
  }

  /** Puts away what is too much to hold. Errors: those of the reducer, JobError `job.store`. */
  async settle(): Promise<void> {
    if (this.#full) await this.#writer.flush();
    this.#full = false;
    for (let waited = 0; this.#reducing !== undefined;) {
      const { held, value } = this.#reducing;
      held.value = await value;
      this.#reducing = undefined;
      while (waited < this.#waiting.length && this.#reducing === undefined)
        this.#hold(...(this.#waiting[waited++] as Row));
    }
    this.#waiting = [];
    if (this.#held.size >= MOST_KEYS) this.#runs.push(await this.#sorted());
  }

  /** Whether `settle` has something to do. */
  get isFull(): boolean {
    return this.#full || this.#reducing !== undefined || this.#held.size >= MOST_KEYS;
  }

  /** All of it. Errors: as of `settle`. */
  async end(): Promise<readonly Chunk[]> {
    await this.settle();
    if (this.#reduce === undefined) return this.#writer.end();
    if (this.#runs.length === 0) return this.#sorted();
    this.#runs.push(await this.#sorted());
    return merged(this.#runs, this.#reduce, this.#store);
  }

  /** Takes a value that nobody else changes. */
  #hold(key: AnyKey, value: Data): void {
    const name = mapKey(key);
    const held = this.#held.get(name);
    if (held === undefined) {
      this.#type.check([key, value]);
      this.#held.set(name, { key: copyOfKey(key), value });
      return;
    }
    // A text can be what a position is as a key of the map.
    if (typeof key === typeof held.key) this.#type.checkValue(key, value);
    else this.#type.check([key, value]);
    const reduced = (this.#reduce as Reduce)(key, held.value, value);
    if (reduced instanceof Promise) this.#reducing = { held, value: reduced };
    else held.value = reduced;
  }

  /** What is held, by key, and not held any more. */
  async #sorted(): Promise<readonly Chunk[]> {
    const rows = [...this.#held.values()].sort((a, b) => compareKeys(a.key, b.key));
    this.#held.clear();
    const writer = new ChunkWriter(this.#store);
    for (const { key, value } of rows) if (writer.add([key, value])) await writer.flush();
    return writer.end();
  }
}

/** One run of several, which are sorted by key. */
export async function merged(
  runs: readonly (readonly Chunk[])[],
  reduce: Reduce,
  store: Pick<Store, 'get' | 'put'>,
): Promise<readonly Chunk[]> {
  const writer = new ChunkWriter(store);
  const sources = runs.map((run) => rowsOf(run, store));
  for await (const row of merge(sources, reduce)) if (writer.add(row)) await writer.flush();
  return writer.end();
}

/** A reducer whose values are of the type of the others, and nobody else's. */
export function checked(reduce: Reduce, type: ResultType): Reduce {
  return (key, a, b) => {
    const own = (value: Data): Data => {
      type.checkValue(key, value);
      return copyOfData(value);
    };
    const value = reduce(key, a, b);
    return value instanceof Promise ? value.then(own) : own(value);
  };
}

/** A key's value so far. */
interface Held {
  readonly key: AnyKey;
  value: Data;
}
