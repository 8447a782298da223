/** An operand's blocks, drawn: owners by colour, pattern and number, padding hatched, tiles outlined. */
import * as format from '../format.js';
import { s } from '../ui/dom.js';
import type { Axis, Block, Grid, Run, Slab } from './blocks.js';
import { ownerClass, ownerPattern, paddingPattern, patterns } from './owners.js';

/** Room for labels at the left and at the top of a slab, between slabs, and the least and the usual length of a run. */
const [LEFT, TOP, GAP, LEAST, ROW] = [34, 34, 18, 12, 26];
/** Height of a slab that is drawn in blocks. */
const TALL = 170;
/** Widest a number is, alone and in one slab of many; least width of a slab that is drawn in blocks. */
const [WIDE, SMALL, NARROW] = [44, 24, 150];
/** Width of a letter. */
const LETTER = 6.8;

export interface PictureOptions {
  /** For those who do not see it. */
  readonly label: string;
  /** Begins the ids of its patterns. */
  readonly ids: string;
  /** What there is room for. */
  readonly width: number;
  /** Names its parts: `i` of `i1`. */
  readonly letter: string;
}

/** The picture of a grid. */
export function tensorPicture(grid: Grid, options: PictureOptions): SVGSVGElement {
  const { slabs, x, y } = grid;
  const widest = slabs.length === 1 ? WIDE : SMALL;
  const named = Math.max(...slabs.map((slab) => titleOf(slab, x).length)) * LETTER + 4;
  const usual = Math.max(named, LEFT + 2 + (x.single ? x.runs.length * widest : NARROW));
  const perRow = Math.max(1, Math.min(slabs.length, Math.floor((options.width + GAP) / (usual + GAP))));
  const room = (options.width - GAP * (perRow - 1)) / perRow - LEFT - 2;
  const across = lengths(x, room, x.single ? widest : Infinity);
  const rows = y === undefined ? undefined : y.runs.length;
  const down =
    y === undefined || rows === undefined
      ? { at: [0, ROW + 8], most: ROW + 8 }
      : lengths(y, y.single ? rows * ROW : Math.max(TALL, rows * LEAST), y.single ? ROW : Infinity);
  const [width, height] = [Math.max(named, LEFT + across.most + 2), TOP + down.most + 4];
  const svg = s('svg', {
    class: 'tensor-picture',
    role: 'img',
    'aria-label': options.label,
    width: Math.max(1, perRow * (width + GAP) - GAP),
    height: Math.ceil(slabs.length / perRow) * (height + GAP) - GAP,
  });
  svg.append(patterns(options.ids));
  for (const [index, slab] of slabs.entries()) {
    const [column, row] = [index % perRow, Math.floor(index / perRow)];
    const place = `translate(${column * (width + GAP)} ${row * (height + GAP)})`;
    svg.append(s('g', { transform: place }, ...slabShapes(slab, grid, across.at, down.at, options)));
  }
  return svg;
}

/** Which slab it is, and what goes from left to right. */
function titleOf({ outer }: Slab, x: Axis): string {
  const where = outer.map(({ dimension, run }) => `${dimension} ${rangeText(run)}`).join(', ');
  return where === '' ? `${x.dimension} →` : `${where} · ${x.dimension} →`;
}

function slabShapes(
  slab: Slab,
  { x, y }: Grid,
  across: readonly number[],
  down: readonly number[],
  { ids, letter }: PictureOptions,
): SVGElement[] {
  const shapes: SVGElement[] = [];
  shapes.push(s('text', { class: 'axis name', x: 2, y: 11 }, titleOf(slab, x)));
  if (y !== undefined) shapes.push(s('text', { class: 'axis name', x: 2, y: TOP - 5 }, `${y.dimension} ↓`));
  // Where runs begin; texts that would touch are left out.
  let free = -Infinity;
  for (const [index, { from }] of x.runs.entries()) {
    const width = String(from).length * LETTER;
    const at = Math.min(LEFT + across[index]! + 1, LEFT + across.at(-1)! - width);
    if (at < free) continue;
    shapes.push(s('text', { class: 'axis', x: at, y: TOP - 5 }, String(from)));
    free = at + width + 6;
  }
  free = -Infinity;
  for (const [index, { from }] of (y?.runs ?? []).entries()) {
    const at = TOP + down[index]! + Math.min(11, (down[index + 1]! - down[index]!) / 2 + 4);
    if (at < free) continue;
    shapes.push(s('text', { class: 'axis', x: LEFT - 4, y: at + 2, 'text-anchor': 'end' }, String(from)));
    free = at + 11;
  }
  const columns = x.runs.length;
  for (const [index, block] of slab.blocks.entries()) {
    const [column, row] = [index % columns, Math.floor(index / columns)];
    const box = {
      x: LEFT + across[column]!,
      y: TOP + down[row]!,
      width: across[column + 1]! - across[column]!,
      height: down[row + 1]! - down[row]!,
    };
    shapes.push(blockShape(block, box, slab, x, y, ids, letter));
  }
  shapes.push(...tileLines(x, y, across, down), ...partLines(x, y, across, down));
  return shapes;
}

