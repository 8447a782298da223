/** The choice of columns and statistics. */
import type { DataTable, NumericColumn } from '../data/messages.js';
import * as format from '../format.js';
import {
  COLUMN_STATISTICS,
  MOST_COLUMNS,
  PAIR_STATISTICS,
  type Selection,
  type StatisticName,
} from '../selection.js';
import { byId, h } from './dom.js';
import { option } from './option.js';

const MEANINGS: Readonly<Record<StatisticName, string>> = {
  count: 'rows that are there',
  sum: 'exact, every digit',
  mean: 'sum over count',
  variance: 'of the sample, n − 1',
  covariance: 'of each pair of columns, n − 1',
  correlation: 'Pearson’s r of each pair',
};
const LEAST_COLUMNS: Readonly<Record<StatisticName, number>> = {
  count: 0,
  sum: 0,
  mean: 0,
  variance: 0,
  covariance: 2,
  correlation: 2,
};
/** n - 1 is no divisor where n is 1. */
const LEAST_ROWS: Readonly<Record<StatisticName, number>> = {
  count: 1,
  sum: 1,
  mean: 1,
  variance: 2,
  covariance: 2,
  correlation: 2,
};
const CHOSEN_FIRST: readonly StatisticName[] = ['mean', 'variance', 'correlation'];

export class Pickers {
  readonly #changed: () => void;
  readonly #statistics = new Map<StatisticName, HTMLInputElement>();
  #rows = 0;
  #columns: readonly { readonly column: NumericColumn; readonly box: HTMLInputElement }[] = [];

  constructor(changed: () => void) {
    this.#changed = changed;
    for (const statistic of [...COLUMN_STATISTICS, ...PAIR_STATISTICS]) {
      const box = checkbox(`statistic-${statistic}`, statistic);
      box.checked = CHOSEN_FIRST.includes(statistic);
      this.#statistics.set(statistic, box);
      byId('statistic-options').append(option(box, statistic, MEANINGS[statistic]));
    }
    byId('statistics').addEventListener('change', () => this.#update());
    byId('columns').addEventListener('change', () => this.#update());
  }

  /** Offers a table's columns, with some chosen. */
  show(table: DataTable, chosen: readonly string[]): void {
    const fallback = table.numeric.slice(0, 2).map(({ name }) => name);
    const first =
      chosen.every((name) => table.numeric.some((column) => column.name === name)) && chosen.length;
    this.#rows = table.rows;
    this.#columns = table.numeric.map((column) => {
      const box = checkbox('column', column.name);
      box.checked = (first ? chosen : fallback).includes(column.name);
      return { column, box };
    });
    byId('columns-empty').hidden = true;
    byId('column-options').replaceChildren(
      ...this.#columns.map(({ column, box }) => option(box, column.name, factsOf(column))),
      ...table.others.map(({ name, why }) => {
        const box = checkbox('column', name);
        box.dataset['unusable'] = 'true';
        return option(box, name, `cannot be used: ${why}`);
      }),
    );
    this.#update();
  }

  /** The chosen columns of the table. */
  get columns(): NumericColumn[] {
    return this.#columns.filter(({ box }) => box.checked).map(({ column }) => column);
  }

  /** Undefined if there is nothing to compute. */
  get selection(): Selection | undefined {
    const columns = this.columns.map(({ declared }) => declared);
    const statistics = [...this.#statistics].filter(([, box]) => box.checked && !box.disabled);
    if (columns.length === 0 || statistics.length === 0) return undefined;
    return { columns, statistics: statistics.map(([name]) => name) };
  }

  /** Freezes the choice while a run goes on. */
  set disabled(disabled: boolean) {
    for (const id of ['columns', 'statistics']) byId<HTMLFieldSetElement>(id).disabled = disabled;
  }

  #update(): void {
    const chosen = this.columns.length;
    for (const { box } of this.#columns) box.disabled = !box.checked && chosen >= MOST_COLUMNS;
    for (const box of document.querySelectorAll<HTMLInputElement>('[data-unusable]')) box.disabled = true;
    for (const [name, box] of this.#statistics)
      box.disabled = chosen < LEAST_COLUMNS[name] || this.#rows < LEAST_ROWS[name];
    byId('columns-limit').textContent =
      chosen === 0 ? `up to ${MOST_COLUMNS}` : `${chosen} of up to ${MOST_COLUMNS} chosen`;
    this.#changed();
  }
}

function checkbox(testId: string, value: string): HTMLInputElement {
  return h('input', { type: 'checkbox', value, 'data-testid': testId, 'data-value': value });
}

function factsOf({ min, max, decimals, missing }: NumericColumn): string {
  const facts = [
    Number.isNaN(min) ? 'all missing' : `${min} to ${max}`,
    decimals === 0 ? 'whole' : format.plural(decimals, 'decimal'),
  ];
  if (missing > 0) facts.push(`${format.count(missing)} missing`);
  return facts.join(', ');
}
