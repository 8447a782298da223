/** What a job gave: its first rows, and all of them as files. */
import { type Row, toCsv, toJson, toXml } from 'cipherloom/job';
import * as format from '../format.js';
import { button, h } from '../ui/dom.js';
import { saveFile } from '../ui/save-file.js';
import type { Frame } from './frame.js';
import type { Prepared } from './work.js';

/** Rows that are shown. */
const SHOWN = 50;

/** All rows, as often as they are asked for. */
export type AllRows = () => AsyncIterable<Row>;

const FORMATS = [
  // Words and names may look like formulas to the program that people open the file with.
  {
    name: 'CSV',
    end: 'csv',
    type: 'text/csv',
    write: (rows: AsyncIterable<Row>) => toCsv(rows, { spreadsheet: true }),
  },
  { name: 'JSON', end: 'json', type: 'application/json', write: toJson },
  { name: 'XML', end: 'xml', type: 'application/xml', write: toXml },
] as const;

/** The rows that come first by `before`, or as they come; holds few more than that. */
export async function firstRows(
  rows: AsyncIterable<Row>,
  most: number,
  before: Prepared['before'],
): Promise<{ first: Row[]; count: number }> {
  let first: Row[] = [];
  let count = 0;
  const cut = (): void => {
    if (before !== undefined) first.sort(before);
    first.length = Math.min(first.length, most);
  };
  for await (const row of rows) {
    count += 1;
    if (before !== undefined || first.length < most) first.push(row);
    if (first.length >= 40 * most) cut();
  }
  cut();
  return { first, count };
}

export async function showResults(
  frame: Frame,
  name: string,
  prepared: Prepared,
  all: AllRows,
  failed: (error: unknown) => void,
): Promise<void> {
  const { columns, cells, before, order, picture } = prepared;
  const { first, count } = await firstRows(all(), picture ? Infinity : SHOWN, before);
  const shown = first.slice(0, SHOWN);
  const which = order === undefined ? 'the first' : order;
  frame.resultNote.textContent =
    count === 0
      ? 'The job gave no rows.'
      : `${format.plural(count, 'row')}${shown.length < count ? `; here are ${shown.length}, ${which}` : order === undefined ? '' : `, ${order}`}.`;
  frame.results.dataset['rows'] = String(count);
  frame.picture.replaceChildren(...(picture ? [picture(first)] : []));
  frame.table.replaceChildren(
    h(
      'table',
      { 'data-testid': 'vectors-table' },
      h('thead', {}, h('tr', {}, ...columns.map((text) => h('th', { scope: 'col' }, text)))),
      h(
        'tbody',
        {},
        ...shown.map((row) =>
          h(
            'tr',
            { 'data-testid': 'vectors-row' },
            ...cells(row).map((text, index) =>
              index === 0 ? h('th', { scope: 'row' }, text) : h('td', {}, text),
            ),
          ),
        ),
      ),
    ),
  );
  frame.downloads.replaceChildren(
    ...FORMATS.map(({ name: title, end, type, write }) =>
      button(
        `All rows as ${title}`,
        () => {
          const save = async (): Promise<void> => {
            const pieces: string[] = [];
            for await (const piece of write(all())) pieces.push(piece);
            saveFile(`${name}.${end}`, new Blob(pieces), type);
          };
          save().catch(failed);
        },
        { 'data-testid': `vectors-save-${end}` },
      ),
    ),
  );
  frame.results.hidden = false;
}
