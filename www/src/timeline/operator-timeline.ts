/** What ran where in a run over ciphertexts, and when: all phases, both sides; what it comes to, and how it compares with the plan. */
import type { TraceView } from 'cipherloom';
import * as format from '../format.js';
import { KIND_TITLES, kindOf, type Kind, KINDS } from '../graph/kinds.js';
import { evaluationOf } from '../run/evaluation.js';
import type { Phase } from '../run/phases.js';
import { button, byId, h } from '../ui/dom.js';
import { saveFile } from '../ui/save-file.js';
import { duration } from './axis.js';
import { chromeTrace } from './chrome-trace.js';
import { Recording } from './recording.js';
import { compare, runTimes } from './run-times.js';
import { type Range, timeByType } from './spans.js';
import { Timeline } from './timeline.js';

/** What a run was, for its timeline. */
export interface Ran {
  readonly phases: readonly Phase[];
  readonly traces: readonly TraceView[];
  /** The compiler's estimate of the evaluation, seconds. */
  readonly planned: number;
  /** What evaluations of this plan took, the first that was finished first, seconds. */
  readonly evaluations: readonly number[];
}

/** What it asks of the page. */
export interface TimelineEvents {
  /** An operator of the base stage was picked. */
  picked(op: number): void;
  /** Evaluate the same ciphertexts again, and show how long it took. */
  repeat(): void;
}

/** Shares are of what threads of this side did, too. */
const PERCENT = 100;

