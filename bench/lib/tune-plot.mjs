// The figure of a simulated day: hit rate over time, a line for each way of guessing, as SVG.

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, FOOT] = [760, 380, 64, 28, 62, 326];
/** Readable on white and on dark; lines differ in their dashes, too. */
const STYLE = `
    text { font: 13px system-ui, sans-serif; fill: #1f2430; }
    .title { font-weight: 600; font-size: 15px; }
    .small { font-size: 12px; fill: #5a6172; }
    .grid { stroke: #d9dde6; }
    .line { fill: none; stroke-width: 2; }
    .line0 { stroke: #5a6172; stroke-dasharray: 2 3; }
    .line1 { stroke: #2563b8; }
    .line2 { stroke: #b4531a; stroke-dasharray: 8 4; }
    .page { fill: #ffffff; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6e9f0; }
      .small { fill: #a3abbd; }
      .grid { stroke: #363c4a; }
      .line0 { stroke: #a3abbd; }
      .line1 { stroke: #79b0f5; }
      .line2 { stroke: #f0955a; }
      .page { fill: #14171f; }
    }`;

/** @param {Record<string, {rates: number[]}>} lines hit rates of equal steps of one day */
export function drawnDay(lines, devices) {
  const round = (x) => Math.round(x * 10) / 10;
  const across = (part) => round(LEFT + part * (WIDTH - LEFT - RIGHT));
  const up = (rate) => round(FOOT - rate * (FOOT - TOP));
  const grid = [0, 0.25, 0.5, 0.75, 1].flatMap((rate) => [
    `<line class="grid" x1="${LEFT}" y1="${up(rate)}" x2="${WIDTH - RIGHT}" y2="${up(rate)}"/>`,
    `<text class="small" x="${LEFT - 10}" y="${up(rate) + 4}" text-anchor="end">${100 * rate} %</text>`,
  ]);
  const hours = [0, 4, 8, 12, 16, 20, 24].map(
    (hour) => `<text class="small" x="${across(hour / 24)}" y="${FOOT + 20}" text-anchor="middle">${hour}</text>`,
  );
  const drawn = Object.values(lines).map(({ rates }, at) => {
    const points = rates.map((rate, step) => `${across((step + 1) / rates.length)} ${up(rate)}`);
    return `<path class="line line${at}" d="M${points.join('L')}"/>`;
  });
  const legend = Object.keys(lines).map(
    (name, at) =>
      `<g transform="translate(${LEFT + 220 * at} 46)"><line class="line line${at}" x1="0" y1="-4" x2="26" y2="-4"/><text class="small" x="34">guessed by ${name}</text></g>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img">
  <title>Hit rate of queries over a simulated day of ${devices} devices</title>
  <style>${STYLE}
  </style>
  <rect class="page" width="${WIDTH}" height="${HEIGHT}" rx="8"/>
  <text class="title" x="${LEFT}" y="24">Hit rate over a day, ${devices} devices that join until noon</text>
  ${[...legend, ...grid, ...hours, ...drawn].join('\n  ')}
  <text class="small" x="${(LEFT + WIDTH - RIGHT) / 2}" y="${FOOT + 40}" text-anchor="middle">hours</text>
</svg>
`;
}
