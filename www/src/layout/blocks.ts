/** An operand as blocks: runs of numbers, of which each belongs to one part, and is padding or not. */
import {
  type Dimension,
  type LabelPair,
  type Machine,
  operationSizes,
  type Place,
  placesOf,
} from 'cipherloom/layout';

/** A run of a dimension. */
export interface Run {
  readonly from: number;
  readonly to: number;
  /** Behind what the static label has. */
  readonly padding: boolean;
  /** Which part of the split index, where this dimension is cut. */
  readonly part: number | undefined;
  /** Whether a tile ends with it. */
  readonly tileEnd: boolean;
}

/** A dimension, as runs. */
export interface Axis {
  readonly dimension: Dimension;
  readonly size: number;
  readonly runs: readonly Run[];
  /** Whether every run is one number. */
  readonly single: boolean;
  /** Length of a tile, where tiles are more than are drawn: 0 otherwise. */
  readonly tilesLeftOut: number;
}

/** A rectangle of a slab. */
export interface Block {
  readonly x: Run;
  readonly y: Run | undefined;
  readonly part: number;
  readonly core: number;
  readonly place: Place;
  readonly padding: boolean;
  /** How many numbers it has. */
  readonly numbers: number;
}

/** What lies in one run of each of the outer dimensions. */
export interface Slab {
  readonly outer: readonly { readonly dimension: Dimension; readonly run: Run }[];
  readonly blocks: readonly Block[];
}

export interface Grid {
  /** The innermost dimension, from left to right. */
  readonly x: Axis;
  /** The one before, downwards. */
  readonly y: Axis | undefined;
  readonly slabs: readonly Slab[];
}

/** A part, and who has it. */
export interface Holding {
  readonly part: number;
  readonly core: number;
  readonly place: Place;
  /** Half-open, along the dimension that is cut. */
  readonly range: readonly [number, number];
  readonly numbers: number;
  /** How many of them are padding. */
  readonly padding: number;
}

/** Longest dimension that is drawn number by number, and most tiles of one that are outlined; of outer dimensions as many slabs. */
const SINGLE = 16;
const MOST_TILES = 32;
const MOST_SLABS = 12;
/** More blocks than these are drawn without single numbers and tiles. */
const MOST_BLOCKS = 4000;

/** The blocks of a labelled operand. */
export function gridOf(pair: LabelPair, on: Machine): Grid {
  const { dynamic } = pair;
  const sizes = operationSizes(dynamic, pair.static);
  const letters = [...dynamic.dims] as Dimension[];
  const outer = letters.slice(0, -2);
  const axes = (letters: readonly Dimension[], single: number, tiles: number): readonly Axis[] =>
    letters.map((letter) => axisOf(pair, letter, sizes[letter] ?? 1, single, tiles));
  const all = outer.reduce((product, letter) => product * (sizes[letter] ?? 1), 1);
  const outerAxes = axes(outer, all <= MOST_SLABS ? MOST_SLABS : 1, 0);
  const count = (of: readonly Axis[]): number => of.reduce((product, { runs }) => product * runs.length, 1);
  const fine = axes(letters.slice(-2), SINGLE, MOST_TILES);
  const inner = count(fine) * count(outerAxes) <= MOST_BLOCKS ? fine : axes(letters.slice(-2), 1, 0);
  const [x, y] = [inner.at(-1)!, inner.length > 1 ? inner[0] : undefined];
  const places = placesOf(dynamic, on);
  const product = combinations(outerAxes);
  return {
    x,
    y,
    slabs: product.map((runs) => ({
      outer: runs.map((run, index) => ({ dimension: outer[index]!, run })),
      blocks: (y?.runs ?? [undefined]).flatMap((down) =>
        x.runs.map((across): Block => {
          const all = [across, ...(down === undefined ? [] : [down]), ...runs];
          const part = all.find((run) => run.part !== undefined)?.part ?? 0;
          const { core, place } = places[part]!;
          return {
            x: across,
            y: down,
            part,
            core,
            place,
            padding: all.some((run) => run.padding),
            numbers: all.reduce((count, { from, to }) => count * (to - from), 1),
          };
        }),
      ),
    })),
  };
}

/** Who has which part. */
export function holdingsOf(pair: LabelPair, on: Machine): readonly Holding[] {
  const { split } = pair.dynamic;
  const sizes = operationSizes(pair.dynamic, pair.static);
  const own = Object.fromEntries(
    [...pair.static.dims].map((letter, index) => [letter, pair.static.sizes[index]!]),
  );
  const others = (by: Readonly<Record<string, number>>): number =>
    Object.entries(by).reduce((all, [letter, size]) => (letter === split.dimension ? all : all * size), 1);
  return placesOf(pair.dynamic, on).map(({ part, core, place }) => {
    const [from, to] = split.parts[part]!;
    const inner = Math.max(0, Math.min(to, own[split.dimension] ?? 1) - from);
    const numbers = (to - from) * others(sizes as Record<string, number>);
    return { part, core, place, range: [from, to], numbers, padding: numbers - inner * others(own) };
  });
}

function axisOf(
  pair: LabelPair,
  dimension: Dimension,
  size: number,
  single: number,
  mostTiles: number,
): Axis {
  const { split, tile } = pair.dynamic;
  const own = pair.static.sizes[pair.static.dims.indexOf(dimension)] ?? 1;
  const length = tile[dimension] ?? 1;
  const isCut = split.dimension === dimension;
  const tiles = length > 1 && size / length > 1 ? size / length : 0;
  const each = size <= single;
  const ends = new Set<number>([own, size]);
  if (isCut) for (const [, to] of split.parts) ends.add(to);
  if (tiles > 0 && tiles <= mostTiles) for (let end = length; end <= size; end += length) ends.add(end);
  if (each) for (let end = 1; end <= size; end++) ends.add(end);
  const sorted = [...ends].filter((end) => end > 0 && end <= size).sort((a, b) => a - b);
  let from = 0;
  const runs = sorted.map((to): Run => {
    const run = {
      from,
      to,
      padding: from >= own,
      part: isCut ? split.parts.findIndex(([first, end]) => first <= from && from < end) : undefined,
      tileEnd: tiles > 0 && tiles <= mostTiles && to % length === 0,
    };
    from = to;
    return run;
  });
  return { dimension, size, runs, single: each, tilesLeftOut: tiles > mostTiles ? length : 0 };
}

/** One run of each. */
function combinations(axes: readonly Axis[]): readonly (readonly Run[])[] {
  return axes.reduce<readonly (readonly Run[])[]>(
    (all, { runs }) => all.flatMap((before) => runs.map((run) => [...before, run])),
    [[]],
  );
}
