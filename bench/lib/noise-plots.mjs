// Figures of noise, bound beside measured, as SVG: one for each scheme and ring dimension. A line for each operator, log2 across.
import { readFileSync } from 'node:fs';

export const FOLDER = new URL('../../docs/noise/', import.meta.url);
export const NUMBERS = new URL('noise.json', FOLDER);

/** What is across. */
const AXIS = {
  BFV: 'noise: log2 of the largest coefficient',
  BGV: 'noise: log2 of the largest coefficient',
  CKKS: 'error: log2 of the largest in a slot, numbers up to 1',
};
const [LINE, LEFT, WIDTH, TOP, BOTTOM, RIGHT] = [26, 216, 760, 62, 52, 28];
/** Both readable on white and on dark; text and lines are of the page's kind by its colors. */
const STYLE = `
    text { font: 13px system-ui, sans-serif; fill: #1f2430; }
    .title { font-weight: 600; font-size: 15px; }
    .small { font-size: 12px; fill: #5a6172; }
    .grid { stroke: #d9dde6; }
    .slack { stroke: #b9c0cf; stroke-width: 2; }
    .bound { fill: none; stroke: #b4531a; stroke-width: 2; }
    .measured { fill: #2563b8; }
    .worst { stroke: #2563b8; stroke-width: 2; }
    .page { fill: #ffffff; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6e9f0; }
      .small { fill: #a3abbd; }
      .grid { stroke: #363c4a; }
      .slack { stroke: #566075; }
      .bound { stroke: #f0955a; }
      .measured { fill: #79b0f5; }
      .worst { stroke: #79b0f5; }
      .page { fill: #14171f; }
    }`;

/** The numbers, of which each figure is some: by its name. */
export function figures(rows = JSON.parse(readFileSync(NUMBERS, 'utf8'))) {
  const all = new Map();
  for (const row of rows) {
    const name = `${row.scheme.toLowerCase()}-${row.n}.svg`;
    all.set(name, [...(all.get(name) ?? []), row]);
  }
  return new Map([...all].map(([name, own]) => [name, drawn(own)]));
}

/** One figure. */
export function drawn(rows) {
  const [{ scheme, n, runs }] = rows;
  const values = rows.flatMap(({ bound, median, worst }) => [bound, median, worst]);
  const step = 5;
  const [from, to] = [Math.floor(Math.min(...values) / step) * step, Math.ceil(Math.max(...values) / step) * step];
  const at = (value) => round(LEFT + ((value - from) / (to - from)) * (WIDTH - LEFT - RIGHT));
  const height = TOP + rows.length * LINE + BOTTOM;
  const foot = TOP + rows.length * LINE;
  const ticks = Array.from({ length: (to - from) / step + 1 }, (_, index) => from + index * step);
  const grid = ticks.flatMap((tick) => [
    `<line class="grid" x1="${at(tick)}" y1="${TOP - 6}" x2="${at(tick)}" y2="${foot}"/>`,
    `<text class="small" x="${at(tick)}" y="${foot + 18}" text-anchor="middle">${tick}</text>`,
  ]);
  const lines = rows.flatMap(({ operator, bound, median, worst }, index) => {
    const y = TOP + index * LINE + LINE / 2;
    return [
      `<text x="${LEFT - 14}" y="${y + 4}" text-anchor="end">${operator}</text>`,
      `<line class="slack" x1="${at(median)}" y1="${y}" x2="${at(bound)}" y2="${y}"/>`,
      `<circle class="measured" cx="${at(median)}" cy="${y}" r="4"/>`,
      `<line class="worst" x1="${at(worst)}" y1="${y - 6}" x2="${at(worst)}" y2="${y + 6}"/>`,
      `<path class="bound" d="M${at(bound)} ${y - 6}l6 6l-6 6l-6 -6z"/>`,
    ];
  });
  const legend = [
    [`<circle class="measured" cx="0" cy="-4" r="4"/>`, 'median', 0],
    [`<line class="worst" x1="0" y1="-10" x2="0" y2="2"/>`, `worst of ${runs} keys`, 78],
    [`<path class="bound" d="M0 -10l6 6l-6 6l-6 -6z"/>`, 'bound', 206],
  ].map(
    ([mark, text, x]) =>
      `<g transform="translate(${LEFT + x} 46)">${mark}<text class="small" x="12">${text}</text></g>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">
  <title>${scheme}, N = ${n}: bounds and measured values</title>
  <style>${STYLE}
  </style>
  <rect class="page" width="${WIDTH}" height="${height}" rx="8"/>
  <text class="title" x="${LEFT}" y="24">${scheme}, N = ${n}</text>
  ${[...legend, ...grid, ...lines].join('\n  ')}
  <text class="small" x="${(LEFT + WIDTH - RIGHT) / 2}" y="${foot + 38}" text-anchor="middle">${AXIS[scheme]}</text>
</svg>
`;
}

function round(x) {
  return Math.round(x * 10) / 10;
}
