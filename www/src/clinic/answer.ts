/** An answer: of each column how many values, their mean and their standard deviation, as a table and as a picture; of programs of others, whatever they give. */
import type { DecryptedDetails, ProgramInfo } from 'cipherloom';
import { resultOf, textOf } from '../compare.js';
import type { Declaration, Selection } from '../selection.js';
import { h, s } from '../ui/dom.js';

/** What every question of this page asks of each column. */
const ASKED = ['count', 'mean', 'variance'] as const;

export function selectionOf(columns: readonly Declaration[]): Selection {
  return { columns, statistics: ASKED };
}

/** A column of an answer. */
export interface Summary {
  readonly column: string;
  readonly count: number;
  readonly mean: number;
  readonly deviation: number;
  /** Declared in public: the picture's axis. */
  readonly min: number;
  readonly max: number;
}

export interface Answer {
  readonly summaries: readonly Summary[];
  /** Outputs that belong to no summary, as text. */
  readonly others: readonly (readonly [string, string])[];
}

type Outputs = Readonly<Record<string, DecryptedDetails>>;

export function answerOf(outputs: Outputs, { inputs }: Pick<ProgramInfo, 'inputs'>): Answer {
  const taken = new Set<string>();
  const summaries = inputs.flatMap(({ name, min, max }) => {
    const names = ASKED.map((statistic) => `${statistic}(${name})`);
    if (!names.every((output) => output in outputs)) return [];
    for (const output of names) taken.add(output);
    const [count, mean, variance] = names.map((output) => numberOf(outputs[output]!));
    return [
      {
        ...{ column: name, count: count!, mean: mean!, deviation: Math.sqrt(variance!) },
        ...{ min: Number(String(min)), max: Number(String(max)) },
      },
    ];
  });
  const others = Object.entries(outputs)
    .filter(([name]) => !taken.has(name))
    .map(([name, details]) => [name, textOf(resultOf(details as never))] as const);
  return { summaries, others };
}

/** NaN where there is none, such as the mean of nothing. */
function numberOf({ value }: DecryptedDetails): number {
  return value === undefined ? Number.NaN : Number(String(value));
}

/** As many digits as say something beside the spread. */
export function shown(value: number): string {
  return Number.isNaN(value) ? 'none' : value.toLocaleString('en-US', { maximumSignificantDigits: 6 });
}

export function answerTable({ summaries, others }: Answer): HTMLElement {
  const head = ['Column', 'Values', 'Mean', 'Standard deviation'];
  return h(
    'div',
    { class: 'clinic-answer-tables' },
    ...(summaries.length > 0
      ? [
          h(
            'table',
            {},
            h('thead', {}, h('tr', {}, ...head.map((text) => h('th', { scope: 'col' }, text)))),
            h(
              'tbody',
              {},
              ...summaries.map(({ column, count, mean, deviation }) =>
                h(
                  'tr',
                  {
                    'data-testid': 'clinic-result',
                    'data-column': column,
                    'data-count': String(count),
                    'data-mean': String(mean),
                    'data-deviation': String(deviation),
                  },
                  h('th', { scope: 'row' }, column),
                  h('td', { class: 'value' }, shown(count)),
                  h('td', { class: 'value' }, shown(mean)),
                  h('td', { class: 'value' }, shown(deviation)),
                ),
              ),
            ),
          ),
        ]
      : []),
    ...(others.length > 0
      ? [
          h(
            'dl',
            { class: 'facts' },
            ...others.flatMap(([name, text]) => [
              h('dt', {}, name),
              h('dd', { 'data-testid': 'clinic-output' }, text),
            ]),
          ),
        ]
      : []),
  );
}

const WIDTH = 320;
const SIDE = 6;
/** Letters of a name that stand beside its numbers; all of it is in the table. */
const NAME = 22;
const ROW = 62;
const AXIS = 36;

/** Of each column a line from the least to the most that was declared: the mean as a dot, one standard deviation to both sides as a bar. */
export function answerPicture({ summaries }: Answer): HTMLElement | undefined {
  const drawn = summaries.filter(({ mean, min, max }) => Number.isFinite(mean) && max > min);
  if (drawn.length === 0) return undefined;
  const told = drawn.map(({ column, mean, deviation }) => `${column}: ${shown(mean)} ± ${shown(deviation)}`);
  const svg = s('svg', {
    class: 'clinic-picture',
    viewBox: `0 0 ${WIDTH} ${drawn.length * ROW}`,
    role: 'img',
    'aria-label': `Means and standard deviations. ${told.join('; ')}.`,
  });
  for (const [row, { column, mean, deviation, min, max }] of drawn.entries()) {
    const top = row * ROW;
    const x = (value: number): number =>
      SIDE + ((Math.min(Math.max(value, min), max) - min) / (max - min)) * (WIDTH - 2 * SIDE);
    const spread = Number.isFinite(deviation) ? deviation : 0;
    const [left, right] = [x(mean - spread), x(mean + spread)];
    svg.append(
      s(
        'text',
        { class: 'name', x: SIDE, y: top + 16 },
        column.length > NAME ? `${column.slice(0, NAME - 1)}…` : column,
      ),
      s('text', { class: 'end', x: WIDTH - SIDE, y: top + 16 }, `${shown(mean)} ± ${shown(deviation)}`),
      s('line', { class: 'axis', x1: SIDE, x2: WIDTH - SIDE, y1: top + AXIS, y2: top + AXIS }),
      s('rect', {
        class: 'spread',
        x: left,
        width: Math.max(right - left, 1),
        y: top + AXIS - 6,
        height: 12,
        rx: 3,
      }),
      s('circle', { class: 'mean', cx: x(mean), cy: top + AXIS, r: 5 }),
      s('text', { class: 'tick', x: SIDE, y: top + AXIS + 17 }, shown(min)),
      s('text', { class: 'tick end', x: WIDTH - SIDE, y: top + AXIS + 17 }, shown(max)),
    );
  }
  return h(
    'figure',
    { class: 'clinic-figure' },
    svg,
    h(
      'figcaption',
      { class: 'note' },
      'A dot for the mean, a bar for one standard deviation to both sides, on a line between the bounds that were declared.',
    ),
  );
}
