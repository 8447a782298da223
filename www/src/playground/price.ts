/** What the settings make of a program, beside what the compiler would take. */
import type { ProgramInfo } from 'cipherloom';
import * as format from '../format.js';
import { modulusText, securityText } from '../security.js';
import { h } from '../ui/dom.js';

const ROWS: readonly (readonly [id: string, title: string, text: (info: ProgramInfo) => string])[] = [
  ['scheme', 'Scheme', ({ scheme }) => scheme],
  ['n', 'Ring dimension', ({ n }) => format.count(n)],
  ['security', 'Security', securityText],
  ['modulus', 'Modulus', modulusText],
  [
    'levels',
    'Levels (primes)',
    ({ moduli, special }) => `${moduli.length} and ${special.length} for key switching`,
  ],
  [
    'keys',
    'Evaluation keys',
    ({ keys, cost }) =>
      keys.length === 0 ? 'none needed' : `${keys.length}, ${format.bytes(cost.keyBytes)} in all`,
  ],
  ['upload', 'Encrypted inputs', ({ cost }) => format.bytes(cost.uploadBytes)],
  ['download', 'Encrypted results', ({ cost }) => format.bytes(cost.downloadBytes)],
  ['time', 'Computing time', ({ cost }) => `about ${format.seconds(cost.seconds)}`],
  ['room', 'Room left', roomOf],
];

/** One column, or two where `chosen` is another program. */
export function priceTable(set: ProgramInfo, chosen: ProgramInfo | undefined): HTMLElement {
  const titles = chosen === undefined ? ['Chosen for you'] : ['As you set it', 'Chosen for you'];
  return h(
    'table',
    { class: 'cost' },
    h('thead', {}, h('tr', {}, h('td'), ...titles.map((title) => h('th', { scope: 'col' }, title)))),
    h(
      'tbody',
      {},
      ...ROWS.map(([id, title, text]) => {
        const [own, usual] = [text(set), chosen && text(chosen)];
        const changed = usual !== undefined && usual !== own;
        return h(
          'tr',
          { 'data-price': id, 'data-changed': String(changed) },
          h('th', { scope: 'row' }, title),
          h('td', { 'data-testid': `play-price-${id}` }, changed ? h('strong', {}, own) : own),
          ...(usual === undefined ? [] : [h('td', {}, usual)]),
        );
      }),
    ),
  );
}

/** The noise budget of what is exact, the error of what is not. */
function roomOf({ ciphertexts }: ProgramInfo): string {
  const errors = ciphertexts.flatMap(({ errorBits }) => (errorBits === undefined ? [] : [errorBits]));
  if (errors.length > 0) return `decrypted values off by 2^${Math.max(...errors).toFixed(1)} at most`;
  const budget = Math.min(...ciphertexts.map(({ budgetBits }) => budgetBits));
  return Number.isFinite(budget) ? `at least ${format.bits(budget)} of noise budget` : 'nothing is encrypted';
}
