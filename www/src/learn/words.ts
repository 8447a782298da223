/** What lessons consist of on the screen: tables of numbers, formulas, polynomials. */
import { h } from '../ui/dom.js';

type Cell = Node | string;

/** A paragraph. */
export function says(...children: readonly Cell[]): HTMLElement {
  return h('p', {}, ...children);
}

/** A formula on a line of its own. */
export function formula(text: string): HTMLElement {
  return h('p', { class: 'learn-formula' }, text);
}

/** A table; `name` is its test id, and of each row the cells behind the first are its numbers. `strong`: the rows that count at this stop. */
export function numbersTable(
  name: string,
  {
    caption,
    head,
    rows,
    strong = [],
  }: {
    readonly caption: string;
    readonly head: readonly string[];
    readonly rows: readonly (readonly Cell[])[];
    readonly strong?: readonly number[];
  },
): HTMLElement {
  return h(
    'div',
    { class: 'scroll learn-scroll', tabindex: 0, role: 'region', 'aria-label': caption },
    h(
      'table',
      { class: 'learn-table', 'data-testid': `learn-${name}` },
      h('caption', {}, caption),
      h('thead', {}, h('tr', {}, ...head.map((text) => h('th', { scope: 'col' }, text)))),
      h(
        'tbody',
        {},
        ...rows.map(([first, ...cells], at) =>
          h(
            'tr',
            { class: strong.includes(at) && 'strong' },
            h('th', { scope: 'row' }, first ?? ''),
            ...cells.map((cell) => h('td', {}, cell)),
          ),
        ),
      ),
    ),
  );
}

/** 3 + X − 2X^4 as people write it, from the constant term on. */
export function polynomial(coefficients: readonly bigint[]): string {
  const terms = coefficients.flatMap((value, power) => {
    if (value === 0n) return [];
    const size = value < 0n ? -value : value;
    const x = power === 0 ? '' : power === 1 ? 'X' : `X${superscript(power)}`;
    return [
      { negative: value < 0n, text: size === 1n && x !== '' ? x : `${size}${x === '' ? '' : ` ${x}`}` },
    ];
  });
  if (terms.length === 0) return '0';
  return terms
    .map(({ negative, text }, at) =>
      at === 0 ? (negative ? `−${text}` : text) : `${negative ? '−' : '+'} ${text}`,
    )
    .join(' ');
}

const DIGITS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** Small raised digits. */
export function superscript(value: number): string {
  return Array.from(String(value), (digit) => DIGITS[Number(digit)]).join('');
}

/** A whole number with a true minus. */
export function signed(value: bigint): string {
  return value < 0n ? `−${-value}` : String(value);
}
