/** Works over the numbers of tables. */
import {
  CrossMap,
  fromModule,
  GlobalMap,
  MatrixMap,
  type Row,
  SparseMatrix,
  SparseValueVector,
  Var,
  VariableLenVector,
  VectorMap,
} from 'cipherloom/job';
import * as format from '../format.js';
import { h } from '../ui/dom.js';
import { allDigits, fewDigits } from './digits.js';
import { isTable } from './files.js';
import { Numbers } from './numbers.js';
import COLUMNS from './operators/columns.ts?address';
import RESAMPLE from './operators/resample.ts?address';
import { field, noTable, offer } from './table-fields.js';
import { layoutOf } from './tables.js';
import type { Around, Hearing, Prepared, Way, Work } from './work.js';

/** Rows that are compared with each other: each two of them are a task. */
export const MOST_POINTS = 48;
/** Standard deviations from which on a cell is far from its column’s others, to choose from. */
const LIMITS = [2, 2.5, 3, 4] as const;
/** Samples of the bootstrap. */
const SAMPLES = 100;

const columns = (name: string) => fromModule(COLUMNS, { name });

/** What each column is like. */
export class ColumnStatistics implements Work {
  readonly id = 'columns';
  readonly title = 'Statistics of columns';
  readonly about = 'Count, mean, deviation, least and most of every column of numbers, over all tables.';
  readonly ways = {
    MatrixMap: 'A call for each cell, which goes to its column; columns are put together.',
    VectorMap: 'A call for each row, which gives its cells to their columns.',
  };
  readonly takes = isTable;
  readonly problem = noTable;
  readonly #around: Around;

  constructor(around: Around) {
    this.#around = around;
  }

  async prepare(
    files: readonly File[],
    { signal, say }: Hearing,
    { map }: Pick<Way, 'map'>,
  ): Promise<Prepared> {
    say(`Looking at ${format.plural(files.length, 'table')}…`);
    const numbers = await Numbers.of(files, this.#around.data, signal);
    const reduce = { reduce: columns('merge') };
    const byCells = map === 'MatrixMap';
    return {
      definition: {
        inputs: { numbers: byCells ? SparseMatrix() : VariableLenVector() },
        rounds: [
          byCells ? MatrixMap(columns('cell'), reduce) : VectorMap(columns('spread'), reduce),
          VectorMap(columns('finish')),
        ],
      },
      async feed(job) {
        job.inputs['numbers']!.read(byCells ? numbers.cells() : (numbers.points() as AsyncIterable<Row>));
      },
      columns: ['Column', 'Numbers', 'Mean', 'Standard deviation', 'Least', 'Most'],
      cells: ([column, value]) => {
        const { count, mean, deviation, least, most } = value as Record<string, number>;
        const told = [mean, deviation].map((one) => fewDigits(one!));
        return [
          numbers.names[column as number]!,
          format.count(count!),
          ...told,
          allDigits(least!),
          allDigits(most!),
        ];
      },
    };
  }
}

/** Cells that stand out. */
export class FarCells implements Work {
  readonly id = 'far';
  readonly title = 'Cells far from the rest';
  readonly about = 'Numbers that are many standard deviations away from their column’s mean.';
  readonly ways = {
    MatrixMap:
      'Two rounds over all cells: first what columns are like, of which all workers get a copy; then the cells beside it.',
  };
  readonly takes = isTable;
  readonly problem = noTable;
  readonly #around: Around;
  readonly #limit = h(
    'select',
    { 'data-testid': 'vectors-limit' },
    ...LIMITS.map((limit) => h('option', { value: limit }, String(limit))),
  );

  constructor(around: Around) {
    this.#around = around;
    this.#limit.value = '2.5';
  }

