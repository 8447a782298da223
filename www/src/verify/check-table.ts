/** Checks on the screen, as they are made. */
import { button, h } from '../ui/dom.js';
import {
  amountOf,
  type Checked,
  dataOf,
  faultOf,
  leftOut,
  type Line,
  operatorIn,
  textOf,
  titleOf,
} from './check-report.js';
import { reportTools } from './report-tools.js';

export class CheckTable {
  readonly #host: HTMLElement;
  readonly #reveal: (stop: string, op: number) => void;
  readonly #body = h('tbody', {});

  /** Takes the place of what is in the host. `reveal` shows an operator of a stage in the picture. */
  constructor(host: HTMLElement, reveal: (stop: string, op: number) => void) {
    const titles = ['Check', 'Compared', 'Result'].map((title) => h('th', { scope: 'col' }, title));
    this.#host = host;
    this.#reveal = reveal;
    host.replaceChildren(h('table', { class: 'checks' }, h('thead', {}, h('tr', {}, ...titles)), this.#body));
  }

  add(line: Line): void {
    const { passed, kind } = line.check;
    const result = passed ? (kind === 'structure' ? '✓ sound' : '= same') : '≠ wrong';
    const row = h(
      'tr',
      { 'data-testid': 'check', 'data-kind': kind, 'data-stage': line.stage, 'data-passed': String(passed) },
      h('th', { scope: 'row' }, titleOf(line)),
      h('td', { class: 'amount' }, amountOf(line)),
      h('td', {}, h('span', { class: passed ? 'mark-equal' : 'mark-unequal' }, result)),
    );
    this.#body.append(row);
    const more = this.#more(line);
    if (more === undefined) return;
    row.classList.add('continued');
    this.#body.append(h('tr', {}, more));
  }

  /** Offers the report. */
  end(checked: Checked): void {
    this.#host.append(
      reportTools({
        name: 'cipherloom-verification',
        text: () => textOf(checked),
        data: () => dataOf(checked),
      }),
    );
  }

  #more(line: Line): HTMLElement | undefined {
    const said = faultOf(line) ?? leftOut(line);
    if (said === undefined) return undefined;
    const kind = line.check.passed ? 'note' : 'fault';
    const cell = h('td', { colspan: 3, class: kind, 'data-testid': 'check-more' }, said);
    const { stop } = line;
    const op = operatorIn(line);
    if (stop !== undefined && op !== undefined)
      cell.append(
        ' ',
        button('Show it', () => this.#reveal(stop, op), { class: 'small', 'data-testid': 'check-show' }),
      );
    return cell;
  }
}
