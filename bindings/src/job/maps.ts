/** Maps, by the seed's names [V5]: each makes a round of a job. */
import { checkObject, checkRound } from './definition.js';
import type { MapName, Operator, Round } from './types.js';

/** Options of every map. */
export type MapOptions = Pick<Round, 'over' | 'reduce' | 'result' | 'as' | 'global'>;
/** Options of `TaskMap`. */
export type TaskMapOptions = MapOptions & Pick<Round, 'threads'>;
/** Options of `DirMap`, which reads files instead of a vector. */
export type DirMapOptions = Omit<TaskMapOptions, 'over'> &
  Required<Pick<Round, 'directory'>> &
  Pick<Round, 'shared'>;

/** Calls the operator with every row: each worker with the rows that it holds. Errors: JobError `job.definition`; so have all maps. */
export function VectorMap(operator: string | Operator, options: MapOptions = {}): Round {
  return round('VectorMap', operator, options);
}

/** Calls it with every element of a `SparseMatrix`, under its row and column: each worker with those that it holds. */
export function MatrixMap(operator: string | Operator, options: MapOptions = {}): Round {
  return round('MatrixMap', operator, options);
}

/** Calls it with every row on every worker. */
export function GlobalMap(operator: string | Operator, options: MapOptions = {}): Round {
  return round('GlobalMap', operator, options);
}

/** Calls it with every row and every row of the other workers: each worker for its own rows. Pairs of its own rows are not among them. */
export function CrossMap(operator: string | Operator, options: MapOptions = {}): Round {
  return round('CrossMap', operator, options);
}

/** As `VectorMap`, with several `threads` in each worker. */
export function TaskMap(operator: string | Operator, options: TaskMapOptions = {}): Round {
  return round('TaskMap', operator, options);
}

/** Calls it with every file of a `directory`, under its path, with several `threads` in each worker. */
export function DirMap(operator: string | Operator, options: DirMapOptions): Round {
  return round('DirMap', operator, options);
}

function round(map: MapName, operator: string | Operator, options: object): Round {
  return checkRound(map, { ...checkObject(`${map}, options`, options), map, operator });
}