function blockShape(
  block: Block,
  box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
  slab: Slab,
  x: Axis,
  y: Axis | undefined,
  ids: string,
  letter: string,
): SVGElement {
  const { core, place, numbers, padding, part } = block;
  const where = [
    ...slab.outer.map(({ dimension, run }) => `${dimension} ${rangeText(run)}`),
    ...(block.y === undefined ? [] : [`${y!.dimension} ${rangeText(block.y)}`]),
    `${x.dimension} ${rangeText(block.x)}`,
  ].join(', ');
  const what = padding ? `${format.count(numbers)} of padding` : format.plural(numbers, 'number');
  const group = s(
    'g',
    {
      class: padding ? `${ownerClass(core)} block padded` : `${ownerClass(core)} block`,
      'data-core': core + 1,
      'data-numbers': numbers,
      'data-padding': String(padding),
    },
    s('title', {}, `${letter}${part + 1}: ${where}; ${what}; core ${core + 1}, ${place}`),
    s('rect', { class: 'fill', ...box }),
  );
  const over = padding ? paddingPattern(ids) : ownerPattern(core, ids);
  if (over !== undefined) group.append(s('rect', { ...box, fill: over }));
  const [middleX, middleY] = [box.x + box.width / 2, box.y + box.height / 2];
  const name = String(core + 1);
  const count = numbers === 1 ? '' : format.count(numbers);
  const text = (type: string, y: number, ...words: (string | Node)[]): SVGElement =>
    s('text', { class: type, x: middleX, y, 'text-anchor': 'middle' }, ...words);
  const has = (letters: number, height: number): boolean =>
    box.width >= letters * LETTER + 4 && box.height >= height;
  // The owner first, and how many numbers where there is room: below it, or beside it.
  if (count !== '' && has(count.length, 34))
    group.append(text('owner-name', middleY - 2, name), text('amount', middleY + 12, count));
  else if (count !== '' && has(name.length + count.length + 4, 13))
    group.append(text('owner-name', middleY + 4, name, s('tspan', { class: 'amount' }, ` · ${count}`)));
  else if (has(name.length, 13)) group.append(text('owner-name', middleY + 4, name));
  return group;
}

/** Tiles are outlined. */
function tileLines(
  x: Axis,
  y: Axis | undefined,
  across: readonly number[],
  down: readonly number[],
): SVGElement[] {
  const [right, bottom] = [LEFT + across.at(-1)!, TOP + down.at(-1)!];
  const lines: SVGElement[] = [];
  for (const [index, run] of x.runs.entries())
    if (run.tileEnd)
      lines.push(s('path', { class: 'tile-line', d: `M${LEFT + across[index + 1]!} ${TOP}V${bottom}` }));
  for (const [index, run] of (y?.runs ?? []).entries())
    if (run.tileEnd)
      lines.push(s('path', { class: 'tile-line', d: `M${LEFT} ${TOP + down[index + 1]!}H${right}` }));
  return lines;
}

/** So are parts. */
function partLines(
  x: Axis,
  y: Axis | undefined,
  across: readonly number[],
  down: readonly number[],
): SVGElement[] {
  const [right, bottom] = [LEFT + across.at(-1)!, TOP + down.at(-1)!];
  const lines: SVGElement[] = [
    s('rect', { class: 'part-line', x: LEFT, y: TOP, width: right - LEFT, height: bottom - TOP }),
  ];
  const next = (axis: Axis, index: number): boolean => {
    const [own, other] = [axis.runs[index]!, axis.runs[index + 1]];
    return other !== undefined && own.part !== other.part;
  };
  for (const index of x.runs.keys())
    if (next(x, index))
      lines.push(s('path', { class: 'part-line', d: `M${LEFT + across[index + 1]!} ${TOP}V${bottom}` }));
  for (const index of (y?.runs ?? []).keys())
    if (next(y!, index))
      lines.push(s('path', { class: 'part-line', d: `M${LEFT} ${TOP + down[index + 1]!}H${right}` }));
  return lines;
}

/** Where runs begin and end: at least `LEAST` each, the rest by their sizes; a single number at most `widest`. */
function lengths(
  { runs, size }: Axis,
  room: number,
  widest: number,
): { readonly at: readonly number[]; readonly most: number } {
  const all = Math.min(room, runs.length * widest);
  const rest = Math.max(0, all - runs.length * LEAST);
  const at = [0];
  for (const { from, to } of runs) at.push(at.at(-1)! + LEAST + (rest * (to - from)) / size);
  return { at, most: at.at(-1)! };
}

function rangeText({ from, to }: Run): string {
  return to - from === 1 ? String(from) : `${from}–${to - 1}`;
}