  async fields(): Promise<readonly HTMLElement[]> {
    return [field('Standard deviations, at least', this.#limit)];
  }

  async prepare(files: readonly File[], { signal, say }: Hearing): Promise<Prepared> {
    const limit = Number(this.#limit.value);
    say(`Looking at ${format.plural(files.length, 'table')}…`);
    const numbers = await Numbers.of(files, this.#around.data, signal);
    return {
      definition: {
        inputs: { cells: SparseMatrix() },
        globals: { limit: Var() },
        rounds: [
          MatrixMap(columns('cell'), { over: 'cells', reduce: columns('merge'), global: 'columns' }),
          MatrixMap(columns('far'), { over: 'cells' }),
        ],
      },
      async feed(job) {
        await job.globals['limit']!.emit('deviations', limit);
        job.inputs['cells']!.read(numbers.cells());
      },
      before: (a, b) => Math.abs(b[1] as number) - Math.abs(a[1] as number),
      order: 'the farthest first',
      columns: ['Row', 'Column', 'Standard deviations from the mean'],
      cells: ([key, value]) => {
        const [row, column] = key as unknown as readonly [number, number];
        return [numbers.nameOf(row), numbers.names[column]!, (value as number).toFixed(2)];
      },
    };
  }
}

/** Rows that are alike. */
export class RowDistances implements Work {
  readonly id = 'distances';
  readonly title = 'Distances of rows';
  readonly about = 'How far each row is from every other one, each column in standard deviations.';
  readonly ways = {
    CrossMap: `A VectorMap finds what columns are like; then a call for each two of the first ${MOST_POINTS} rows.`,
  };
  readonly takes = isTable;
  readonly problem = noTable;
  readonly #around: Around;

  constructor(around: Around) {
    this.#around = around;
  }

  async prepare(files: readonly File[], { signal, say }: Hearing): Promise<Prepared> {
    say(`Looking at ${format.plural(files.length, 'table')}…`);
    const numbers = await Numbers.of(files, this.#around.data, signal);
    const points: Row[] = [];
    let isCut = false;
    for await (const point of numbers.points()) {
      isCut = points.length === MOST_POINTS;
      if (isCut) break;
      points.push(point as Row);
    }
    return {
      definition: {
        // One sub-vector for each row: CrossMap gives rows of different ones.
        inputs: { points: VariableLenVector({ parts: Math.max(points.length, 1) }) },
        rounds: [
          VectorMap(columns('spread'), { over: 'points', reduce: columns('merge'), global: 'columns' }),
          CrossMap(columns('distance'), { over: 'points' }),
        ],
      },
      expected: points.length * points.length,
      ...(isCut && { note: `Of the first ${MOST_POINTS} rows: each two of them are a task.` }),
      async feed(job) {
        for (const [row, point] of points) await job.inputs['points']!.emit(row as number, point);
      },
      before: (a, b) => (a[1] as number) - (b[1] as number),
      order: 'the nearest first',
      columns: ['Row', 'Other row', 'Distance'],
      cells: ([key, value]) => {
        const [one, other] = key as unknown as readonly [number, number];
        return [numbers.nameOf(one), numbers.nameOf(other), (value as number).toFixed(3)];
      },
    };
  }
}

/** How far a mean can be trusted. */
export class Bootstrap implements Work {
  readonly id = 'bootstrap';
  readonly title = 'How sure a mean is';
  readonly about = `The mean of a column in ${SAMPLES} samples drawn from its own rows: the bootstrap.`;
  readonly ways = {
    GlobalMap: `Every worker reads all rows, and draws its share of the ${SAMPLES} samples from them.`,
  };
  readonly takes = isTable;
  readonly problem = noTable;
  readonly #around: Around;
  readonly #column = h('select', { 'data-testid': 'vectors-sampled' });

  constructor(around: Around) {
    this.#around = around;
  }

  async fields([file]: readonly File[]): Promise<readonly HTMLElement[]> {
    const { columns } = await layoutOf(file!, this.#around.data);
    const numbers = columns.filter(({ numbers }) => numbers).map(({ name }) => name);
    offer(this.#column, numbers, () => true, -1);
    return [field('Column', this.#column)];
  }

  async prepare(
    files: readonly File[],
    { signal, say }: Hearing,
    { workers }: Pick<Way, 'workers'>,
  ): Promise<Prepared> {
    const name = this.#column.value;
    say(`Looking at ${format.plural(files.length, 'table')}…`);
    const numbers = await Numbers.of(files, this.#around.data, signal, [name]);
    const operator = (name: string) => fromModule(RESAMPLE, { name });
    return {
      definition: {
        inputs: { numbers: SparseValueVector({ parts: workers }) },
        globals: { samples: Var() },
        rounds: [GlobalMap(operator('take'), { reduce: operator('add') }), VectorMap(operator('mean'))],
      },
      async feed(job) {
        await job.globals['samples']!.emit('count', SAMPLES);
        await job.globals['samples']!.emit('shares', workers);
        job.inputs['numbers']!.read(present(numbers));
      },
      before: (a, b) => (a[1] as number) - (b[1] as number),
      order: 'the least first',
      columns: ['Sample', `Mean of ${name}`],
      cells: ([sample, value]) => [String((sample as number) + 1), fewDigits(value as number)],
      picture(rows) {
        const means = rows.map(([, value]) => value as number).sort((a, b) => a - b);
        const at = (share: number): string => fewDigits(means[Math.round(share * (means.length - 1))]!);
        const text =
          means.length === 0
            ? `${name} has no numbers.`
            : `In 95 of 100 samples the mean of ${name} is between ${at(0.025)} and ${at(0.975)}.`;
        return h('p', { class: 'verdict', 'data-testid': 'vectors-interval' }, text);
      },
    };
  }
}

async function* present(numbers: Numbers): AsyncGenerator<Row> {
  for await (const [row, [number]] of numbers.points()) if (number !== null) yield [row, number!];
}
