/** What was found, as tables. */
import type { Compared } from 'cipherloom/tune/kernels';
import { h } from '../ui/dom.js';
import { codeView } from './code-view.js';
import { bestOf, type Finding, gainOf, gainText, timed, timeText, titleOf, type Timed } from './findings.js';

const HEADS = [
  'Operator',
  'Best here',
  'Time',
  'Beside the engine’s own choice',
  'Same bits as the reference',
];

/** The table of all operators; a row is added as soon as it is known. */
export class BestTable {
  readonly element: HTMLElement;
  readonly #rows = h('tbody');

  constructor() {
    const head = h('tr', {}, ...HEADS.map((text) => h('th', { scope: 'col' }, text)));
    this.element = h(
      'div',
      { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'The best of each operator' },
      h('table', { class: 'kernels-table', 'data-testid': 'kernels-best' }, h('thead', {}, head), this.#rows),
    );
  }

  add(finding: Finding): void {
    const { operator, compared } = finding;
    const best = bestOf(finding);
    const gain = best && gainOf(finding, best);
    const conform = timed(finding).length;
    const first = best === undefined || best === compared[0];
    this.#rows.append(
      h(
        'tr',
        { 'data-testid': 'kernels-row', 'data-operator': operator.name, 'data-best': best?.name ?? '' },
        h('th', { scope: 'row' }, operator.title, h('br'), h('code', {}, operator.name)),
        h('td', {}, best === undefined ? 'none that conforms' : titleOf(best)),
        h('td', {}, best === undefined ? '–' : timeText(best)),
        h('td', {}, gain === undefined ? '–' : first ? 'the same' : gainText(gain)),
        h('td', {}, ...tick(conform === compared.length, `${conform} of ${compared.length}`)),
      ),
    );
  }
}

/** All implementations of one operator, and the schedules of those that were made. */
export function operatorView(finding: Finding): HTMLElement {
  const { operator, compared } = finding;
  const best = bestOf(finding);
  const rows = compared.map((one) => {
    const right = timed(finding).find((other) => other === one);
    return h(
      'tr',
      { 'data-testid': 'kernels-way', 'data-kind': one.kind },
      h('th', { scope: 'row' }, titleOf(one), one === best ? ' – the best' : ''),
      h('td', {}, ...verdict(one)),
      h('td', {}, right === undefined ? '–' : timeText(right)),
      h('td', {}, gainCell(finding, right)),
    );
  });
  const heads = ['Implementation', 'Same bits as the reference', 'Time', 'Beside the engine’s own choice'];
  return h(
    'details',
    { class: 'card kernels-operator', 'data-testid': `kernels-of-${operator.name}` },
    h('summary', {}, operator.title, ' ', h('code', {}, operator.name)),
    h('p', { class: 'note' }, operator.what),
    h(
      'div',
      {
        class: 'scroll',
        tabindex: 0,
        role: 'region',
        'aria-label': `Implementations of ${operator.name}`,
      },
      h(
        'table',
        { class: 'kernels-table' },
        h('thead', {}, h('tr', {}, ...heads.map((text) => h('th', { scope: 'col' }, text)))),
        h('tbody', {}, ...rows),
      ),
    ),
    ...compared.flatMap(({ schedules }) => schedules.map(codeView)),
  );
}

function gainCell(finding: Finding, one: Timed | undefined): string {
  const gain = one && gainOf(finding, one);
  return gain === undefined || one === finding.compared[0] ? '–' : gainText(gain);
}

function verdict(one: Compared): (Node | string)[] {
  if (one.problem === undefined) return tick(true, 'conforms');
  return tick(false, one.problem);
}

function tick(right: boolean, text: string): (Node | string)[] {
  const mark = h(
    'span',
    { class: right ? 'kernels-right' : 'kernels-wrong', 'aria-hidden': 'true' },
    right ? '✓' : '✗',
  );
  return [mark, ` ${text}`];
}
