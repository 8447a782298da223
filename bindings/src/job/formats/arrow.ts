/**
 * Rows as Arrow. Its library is ten times as large as all of jobs, and for few: an optional peer dependency, which is imported when it is asked for.
 */
import { checkOptions, type Kinds } from '../../arguments.js';
import { failure } from '../../errors.js';
import { isTypedArray, sizeOf } from '../data.js';
import type { AnyKey, Data, Row } from '../types.js';
import { checkedRows, forJson, formatError, type Rows } from './text.js';

/** Options of {@link toArrow}. */
export interface ArrowOptions {
  /** The library: `await import('apache-arrow')`. Imported by that name where it is not given, which Node can; bundlers for pages have to see the import. */
  readonly arrow?: object;
}

const OPTIONS: Kinds<ArrowOptions> = {
  arrow: {
    expected: "the library: await import('apache-arrow')",
    fits: (value) => typeof value === 'object' && value !== null && 'RecordBatchStreamWriter' in value,
  },
};

/** Rows of a record batch, and about the bytes of one. */
const MOST_ROWS = 4096;
const MOST_BYTES = 2 ** 20;

/**
 * An Arrow IPC stream, a record batch at a time: columns `key` (Float64 or Utf8) and `value`, or `row`, `column` (Int64) and `value` for elements of a matrix. Values are Float64, Utf8, Bool, Binary, a List for other typed
 * arrays, or JSON text (Utf8, marked `arrow.json`) for what is nested; null is null. The first batch says which. Errors: JobError `job.format` for a row of another type than the ones before, for NaN and infinities in what
 * is nested, for what is no row, and without the library; InputError `input.type`, `input.option`; what reading the rows throws.
 */
export async function* toArrow(
  rows: Rows,
  options: ArrowOptions = {},
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  checkOptions('toArrow', options, OPTIONS);
  const arrow = (options.arrow as Arrow | undefined) ?? (await importArrow());
  let writer: BatchWriter | undefined;
  for await (const { first, batch } of batches(rows)) {
    writer ??= new BatchWriter(arrow, formOf(batch));
    yield writer.write(batch, first);
  }
  writer ??= new BatchWriter(arrow, { key: 'text', value: 'null' });
  yield writer.end();
}

async function* batches(rows: Rows): AsyncGenerator<{ first: number; batch: readonly Row[] }> {
  let [first, bytes] = [0, 0];
  let batch: Row[] = [];
  for await (const row of checkedRows(rows, 'Arrow')) {
    batch.push(row);
    bytes += sizeOf(row);
    if (batch.length < MOST_ROWS && bytes < MOST_BYTES) continue;
    yield { first, batch };
    first += batch.length;
    bytes = 0;
    batch = [];
  }
  if (batch.length > 0) yield { first, batch };
}

/** What of the library is used here. */
interface Arrow {
  readonly Schema: new (fields: unknown[]) => ArrowSchema;
  readonly Field: new (
    name: string,
    type: unknown,
    nullable: boolean,
    metadata?: Map<string, string>,
  ) => unknown;
  readonly Struct: new (fields: unknown) => unknown;
  readonly List: new (item: unknown) => unknown;
  readonly RecordBatch: new (schema: ArrowSchema, data: unknown) => unknown;
  readonly RecordBatchStreamWriter: new () => {
    reset(sink: unknown, schema: ArrowSchema): unknown;
    write(batch: unknown): void;
    finish(): unknown;
  };
  readonly AsyncByteQueue: new () => { write(bytes: Uint8Array): void };
  readonly makeData: (parts: object) => unknown;
  readonly vectorFromArray: (
    values: readonly unknown[],
    type: unknown,
  ) => { readonly data: readonly unknown[] };
  readonly Float64: new () => unknown;
  readonly Float32: new () => unknown;
  readonly Int32: new () => unknown;
  readonly Uint32: new () => unknown;
  readonly Int64: new () => unknown;
  readonly Utf8: new () => unknown;
  readonly Bool: new () => unknown;
  readonly Binary: new () => unknown;
  readonly Null: new () => unknown;
}
interface ArrowSchema {
  readonly fields: unknown;
}

async function importArrow(): Promise<Arrow> {
  // As a variable: bundlers would look for it where nobody has installed it.
  const library = 'apache-arrow';
  try {
    return (await import(/* @vite-ignore */ /* webpackIgnore: true */ library)) as Arrow;
  } catch (cause) {
    const problem =
      "Arrow needs the package apache-arrow (npm install apache-arrow). In a page, hand it over: toArrow(rows, { arrow: await import('apache-arrow') })";
    throw failure('job.format', problem, { expected: library }, cause);
  }
}

const NUMBERS = ['Float64Array', 'Float32Array', 'Int32Array', 'Uint32Array'] as const;
type KeyForm = 'number' | 'text' | 'position';
type ValueForm = 'number' | 'text' | 'boolean' | 'bytes' | (typeof NUMBERS)[number] | 'nested' | 'null';
/** What the columns hold. */
interface Form {
  readonly key: KeyForm;
  readonly value: ValueForm;
}

