/** The values of a task, line by line. */
import type { ExplainedValue } from 'cipherloom';
import * as format from '../../format.js';
import { button, h } from '../../ui/dom.js';
import { mostCost } from './value-graph.js';
import { placesOf, referenceText, shareText, typeText, whereText } from './value-text.js';

/** The table; `select` is called when a line is chosen. */
export function valueTable(
  values: readonly ExplainedValue[],
  select: (index: number) => void,
): HTMLTableElement {
  const isReal = values.some(({ errorBits }) => errorBits !== undefined);
  const titles = [
    'Value',
    'What it is',
    'Computed',
    'Ciphertexts',
    'Level',
    'Bits left',
    ...(isReal ? ['Error'] : []),
    'Work',
  ];
  return h(
    'table',
    { class: 'value-lines', 'data-testid': 'value-table' },
    h('thead', {}, h('tr', {}, ...titles.map((title) => h('th', { scope: 'col' }, title)))),
    h('tbody', {}, ...values.map((value, index) => line(value, index, isReal, mostCost(values), select))),
  );
}

/** Marks a line. */
export function markLine(table: HTMLTableElement, index: number | undefined): void {
  for (const [at, row] of Array.from(table.tBodies[0]!.rows).entries())
    if (at === index) row.setAttribute('aria-current', 'true');
    else row.removeAttribute('aria-current');
}

function line(
  value: ExplainedValue,
  index: number,
  isReal: boolean,
  most: number,
  select: (index: number) => void,
): HTMLTableRowElement {
  const { ciphertexts, level, budgetBits, errorBits, cost } = value;
  const bar = h('span', { class: 'work-bar', 'aria-hidden': 'true' }, h('span', {}));
  (bar.firstChild as HTMLElement).style.width = `${most > 0 ? (100 * cost) / most : 0}%`;
  const row = h(
    'tr',
    { 'data-value': index, 'data-testid': 'value-line', class: `place-${placesOf(value)[0]}` },
    h(
      'th',
      { scope: 'row' },
      button(referenceText(value, index), () => select(index), { class: 'link' }),
    ),
    h('td', {}, typeText(value)),
    h('td', {}, whereText(value)),
    h('td', { class: 'figure' }, ciphertexts > 0 ? String(ciphertexts) : '–'),
    h('td', { class: 'figure' }, level === undefined ? '–' : String(level)),
    h('td', { class: 'figure' }, budgetBits === undefined ? '–' : format.bits(budgetBits).replace(/ .*/, '')),
    ...(isReal
      ? [h('td', { class: 'figure' }, errorBits === undefined ? '–' : format.power(errorBits))]
      : []),
    h('td', { class: 'figure work-cell' }, bar, shareText(value) || '–'),
  );
  row.addEventListener('click', ({ target }) => {
    if (!(target as Element).closest('button')) select(index);
  });
  return row;
}
