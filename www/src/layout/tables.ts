/** What the layout tab says in tables and words. */
import { type Counts, type NumberType, printInstruction } from 'cipherloom/layout';
import * as format from '../format.js';
import { h } from '../ui/dom.js';
import type { Answer, ModeRow, Verdict } from './answer.js';
import type { Holding } from './blocks.js';
import type { Stop } from './walk.js';

/** The modes beside each other. */
export function modesTable(modes: readonly ModeRow[], chosen: string): HTMLElement {
  const head = ['Mode', 'Cycles', 'Steps', 'Core', 'Cluster', 'Memory', 'Own', 'Result'];
  return h(
    'table',
    { class: 'layout-table' },
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        ...head.map((text, at) => h('th', { scope: 'col', class: at > 0 && at < 7 ? 'amount' : '' }, text)),
      ),
    ),
    h(
      'tbody',
      {},
      ...modes.map((row) => {
        const name = h('th', { scope: 'row' }, row.mode);
        const properties = {
          'data-testid': `layout-mode-${row.mode}`,
          'aria-current': row.mode === chosen && 'true',
        };
        if ('wrong' in row)
          return h('tr', properties, name, h('td', { colspan: 7, class: 'note' }, row.wrong));
        const { core, cluster, memory, access } = row.counts;
        const cells = [
          format.count(row.time),
          format.count(row.steps),
          ...[core, cluster, memory, access].map(({ bytes }) => format.bytes(bytes)),
        ];
        return h(
          'tr',
          properties,
          name,
          ...cells.map((text) => h('td', { class: 'amount' }, text)),
          h('td', {}, mark(row.verdict)),
        );
      }),
    ),
  );
}

function mark({ different }: Verdict): HTMLElement {
  return different === 0
    ? h('span', { class: 'mark-equal' }, '= equal')
    : h('span', { class: 'mark-unequal' }, `≠ ${format.count(different)}`);
}

/** The result beside the plain one, in a sentence. */
export function verdictText({ numbers, different, most, off }: Verdict, type: NumberType): string {
  if (different === 0)
    return `Result equal bit for bit: ${format.plural(numbers, 'number')}, beside plain loops over the whole tensors.`;
  const few = (value: number): string => String(Number(value.toPrecision(3)));
  return `${format.count(different)} of ${format.plural(numbers, 'number')} differ from plain loops in ${type}, by ${few(most)} at most: sums are taken part by part, and each is rounded. From sums in doubles the result is ${few(off.result)} away, the plain one ${few(off.plain)}.`;
}

/** What a plan does in all. */
export function totalsList(
  { operations, host, hops, ...moves }: Counts,
  time: number,
): readonly HTMLElement[] {
  const facts: [string, string][] = [
    ['Time', `${format.count(time)} cycles`],
    ['Operations', format.count(operations)],
    ...(['core', 'cluster', 'memory', 'access'] as const).map((level): [string, string] => [
      level === 'access' ? 'Own moves' : `Exchanged: ${level}`,
      `${format.bytes(moves[level].bytes)} in ${format.plural(moves[level].moves, 'move')}`,
    ]),
    [
      'By hops',
      Object.entries(hops)
        .map(([count, { bytes }]) => `${format.bytes(bytes)} over ${format.plural(Number(count), 'hop')}`)
        .join(', ') || 'none',
    ],
    ['Host copies', `${format.bytes(host.before)} before, ${format.bytes(host.after)} after`],
  ];
  return facts.flatMap(([name, text]) => [h('dt', {}, name), h('dd', {}, text)]);
}

/** Parts, whose they are, where they lie. */
export function partsTable(
  holdings: readonly Holding[],
  letter: string,
  dimension: string,
  bytes: number,
): HTMLElement {
  const head = ['Part', dimension, 'Numbers', 'Padding', 'Bytes', 'Core', 'Place'];
  return h(
    'table',
    { class: 'layout-table' },
    h('thead', {}, h('tr', {}, ...head.map((text) => h('th', { scope: 'col' }, text)))),
    h(
      'tbody',
      {},
      ...holdings.map(({ part, range: [from, to], numbers, padding, core, place }) =>
        h(
          'tr',
          {},
          h('th', { scope: 'row' }, `${letter}${part + 1}`),
          h('td', {}, to - from === 1 ? String(from) : `${from}–${to - 1}`),
          ...[numbers, padding, numbers * bytes].map((value) => h('td', {}, format.count(value))),
          h('td', {}, String(core + 1)),
          h('td', {}, place),
        ),
      ),
    ),
  );
}

/** What a stop of the plan is called. */
export function stopTitle(stop: number, { plan }: Answer): string {
  if (stop === 0)
    return `Before the first step: the host has put ${format.plural(plan.placed.length, 'part')} to their places`;
  const last = stop === plan.steps.length ? '; then the host fetches the result' : '';
  return `Step ${stop} of ${plan.steps.length}${last}`;
}

/** What each core does at a stop, with what it computes. */
export function instructionsTable(stop: number, { plan, pieces }: Answer, { cores }: Stop): HTMLElement {
  const rows =
    stop === 0
      ? plan.placed.map(({ name, place, bytes, core }): [string, readonly HTMLElement[]] => [
          `core ${core + 1}`,
          [h('li', { class: 'placed' }, `${name} lies in ${place}: ${format.bytes(bytes)}`)],
        ])
      : cores.map(({ core, instructions }): [string, readonly HTMLElement[]] => [
          `core ${core + 1}`,
          instructions.map((one) => {
            const piece = one.kind === 'compute' ? pieces[one.output] : undefined;
            const after = one.kind === 'compute' ? numbersOf(piece) : `, ${format.bytes(one.bytes)}`;
            return h(
              'li',
              { class: one.kind },
              h('span', { class: 'kind' }, one.kind),
              h('span', {}, `${printInstruction(one)}${after}`),
            );
          }),
        ]);
  return h(
    'table',
    { class: 'layout-table' },
    h('caption', { class: 'sr-only' }, 'What each core does'),
    h(
      'tbody',
      {},
      ...rows.map(([name, items]) =>
        h('tr', {}, h('th', { scope: 'row' }, name), h('td', {}, h('ul', {}, ...items))),
      ),
    ),
  );
}

function numbersOf(piece: Answer['pieces'][string] | undefined): string {
  if (piece === undefined) return '';
  const all = piece.sizes.reduce((product, size) => product * size, 1);
  const first = piece.first.map((value) => String(Number(value.toPrecision(6)))).join(', ');
  return `: ${first}${all > piece.first.length ? `, … (${format.count(all)} numbers)` : ''}`;
}
