/** Tasks as tiles: from those that wait to the worker that does them, and on to those that are done. A canvas, since there may be thousands. */
import { h } from '../ui/dom.js';
import { colorOf } from '../ui/theme.js';
import { type Journal, type Lane, laneName, type Turn } from './journal.js';

/** Colors of workers, in turn. */
const COLORS = ['transform', 'product', 'sum', 'modulus', 'key', 'encoding', 'logic', 'function'] as const;

/** Custom property of a worker's color: the same here, in the timeline and in the table. */
export function laneColor({ kind, worker }: Lane): string {
  return kind === 'cpu' ? `--kind-${COLORS[worker % COLORS.length]}` : '--evaluator';
}

const [ROW, TITLE, LABEL, PAD] = [30, 20, 58, 10];
/** Widths below which areas are one below the other. */
const NARROW = 560;
const MOST_SIZE = 18;
/** Of the way that is left, what a tile goes in a frame. */
const PACE = 0.22;
/** How many times as long as a picture takes, until the next one. */
const REST = 5;

interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Tile {
  x: number;
  y: number;
  size: number;
  color: string;
}

export class Board {
  readonly canvas = h('canvas', { class: 'vectors-board', role: 'img', 'data-testid': 'vectors-board' });
  #journal: Journal | undefined;
  #total = 0;
  #tiles: Tile[] = [];
  #frame = 0;
  /** Until when no other picture is drawn. */
  #rests = 0;
  readonly #still = matchMedia('(prefers-reduced-motion: reduce)');

  constructor() {
    new ResizeObserver(() => this.repaint()).observe(this.canvas);
  }

  /** Shows a run, from its beginning. */
  begin(journal: Journal): void {
    this.#journal = journal;
    this.#tiles = [];
    this.canvas.style.height = '';
  }

  /** There is news; so many tasks are known of. */
  show(total: number): void {
    this.#total = total;
    const { waiting, working, done } = this.counts();
    this.canvas.setAttribute(
      'aria-label',
      `Tasks: ${waiting} wait, ${working} are being done, ${done} are done.`,
    );
    Object.assign(this.canvas.dataset, { waiting, working, done });
    this.repaint();
  }