export class OperatorTimeline {
  readonly #timeline: Timeline;
  readonly #events: TimelineEvents;
  readonly #kinds = h('ul', { class: 'timeline-kinds', 'aria-label': 'Kinds that are looked at' });
  readonly #totals = h('p', { class: 'note', 'aria-live': 'polite', 'data-testid': 'timeline-totals' });
  readonly #times = h('div', {
    class: 'scroll',
    tabindex: 0,
    role: 'region',
    'aria-label': 'Times of evaluations',
    'data-testid': 'timeline-times',
  });
  readonly #path = button('Critical path', () => this.#togglePath(), {
    class: 'small',
    'aria-pressed': 'false',
    'data-testid': 'timeline-path',
  });
  readonly #repeat = button('Evaluate 5 more times', () => this.#events.repeat(), {
    class: 'small',
    'data-testid': 'timeline-repeat',
  });
  #recording: Recording | undefined;
  #range: Range | undefined;
  /** Empty for all. */
  readonly #only = new Set<Kind>();
  #pathOnly = false;

  constructor(events: TimelineEvents) {
    this.#events = events;
    const elements = {
      section: byId('timeline'),
      note: byId('timeline-note'),
      tools: byId('timeline-tools'),
      canvas: byId('timeline-canvas'),
      detail: byId('timeline-detail'),
    };
    const recording = (): Recording => this.#recording!;
    this.#timeline = new Timeline(elements, {
      label:
        'All that ran, by thread and time. Enter finds the operator in the graph, or looks at the phase alone.',
      testId: 'timeline-canvas',
      hint: 'Point at a bar to see what ran; select it to find it in the graph. A line under bars marks the critical path.',
      lane: ({ thread }) => recording().rows[thread]!.short,
      name: (span) => recording().type(span),
      color: (span) =>
        recording().isPhase(span) ? '--ink-soft' : `--kind-${kindOf(recording().type(span))}`,
      told: (span, { thread }) => this.#told(span, thread),
      picked: (span) => this.#pick(span),
      isFaded: (span) => !this.#isWanted(span),
      isMarked: (span) => recording().critical[span] === 1,
      isShort: (span) => recording().isShort(span),
      ranged: (range) => {
        this.#range = range;
        this.#showTotals();
      },
    });
    elements.tools.append(
      button('Evaluation', () => this.#viewRun(), {
        class: 'small',
        'aria-label': 'View the evaluation alone',
      }),
      this.#path,
      button('Save for Perfetto', () => void this.#save(), {
        class: 'small',
        'data-testid': 'timeline-save',
      }),
    );
    elements.detail.after(
      this.#kinds,
      this.#totals,
      h(
        'details',
        {},
        h('summary', {}, 'Plan and measurement, first and later runs'),
        this.#times,
        this.#repeat,
      ),
    );
  }

  clear(): void {
    this.#recording = undefined;
    this.#timeline.clear();
  }

  repaint(): void {
    this.#timeline.repaint();
  }

  /** Whether it can be evaluated again now; whoever has the focus there keeps it. */
  set canRepeat(can: boolean) {
    this.#repeat.setAttribute('aria-disabled', String(!can));
  }

  show(ran: Ran): void {
    const recording = new Recording(ran.phases, ran.traces);
    this.#recording = recording;
    this.#only.clear();
    this.#timeline.show(recording.lanes, recording.length);
    const { dataset } = byId('timeline');
    dataset['rows'] = JSON.stringify(recording.rows.map(({ short }) => short));
    dataset['phases'] = JSON.stringify(recording.phases.map(({ name }) => name));
    dataset['evaluated'] = String(
      ran.traces.reduce((sum, { phase, op }) => sum + (phase === 'run' ? op.length : 0), 0),
    );
    this.#showKinds(recording);
    this.#showTotals();
    this.#timeline.say(noteOf(recording));
    this.showTimes(ran);
  }

  /** Plan and measurements alone, after another evaluation. */
  showTimes(ran: Ran): void {
    const trace = evaluationOf(ran.traces);
    const { first, warm, median, runs } = runTimes(ran.evaluations);
    const text = (seconds: number | undefined): string =>
      seconds === undefined ? '–' : duration(seconds * 1000);
    const later = `${format.count(runs - 1)} later`;
    const rows: [string, string, string][] = [
      [
        'First evaluation',
        text(first),
        'the first that was finished; unless another was cancelled before, it starts the worker, opens keys, computes constants, and code is not yet optimised',
      ],
      ['Warm, the fastest later one', text(warm), later],
      ['Median of the later ones', text(median), later],
    ];
    const made = [table(['Evaluation', 'Time', 'Of'], rows, 'timeline-runs')];
    if (trace !== undefined) {
      const seconds = ran.phases.find(({ name }) => name === 'evaluate')?.seconds ?? first;
      const { parts, planned, measured, reason } = compare(ran.planned, seconds, trace);
      const lines = [...parts, { name: 'Evaluation', planned, measured }].map(
        (part): [string, string, string] => [part.name, text(part.planned), text(part.measured)],
      );
      made.push(
        table(['Of the run on display', 'Planned', 'Measured'], lines, 'timeline-plan'),
        h('p', { class: 'note', 'data-testid': 'timeline-reason' }, reason),
      );
    }
    this.#times.replaceChildren(...made);
  }

  /** What the graph can do with an operator of a stage. */
  actions(stage: string, op: number): HTMLElement[] {
    const span = stage === 'base' ? this.#recording?.spanOf(op) : undefined;
    if (span === undefined) return [];
    const find = (): void => {
      this.#timeline.goTo(span);
      byId('timeline').scrollIntoView({ block: 'start' });
      byId('timeline-canvas').querySelector('canvas')!.focus({ preventScroll: true });
    };
    return [button('Find in the timeline', find, { class: 'small', 'data-testid': 'find-in-timeline' })];
  }

  // --------------------------------------------------------------------------------------------------- spans

  #told(span: number, row: number): string {
    const recording = this.#recording!;
    const { name } = recording.rows[row]!;
    if (recording.isPhase(span)) return `phase ${recording.type(span)}`;
    const { item, phase } = recording.trace(span);
    const what = phase === 'run' ? '' : `, ${item === undefined ? phase : `key ${item}`}`;
    const path = recording.critical[span] === 1 ? ', on the critical path' : '';
    const kernels = recording.kernels(span);
    const by = kernels === undefined ? '' : `, by ${kernels}`;
    return `${recording.type(span)} #${recording.op(span)}, ${name}${what}${path}${by}`;
  }

  #pick(span: number): void {
    const recording = this.#recording!;
    if (recording.isPhase(span)) this.#timeline.view(recording.start(span), recording.end(span));
    else if (recording.trace(span).phase === 'run') this.#events.picked(recording.op(span));
  }

  #viewRun(): void {
    const recording = this.#recording;
    const run = recording && evaluationOf(recording.traces);
    if (recording === undefined || run === undefined) return;
    const from = run.origin - recording.origin;
    this.#timeline.view(from, from + run.end.reduce((most, end) => Math.max(most, end), 0));
  }

  #isWanted(span: number): boolean {
    const recording = this.#recording!;
    if (recording.isPhase(span)) return true;
    if (this.#pathOnly && recording.critical[span] === 0) return false;
    return this.#only.size === 0 || this.#only.has(kindOf(recording.type(span)));
  }

  // --------------------------------------------------------------------------------------------- what is asked

  #togglePath(): void {
    this.#pathOnly = !this.#pathOnly;
    this.#path.setAttribute('aria-pressed', String(this.#pathOnly));
    this.#showTotals();
    this.repaint();
  }

  #showKinds(recording: Recording): void {
    const found = new Set<Kind>();
    for (const { types } of recording.traces) for (const type of types) found.add(kindOf(type));
    const toggles = KINDS.filter((kind) => found.has(kind)).map((kind) => {
      const toggle = button(
        KIND_TITLES[kind],
        () => {
          if (!this.#only.delete(kind)) this.#only.add(kind);
          toggle.setAttribute('aria-pressed', String(this.#only.has(kind)));
          this.#showTotals();
          this.repaint();
        },
        { class: `small swatch kind-${kind}`, 'aria-pressed': 'false', 'data-kind': kind },
      );
      return h('li', {}, toggle);
    });
    this.#kinds.replaceChildren(...toggles);
  }

  #showTotals(): void {
    const recording = this.#recording;
    if (recording === undefined) return;
    const typeOf = (span: number): string => recording.type(span);
    const isOperator = (span: number): boolean => !recording.isPhase(span);
    const lanes = recording.lanes;
    const wanted = timeByType(lanes, typeOf, this.#range, (span) => isOperator(span) && this.#isWanted(span));
    const onPath = timeByType(
      lanes,
      typeOf,
      this.#range,
      (span) => isOperator(span) && this.#isWanted(span) && recording.critical[span] === 1,
    );
    const path = new Map(onPath.map(({ type, milliseconds }) => [type, milliseconds]));
    const sum = (rows: readonly { milliseconds: number }[]): number =>
      rows.reduce((all, { milliseconds }) => all + milliseconds, 0);
    const total = sum(wanted);
    const all = sum(timeByType(lanes, typeOf, undefined, isOperator));
    const count = wanted.reduce((sum, row) => sum + row.count, 0);
    const where =
      this.#range === undefined
        ? 'In the whole run'
        : `In ${duration(this.#range.to - this.#range.from)} that are selected`;
    this.#totals.textContent =
      `${where}${this.#only.size === 0 && !this.#pathOnly ? '' : ', of what is chosen'}: ${format.plural(count, 'operator')}, ${duration(total)} of the threads’ time, ` +
      `${percent(total, all)} of that of all operators.`;
    const rows = wanted.map(({ type, count, milliseconds }) =>
      h(
        'tr',
        { 'data-type': type },
        h('th', { scope: 'row', class: `swatch kind-${kindOf(type)}` }, type),
        h('td', {}, format.count(count)),
        h('td', {}, duration(milliseconds)),
        h('td', {}, percent(milliseconds, total)),
        h('td', {}, duration(milliseconds / count)),
        h('td', {}, duration(path.get(type) ?? 0)),
      ),
    );
    const heads = ['Type', 'Operators', 'Time', 'Share', 'Each', 'On the critical path'];
    byId('timeline-types').replaceChildren(
      h(
        'table',
        {},
        h('thead', {}, h('tr', {}, ...heads.map((text) => h('th', { scope: 'col' }, text)))),
        h('tbody', {}, ...rows),
      ),
    );
  }

  async #save(): Promise<void> {
    const recording = this.#recording;
    if (recording === undefined) return;
    const pieces = await chromeTrace(recording);
    saveFile('cipherloom-trace.json', new Blob(pieces), 'application/json');
  }
}

