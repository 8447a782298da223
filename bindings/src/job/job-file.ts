/**
 * Job files: a job and its data as bytes, for the native build and whoever has no JavaScript, and the files of rows that these give. FORMAT.md says what is in them.
 */
import { checkArgument, TEXT } from '../arguments.js';
import { checkBytes } from '../bytes.js';
import { failure } from '../errors.js';
import { decodeChunk, pack, unpack } from './chunk.js';
import type { Store } from './store.js';
import { checkRow, isParts, rowError, TEMPLATE_NAMES } from './templates.js';
import type { AnyKey, GlobalTemplate, JobDefinition, Row, Template, TemplateName } from './types.js';
import { type PlacedChunk, Vector } from './vector.js';

const JOB = 'cipherloom job';
const ROWS = 'cipherloom rows';
const VERSION = 1;

/** Lists and objects in each other, most: operators are 64 deep at most, each an object, perhaps in a list. */
const MOST_DEPTH = 256;

/** A chunk in a file: its sub-vector, its rows, and these as bytes. */
type FileChunk = readonly [part: number, rows: number, bytes: Uint8Array];
/** A vector in a file. */
type FileVector = readonly [parts: number, chunks: readonly FileChunk[]];

/** What a job file holds, as far as it is checked before rows are read. */
export interface JobFileContents {
  readonly definition: unknown;
  readonly inputs: ReadonlyMap<string, FileVector>;
  /** A chunk each. */
  readonly globals: ReadonlyMap<string, Uint8Array>;
}

/** Writes a job file. Vectors are read to their end, and stay as they are. Errors: JobError `job.definition` for files of a page, which do not travel, `job.store`; what sources throw. */
export async function encodeJobFile(
  definition: JobDefinition,
  inputs: ReadonlyMap<string, Vector>,
  globals: ReadonlyMap<string, Vector>,
  store: Pick<Store, 'get'>,
): Promise<Uint8Array> {
  for (const [index, { directory }] of definition.rounds.entries()) {
    if (directory === undefined || typeof directory === 'string') continue;
    const at = `rounds[${index}].directory`;
    const problem = `A job as bytes, ${at}: expected a path, found File objects, which do not travel`;
    throw failure('job.definition', problem, { found: 'File objects', expected: 'a path', at });
  }
  const vectors: [string, FileVector][] = [];
  for (const [name, vector] of inputs) vectors.push([name, [vector.parts(), await chunksOf(vector, store)]]);
  const rows: [string, Uint8Array][] = [];
  for (const [name, vector] of globals)
    for (const [, , bytes] of await chunksOf(vector, store)) rows.push([name, bytes]);
  try {
    return pack(
      [JOB, VERSION, definition, Object.fromEntries(vectors), Object.fromEntries(rows)],
      MOST_DEPTH,
    );
  } catch (cause) {
    throw failure('job.definition', 'The job does not go into one array of bytes', {}, cause);
  }
}

async function chunksOf(vector: Vector, store: Pick<Store, 'get'>): Promise<FileChunk[]> {
  const chunks: FileChunk[] = [];
  for await (const { part, rows, ref } of vector.pieces()) chunks.push([part, rows, await store.get(ref)]);
  return chunks;
}

/** Reads a job file; its definition and rows are to be checked. Errors: InputError `input.type`, FormatError `format.job`. */
export function decodeJobFile(bytes: Uint8Array): JobFileContents {
  const [definition, inputs, globals] = contents(JOB, 3, bytes);
  return {
    definition: owned(definition),
    inputs: named('inputs', inputs, fileVector),
    globals: named('globals', globals, (at, value) =>
      value instanceof Uint8Array ? value.slice() : wrongAt(at, 'the bytes of a chunk'),
    ),
  };
}

/** Rows of a file into a store: what is none of its template's is told before anything runs. Errors: JobError `job.chunk`, `job.key`, `job.template`, `job.store`. */
export async function vectorOf(
  name: string,
  template: Template | GlobalTemplate,
  [parts, chunks]: FileVector,
  store: Store,
): Promise<Vector> {
  const placed: PlacedChunk[] = [];
  try {
    const lengths = new Map<number, number>();
    const total = chunks.reduce((sum, [, rows]) => sum + rows, 0);
    const check = rowChecker(name, template, total);
    for (const [number, [part, count, bytes]] of chunks.entries()) {
      const rows = rowsOf(bytes, count);
      rows.forEach(check);
      const ref = await store.put(bytes);
      const first = lengths.get(part) ?? 0;
      lengths.set(part, first + count);
      placed.push({ ref, rows: count, first, part, number });
    }
    return Vector.of(name, template, store, parts, placed);
  } catch (error) {
    await store.drop(placed.map(({ ref }) => ref)).catch(() => {});
    throw error;
  }
}

/** Checks row after row of a vector that has so many. */
function rowChecker(name: string, template: Template | GlobalTemplate, total: number): (row: Row) => void {
  const kind = template.template;
  const keys = kind === 'FixValueVector' || kind === 'Var' || kind === 'PVar' ? new Set<AnyKey>() : undefined;
  let rows = 0;
  return (row) => {
    const where = { vector: name, row: rows };
    checkRow(template, row, where);
    const [key] = row;
    const problem = { found: 'another key', inside: '' };
    // A Partitioner may have dealt them out in another order.
    if (kind === 'FixValueVector' && (key as number) >= total)
      throw rowError('job.key', where, { ...problem, expected: `0 to ${total - 1}, each once` }, key);
    if (keys?.has(key))
      throw rowError('job.key', where, { ...problem, expected: 'a key that is not there yet' }, key);
    keys?.add(key);
    rows += 1;
  };
}