  counts(): { waiting: number; working: number; done: number } {
    const { done = 0, working = [] } = this.#journal ?? {};
    const busy = working.length;
    return { waiting: Math.max(this.#total - done - busy, 0), working: busy, done };
  }

  repaint(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => {
      // Of ten thousand tiles a picture takes a while: the job's messages have to get through in between.
      const began = performance.now();
      if (began < this.#rests) return this.repaint();
      this.#paint();
      this.#rests = began + REST * (performance.now() - began);
    });
  }

  #paint(): void {
    const { canvas } = this;
    const journal = this.#journal;
    const width = canvas.clientWidth;
    if (journal === undefined || width === 0) return;
    const narrow = width < NARROW;
    const lanes = journal.lanes.length * ROW;
    const third = narrow ? width : Math.floor(width * 0.27);
    const side = Math.max(narrow ? 74 : Math.max(lanes, 4 * ROW), heightFor(this.#total, third));
    const height = narrow ? 3 * TITLE + 2 * side + lanes + 2 * PAD : TITLE + side;
    canvas.style.height = `${height}px`;
    canvas.width = width * devicePixelRatio;
    canvas.height = height * devicePixelRatio;
    const context = canvas.getContext('2d')!;
    context.scale(devicePixelRatio, devicePixelRatio);
    context.font = `12px ${getComputedStyle(canvas).fontFamily}`;
    const waiting: Area = { x: 0, y: TITLE, width: third, height: side };
    const middle: Area = narrow
      ? { x: 0, y: 2 * TITLE + side + PAD, width, height: lanes }
      : { x: third + 2 * PAD, y: TITLE, width: width - 2 * third - 4 * PAD, height: lanes };
    const done: Area = narrow
      ? { x: 0, y: 3 * TITLE + side + lanes + 2 * PAD, width, height: side }
      : { x: width - third, y: TITLE, width: third, height: side };
    const [ink, soft, sunken, line] = ['--ink', '--ink-soft', '--sunken', '--line-strong'].map(colorOf);
    const colors = journal.lanes.map((lane) => colorOf(laneColor(lane)));
    const counts = this.counts();
    for (const area of [waiting, done]) {
      context.fillStyle = sunken!;
      context.fillRect(area.x, area.y, area.width, area.height);
    }
    for (const index of journal.lanes.keys()) {
      const y = middle.y + index * ROW;
      context.fillStyle = sunken!;
      context.fillRect(middle.x + LABEL, y + 2, middle.width - LABEL, ROW - 4);
    }
    this.#placeTiles(journal, { waiting, middle, done }, colors, line!);
    for (const { x, y, size, color } of this.#tiles) {
      context.fillStyle = color;
      context.fillRect(
        x,
        y,
        Math.max(size - (size > 4 ? 2 : 0.5), 1),
        Math.max(size - (size > 4 ? 2 : 0.5), 1),
      );
    }
    for (const [index, lane] of journal.lanes.entries()) {
      context.fillStyle = ink!;
      context.fillText(laneName(lane), middle.x, middle.y + index * ROW + ROW / 2 + 4);
    }
    for (const [area, text] of [
      [waiting, `Waiting: ${counts.waiting.toLocaleString('en-US')}`],
      [middle, `Workers: ${counts.working.toLocaleString('en-US')} busy`],
      [done, `Done: ${counts.done.toLocaleString('en-US')}`],
    ] as const) {
      context.fillStyle = soft!;
      context.fillText(text, area.x, area.y - 6);
    }
    if (this.#moving) this.repaint();
  }

  #moving = false;

  #placeTiles(
    { turns }: Journal,
    { waiting, middle, done }: Readonly<Record<'waiting' | 'middle' | 'done', Area>>,
    colors: readonly string[],
    idle: string,
  ): void {
    this.#moving = false;
    const size = sizeFor(this.#total, waiting);
    // A task that was begun twice is one tile.
    const last = new Map<string, Turn>(turns.map((turn) => [turn.task, turn] as const));
    const seats = new Map<number, number>();
    let [tile, ended] = [0, 0];
    for (const turn of last.values()) {
      const color = colors[turn.lane] ?? idle;
      if (turn.state === 'done') this.#move(tile++, seat(done, ended++, size), size, color);
      else if (turn.state === 'working') {
        const place = seats.get(turn.lane) ?? 0;
        seats.set(turn.lane, place + 1);
        const x = middle.x + LABEL + 6 + place * (MOST_SIZE + 2);
        const y = middle.y + turn.lane * ROW + (ROW - MOST_SIZE) / 2;
        this.#move(tile++, { x, y }, MOST_SIZE, color);
      } else this.#move(tile, seat(waiting, tile++, size), size, idle);
    }
    for (; tile < this.#total; tile++) this.#move(tile, seat(waiting, tile, size), size, idle);
    this.#tiles.length = tile;
  }

  #move(index: number, { x, y }: { x: number; y: number }, size: number, color: string): void {
    const tile = this.#tiles[index];
    if (tile === undefined || this.#still.matches) {
      this.#tiles[index] = { x, y, size, color };
      return;
    }
    const far = Math.max(Math.abs(tile.x - x), Math.abs(tile.y - y), Math.abs(tile.size - size));
    const share = far < 1 ? 1 : PACE;
    tile.x += (x - tile.x) * share;
    tile.y += (y - tile.y) * share;
    tile.size += (size - tile.size) * share;
    tile.color = color;
    this.#moving ||= share < 1;
  }
}

/** How high an area has to be for so many tiles of three pixels, within bounds. */
function heightFor(count: number, width: number): number {
  const columns = Math.max(Math.floor((width - 8) / 3), 1);
  return Math.min(Math.ceil(count / columns) * 3 + 9, 400);
}

/** The largest size at which so many tiles fit. */
function sizeFor(count: number, { width, height }: Area): number {
  for (let size = MOST_SIZE; size > 2; size--)
    if (Math.floor((width - 8) / size) * Math.floor((height - 8) / size) >= count) return size;
  return 2;
}

function seat({ x, y, width, height }: Area, index: number, size: number): { x: number; y: number } {
  const columns = Math.max(Math.floor((width - 8) / size), 1);
  // What has no room lies on the last row: the numbers say how many there are.
  const row = Math.min(Math.floor(index / columns), Math.floor((height - 8) / size) - 1);
  return { x: x + 5 + (index % columns) * size, y: y + 5 + row * size };
}
