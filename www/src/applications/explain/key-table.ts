/** The evaluation keys of a program, and for which values they are. */
import type { Explanation } from 'cipherloom';
import * as format from '../../format.js';
import { button, h } from '../../ui/dom.js';
import { referenceText } from './value-text.js';

export function keyTable({ keys, values }: Explanation, select: (index: number) => void): HTMLElement {
  return h(
    'table',
    { class: 'value-lines', 'data-testid': 'key-table' },
    h('thead', {}, h('tr', {}, ...['Key', 'Size', 'For'].map((title) => h('th', { scope: 'col' }, title)))),
    h(
      'tbody',
      {},
      ...keys.map(({ name, bytes, of }) =>
        h(
          'tr',
          {},
          h('th', { scope: 'row' }, keyTitle(name)),
          h('td', { class: 'figure' }, format.bytes(bytes)),
          h(
            'td',
            { class: 'key-values' },
            ...of.map((at) => button(referenceText(values[at]!, at), () => select(at), { class: 'link' })),
          ),
        ),
      ),
    ),
  );
}

/** What a key is good for, with its own name. */
export function keyTitle(name: string): string {
  if (name.startsWith('relin')) return 'Products (relinearization)';
  return name.startsWith('galois') ? `Turns (${name})` : name;
}