/** What it comes to, in words. */
function noteOf(recording: Recording): string {
  const { traces, phases, length, resolution, lanes, rows, paths, evaluation: run } = recording;
  const operators = traces.reduce((sum, { op }) => sum + op.length, 0);
  const threads = rows.filter(({ side }) => side !== 'page').length;
  const parts = [
    `${format.plural(operators, 'operator')} in ${format.plural(phases.length, 'phase')} on ${format.plural(threads, 'lane')} of both sides, in ${duration(length)}.`,
  ];
  if (run !== undefined) {
    const { start, end } = traces[run]!;
    const span = end.reduce((a, b) => Math.max(a, b), 0) - start.reduce((a, b) => Math.min(a, b), Infinity);
    const own = lanes.filter((lane) => rows[lane.thread]!.side === 'evaluator');
    const busy = own.reduce((sum, lane) => sum + lane.busy, 0);
    parts.push(
      `The evaluator’s threads worked ${percent(busy, span * own.length)} of ${duration(span)}; its critical path takes ${duration(paths[run]!)}, and with any number of threads it could not be quicker.`,
    );
  }
  if (resolution !== undefined)
    parts.push(
      `This browser’s clock tells ${duration(resolution)} apart: shorter operators are drawn at half the height.`,
    );
  return parts.join(' ');
}

function percent(part: number, whole: number): string {
  return whole > 0 ? `${((part / whole) * PERCENT).toFixed(1)} %` : '–';
}

function table(heads: readonly string[], rows: readonly (readonly string[])[], testId: string): HTMLElement {
  const [body, head] = [h('tbody', {}), h('tr', {}, ...heads.map((text) => h('th', { scope: 'col' }, text)))];
  for (const [name, ...cells] of rows)
    body.append(h('tr', {}, h('th', { scope: 'row' }, name!), ...cells.map((cell) => h('td', {}, cell))));
  return h('table', { 'data-testid': testId }, h('thead', {}, head), body);
}
