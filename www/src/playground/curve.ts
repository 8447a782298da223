/** What a program costs by how many rows its table has: compiled for several sizes, as plain data, and drawn. */
import * as format from '../format.js';
import { h, s } from '../ui/dom.js';

export interface CurvePoint {
  readonly rows: number;
  /** Undefined where the program was refused; `problem` says why. */
  readonly cost:
    { readonly seconds: number; readonly keyBytes: number; readonly uploadBytes: number } | undefined;
  readonly problem: string | undefined;
}

type Cost = NonNullable<CurvePoint['cost']>;
const MOST_ROWS = 16_384;
const STEP = 4;

/** Sizes below and above that of a table, which is one of them. */
export function sizesAround(rows: number): number[] {
  const sizes = new Set([rows]);
  for (let size = 4; size <= MOST_ROWS; size *= STEP) sizes.add(size);
  return [...sizes].sort((a, b) => a - b);
}

const LINES: readonly (readonly [key: keyof Cost, title: string, kind: 'time' | 'bytes', mark: string])[] = [
  ['seconds', 'Computing time', 'time', 'circle'],
  ['uploadBytes', 'Encrypted inputs', 'bytes', 'square'],
  ['keyBytes', 'Evaluation keys', 'bytes', 'diamond'],
];
const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [340, 200, 62, 26, 12, 34];

/** Two plots, both axes logarithmic: time, and bytes; and all of it as a table. */
export function curvePicture(points: readonly CurvePoint[]): HTMLElement {
  return h(
    'div',
    { class: 'play-curve' },
    h('div', { class: 'play-plots' }, plot(points, 'time'), plot(points, 'bytes')),
    h(
      'details',
      {},
      h('summary', {}, 'The same as a table'),
      h(
        'div',
        { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Cost over rows, as a table' },
        tableOf(points),
      ),
    ),
  );
}

function plot(points: readonly CurvePoint[], kind: 'time' | 'bytes'): HTMLElement {
  const lines = LINES.filter((line) => line[2] === kind);
  const values = points
    .flatMap(({ cost }) => (cost ? lines.map(([key]) => cost[key]) : []))
    .filter((value) => value > 0);
  const title = kind === 'time' ? 'Computing time by rows' : 'Bytes by rows';
  const [low, high] = decades(values);
  const [from, to] = [points[0]?.rows ?? 1, points.at(-1)?.rows ?? 1];
  const x = (rows: number): number =>
    LEFT + (Math.log(rows / from) / Math.log(Math.max(to / from, 2))) * (WIDTH - LEFT - RIGHT);
  const y = (value: number): number =>
    HEIGHT - BOTTOM - (Math.log(value / low) / Math.log(high / low)) * (HEIGHT - TOP - BOTTOM);
  const text = kind === 'time' ? format.seconds : format.bytes;
  const ticks: number[] = [];
  const step = Math.max(1, Math.ceil(Math.log10(high / low) / 4));
  for (let at = Math.log10(low); at <= Math.log10(high) + 1e-9; at += step) ticks.push(10 ** Math.round(at));
  const picture = s(
    'svg',
    {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: 'img',
      'aria-label': `${title}: see the table below`,
      class: 'play-plot',
    },
    ...ticks.flatMap((value) => [
      s('line', { class: 'grid', x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }),
      s('text', { x: LEFT - 6, y: y(value) + 4, 'text-anchor': 'end' }, text(value)),
    ]),
    ...labelled(points, x).map(({ rows }) =>
      s('text', { x: x(rows), y: HEIGHT - BOTTOM + 18, 'text-anchor': 'middle' }, format.count(rows)),
    ),
    ...points
      .filter(({ cost }) => cost === undefined)
      .map(({ rows }) =>
        s('text', { class: 'refused', x: x(rows), y: TOP + 10, 'text-anchor': 'middle' }, '×'),
      ),
    ...lines.flatMap(([key, name, , mark], index) => {
      const there = points.flatMap(({ rows, cost }) =>
        cost && cost[key] > 0 ? [[x(rows), y(cost[key])] as const] : [],
      );
      return [
        s('polyline', { class: `line line-${index}`, points: there.map((point) => point.join()).join(' ') }),
        ...there.map(([at, up]) => marker(mark, at, up, `line-${index}`, name)),
      ];
    }),
  );
  const legend = lines.map(([key, name, , mark], index) =>
    h(
      'li',
      {},
      s('svg', { viewBox: '0 0 12 12', 'aria-hidden': 'true' }, marker(mark, 6, 6, `line-${index}`, name)),
      // A logarithmic axis has no place for nothing.
      ` ${name}${points.some(({ cost }) => cost && cost[key] > 0) ? '' : ' (none)'}`,
    ),
  );
  return h('figure', {}, h('figcaption', {}, title), picture, h('ul', { class: 'play-legend' }, ...legend));
}

/** Sizes that have room for their number. */
function labelled(points: readonly CurvePoint[], x: (rows: number) => number): CurvePoint[] {
  let last = Number.NEGATIVE_INFINITY;
  return points.filter(({ rows }) => {
    if (x(rows) - last < 44) return false;
    last = x(rows);
    return true;
  });
}

function marker(mark: string, x: number, y: number, kind: string, name: string): SVGElement {
  const title = s('title', {}, name);
  const properties = { class: `play-mark ${kind}` };
  if (mark === 'circle') return s('circle', { ...properties, cx: x, cy: y, r: 3.5 }, title);
  const turn = mark === 'diamond' ? `rotate(45 ${x} ${y})` : '';
  return s(
    'rect',
    { ...properties, x: x - 3.2, y: y - 3.2, width: 6.4, height: 6.4, transform: turn },
    title,
  );
}

/** Powers of ten around values. */
function decades(values: readonly number[]): [number, number] {
  if (values.length === 0) return [1, 10];
  const low = 10 ** Math.floor(Math.log10(Math.min(...values)));
  const high = 10 ** Math.ceil(Math.log10(Math.max(...values)));
  return [low, high > low ? high : low * 10];
}

function tableOf(points: readonly CurvePoint[]): HTMLElement {
  return h(
    'table',
    {},
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        ...['Rows', ...LINES.map(([, title]) => title)].map((title) => h('th', { scope: 'col' }, title)),
      ),
    ),
    h(
      'tbody',
      {},
      ...points.map(({ rows, cost, problem }) =>
        h(
          'tr',
          { 'data-testid': 'play-curve-row', 'data-rows': rows, 'data-refused': String(cost === undefined) },
          h('th', { scope: 'row' }, format.count(rows)),
          ...(cost === undefined
            ? [h('td', { colspan: LINES.length }, problem ?? 'refused')]
            : LINES.map(([key, , kind]) =>
                h('td', {}, (kind === 'time' ? format.seconds : format.bytes)(cost[key])),
              )),
        ),
      ),
    ),
  );
}
