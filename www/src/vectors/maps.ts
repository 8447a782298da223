/** The maps of a job, as a visitor chooses among them: what each does, in one line. */
import {
  CrossMap,
  GlobalMap,
  type MapOptions,
  MatrixMap,
  type Operator,
  type Round,
  TaskMap,
  VectorMap,
} from 'cipherloom/job';
import type { MapName, Way } from './work.js';

export const MAPS = {
  DirMap: 'Each file by itself, opened by whichever worker is free.',
  VectorMap: 'Each row by itself: a worker takes a run of rows at a time.',
  TaskMap: 'As VectorMap, and each worker shares its rows among threads of its own.',
  GlobalMap: 'All rows on every worker: each sees everything, and does its own share of the question.',
  CrossMap: 'Each row with every other one: pairs, such as distances are of.',
  MatrixMap: 'Each number of a table by itself, under its row and column.',
} as const satisfies Readonly<Record<MapName, string>>;

export const MAP_NAMES = Object.keys(MAPS) as readonly MapName[];

/** A round over rows, by the map that was chosen; `DirMap`, which has no rows, is asked for by its name. */
export function roundBy(
  { map, threads }: Pick<Way, 'map' | 'threads'>,
  operator: Operator,
  options: MapOptions = {},
): Round {
  switch (map) {
    case 'TaskMap':
      return TaskMap(operator, { ...options, threads });
    case 'GlobalMap':
      return GlobalMap(operator, options);
    case 'CrossMap':
      return CrossMap(operator, options);
    case 'MatrixMap':
      return MatrixMap(operator, options);
    case 'VectorMap':
      return VectorMap(operator, options);
    case 'DirMap':
      throw new Error('DirMap maps files, and no rows');
  }
}
