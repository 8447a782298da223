/** What the person chose, as plain data, and the task that it stands for. */
import type { IntegerOptions, Task, Value } from 'cipherloom';

export const COLUMN_STATISTICS = ['count', 'sum', 'mean', 'variance'] as const;
export const PAIR_STATISTICS = ['covariance', 'correlation'] as const;
export const MOST_COLUMNS = 4;

type ColumnStatistic = (typeof COLUMN_STATISTICS)[number];
type PairStatistic = (typeof PAIR_STATISTICS)[number];
export type StatisticName = ColumnStatistic | PairStatistic;

/** What is told of a column before there is any data. All of it is public, the name too. */
export interface Declaration extends IntegerOptions {
  readonly name: string;
}

export interface Selection {
  readonly columns: readonly Declaration[];
  readonly statistics: readonly StatisticName[];
}

/** One line of the results. */
export interface Wanted {
  /** Name of the task's output. */
  readonly output: string;
  readonly statistic: StatisticName;
  readonly columns: readonly string[];
}

/** The lines of the results: statistics of one column, column by column, then of every pair of columns. */
export function wantedOf({ columns, statistics }: Selection): Wanted[] {
  const names = columns.map(({ name }) => name);
  const pairs = names.flatMap((a, index) => names.slice(index + 1).map((b) => [a, b]));
  const taken = new Set<string>();
  const wanted = (statistic: StatisticName, of: readonly string[]): Wanted => {
    let output = `${statistic}(${of.join(', ')})`;
    while (taken.has(output)) output += "'";
    taken.add(output);
    return { output, statistic, columns: of };
  };
  const chosen = <T extends StatisticName>(list: readonly T[]): T[] =>
    list.filter((statistic) => statistics.includes(statistic));
  return [
    ...names.flatMap((name) => chosen(COLUMN_STATISTICS).map((statistic) => wanted(statistic, [name]))),
    ...pairs.flatMap((pair) => chosen(PAIR_STATISTICS).map((statistic) => wanted(statistic, pair))),
  ];
}

/** Declares the inputs and outputs of a selection. Errors: GraphError, ParameterError. */
export function fillTask(task: Task, selection: Selection): void {
  const columns = new Map(
    selection.columns.map(({ name, ...options }) => [name, task.encrypted(name, options)] as const),
  );
  const column = (name: string | undefined) => columns.get(name as string)!;
  const build: Record<StatisticName, (names: readonly string[]) => Value> = {
    count: ([a]) => column(a).count(),
    sum: ([a]) => column(a).sum(),
    mean: ([a]) => column(a).mean(),
    variance: ([a]) => column(a).variance(),
    covariance: ([a, b]) => column(a).covariance(column(b)),
    correlation: ([a, b]) => column(a).correlation(column(b)),
  };
  for (const { output, statistic, columns: names } of wantedOf(selection)) {
    task.output(output, build[statistic](names));
  }
}
