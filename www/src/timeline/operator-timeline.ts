/** What ran on which thread of a run over ciphertexts, and when. */
import type { TraceView } from 'cipherloom';
import * as format from '../format.js';
import { kindOf } from '../graph/kinds.js';
import { byId, h } from '../ui/dom.js';
import { type Lane, lanesOf, lengthOf, timeByType } from './spans.js';
import { Timeline } from './timeline.js';

export class OperatorTimeline {
  readonly #timeline: Timeline;
  #typeOf: (op: number) => string = String;

  /** `picked` is told of base operators that are clicked. */
  constructor(picked: (op: number) => void) {
    const elements = {
      section: byId('timeline'),
      note: byId('timeline-note'),
      tools: byId('timeline-tools'),
      canvas: byId('timeline-canvas'),
      detail: byId('timeline-detail'),
    };
    this.#timeline = new Timeline(elements, {
      label: 'Operators by thread and time. Enter finds the operator in the graph.',
      testId: 'timeline-canvas',
      hint: 'Point at a bar to see its operator; select it to find it in the graph.',
      lane: ({ thread }) => `thread ${thread}`,
      name: (op) => this.#typeOf(op),
      color: (op) => `--kind-${kindOf(this.#typeOf(op))}`,
      told: (op, { thread }) => `${this.#typeOf(op)} #${op}, thread ${thread}`,
      picked,
    });
  }

  clear(): void {
    this.#timeline.clear();
  }

  repaint(): void {
    this.#timeline.repaint();
  }

  show(trace: TraceView, typeOf: (op: number) => string): void {
    this.#typeOf = typeOf;
    const lanes = lanesOf(trace);
    const length = lengthOf(lanes);
    this.#timeline.show(lanes);
    const busy = lanes.reduce((sum, lane) => sum + lane.busy, 0);
    const share = Math.round((busy / (length * lanes.length)) * 100);
    this.#timeline.say(
      `${format.plural(trace.op.length, 'operator')} on ${format.plural(lanes.length, 'thread')} in ` +
        `${format.seconds(length / 1000)}; the threads worked ${share} % of that time.`,
    );
    this.#showTypes(lanes);
  }

  #showTypes(lanes: readonly Lane[]): void {
    const rows = timeByType(lanes, this.#typeOf);
    const total = rows.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
    byId('timeline-types').replaceChildren(
      h(
        'table',
        {},
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            ...['Type', 'Operators', 'Time', 'Share', 'Each'].map((text) => h('th', { scope: 'col' }, text)),
          ),
        ),
        h(
          'tbody',
          {},
          ...rows.map(({ type, count, milliseconds }) =>
            h(
              'tr',
              { 'data-type': type },
              h('th', { scope: 'row', class: `swatch kind-${kindOf(type)}` }, type),
              h('td', {}, format.count(count)),
              h('td', {}, format.seconds(milliseconds / 1000)),
              h('td', {}, `${((milliseconds / total) * 100).toFixed(1)} %`),
              h('td', {}, format.seconds(milliseconds / count / 1000)),
            ),
          ),
        ),
      ),
    );
  }
}