/** Rows that a run gave, from a file. */
export interface JobRows {
  /** What they are. */
  readonly template: Template;
  /** How many. */
  readonly rows: number;
  /** All of them, in the order of `JobResult.getItr`. Errors: JobError `job.chunk`, `job.key`, `job.template`. */
  getItr(): IterableIterator<Row>;
}

/**
 * Reads the file of rows that `cipherloom-run` writes: what the last round of the job gave or, by its `as`, what another one gave. Errors: InputError `input.type`,
 * `input.unknown`; FormatError `format.job`.
 */
export function readRows(bytes: Uint8Array, name?: string): JobRows {
  if (name !== undefined) checkArgument('readRows, name', name, TEXT);
  const [results] = contents(ROWS, 1, bytes);
  const read = list('results', results).map((result, index) => fileResult(`result ${index}`, result));
  const found = read.find((result) => result.name === (name ?? null));
  if (found === undefined) {
    const expected = read.flatMap(({ name }) => name ?? []);
    const problem = `There is no result ${JSON.stringify(name)}; there are ${expected.join(', ') || 'none'}`;
    throw failure('input.unknown', problem, { found: name, expected });
  }
  const { template, chunks } = found;
  return {
    template,
    rows: chunks.reduce((sum, [, rows]) => sum + rows, 0),
    *getItr() {
      let number = 0;
      for (const [, count, bytes] of chunks)
        for (const row of rowsOf(bytes, count)) {
          checkRow(template, row, { vector: 'a file of rows', row: number });
          number += 1;
          yield row;
        }
    },
  };
}

/** `[name or null, template, parts, chunks]`. */
function fileResult(at: string, value: unknown) {
  const [name, template, parts, chunks, ...more] = list(at, value);
  if (name !== null && typeof name !== 'string') wrongAt(`${at}, name`, 'text or nothing');
  if (!TEMPLATE_NAMES.includes(template as TemplateName) || more.length > 0)
    wrongAt(`${at}, template`, TEMPLATE_NAMES.join(', '));
  return {
    name: name as string | null,
    template: { template: template as TemplateName } satisfies Template,
    chunks: fileVector(at, [parts, chunks])[1],
  };
}

function fileVector(at: string, value: unknown): FileVector {
  const [parts, chunks, ...more] = list(at, value);
  if (!isParts(parts) || more.length > 0) wrongAt(`${at}, parts`, 'a number of sub-vectors');
  const read = list(`${at}, chunks`, chunks).map((chunk, index): FileChunk => {
    const [part, rows, bytes, ...more] = list(`${at}, chunk ${index}`, chunk);
    const fits = isIndex(part) && part < (parts as number) && isIndex(rows) && bytes instanceof Uint8Array;
    if (!fits || more.length > 0) wrongAt(`${at}, chunk ${index}`, 'sub-vector, number of rows, bytes');
    // Posted to a worker, a part of the file would take all of it along.
    return [part, rows, bytes.slice()];
  });
  return [parts as number, read];
}

function rowsOf(bytes: Uint8Array, expected: number): Row[] {
  const rows = decodeChunk(bytes);
  if (rows.length === expected) return rows;
  const problem = `A chunk of a file: expected ${expected} rows, found ${rows.length}`;
  throw failure('job.chunk', problem, { found: rows.length, expected });
}

/** What follows name and version. */
function contents(name: string, count: number, bytes: Uint8Array): readonly unknown[] {
  checkBytes(`The bytes of a ${name === JOB ? 'job file' : 'file of rows'}`, bytes);
  const file = unpack(bytes, MOST_DEPTH, wrong);
  const [found, version, ...rest] = Array.isArray(file) ? (file as readonly unknown[]) : [];
  if (found !== name) throw wrong('begin otherwise', typeof found === 'string' ? found : typeof found, name);
  if (version !== VERSION)
    throw wrong('are of another version', typeof version === 'number' ? version : typeof version, VERSION);
  if (rest.length !== count) throw wrong('have other parts', rest.length, count);
  return rest;
}

function list(at: string, value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : wrongAt(at, 'a list');
}

function named<T>(at: string, value: unknown, read: (at: string, value: unknown) => T): Map<string, T> {
  if (!isObject(value)) wrongAt(at, 'an object');
  return new Map(
    Object.entries(value).map(([name, one]) => [name, read(`${at}, ${JSON.stringify(name)}`, one)]),
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** The same with bytes of its own. */
function owned(value: unknown): unknown {
  if (value instanceof Uint8Array) return value.slice();
  if (Array.isArray(value)) return value.map(owned);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, owned(one)]));
}

function wrongAt(at: string, expected: string): never {
  throw wrong(`have something else at ${at}`, 'something else', expected);
}

function wrong(problem: string, found?: unknown, expected?: unknown, cause?: unknown): Error {
  const facts = expected === undefined ? '' : `: expected ${String(expected)}, found ${String(found)}`;
  return failure(
    'format.job',
    `The bytes of a job file or of rows ${problem}${facts}`,
    { found, expected },
    cause,
  );
}
