/** The results beside those of the plain table. */
import { textOf } from '../compare.js';
import * as format from '../format.js';
import type { Line } from '../run/runner.js';
import type { StatisticName } from '../selection.js';
import { byId, h } from './dom.js';

/** When a statistic has no value. */
const WHY_NONE: Readonly<Record<StatisticName, string>> = {
  count: 'there are no rows',
  sum: 'there are no rows',
  mean: 'no row has a value',
  variance: 'it takes two rows that have a value',
  covariance: 'it takes two rows that have both values',
  correlation:
    'it takes two rows that have both values, and neither column may have one value in all of them',
};

/** Shows the lines of a run. */
export function showResults(lines: readonly Line[], note: string): void {
  const section = byId('results');
  section.hidden = false;
  section.dataset['stale'] = 'false';
  byId('results-note').textContent = note;
  byId('results-body').replaceChildren(...lines.map(rowOf));
}

/** Says that another question is being asked by now. */
export function markStale(): void {
  const section = byId('results');
  if (section.hidden || section.dataset['stale'] === 'true') return;
  section.dataset['stale'] = 'true';
  byId('results-note').textContent =
    'These are the results of the last run. Run again for what is chosen above.';
}

/** Names of columns, each in its own direction. */
export function namesOf(columns: readonly string[]): (Node | string)[] {
  return columns.flatMap((name, at) => [...(at === 0 ? [] : [' × ']), h('bdi', {}, name)]);
}

function rowOf({ statistic, columns, encrypted, plain, equal, budgetBits }: Line): HTMLElement {
  const noise = Number.isFinite(budgetBits) ? format.bits(budgetBits) : 'public';
  return h(
    'tr',
    {
      'data-testid': 'result',
      'data-statistic': statistic,
      'data-columns': columns.join(','),
      'data-encrypted': textOf(encrypted),
      'data-plain': textOf(plain),
      'data-equal': String(equal),
      'data-noise': String(budgetBits),
    },
    h('th', { scope: 'row' }, statistic),
    h('td', { 'data-label': 'Column' }, ...namesOf(columns)),
    h(
      'td',
      { 'data-label': 'From encrypted data', class: 'value' },
      textOf(encrypted),
      ...(encrypted.kind === 'none' ? [' ', h('span', { class: 'note' }, WHY_NONE[statistic])] : []),
    ),
    h('td', { 'data-label': 'From the plain table', class: 'value' }, textOf(plain)),
    h(
      'td',
      { 'data-label': 'Compared' },
      h('span', { class: equal ? 'mark-equal' : 'mark-unequal' }, equal ? '= equal' : '≠ not equal'),
    ),
    h('td', { 'data-label': 'Noise left', class: 'value' }, noise),
  );
}
