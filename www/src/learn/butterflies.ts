/** The picture of a transform: eight lines from left to right, which cross where two numbers are taken together. */
import { h, s } from '../ui/dom.js';
import { HALVES, N, type Transform } from './transform.js';

const [LEFT, TOP, COLUMN, ROW] = [26, 16, 92, 26];

/** `layer`: the last one that was computed; its butterflies are drawn strongly. */
export function butterflies({ layers, factors }: Transform, layer: number): HTMLElement {
  const x = (column: number): number => LEFT + column * COLUMN;
  const y = (row: number): number => TOP + row * ROW;
  const lines: SVGElement[] = [];
  const labels: SVGElement[] = [];
  for (const [at, half] of HALVES.entries()) {
    const state = at + 1 === layer ? 'now' : at + 1 < layer ? 'done' : 'ahead';
    for (let pair = 0; pair < N / 2; pair++) {
      const a = Math.floor(pair / half) * 2 * half + (pair % half);
      const b = a + half;
      for (const [from, to] of [
        [a, a],
        [a, b],
        [b, a],
        [b, b],
      ] as const)
        lines.push(
          s('line', {
            class: `butterfly ${state}`,
            x1: x(at) + 18,
            y1: y(from),
            x2: x(at + 1) - 18,
            y2: y(to),
          }),
        );
      if (state === 'now')
        labels.push(s('text', { class: 'factor', x: x(at) + 20, y: y(b) - 3 }, `×${factors[at]![pair]}`));
    }
  }
  const nodes = layers.flatMap((numbers, column) =>
    numbers.map((value, row) =>
      s(
        'text',
        {
          class: `node ${column === layer ? 'now' : column < layer ? 'done' : 'ahead'}`,
          x: x(column),
          y: y(row) + 4,
        },
        column <= layer ? String(value) : '·',
      ),
    ),
  );
  const { length } = layers;
  const picture = s(
    'svg',
    {
      class: 'butterflies',
      viewBox: `0 0 ${2 * LEFT + (length - 1) * COLUMN} ${2 * TOP + (N - 1) * ROW}`,
      role: 'img',
      'aria-label': `Eight numbers in ${length} columns; layer ${layer} of ${length - 1} is done. The table below has the numbers.`,
    },
    ...lines,
    ...nodes,
    ...labels,
  );
  return h('figure', { class: 'learn-figure' }, picture);
}
