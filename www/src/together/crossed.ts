/** What crossed, as it crossed: every message that carried a value, with its bytes. */
import type { Crossing } from 'cipherloom/parties';
import * as format from '../format.js';
import { h } from '../ui/dom.js';
import { isPart } from './question.js';
import type { Message } from './wire.js';

/** What leaves and what comes: to be looked at before a run. */
export function crossingTable(crossings: readonly Crossing[], way: 'to' | 'from'): HTMLElement {
  const head = ['What', way === 'to' ? 'To' : 'From', 'Type', 'Bytes'].map((text) =>
    h('th', { scope: 'col' }, text),
  );
  const rows = crossings.map((crossing) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, nameOf(crossing)),
      h('td', {}, crossing[way]),
      h('td', {}, h('code', {}, crossing.type)),
      h('td', { class: 'amount' }, String(crossing.bytes)),
    ),
  );
  return h(
    'table',
    { class: 'together-table' },
    h('thead', {}, h('tr', {}, ...head)),
    h('tbody', {}, ...rows),
  );
}

/** Values of a run as they went over the wire. */
export function messageList(messages: readonly Message[]): HTMLElement {
  const items = messages.flatMap(({ from, to, bytes, value }) => {
    if (value === undefined) return [];
    const { crossing, at } = value;
    return [
      h(
        'details',
        { class: 'together-message', 'data-testid': 'together-message' },
        h(
          'summary',
          {},
          h('strong', {}, nameOf(crossing)),
          `, ${from} to ${to}, ${format.plural(bytes.length, 'byte')}`,
        ),
        h('p', { class: 'numbers' }, ...numbersOf(bytes.subarray(at)).map((number) => h('code', {}, number))),
        h('pre', { class: 'bytes' }, dump(bytes, at)),
      ),
    ];
  });
  return h('div', { class: 'together-messages' }, ...items);
}

/** An operator's type says little here. */
export function nameOf(crossing: Crossing): string {
  return isPart(crossing) ? `part for ${crossing.to}` : 'sum of parts';
}

/** The words of a value. */
export function numbersOf(bytes: Uint8Array): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.length / 8 }, (_, word) =>
    view.getBigUint64(8 * word, true).toLocaleString('en-US'),
  );
}

/** Bytes in rows of sixteen; the value begins a row of its own. */
function dump(bytes: Uint8Array, at: number): string {
  const rows = (part: Uint8Array): string[] =>
    Array.from({ length: Math.ceil(part.length / 16) }, (_, row) =>
      Array.from(part.subarray(16 * row, 16 * row + 16), (byte) => byte.toString(16).padStart(2, '0')).join(
        ' ',
      ),
    );
  return [...rows(bytes.subarray(0, at)), '- the value -', ...rows(bytes.subarray(at))].join('\n');
}
