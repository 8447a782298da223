/** Numbers as a table, as many as one can look at. */
import type { DataArray } from 'cipherloom';
import * as format from '../format.js';
import { button, h } from '../ui/dom.js';
import { saveFile } from '../ui/save-file.js';
import { csvOf, show } from './values.js';

const MOST_ROWS = 16;
const MOST_COLUMNS = 16;

export interface Value {
  readonly name: string;
  readonly type: string;
  readonly shape: readonly number[] | undefined;
  readonly data: DataArray;
}

/** A value with its heading, its numbers, and files of all of them. */
export function valueTable({ name, type, shape, data }: Value): HTMLElement {
  const width = shape?.findLast((one) => one > 1) ?? Math.min(data.length, MOST_COLUMNS);
  const columns = Math.max(width, 1);
  const rows = Math.ceil(data.length / columns);
  const [shownRows, shownColumns] = [Math.min(rows, MOST_ROWS), Math.min(columns, MOST_COLUMNS)];
  const cut = shownRows < rows || shownColumns < columns;
  const body = Array.from({ length: shownRows }, (_, row) =>
    h(
      'tr',
      {},
      ...Array.from({ length: shownColumns }, (_, column) => {
        const value = data[row * columns + column];
        return h('td', {}, value === undefined ? '' : show(value));
      }),
    ),
  );
  const note = cut
    ? `The first ${format.count(shownRows)} of ${format.plural(rows, 'row')}, ${format.count(shownColumns)} of ${format.plural(columns, 'column')}; files have all.`
    : '';
  return h(
    'section',
    {
      class: 'value graph-value',
      'data-testid': 'value',
      'data-name': name,
      'data-values': Array.from<number | bigint>(data.subarray(0, 64)).join(','),
    },
    h('h4', {}, name, ' ', h('code', {}, type)),
    h('div', { class: 'scroll' }, h('table', { class: 'numbers' }, h('tbody', {}, ...body))),
    ...(note === '' ? [] : [h('p', { class: 'note' }, note)]),
    h(
      'div',
      { class: 'row' },
      button('CSV', () => saveFile(`${name}.csv`, csvOf(data, shape), 'text/csv'), { class: 'small' }),
      button('Bytes', () => saveFile(`${name}.bin`, data as never, 'application/octet-stream'), {
        class: 'small',
      }),
    ),
  );
}
