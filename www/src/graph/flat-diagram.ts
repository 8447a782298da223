/**
 * All operators of a stage at once, on a canvas: as boxes with names and lines where one is near, as pixels where one is far.
 * Only what is in view is drawn, once a frame at most.
 */
import { h } from '../ui/dom.js';
import type { DiagramEvents, Marks } from './diagram.js';
import type { FlatPlaces } from './flat-layout.js';
import type { NodeSet } from './hits.js';
import { type Ink, readInk, resolved } from './ink.js';
import { kindOf, KINDS } from './kinds.js';
import type { Overlay } from './overlays/overlay.js';
import { TINTS } from './overlays/tints.js';
import type { Box } from './scene.js';
import type { StageGraph } from './stage-graph.js';
import { nodeId, type NodeId, opOf, stageOf } from './staged-graphs.js';

/** Of a box, in its own units; cells are larger by the gaps. */
const BOX_HEIGHT = 40;
const GAP = { x: 22, y: 44 } as const;
const CHARACTER = 7.3;
const MOST_ZOOM = 2;
/** From this zoom on, names can be read. */
const NAMED = 0.45;
/** More boxes in view are drawn as pixels. */
const MOST_BOXES = 2500;
/** More boxes in view have no lines, but for those that are marked. */
const MOST_WITH_LINES = 900;
/** Pixels that a pointer may move and still click. */
const STILL = 4;
/** Operators that belong to the selected one, and are told to tests. */
const MOST_TOLD = 8;

interface Shown {
  readonly stage: number;
  readonly graph: StageGraph;
  readonly places: FlatPlaces;
  readonly boxWidth: number;
  /** Colour of every operator, as an index into {@link PAINTS}. */
  readonly paint: Uint8Array;
}

/** Colours of boxes: of kinds, of overlays, and of what these say nothing of. */
const PAINTS = [...KINDS.map((kind) => `var(--kind-${kind})`), ...TINTS, 'var(--line)'] as const;

export class FlatDiagram {
  readonly #canvas: HTMLCanvasElement;
  readonly #events: DiagramEvents;
  #shown: Shown | undefined;
  #marks: Marks | undefined;
  #zoom = 1;
  /** The point of the picture in the pane's corner. */
  #corner = { x: 0, y: 0 };
  #frame = 0;
  #colors: Colors | undefined;
  #overlay: Overlay | undefined;
  #image: ImageData | undefined;
  /** The operator that arrow keys start at. */
  #current = 0;

