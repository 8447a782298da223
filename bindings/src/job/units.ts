/** Which rows an operator is called with, by map [V5]: a round cut into units, each for one worker. */
import type { MapName } from './types.js';
import type { PlacedChunk } from './vector.js';
import type { Chunk } from './work.js';

/** What a task is made of, beside its operator. */
export interface Unit {
  /** The sub-vector whose worker does it. */
  readonly part: number;
  readonly lane: number;
  /** Where its results stand among those of the round. */
  readonly order: readonly [number, number];
  /** The rows, or a file. */
  readonly data:
    | { readonly chunk: Chunk; readonly range?: Range; readonly other?: Chunk }
    | { readonly file: string | File };
  readonly pinned?: boolean;
}

/** Positions in a sub-vector, half-open. */
export type Range = readonly [from: number, to: number];

/** Units that read one chunk, which nobody needs afterwards unless others do. */
export interface Units {
  readonly units: readonly Unit[];
  /** What is not read any more once these are done; without units, once all before them are. */
  readonly free: readonly Chunk[];
}

/** What a map is over. */
export interface MapSource {
  pieces(): AsyncIterable<PlacedChunk>;
  readonly parts: number;
  /** `TaskMap`: threads of each worker. */
  readonly threads: number;
  /** Of a loop: positions of its parts. All rows at once without it. */
  readonly ranges: readonly Range[] | undefined;
}

/** Makes the units of a map, as its vector is read. */
type UnitsOf = (source: MapSource) => AsyncGenerator<Units>;

/** One for each map over a vector. */
export const UNITS: Readonly<Record<Exclude<MapName, 'DirMap'>, UnitsOf>> = {
  VectorMap: ownRows,
  MatrixMap: ownRows,
  TaskMap: ownRowsByThreads,
  GlobalMap: allRows,
  CrossMap: ownRowsWithOthers,
};

/** Each worker the rows it holds. */
async function* ownRows({ pieces, ranges }: MapSource): AsyncGenerator<Units> {
  for await (const chunk of pieces()) {
    const units = within(chunk, ranges).map((data, index) => unit(chunk, 0, [chunk.number, index], data));
    yield { units, free: [chunk] };
  }
}

/** The same, by several threads. */
async function* ownRowsByThreads({ pieces, ranges, threads }: MapSource): AsyncGenerator<Units> {
  for await (const chunk of pieces()) {
    const units: Unit[] = [];
    for (const data of within(chunk, ranges)) {
      const [from, to] = data.range ?? [chunk.first, chunk.first + chunk.rows];
      const length = Math.ceil((to - from) / threads);
      for (let lane = 0, start = from; start < to; lane++, start += length) {
        const range: Range = [start, Math.min(start + length, to)];
        units.push(unit(chunk, lane, [chunk.number, units.length], { chunk, range }));
      }
    }
    yield { units, free: [chunk] };
  }
}

/** Every worker, all rows. */
async function* allRows({ pieces, parts, ranges }: MapSource): AsyncGenerator<Units> {
  for await (const chunk of pieces()) {
    const units: Unit[] = [];
    for (let part = 0; part < parts; part++)
      for (const data of within(chunk, ranges))
        units.push({ part, lane: 0, order: [part, chunk.number], data });
    yield { units, free: [chunk] };
  }
}

/** Every worker, its own rows with those of all others. */
async function* ownRowsWithOthers({ pieces, ranges }: MapSource): AsyncGenerator<Units> {
  const all: PlacedChunk[] = [];
  for await (const chunk of pieces()) all.push(chunk);
  for (const chunk of all) {
    const units: Unit[] = [];
    for (const data of within(chunk, ranges))
      for (const other of all)
        if (other.part !== chunk.part)
          units.push(unit(chunk, 0, [chunk.number, other.number], { ...data, other }));
    yield { units, free: [] };
  }
  yield { units: [], free: all };
}

function unit({ part }: PlacedChunk, lane: number, order: Unit['order'], data: Unit['data']): Unit {
  return { part, lane, order, data };
}

/** A chunk, or what of it lies in ranges. */
function within(chunk: Chunk, ranges: readonly Range[] | undefined): { chunk: Chunk; range?: Range }[] {
  if (ranges === undefined) return [{ chunk }];
  const [first, end] = [chunk.first, chunk.first + chunk.rows];
  return ranges.flatMap(([from, to]) => {
    const range: Range = [Math.max(from, first), Math.min(to, end)];
    return range[0] < range[1] ? [{ chunk, range }] : [];
  });
}

/** Of `DirMap`: files that all workers see are dealt to `workers` in turn, each with so many threads. */
export function sharedFiles(files: readonly (string | File)[], workers: number, threads: number): Unit[] {
  return files.map((file, index) => {
    const turn = Math.floor(index / workers);
    return { part: index % workers, lane: turn % threads, order: [index, 0], data: { file } };
  });
}

/** Of `DirMap`: the files of one worker's own directory. */
export function ownFiles(files: readonly string[], worker: number, threads: number): Unit[] {
  return files.map((file, index) => {
    return { part: worker, lane: index % threads, order: [worker, index], data: { file }, pinned: true };
  });
}