function formOf(batch: readonly Row[]): Form {
  const value = batch.map(([, value]) => valueForm(value)).find((form) => form !== 'null') ?? 'null';
  return { key: keyForm((batch[0] as Row)[0]), value };
}

function keyForm(key: AnyKey): KeyForm {
  return typeof key === 'object' ? 'position' : typeof key === 'number' ? 'number' : 'text';
}

function valueForm(value: Data): ValueForm {
  if (typeof value === 'string') return 'text';
  if (typeof value !== 'object') return typeof value as 'number' | 'boolean';
  if (value === null) return 'null';
  if (!isTypedArray(value)) return 'nested';
  return NUMBERS.find((name) => name === value.constructor.name) ?? 'bytes';
}

/** Writes batches of one form. */
class BatchWriter {
  readonly #arrow: Arrow;
  readonly #form: Form;
  readonly #types: readonly unknown[];
  readonly #schema: ArrowSchema;
  readonly #writer: InstanceType<Arrow['RecordBatchStreamWriter']>;
  #pieces: Uint8Array[] = [];

  constructor(arrow: Arrow, form: Form) {
    this.#arrow = arrow;
    this.#form = form;
    const { Schema, Field } = arrow;
    const keys: [string, unknown][] =
      form.key === 'position'
        ? [
            ['row', new arrow.Int64()],
            ['column', new arrow.Int64()],
          ]
        : [['key', form.key === 'number' ? new arrow.Float64() : new arrow.Utf8()]];
    const value = this.#valueType();
    const isJson = form.value === 'nested';
    const metadata = new Map(isJson ? [['ARROW:extension:name', 'arrow.json']] : []);
    this.#types = [...keys.map(([, type]) => type), value];
    this.#schema = new Schema([
      ...keys.map(([name, type]) => new Field(name, type, false)),
      new Field('value', value, true, metadata),
    ]);
    const sink = new arrow.AsyncByteQueue();
    // The library's queue would grow without an end: nobody asks it for less.
    sink.write = (bytes) => void this.#pieces.push(bytes);
    this.#writer = new arrow.RecordBatchStreamWriter();
    this.#writer.reset(sink, this.#schema);
  }

  write(batch: readonly Row[], first: number): Uint8Array<ArrayBuffer> {
    const { RecordBatch, Struct, makeData, vectorFromArray } = this.#arrow;
    for (const [index, row] of batch.entries()) this.#check(row, first + index);
    const columns = this.#columns(batch, first);
    const children = columns.map((values, index) => vectorFromArray(values, this.#types[index]).data[0]);
    const type = new Struct(this.#schema.fields);
    this.#writer.write(
      new RecordBatch(this.#schema, makeData({ type, length: batch.length, nullCount: 0, children })),
    );
    return this.#written();
  }

  end(): Uint8Array<ArrayBuffer> {
    this.#writer.finish();
    return this.#written();
  }

  /** The type of each form of values. */
  #valueType(): unknown {
    const { Field, List, ...types } = this.#arrow;
    const list = (item: unknown): unknown => new List(new Field('item', item, false));
    switch (this.#form.value) {
      case 'number':
        return new types.Float64();
      case 'text':
      case 'nested':
        return new types.Utf8();
      case 'boolean':
        return new types.Bool();
      case 'bytes':
        return new types.Binary();
      case 'Float64Array':
        return list(new types.Float64());
      case 'Float32Array':
        return list(new types.Float32());
      case 'Int32Array':
        return list(new types.Int32());
      case 'Uint32Array':
        return list(new types.Uint32());
      case 'null':
        return new types.Null();
    }
  }

  #check([key, value]: Row, row: number): void {
    const [foundKey, foundValue] = [keyForm(key), valueForm(value)];
    if (foundKey !== this.#form.key)
      throw formatError(row, key, 'Arrow', `a key: ${foundKey}`, `a key as before: ${this.#form.key}`);
    if (foundValue !== 'null' && foundValue !== this.#form.value)
      throw formatError(row, key, 'Arrow', foundValue, `values as before: ${this.#form.value}`);
  }

  #columns(batch: readonly Row[], first: number): (readonly unknown[])[] {
    const values = batch.map(([key, value], index) => {
      if (value === null || this.#form.value !== 'nested') return value;
      const refuse = (found: string) =>
        formatError(first + index, key, 'Arrow', found, 'finite numbers in nested data');
      return JSON.stringify(forJson(value, refuse));
    });
    if (this.#form.key !== 'position') return [batch.map(([key]) => key), values];
    const index = (axis: 0 | 1) => batch.map(([key]) => BigInt((key as readonly number[])[axis] as number));
    return [index(0), index(1), values];
  }

  /** What the library wrote since, copied: its memory is used again. */
  #written(): Uint8Array<ArrayBuffer> {
    const pieces = this.#pieces;
    this.#pieces = [];
    const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const piece of pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    return bytes;
  }
}
