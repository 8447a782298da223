/** Results for reading, as CSV and as JSON. */
import type { Decimal, DecryptedDetails, DecryptedExact } from 'cipherloom';
import * as format from '../format.js';
import { h } from '../ui/dom.js';
import { resultsOf } from './results-of.js';
import type { Outcome } from './session.js';
import { field } from './table-text.js';

const DAY_MS = 86_400_000;
const NOISE_DECIDES = 'noise may have decided';
/** Cells of one result that are shown; files have all. */
const SHOWN = 12;

type Details = Readonly<Record<string, DecryptedDetails>>;

/** A row for each output. */
export function resultsTable({ encrypted, plain, isReal }: Outcome): HTMLElement {
  return h(
    'table',
    { class: 'play-results' },
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        ...['Output', 'From encrypted data', 'In the clear', 'Compared', 'Noise'].map((title) =>
          h('th', { scope: 'col' }, title),
        ),
      ),
    ),
    h(
      'tbody',
      {},
      ...Object.entries(encrypted).map(([name, details]) => {
        const expected = plain[name];
        const { agrees, words } = compared(details, expected, isReal);
        return h(
          'tr',
          { 'data-testid': 'play-result', 'data-name': name, 'data-agrees': String(agrees) },
          h('th', { scope: 'row' }, name),
          h('td', { class: 'value', 'data-label': 'From encrypted data' }, textOf(details)),
          h(
            'td',
            { class: 'value', 'data-label': 'In the clear' },
            expected === undefined ? '–' : textOf(expected),
          ),
          h(
            'td',
            { 'data-label': 'Compared' },
            h('span', { class: agrees ? 'mark-equal' : 'mark-unequal' }, words),
          ),
          h('td', { 'data-label': 'Noise' }, noiseText(details)),
        );
      }),
    ),
  );
}

/** Whether every result agrees with that in the clear. */
export function allAgree(table: HTMLElement): boolean {
  return table.querySelector('[data-agrees="false"]') === null;
}

/** A line for each cell: the output, where in it (`[1][0]`), its value with all digits; nothing for what has none. */
export function csvOfResults(details: Details): string {
  const lines = ['output,cell,value'];
  const add = (name: string, place: string, value: DecryptedExact | undefined): void => {
    if (Array.isArray(value)) value.forEach((one, index) => add(name, `${place}[${index}]`, one));
    else
      lines.push(
        [field(harmless(name)), place, value === undefined || value === null ? '' : exact(value)].join(','),
      );
  };
  for (const [name, { value }] of Object.entries(details)) add(name, '', value);
  return `${lines.join('\n')}\n`;
}

export function jsonOfResults(details: Details): string {
  return `${JSON.stringify(resultsOf(details), null, 2)}\n`;
}

function textOf({ value, problem }: DecryptedDetails): string {
  if (value === undefined) return `undefined: ${problem?.message ?? 'there is no value'}`;
  const cells = Array.isArray(value) ? (value.flat(16) as DecryptedExact[]) : [value];
  const text = cells
    .slice(0, SHOWN)
    .map((one) => (one === null || Array.isArray(one) ? 'missing' : exact(one)));
  return cells.length > SHOWN
    ? `${text.join(', ')}, … (${format.count(cells.length)} cells)`
    : text.join(', ');
}

function exact(value: Exclude<DecryptedExact, null | DecryptedExact[]>): string {
  return value instanceof Date ? value.toISOString().slice(0, 10) : String(value);
}

/** What a result is beside that in the clear. One that its own error leaves without a value, as a quotient by what may be 0, contradicts nothing. */
function compared(
  { value, problem, error = 0 }: DecryptedDetails,
  expected: DecryptedDetails | undefined,
  isReal: boolean,
): { readonly agrees: boolean; readonly words: string } {
  if (isReal && problem !== undefined && expected?.value !== undefined)
    return { agrees: true, words: 'unknown: its error is too large' };
  const off = expected === undefined ? Number.NaN : distance(value, expected.value);
  if (off === 0) return { agrees: true, words: '= equal' };
  return off <= error
    ? { agrees: true, words: typeof value === 'boolean' ? NOISE_DECIDES : `off by ${off.toPrecision(2)}` }
    : { agrees: false, words: '≠ not equal' };
}

/** What noise has left of what is exact, or makes of what is not. */
function noiseText({ value, budgetBits, error }: DecryptedDetails): string {
  if (error !== undefined && typeof value === 'boolean') return NOISE_DECIDES;
  if (error !== undefined) return `off by at most ${error.toPrecision(2)}`;
  if (budgetBits === undefined) return '–';
  return Number.isFinite(budgetBits) ? `${format.bits(budgetBits)} left` : 'public';
}

/** The most that two results differ by, cell by cell; NaN where they are nothing alike. */
function distance(a: DecryptedExact | undefined, b: DecryptedExact | undefined): number {
  if (a === undefined || b === undefined || a === null || b === null) return a === b ? 0 : Number.NaN;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length
      ? a.reduce<number>((most, one, index) => Math.max(most, distance(one, b[index])), 0)
      : Number.NaN;
  if (typeof a === 'number' && typeof b === 'number') return Object.is(a, b) ? 0 : Math.abs(a - b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a !== b);
  if (a instanceof Date && b instanceof Date) return Math.abs(a.getTime() - b.getTime()) / DAY_MS;
  if (isDecimal(a) && isDecimal(b)) return apart(a, b);
  return String(a) === String(b) ? 0 : Number.NaN;
}

/** Exactly 0 only where they are equal. */
function apart(a: Decimal, b: Decimal): number {
  const places = Math.max(a.decimals, b.decimals);
  const units = ({ units, decimals }: Decimal): bigint => units * 10n ** BigInt(places - decimals);
  return Math.abs(Number(units(a) - units(b))) / 10 ** places;
}

function isDecimal(value: DecryptedExact): value is Decimal {
  return typeof (value as Partial<Decimal>).toNumber === 'function';
}

/** Names come from a program, which may be anybody's: a sheet must not take one for a formula. */
function harmless(name: string): string {
  return /^[=+\-@\t\r]/.test(name) ? `'${name}` : name;
}
