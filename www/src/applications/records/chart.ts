/** Probabilities as dots, in two rows: what doctors found malignant, and benign. */
import { h, s } from '../../ui/dom.js';

const WIDTH = 440;
const SIDE = 12;
const TOP = 20;
/** Of a row: its name, and the dots below. */
const NAME = 18;
const ROW = NAME + 46;
const ROWS = [
  ['m', 'malignant'],
  ['b', 'benign'],
] as const;
/** What is shown, in probabilities: a polynomial may leave 0 to 1. */
const [LEAST, MOST] = [-0.15, 1.15];

export function chartOf(probabilities: readonly number[], diagnoses: string): HTMLElement {
  const height = TOP + ROWS.length * ROW + 26;
  const x = (value: number): number =>
    SIDE + ((Math.min(Math.max(value, LEAST), MOST) - LEAST) / (MOST - LEAST)) * (WIDTH - 2 * SIDE);
  const right = ROWS.map(([letter]) => {
    const own = probabilities.filter((_, row) => diagnoses[row] === letter);
    return `${own.filter((value) => value > 0.5 === (letter === 'm')).length} of ${own.length}`;
  });
  const label = `Probabilities by diagnosis: ${right[0]} malignant ones above one half, ${right[1]} benign ones below.`;
  const bottom = TOP + ROWS.length * ROW;
  const svg = s('svg', {
    class: 'dots',
    viewBox: `0 0 ${WIDTH} ${height}`,
    role: 'img',
    'aria-label': label,
  });
  for (const at of [0, 0.25, 0.5, 0.75, 1])
    svg.append(
      s('line', { class: at === 0.5 ? 'half' : 'grid', x1: x(at), x2: x(at), y1: TOP - 6, y2: bottom }),
      s('text', { x: x(at), y: bottom + 17, class: 'tick' }, `${100 * at} %`),
    );
  svg.append(s('text', { x: x(0.5), y: 11, class: 'tick' }, 'benign ← judged → malignant'));
  for (const [row, [letter, name]] of ROWS.entries()) {
    svg.append(s('text', { class: 'row-name', x: SIDE, y: TOP + row * ROW + 13 }, `diagnosed ${name}`));
    for (const [at, value] of probabilities.entries()) {
      if (diagnoses[at] !== letter) continue;
      // Beside each other, so that dots do not hide each other: a fixed scatter, the same each time.
      const y = TOP + row * ROW + NAME + 5 + ((at * 0.618_034) % 1) * (ROW - NAME - 10);
      const wrong = value > 0.5 !== (letter === 'm');
      svg.append(
        s('circle', {
          class: wrong ? 'dot misjudged' : `dot ${name}`,
          cx: x(value),
          cy: y,
          r: wrong ? 3.4 : 2,
        }),
      );
    }
  }
  return h(
    'figure',
    { class: 'chart' },
    svg,
    h(
      'figcaption',
      { class: 'note' },
      'A dot for each record. ',
      `Judged as diagnosed: ${right[0]} malignant ones, ${right[1]} benign ones; the others are circles.`,
    ),
  );
}