  /** `name` is what it is called to those who do not see it, and in tests. */
  constructor(pane: HTMLElement, events: DiagramEvents, name = 'flat', title = 'All operators') {
    this.#events = events;
    this.#canvas = h('canvas', {
      class: 'flat',
      tabindex: 0,
      role: 'application',
      'aria-label': `${title}: arrow keys go from one to another, Enter selects, + and - zoom`,
      'data-testid': name,
    });
    this.#canvas.hidden = true;
    pane.append(this.#canvas);
    this.#canvas.addEventListener(
      'wheel',
      (event) => {
        if (!event.ctrlKey && !event.metaKey) return; // a plain wheel scrolls the page
        event.preventDefault();
        this.zoomBy(Math.exp(-event.deltaY / 300), { x: event.offsetX, y: event.offsetY });
      },
      { passive: false },
    );
    this.#canvas.addEventListener('keydown', (event) => this.#key(event));
    this.#connectPointers();
    new ResizeObserver(() => this.repaint()).observe(this.#canvas);
  }

  /** Shows a stage, all of it; undefined to show nothing. */
  show(stage: number, graph: StageGraph | undefined, places: FlatPlaces | undefined): void {
    this.#canvas.hidden = graph === undefined;
    if (graph === undefined || places === undefined) {
      this.#shown = undefined;
      return;
    }
    const letters = graph.view.types.reduce((most, type) => Math.max(most, type.length), 0);
    this.#shown = {
      stage,
      graph,
      places,
      boxWidth: Math.max(letters * CHARACTER + 26, 90),
      paint: this.#paintOf(stage, graph),
    };
    this.#current = places.order[0] ?? 0;
    this.fit();
  }

  /** Boxes have the colours of an overlay, or of their kinds. */
  set overlay(overlay: Overlay | undefined) {
    this.#overlay = overlay;
    if (this.#shown !== undefined)
      this.#shown = { ...this.#shown, paint: this.#paintOf(this.#shown.stage, this.#shown.graph) };
    this.repaint();
  }

  #paintOf(stage: number, graph: StageGraph): Uint8Array {
    const overlay = this.#overlay;
    if (overlay !== undefined) {
      const unknown = PAINTS.length - 1;
      return Uint8Array.from({ length: graph.size }, (_, op) => {
        const tint = overlay.tint(nodeId(stage, op));
        return tint === undefined ? unknown : KINDS.length + tint;
      });
    }
    const kinds = graph.view.types.map((type) => KINDS.indexOf(kindOf(type)));
    return Uint8Array.from(graph.view.type, (type) => kinds[type]!);
  }

  // For a map of it.

  get size(): { readonly width: number; readonly height: number } {
    return this.#shown === undefined ? { width: 0, height: 0 } : this.#size;
  }

  /** What is in view. */
  get view(): Box {
    const { clientWidth, clientHeight } = this.#canvas;
    return { ...this.#corner, width: clientWidth / this.#zoom, height: clientHeight / this.#zoom };
  }

  /** All of it, on a small canvas. */
  drawMap(context: CanvasRenderingContext2D, scale: number): void {
    const shown = this.#shown;
    if (shown === undefined) return;
    const rows = shown.places.rowStart.length - 1;
    const colors = (this.#colors ??= readColors());
    const image = context.createImageData(context.canvas.width, context.canvas.height);
    const view = { first: 0, last: rows - 1, left: -1, right: shown.places.columns, count: shown.graph.size };
    this.#fillPixels(image, shown, view, colors.pixels, scale, { x: 0, y: 0 });
    context.putImageData(image, 0, 0);
  }

  /** Has a point of the picture in the middle. */
  lookAt({ x, y }: { readonly x: number; readonly y: number }): void {
    this.#center(x, y);
  }

  /** The canvas: what is in view. */
  get canvas(): HTMLCanvasElement {
    return this.#canvas;
  }

  has(node: NodeId): boolean {
    return this.#shown !== undefined && stageOf(node) === this.#shown.stage;
  }

  mark(marks: Marks): void {
    this.#marks = marks;
    const kin = marks.kin === undefined ? [] : firstOf(marks.kin, MOST_TOLD);
    const [first = marks.selected] = kin;
    if (first !== undefined && this.has(first)) this.#current = opOf(first);
    this.#canvas.dataset['kin'] = kin.map(opOf).join();
    const isHere = marks.selected !== undefined && this.has(marks.selected);
    this.#canvas.dataset['selected'] = isHere ? String(opOf(marks.selected!)) : '';
    this.repaint();
  }

  bringIntoView(node: NodeId): void {
    const { x, y } = this.#at(opOf(node));
    const { clientWidth, clientHeight } = this.#canvas;
    const [left, top] = [(x - this.#corner.x) * this.#zoom, (y - this.#corner.y) * this.#zoom];
    if (left >= 0 && top >= 0 && left < clientWidth - 80 && top < clientHeight - 40) return;
    this.#zoom = Math.max(this.#zoom, NAMED);
    this.#center(x, y);
  }

  zoomBy(factor: number, at = this.#middle): void {
    if (this.#shown === undefined) return;
    const before = this.#zoom;
    this.#zoom = Math.min(Math.max(before * factor, this.#wholeZoom() / 2), MOST_ZOOM);
    this.#corner = {
      x: this.#corner.x + at.x / before - at.x / this.#zoom,
      y: this.#corner.y + at.y / before - at.y / this.#zoom,
    };
    this.repaint();
  }

  fit(): void {
    if (this.#shown === undefined) return;
    this.#zoom = Math.min(this.#wholeZoom(), 1);
    const { width, height } = this.#size;
    this.#center(width / 2, height / 2);
  }

  /** Colors may be others. */
  recolor(): void {
    this.#colors = undefined;
    this.repaint();
  }

  /** Draws anew with the next frame. */
  repaint(): void {
    if (this.#shown === undefined || this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
      this.#events.moved?.();
    });
  }

  // ---------------------------------------------------------------------------------------------- drawing

  #draw(): void {
    const shown = this.#shown;
    const canvas = this.#canvas;
    const { clientWidth, clientHeight } = canvas;
    if (shown === undefined || clientWidth === 0) return;
    const ratio = devicePixelRatio;
    const [width, height] = [Math.round(clientWidth * ratio), Math.round(clientHeight * ratio)];
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    const context = canvas.getContext('2d')!;
    const colors = (this.#colors ??= readColors());
    const view = this.#inView(shown, clientWidth, clientHeight);
    const scale = this.#zoom * ratio;
    if (view.count > MOST_BOXES) this.#drawPixels(context, shown, view, colors.pixels, scale);
    else {
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.clearRect(0, 0, width, height);
    }
    context.setTransform(scale, 0, 0, scale, -this.#corner.x * scale, -this.#corner.y * scale);
    if (view.count <= MOST_WITH_LINES) this.#drawLines(context, shown, view, colors.ink);
    if (view.count <= MOST_BOXES) this.#drawBoxes(context, shown, view, colors);
    this.#drawMarks(context, shown, colors.ink, view);
    canvas.dataset['boxes'] = String(view.count);
  }

  /** Rows and columns in view, and about how many boxes that are. */
  #inView({ places, boxWidth }: Shown, width: number, height: number): View {
    const [cellX, cellY] = [boxWidth + GAP.x, BOX_HEIGHT + GAP.y];
    const rows = places.rowStart.length - 1;
    const first = Math.max(Math.floor(this.#corner.y / cellY), 0);
    const last = Math.min(Math.floor((this.#corner.y + height / this.#zoom) / cellY), rows - 1);
    const left = this.#corner.x / cellX - 1;
    const right = (this.#corner.x + width / this.#zoom) / cellX;
    let count = 0;
    for (let row = first; row <= last; row++) {
      const [from, to] = rangeOf(places, row, left, right);
      count += Math.max(to - from, 0);
    }
    return { first, last, left, right, count };
  }

  #drawPixels(
    context: CanvasRenderingContext2D,
    shown: Shown,
    view: View,
    colors: Uint32Array,
    scale: number,
  ): void {
    const { width, height } = context.canvas;
    let image = this.#image;
    if (image?.width !== width || image.height !== height)
      image = this.#image = context.createImageData(width, height);
    this.#fillPixels(image, shown, view, colors, scale, this.#corner);
    context.putImageData(image, 0, 0);
  }

  /** Boxes as pixels; `corner` is the point of the picture in the corner of the image. */
  #fillPixels(
    image: ImageData,
    { places, boxWidth, paint }: Shown,
    { first, last, left, right }: View,
    colors: Uint32Array,
    scale: number,
    corner: { readonly x: number; readonly y: number },
  ): void {
    const { width, height } = image;
    const pixels = new Uint32Array(image.data.buffer);
    pixels.fill(0);
    const [boxPixels, rowPixels] = [
      Math.max(Math.round(boxWidth * scale), 1),
      Math.max(Math.round(BOX_HEIGHT * scale), 1),
    ];
    for (let row = first; row <= last; row++) {
      const top = Math.round((row * (BOX_HEIGHT + GAP.y) + GAP.y / 2 - corner.y) * scale);
      const [yFrom, yTo] = [Math.max(top, 0), Math.min(top + rowPixels, height)];
      const [from, to] = rangeOf(places, row, left, right);
      for (let at = from; at < to; at++) {
        const op = places.order[at]!;
        const x = Math.round((places.column[op]! * (boxWidth + GAP.x) + GAP.x / 2 - corner.x) * scale);
        const [xFrom, xTo] = [Math.max(x, 0), Math.min(x + boxPixels, width)];
        const color = colors[paint[op]!]!;
        for (let y = yFrom; y < yTo; y++)
          if (xFrom < xTo) pixels.fill(color, y * width + xFrom, y * width + xTo);
      }
    }
  }

  #drawLines(
    context: CanvasRenderingContext2D,
    { graph, places }: Shown,
    { first, last, left, right }: View,
    ink: Ink,
  ): void {
    context.beginPath();
    for (let row = first; row <= last; row++) {
      const [from, to] = rangeOf(places, row, left, right);
      for (let at = from; at < to; at++) {
        const op = places.order[at]!;
        for (const producer of graph.inputs(op)) if (producer >= 0) this.#line(context, producer, op);
      }
    }
    context.strokeStyle = ink.line;
    context.lineWidth = Math.max(1.1, 0.8 / this.#zoom);
    context.stroke();
  }

  #line(context: CanvasRenderingContext2D, from: number, to: number): void {
    const { boxWidth } = this.#shown!;
    const [a, b] = [this.#at(from), this.#at(to)];
    context.moveTo(a.x + boxWidth / 2, a.y + BOX_HEIGHT);
    context.lineTo(b.x + boxWidth / 2, b.y);
  }

  #drawBoxes(
    context: CanvasRenderingContext2D,
    { stage, graph, places, boxWidth, paint }: Shown,
    { first, last, left, right }: View,
    { paints, ink, font }: Colors,
  ): void {
    const named = this.#zoom >= NAMED;
    for (let row = first; row <= last; row++) {
      const [from, to] = rangeOf(places, row, left, right);
      for (let at = from; at < to; at++) {
        const op = places.order[at]!;
        const { x, y } = this.#at(op);
        const color = paints[paint[op]!]!;
        context.fillStyle = named ? ink.card : color;
        context.fillRect(x, y, boxWidth, BOX_HEIGHT);
        if (!named) continue;
        context.strokeStyle = ink.line;
        context.lineWidth = 1;
        context.strokeRect(x, y, boxWidth, BOX_HEIGHT);
        context.fillStyle = color;
        context.fillRect(x, y, 4, BOX_HEIGHT);
        context.fillStyle = ink.text;
        context.font = font;
        context.fillText(graph.type(op), x + 13, y + 17);
        context.fillStyle = ink.soft;
        const more = this.#overlay?.text(nodeId(stage, op));
        context.fillText(more === undefined ? `#${op}` : `#${op} · ${more}`, x + 13, y + 32);
      }
    }
  }

  /** What is marked is seen from far, too. */
  #drawMarks(context: CanvasRenderingContext2D, shown: Shown, ink: Ink, view: View): void {
    const marks = this.#marks;
    if (marks === undefined) return;
    const least = 3 / this.#zoom;
    const box = (node: NodeId, color: string, line = 2.5): void => {
      if (!this.has(node)) return;
      const { x, y } = this.#at(opOf(node));
      const [width, height] = [Math.max(shown.boxWidth, least), Math.max(BOX_HEIGHT, least)];
      context.lineWidth = line / Math.min(this.#zoom, 1);
      context.strokeStyle = color;
      context.strokeRect(x, y, width, height);
    };
    this.#drawSet(shown, view, marks.found, (node) => box(node, ink.text, 1.25));
    if (marks.kin !== undefined) this.#drawSet(shown, view, marks.kin, (node) => box(node, ink.kin));
    const { subject } = marks;
    if (subject !== undefined && this.has(subject)) {
      for (const [others, color, line] of [
        [marks.producers, ink.client, (node: NodeId) => this.#line(context, opOf(node), opOf(subject))],
        [marks.readers, ink.evaluator, (node: NodeId) => this.#line(context, opOf(subject), opOf(node))],
      ] as const) {
        context.beginPath();
        for (const node of others) if (this.has(node)) line(node);
        context.strokeStyle = color;
        context.lineWidth = 2 / Math.min(this.#zoom, 1);
        context.stroke();
      }
    }
    for (const node of marks.producers) box(node, ink.client);
    for (const node of marks.readers) box(node, ink.evaluator);
    for (const node of [subject, marks.selected]) if (node !== undefined) box(node, ink.text, 4);
  }

  /** What was found, or belongs together, as far as it is in view: with thousands in view only where these are few, since frames would hide all. */
  #drawSet(
    { stage, places }: Shown,
    { first, last, left, right, count }: View,
    found: NodeSet,
    box: (node: NodeId) => void,
  ): void {
    if (count > MOST_BOXES) {
      let drawn = 0;
      for (const node of found) if (drawn++ < MOST_BOXES) box(node);
      return;
    }
    for (let row = first; row <= last; row++) {
      const [from, to] = rangeOf(places, row, left, right);
      for (let at = from; at < to; at++) {
        const node = nodeId(stage, places.order[at]!);
        if (found.has(node)) box(node);
      }
    }
  }

  // ------------------------------------------------------------------------------------------------ input

  /** One pointer moves the picture, two zoom it; one that stays where it is clicks. */
  #connectPointers(): void {
    const canvas = this.#canvas;
    const down = new Map<number, { x: number; y: number }>();
    let moved = false;
    let start = { x: 0, y: 0 };
    canvas.addEventListener('pointerdown', ({ pointerId, offsetX: x, offsetY: y, button }) => {
      if (button !== 0) return;
      canvas.setPointerCapture(pointerId);
      down.set(pointerId, { x, y });
      if (down.size === 1) [moved, start] = [false, { x, y }];
    });
    canvas.addEventListener('pointermove', ({ pointerId, offsetX: x, offsetY: y }) => {
      const last = down.get(pointerId);
      if (last === undefined) return this.#events.hover(this.#nodeAt(x, y));
      if (!moved && Math.hypot(x - start.x, y - start.y) <= STILL) return;
      moved = true;
      const other = [...down].find(([id]) => id !== pointerId)?.[1];
      if (other === undefined) {
        this.#corner.x -= (x - last.x) / this.#zoom;
        this.#corner.y -= (y - last.y) / this.#zoom;
        this.repaint();
      } else {
        const distance = (a: { x: number; y: number }): number => Math.hypot(a.x - other.x, a.y - other.y);
        this.zoomBy(distance({ x, y }) / Math.max(distance(last), 1), other);
      }
      down.set(pointerId, { x, y });
    });
    for (const type of ['pointerup', 'pointercancel'] as const)
      canvas.addEventListener(type, ({ pointerId, offsetX, offsetY }) => {
        if (!down.delete(pointerId) || moved || type === 'pointercancel') return;
        const node = this.#nodeAt(offsetX, offsetY);
        if (node !== undefined) this.#events.select(node);
      });
    canvas.addEventListener('pointerleave', () => this.#events.hover(undefined));
  }

  #key(event: KeyboardEvent): void {
    const shown = this.#shown;
    if (shown === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = (dx: number, dy: number) => (): void => this.#move(shown, dx, dy);
    const actions: Record<string, () => void> = {
      ArrowLeft: step(-1, 0),
      ArrowRight: step(1, 0),
      ArrowUp: step(0, -1),
      ArrowDown: step(0, 1),
      Enter: () => this.#events.select(nodeId(shown.stage, this.#current)),
      '+': () => this.zoomBy(1.25),
      '-': () => this.zoomBy(0.8),
    };
    const action = actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  }

  /** To the neighbor in the row, or the nearest of the next row; it is selected. */
  #move({ stage, places }: Shown, dx: number, dy: number): void {
    const rows = places.rowStart.length - 1;
    const row = Math.min(Math.max(places.row[this.#current]! + dy, 0), rows - 1);
    const [from, to] = [places.rowStart[row]!, places.rowStart[row + 1]!];
    const offset = places.column[places.order[from]!]!;
    const wish = Math.round(places.column[this.#current]! + dx - offset);
    const next = places.order[from + Math.min(Math.max(wish, 0), to - from - 1)]!;
    if (next === this.#current) return;
    this.#current = next;
    this.#events.select(nodeId(stage, next));
  }

  // ------------------------------------------------------------------------------------------- positions

  /** The corner of an operator's box. */
  #at(op: number): { x: number; y: number } {
    const { places, boxWidth } = this.#shown!;
    return {
      x: places.column[op]! * (boxWidth + GAP.x) + GAP.x / 2,
      y: places.row[op]! * (BOX_HEIGHT + GAP.y) + GAP.y / 2,
    };
  }

  /** The operator at a point of the pane. */
  #nodeAt(paneX: number, paneY: number): NodeId | undefined {
    const shown = this.#shown;
    if (shown === undefined) return undefined;
    const { places, boxWidth, stage } = shown;
    const [x, y] = [this.#corner.x + paneX / this.#zoom, this.#corner.y + paneY / this.#zoom];
    const row = Math.floor(y / (BOX_HEIGHT + GAP.y));
    if (row < 0 || row >= places.rowStart.length - 1) return undefined;
    const [from, to] = rangeOf(places, row, x / (boxWidth + GAP.x) - 1, x / (boxWidth + GAP.x));
    for (let at = from; at < to; at++) {
      const op = places.order[at]!;
      const box = this.#at(op);
      if (x >= box.x && x < box.x + boxWidth && y >= box.y && y < box.y + BOX_HEIGHT)
        return nodeId(stage, op);
    }
    return undefined;
  }

  get #size(): { width: number; height: number } {
    const { places, boxWidth } = this.#shown!;
    return {
      width: places.columns * (boxWidth + GAP.x),
      height: (places.rowStart.length - 1) * (BOX_HEIGHT + GAP.y),
    };
  }

  #wholeZoom(): number {
    const { width, height } = this.#size;
    return Math.min(this.#canvas.clientWidth / width, this.#canvas.clientHeight / height);
  }

  get #middle(): { x: number; y: number } {
    return { x: this.#canvas.clientWidth / 2, y: this.#canvas.clientHeight / 2 };
  }

  #center(x: number, y: number): void {
    const { x: halfWidth, y: halfHeight } = this.#middle;
    this.#corner = { x: x - halfWidth / this.#zoom, y: y - halfHeight / this.#zoom };
    this.repaint();
  }
}

function firstOf(set: NodeSet, most: number): NodeId[] {
  const first: NodeId[] = [];
  for (const node of set) {
    if (first.length === most) break;
    first.push(node);
  }
  return first;
}

interface View {
  readonly first: number;
  readonly last: number;
  /** Columns. */
  readonly left: number;
  readonly right: number;
  /** Boxes in view. */
  readonly count: number;
}

/** The part of `order` that a row has between two columns. Cells of a row follow each other. */
function rangeOf(
  { order, rowStart, column }: FlatPlaces,
  row: number,
  left: number,
  right: number,
): [number, number] {
  const [from, to] = [rowStart[row]!, rowStart[row + 1]!];
  const offset = column[order[from]!]!;
  return [
    from + Math.min(Math.max(Math.ceil(left - offset), 0), to - from),
    from + Math.min(Math.max(Math.floor(right - offset) + 1, 0), to - from),
  ];
}

interface Colors {
  readonly paints: readonly string[];
  readonly pixels: Uint32Array;
  readonly ink: Ink;
  readonly font: string;
}

function readColors(): Colors {
  const paints = PAINTS.map(resolved);
  const ink = readInk();
  return { paints, pixels: Uint32Array.from(paints, pixelOf), ink, font: `12px ${ink.mono}` };
}

/** A color as a canvas keeps it in memory. */
function pixelOf(color: string): number {
  const canvas = new OffscreenCanvas(1, 1);
  const context = canvas.getContext('2d')!;
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  return new Uint32Array(context.getImageData(0, 0, 1, 1).data.buffer)[0]!;
}
