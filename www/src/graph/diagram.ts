/**
 * The picture in a pane that scrolls: around it is room, so that any point of it can be anywhere. Only what is in view is drawn, as
 * elements where these are few, on a canvas behind them where they would be many. What stays is kept: a box that opens is one that
 * changes, and others move.
 */
import * as format from '../format.js';
import { h, s } from '../ui/dom.js';
import { holds } from './diagram-marks.js';
import { FarPicture, isSeen } from './far-picture.js';
import { Hits, type NodeSet } from './hits.js';
import type { PlacedGroup } from './layout.js';
import { TITLE } from './layout.js';
import { curveMeets, pathOf, rounded } from './lines.js';
import { type Looks, operatorLooks } from './looks.js';
import { type Group, type OperatorItem, PAGE, type PortItem } from './picture.js';
import { type Box, type Chain, type Located, Scene } from './scene.js';
import { type NodeId, opOf } from './staged-graphs.js';

/** What the person does with the picture. */
export interface DiagramEvents {
  select(node: NodeId): void;
  toggle(node: NodeId): void;
  turn(node: NodeId, page: number): void;
  /** The pointer is over an operator, or over none. */
  hover(node: NodeId | undefined): void;
  /** Another part of the picture is in view. */
  moved?(): void;
}

/** What is marked. */
export interface Marks {
  readonly selected: NodeId | undefined;
  /** Whose producers and readers are marked: it is selected, or pointed at. */
  readonly subject: NodeId | undefined;
  readonly producers: NodeSet;
  readonly readers: NodeSet;
  readonly found: NodeSet;
  /** What the operator that is selected at another stage came from, or became. */
  readonly kin?: NodeSet | undefined;
}

interface Drawn {
  readonly element: SVGGElement;
  readonly item: OperatorItem;
  box: Box;
}

/** A line, a port: where it is, and what it was made of. */
interface Part {
  readonly element: SVGElement;
  readonly of: object;
  left: number;
  top: number;
}

interface Edge extends Part {
  readonly from: NodeId | undefined;
  readonly to: NodeId | undefined;
}

const LEAST_ZOOM = 0.1;
const MOST_ZOOM = 2;
/** Pixels of the picture that stay in the pane, however far it is moved. */
const KEPT = 80;
/** Pixels that a pointer may move and still click. */
const STILL = 4;
/** More boxes, or lines, in view are drawn on the canvas. */
const MOST_ELEMENTS = 260;
const MOST_LINES = 600;
/** Elements that are made in one frame: until all are there, the canvas shows what they will. A box is as much as some lines. */
const MOST_MADE = 220;
const COST_OF_BOX = 3;
/** Pixels around the pane that are drawn beforehand. */
const AROUND = 160;
/** The same on the canvas, which is drawn in one go. */
const AROUND_FAR = 48;
/** Pixels that a box is wide at least when it is brought into view, and the zoom that it then has. */
const LEAST_WIDTH = 26;
const NEAR = 0.6;

interface Point {
  readonly x: number;
  readonly y: number;
}

const UNMARKED: Marks = {
  selected: undefined,
  subject: undefined,
  producers: Hits.NONE,
  readers: Hits.NONE,
  found: Hits.NONE,
};

export class Diagram {
  readonly #pane: HTMLElement;
  readonly #events: DiagramEvents;
  readonly #looks: Looks;
  readonly #svg = s('svg', { class: 'picture', role: 'group' });
  readonly #canvas = h('canvas', { class: 'far', 'aria-hidden': 'true', hidden: true });
  readonly #far: FarPicture;
  /** The picture and the room around it. */
  readonly #field = h('div', { class: 'field' }, this.#canvas, this.#svg);
  /** Elements of groups of a depth: lines under boxes, outer boxes under inner ones. */
  readonly #layers: { readonly edges: SVGGElement; readonly boxes: SVGGElement }[] = [];
  #scene: Scene | undefined;
  #marks: Marks = UNMARKED;
  readonly #drawn = new Map<NodeId, Drawn>();
  readonly #edges = new Map<string, Edge>();
  readonly #ports = new Map<string, Part>();
  #size = { width: 0, height: 0 };
  #zoom = 1;
  /** Room on either side of the picture, in pixels. */
  #room: Point = { x: 0, y: 0 };
  /** What was drawn, in units of the picture; undefined if that is old. */
  #region: Box | undefined;
  #isFar = false;
  /** Where the canvas shows what there is, at this zoom and with these marks. */
  #onCanvas: Box | undefined;
  /** What a wheel was turned since the last frame, and where the pointer was in the window. */
  #turned: (Point & { readonly by: number }) | undefined;
  #isDragged = false;
  #frame = 0;
  /** The one operator in the tab order. */
  #current: NodeId | undefined;

  constructor(pane: HTMLElement, events: DiagramEvents, looks: Looks = operatorLooks) {
    this.#pane = pane;
    this.#events = events;
    this.#looks = looks;
    this.#far = new FarPicture(looks);
    this.#svg.setAttribute('aria-label', looks.title);
    pane.append(this.#field);
    this.#field.addEventListener('click', (event) => this.#clicked(event));
    this.#field.addEventListener('dblclick', (event) => {
      const node = this.#nodeAt(event);
      if (node !== undefined) events.toggle(node);
    });
    // What passes under a picture that is being moved is not pointed at: each would be marked, and all be drawn anew for it.
    this.#field.addEventListener('pointermove', (event) => {
      if (!this.#isDragged) events.hover(this.#nodeAt(event));
    });
    this.#field.addEventListener('pointerleave', () => events.hover(undefined));
    this.#svg.addEventListener('keydown', (event) => this.#key(event));
    // On the pane: an SVG that listens to focus events becomes a tab stop.
    pane.addEventListener('focusin', (event) => this.#makeCurrent(elementNode(event)));
    pane.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    pane.addEventListener(
      'wheel',
      (event) => {
        if (!event.ctrlKey && !event.metaKey) return; // a plain wheel scrolls
        event.preventDefault();
        // Some come between two frames, and each would have all laid out anew.
        this.#turned = { by: (this.#turned?.by ?? 0) + event.deltaY, x: event.clientX, y: event.clientY };
        this.#schedule();
      },
      { passive: false },
    );
    this.#dragToScroll();
    new ResizeObserver(() => this.#resized()).observe(pane);
  }

  /**
   * Draws a picture; focus and scroll position stay with the operators that stay. `chain` says what lies in what; `whole` shows
   * all of it.
   */
  draw(group: Group, placed: PlacedGroup, chain: Chain = (node) => [node], whole = false): void {
    const focused = this.#svg.contains(document.activeElement) ? this.#current : undefined;
    const anchor = this.#current === undefined ? undefined : this.#inPane(this.#current);
    if (group.edges !== this.#scene?.root.edges) {
      this.#removeAll(this.#edges);
      this.#removeAll(this.#ports);
    }
    this.#scene = new Scene(group, placed, chain);
    this.#onCanvas = undefined;
    this.#size = placed;
    const kept = this.#current === undefined ? undefined : this.#scene.visible(this.#current);
    this.#current = kept?.item.node ?? this.#scene.first();
    if (whole) this.#fit();
    else {
      this.#applyZoom();
      const now = this.#current === undefined ? undefined : this.#scene.find(this.#current);
      if (anchor !== undefined && now !== undefined) this.#scrollTo(now.box, anchor);
    }
    this.#render();
    this.#makeCurrent(this.#current);
    if (focused !== undefined && this.#current !== undefined)
      this.#drawn.get(this.#current)?.element.focus({ preventScroll: true });
  }

  /** The whole picture as elements, whatever is in view: to be saved. */
  whole(): SVGSVGElement {
    const svg = s('svg', { class: 'picture', viewBox: `0 0 ${this.#size.width} ${this.#size.height}` });
    const layers: SVGGElement[] = [];
    const layer = (depth: number): SVGGElement => {
      while (layers.length <= depth) svg.append((layers[layers.length] = s('g')));
      return layers[depth]!;
    };
    this.#scene?.visit(allOf(this.#size), {
      group: (group, { lines }, x, y, depth) => {
        const edges = s('g', { class: 'edges' });
        layer(depth).append(edges);
        for (const [edge, line] of lines.entries())
          edges.append(this.#edgeElement(group, edge, line, x, y).element);
      },
      operator: (item, x, y, width, height, depth) => {
        layer(depth).append(this.#operatorElement(item, { x, y, width, height }));
        return true;
      },
      port: (item, x, y, width, height, depth) => {
        layer(depth).append(this.#portElement(item, { x, y, width, height }));
      },
    });
    return svg;
  }

  /** How many boxes {@link whole} has. */
  count(): number {
    let boxes = 0;
    this.#scene?.visit(allOf(this.#size), {
      group: () => {},
      operator: () => ++boxes > 0,
      port: () => boxes++,
    });
    return boxes;
  }

  /** Operators that have a box in the picture, in view or not. */
  has(node: NodeId): boolean {
    return !this.#field.hidden && this.#scene?.find(node) !== undefined;
  }

  mark(marks: Marks): void {
    this.#marks = marks;
    this.#onCanvas = undefined;
    if (this.#isFar) this.#region = undefined;
    for (const drawn of this.#drawn.values()) this.#markOperator(drawn);
    for (const edge of this.#edges.values()) this.#markEdge(edge);
    this.#keepMarked();
    if (this.#isFar) this.#schedule();
  }

  /** Whether the picture is there, or something else in its pane. */
  set hidden(hidden: boolean) {
    this.#field.hidden = hidden;
  }

  /** What is in the middle of the pane stays there. */
  zoomBy(factor: number): void {
    this.#setZoom(this.#zoom * factor);
  }

  /** Scrolls an operator into the middle, unless its title can be seen; what is tiny is come near to. */
  bringIntoView(node: NodeId): void {
    const located = this.#scene?.find(node);
    const at = this.#inPane(node);
    if (at === undefined || located === undefined) return;
    this.#makeCurrent(node);
    const { clientWidth, clientHeight } = this.#pane;
    const isTiny = located.box.width * this.#zoom < LEAST_WIDTH;
    if (isTiny) this.#setZoom(NEAR, at);
    else if (at.x >= 0 && at.y >= 0 && at.x < clientWidth - 80 && at.y < clientHeight - 40) return;
    this.#center(located);
  }

  /** Shows all of it. */
  fit(): void {
    this.#fit();
    this.#render();
  }

  #fit(): void {
    this.#zoom = Math.min(this.#wholeZoom(), 1);
    this.#applyZoom();
    this.#scrollTo({ x: this.#size.width / 2, y: this.#size.height / 2 }, this.#middle);
  }

  /** Colours, or what boxes say, may be others. */
  recolor(): void {
    this.#far.recolor();
    this.#onCanvas = undefined;
    for (const { element } of this.#drawn.values()) element.remove();
    this.#drawn.clear();
    for (const { element } of this.#edges.values()) element.remove();
    this.#edges.clear();
    if (this.#scene !== undefined && !this.#field.hidden) this.#refresh();
  }

  // ------------------------------------------------------------------------------------------ for a map of it

  /** All of it, on a small canvas. */
  drawMap(context: CanvasRenderingContext2D, scale: number): void {
    const { width, height } = this.#size;
    if (this.#scene !== undefined)
      this.#far.draw(context, this.#scene, { x: 0, y: 0, width, height }, scale, devicePixelRatio, undefined);
  }

  get size(): { readonly width: number; readonly height: number } {
    return this.#size;
  }

  /** What is in view. */
  get view(): Box {
    const { x, y } = this.#under({ x: 0, y: 0 });
    return { x, y, width: this.#pane.clientWidth / this.#zoom, height: this.#pane.clientHeight / this.#zoom };
  }

  /** Has a point of the picture in the middle. */
  lookAt(point: Point): void {
    this.#scrollTo(point, this.#middle);
  }

  // --------------------------------------------------------------------------------------------- drawing

  #schedule(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      if (this.#turned !== undefined) this.#zoomByWheel(this.#turned);
      if (this.#region === undefined) this.#render();
    });
  }

  #zoomByWheel({ by, x, y }: Point & { readonly by: number }): void {
    this.#turned = undefined;
    const { left, top } = this.#pane.getBoundingClientRect();
    this.#setZoom(this.#zoom * Math.exp(-by / 300), {
      x: x - left - this.#pane.clientLeft,
      y: y - top - this.#pane.clientTop,
    });
  }

  /** Draws anew with the next frame. */
  #refresh(): void {
    this.#region = undefined;
    this.#schedule();
  }

  #scrolled(): void {
    this.#events.moved?.();
    if (this.#region !== undefined && !contains(this.#region, this.view)) this.#refresh();
  }

  /** Draws what is in view, and some of what is around it. */
  #render(): void {
    const scene = this.#scene;
    if (scene === undefined || this.#pane.clientWidth === 0 || this.#field.hidden) return;
    const near = around(this.view, AROUND / this.#zoom);
    const isMuch = this.#isMuch(scene, near);
    this.#region = isMuch ? around(this.view, AROUND_FAR / this.#zoom) : near;
    const isAll = !isMuch && this.#renderNear(scene, near);
    this.#isFar = !isAll;
    if (isAll) [this.#canvas.hidden, this.#onCanvas] = [true, undefined];
    // While elements come, it shows the rest as it did when they began to.
    else if (isMuch || this.#onCanvas === undefined || !contains(this.#onCanvas, this.view))
      this.#renderFar(scene, this.#region);
    if (isMuch) this.#dropElements();
    else if (!isAll) this.#refresh();
    this.#pane.dataset['drawn'] = this.#isFar ? 'canvas' : 'elements';
    this.#keepMarked();
    this.#events.moved?.();
  }

  /** Whether a region has too much for elements: boxes, which are counted first, or lines. */
  #isMuch(scene: Scene, region: Box): boolean {
    let [boxes, lines] = [0, 0];
    scene.visit(region, {
      group: () => {},
      operator: () => ++boxes <= MOST_ELEMENTS,
      port: () => boxes++,
    });
    if (boxes > MOST_ELEMENTS) return true;
    scene.visit(region, {
      group: (_, placed, left, top) => {
        for (const line of placed.lines) {
          if (lines > MOST_LINES) return;
          if (curveMeets(line, left, top, region)) lines++;
        }
      },
      operator: () => lines <= MOST_LINES,
      port: () => {},
    });
    return lines > MOST_LINES;
  }

  #renderFar(scene: Scene, region: Box): void {
    const field = { width: this.#field.offsetWidth, height: this.#field.offsetHeight };
    const [x, y] = [this.#room.x + region.x * this.#zoom, this.#room.y + region.y * this.#zoom];
    const [left, top] = [Math.max(Math.floor(x), 0), Math.max(Math.floor(y), 0)];
    const right = Math.min(Math.ceil(x + region.width * this.#zoom), field.width);
    const bottom = Math.min(Math.ceil(y + region.height * this.#zoom), field.height);
    const [width, height] = [Math.max(right - left, 1), Math.max(bottom - top, 1)];
    const ratio = devicePixelRatio;
    const canvas = this.#canvas;
    const pixels = [Math.round(width * ratio), Math.round(height * ratio)] as const;
    if (canvas.width !== pixels[0] || canvas.height !== pixels[1]) [canvas.width, canvas.height] = pixels;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    canvas.style.left = `${left}px`;
    canvas.style.top = `${top}px`;
    canvas.hidden = false;
    const view = {
      x: (left - this.#room.x) / this.#zoom,
      y: (top - this.#room.y) / this.#zoom,
      width: width / this.#zoom,
      height: height / this.#zoom,
    };
    const context = canvas.getContext('2d')!;
    const boxes = this.#far.draw(context, scene, view, this.#zoom * ratio, ratio, this.#marks);
    this.#onCanvas = region;
    this.#pane.dataset['boxes'] = String(boxes);
  }

  /** All but what is kept wherever it is. */
  #dropElements(): void {
    this.#removeAll(this.#edges);
    this.#removeAll(this.#ports);
    for (const [node, { element }] of this.#drawn) {
      if (this.#isKept(node)) continue;
      element.remove();
      this.#drawn.delete(node);
    }
  }

  /** Makes elements, as many as a frame has time for; false where others are left for the next one. */
  #renderNear(scene: Scene, region: Box): boolean {
    const [operators, edges, ports] = [new Set<NodeId>(), new Set<string>(), new Set<string>()];
    let made = 0;
    const mayMake = (isThere: boolean, cost: number): boolean => isThere || (made += cost) <= MOST_MADE;
    scene.visit(region, {
      group: (group, placed, x, y, depth) => {
        for (const [edge, line] of placed.lines.entries()) {
          if (!curveMeets(line, x, y, region)) continue;
          const key = `${group.node ?? ''} ${group.page} ${edge}`;
          if (!mayMake(this.#edges.has(key), 1)) continue;
          edges.add(key);
          this.#put(this.#edges, key, line, x, y, this.#layer(depth).edges, () =>
            this.#edgeElement(group, edge, line, 0, 0),
          );
        }
      },
      operator: (item, x, y, width, height, depth) => {
        if (!mayMake(this.#drawn.has(item.node), COST_OF_BOX)) return true;
        operators.add(item.node);
        this.#putOperator(item, { x, y, width, height }, depth);
        return true;
      },
      port: (item, x, y, width, height, depth, key) => {
        if (!mayMake(this.#ports.has(key), 1)) return;
        ports.add(key);
        this.#put(this.#ports, key, item, x, y, this.#layer(depth).boxes, () => ({
          element: this.#portElement(item, { x: 0, y: 0, width, height }),
        }));
      },
    });
    for (const [node, { element }] of this.#drawn) {
      if (operators.has(node) || this.#isKept(node)) continue;
      element.remove();
      this.#drawn.delete(node);
    }
    this.#removeAll(this.#edges, edges);
    this.#removeAll(this.#ports, ports);
    this.#pane.dataset['boxes'] = String(operators.size + ports.size);
    return made <= MOST_MADE;
  }

  /** What is marked, or has the focus, is an element wherever it is. */
  #isKept(node: NodeId): boolean {
    return (node === this.#current || node === this.#marks.selected) && this.#scene?.find(node) !== undefined;
  }

  /** Makes elements of what is kept. */
  #keepMarked(): void {
    if (this.#field.hidden) return;
    for (const node of [this.#current, this.#marks.selected]) {
      const located = node === undefined ? undefined : this.#scene?.find(node);
      if (located === undefined) continue;
      const { item, box, group } = located;
      this.#putOperator(item, box, group.node === undefined ? 0 : this.#depthOf(group.node));
    }
  }

  /** Groups around what a group's operator opened to. */
  #depthOf(node: NodeId): number {
    const parent = this.#scene?.find(node)?.group.node;
    return parent === undefined ? 1 : 1 + this.#depthOf(parent);
  }

  #layer(depth: number): { readonly edges: SVGGElement; readonly boxes: SVGGElement } {
    while (this.#layers.length <= depth) {
      const layer = { edges: s('g', { class: 'edges' }), boxes: s('g') };
      this.#svg.append(layer.edges, layer.boxes);
      this.#layers.push(layer);
    }
    return this.#layers[depth]!;
  }

  #putOperator(item: OperatorItem, box: Box, depth: number): void {
    const known = this.#drawn.get(item.node);
    if (known?.item === item && known.box.width === box.width && known.box.height === box.height) {
      if (known.box.x !== box.x || known.box.y !== box.y) move(known.element, box.x, box.y);
      known.box = box;
      return;
    }
    const element = this.#operatorElement(item, { x: 0, y: 0, width: box.width, height: box.height });
    move(element, box.x, box.y);
    const drawn = { element, item, box };
    this.#drawn.set(item.node, drawn);
    if (known?.element.parentNode === this.#layer(depth).boxes) {
      const hadFocus = known.element === document.activeElement;
      known.element.replaceWith(element);
      if (hadFocus) element.focus({ preventScroll: true });
    } else {
      known?.element.remove();
      this.#layer(depth).boxes.append(element);
    }
    if (item.node === this.#current) element.setAttribute('tabindex', '0');
    this.#markOperator(drawn);
  }

  #put<T extends Part>(
    parts: Map<string, T>,
    key: string,
    of: object,
    x: number,
    y: number,
    layer: SVGGElement,
    make: () => Omit<T, 'of' | 'left' | 'top'>,
  ): void {
    let part = parts.get(key);
    if (part?.of !== of) {
      part?.element.remove();
      part = { ...make(), of, left: NaN, top: NaN } as unknown as T;
      parts.set(key, part);
      layer.append(part.element);
      if ('from' in part) this.#markEdge(part as unknown as Edge);
    }
    if (part.left !== x || part.top !== y) move(part.element, x, y);
    [part.left, part.top] = [x, y];
  }

  #removeAll(parts: Map<string, Part>, but?: ReadonlySet<string>): void {
    for (const [key, { element }] of parts) {
      if (but?.has(key)) continue;
      element.remove();
      parts.delete(key);
    }
  }

  #markOperator({ element, item }: Drawn): void {
    const { selected, subject, producers, readers, found, kin } = this.#marks;
    const { node } = item;
    const isClosed = item.inner === undefined;
    element.classList.toggle('selected', node === selected);
    element.classList.toggle('subject', node === subject);
    element.classList.toggle('producer', holds(producers, item, isClosed));
    element.classList.toggle('reader', holds(readers, item, isClosed));
    element.classList.toggle('found', holds(found, item, isClosed));
    element.classList.toggle('kin', kin !== undefined && holds(kin, item, isClosed));
    element.setAttribute('aria-pressed', String(node === selected));
  }

  #markEdge({ element, from, to }: Edge): void {
    const { subject } = this.#marks;
    element.classList.toggle('producer', to !== undefined && to === subject);
    element.classList.toggle('reader', from !== undefined && from === subject);
  }

  #edgeElement(
    group: Group,
    edge: number,
    line: readonly number[],
    x: number,
    y: number,
  ): Omit<Edge, 'of' | 'left' | 'top'> {
    const [from, to] = [group.items[group.edges[2 * edge]!]!, group.items[group.edges[2 * edge + 1]!]!];
    const element = s('path', { class: 'edge', d: pathOf(line, x, y) });
    const width = from.kind === 'operator' ? this.#looks.edge?.(from) : undefined;
    if (width !== undefined) {
      element.style.setProperty('stroke-width', `${width.width}px`);
      element.append(s('title', {}, width.text));
    }
    return {
      element,
      from: from.kind === 'operator' ? from.node : undefined,
      to: to.kind === 'operator' ? to.node : undefined,
    };
  }

  #operatorElement(item: OperatorItem, { x, y, width, height }: Box): SVGGElement {
    const { node, type, children, inner } = item;
    const state = children === 0 ? '' : inner === undefined ? ', closed' : ', open';
    const element = s('g', {
      class: `operator ${this.#looks.classOf(item)}${inner === undefined ? '' : ' open'}`,
      role: 'button',
      tabindex: -1,
      'data-node': node,
      'data-type': type,
      'data-op': opOf(node),
      'aria-label': `${this.#looks.labelOf(item)}${state}`,
    });
    element.append(
      s('rect', { class: 'body', x, y, width, height, rx: 7 }),
      s('rect', { class: 'stripe', x, y: y + 7, width: 3.5, height: (inner ? TITLE : height) - 14 }),
    );
    if (inner === undefined) {
      element.append(...this.#looks.draw(item, { x, y, width, height }));
    } else {
      element.append(s('text', { class: 'type', x: x + 13, y: y + 22 }, `${type} #${opOf(node)}`));
      if (inner.pages > 1) element.append(...pager(inner, x + width - 36, y));
    }
    if (children > 0) element.append(toggleSign(inner !== undefined, x + width - 30, y + 6));
    return element;
  }

  #portElement({ kind, text, target }: PortItem, { x, y, width, height }: Box): SVGGElement {
    return s(
      'g',
      { class: `port ${kind}`, 'data-target': target },
      s('rect', { x, y, width, height, rx: height / 2 }),
      s('text', { x: x + width / 2, y: y + height / 2 + 4 }, text),
    );
  }

  // ------------------------------------------------------------------------------------------------ input

  #clicked(event: MouseEvent): void {
    const sign = (event.target as Element).closest<SVGElement>('[data-act]');
    const target = (event.target as Element).closest<SVGElement>('[data-target]')?.dataset['target'];
    const node = target === undefined ? this.#nodeAt(event) : Number(target);
    if (node === undefined) return;
    if (target === undefined) this.#makeCurrent(node);
    const page = this.#scene?.find(node)?.item.inner?.page ?? 0;
    const act = sign?.dataset['act'];
    if (act === 'toggle') this.#events.toggle(node);
    else if (act === 'previous') this.#events.turn(node, page - 1);
    else if (act === 'next') this.#events.turn(node, page + 1);
    else this.#events.select(node);
  }

  #key(event: KeyboardEvent): void {
    const node = elementNode(event);
    if (node === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const { item } = this.#drawn.get(node)!;
    const isOpen = item.inner !== undefined;
    const page = item.inner?.page ?? 0;
    const actions: Record<string, () => void> = {
      Enter: () => this.#events.select(node),
      ' ': () => this.#events.toggle(node),
      '+': () => isOpen || this.#events.toggle(node),
      '-': () => isOpen && this.#events.toggle(node),
      PageDown: () => this.#events.turn(node, page + 1),
      PageUp: () => this.#events.turn(node, page - 1),
      ArrowDown: () => this.#move(node, 0, 1),
      ArrowUp: () => this.#move(node, 0, -1),
      ArrowLeft: () => this.#move(node, -1, 0),
      ArrowRight: () => this.#move(node, 1, 0),
    };
    const action = actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  }

  /** To the nearest operator in a direction, wherever it is. */
  #move(from: NodeId, dx: number, dy: number): void {
    const scene = this.#scene!;
    const start = scene.find(from)!.box;
    let best: NodeId | undefined;
    let least = Infinity;
    scene.visit(allOf(this.#size), {
      group: () => {},
      operator: ({ node }, left, top, width) => {
        const [x, y] = [left + width / 2 - start.x - start.width / 2, top - start.y];
        const ahead = x * dx + y * dy;
        const cost = ahead + 2.5 * Math.abs(x * dy + y * dx);
        if (node !== from && ahead >= 4 && cost < least) [best, least] = [node, cost];
        return true;
      },
      port: () => {},
    });
    if (best === undefined) return;
    this.#makeCurrent(best);
    this.#scrollIn(scene.find(best)!.box);
    this.#drawn.get(best)!.element.focus({ preventScroll: true });
  }

  /** Scrolls as little as it takes for the upper left of a box to be in the pane. */
  #scrollIn({ x, y, width }: Box): void {
    const { view } = this;
    const margin = 12 / this.#zoom;
    const [right, bottom] = [x + Math.min(width, 200), y + 46];
    const left = Math.min(Math.max(view.x, right + margin - view.width), x - margin);
    const top = Math.min(Math.max(view.y, bottom + margin - view.height), y - margin);
    this.#scrollTo({ x: left, y: top }, { x: 0, y: 0 });
  }

  #makeCurrent(node: NodeId | undefined): void {
    if (node === undefined || this.#scene?.find(node) === undefined) return;
    if (this.#current !== node && this.#current !== undefined)
      this.#drawn.get(this.#current)?.element.setAttribute('tabindex', '-1');
    this.#current = node;
    this.#keepMarked();
    this.#drawn.get(node)?.element.setAttribute('tabindex', '0');
  }

  /** The operator that an event is about: an element, or what is drawn on the canvas there. */
  #nodeAt(event: MouseEvent): NodeId | undefined {
    const node = elementNode(event);
    if (!this.#isFar || this.#scene === undefined) return node;
    const { left, top } = this.#pane.getBoundingClientRect();
    const { x, y } = this.#under({
      x: event.clientX - left - this.#pane.clientLeft,
      y: event.clientY - top - this.#pane.clientTop,
    });
    let found: NodeId | undefined;
    this.#scene.visit(
      { x, y, width: 0, height: 0 },
      {
        group: () => {},
        operator: (item, _x, _y, width, height) => {
          found = item.node;
          // What is drawn as one box is one.
          return item.inner !== undefined && isSeen(width, height, item.inner.items.length, this.#zoom);
        },
        port: () => {},
      },
    );
    return found;
  }

  /** A pressed mouse moves the picture, wherever it was pressed; if it did not move, it clicks. */
  #dragToScroll(): void {
    const pane = this.#pane;
    let start: PointerEvent | undefined;
    let last: PointerEvent | undefined;
    let dragged = false;
    pane.addEventListener('pointerdown', (event) => {
      dragged = false;
      start = event.pointerType === 'mouse' && event.button === 0 ? event : undefined;
      last = undefined;
    });
    addEventListener('pointermove', (event) => {
      if (start === undefined) return;
      if (Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) > STILL) last ??= start;
      if (last === undefined) return;
      dragged = this.#isDragged = true;
      pane.classList.add('dragged');
      pane.scrollBy(last.clientX - event.clientX, last.clientY - event.clientY);
      last = event;
    });
    for (const type of ['pointerup', 'pointercancel'] as const)
      addEventListener(type, () => {
        start = undefined;
        this.#isDragged = false;
        pane.classList.remove('dragged');
      });
    pane.addEventListener('click', (event) => dragged && event.stopPropagation(), { capture: true });
  }

  // ------------------------------------------------------------------------------------- zoom and position

  #wholeZoom(): number {
    const { clientWidth, clientHeight } = this.#pane;
    return Math.min((clientWidth - 4) / this.#size.width, (clientHeight - 4) / this.#size.height);
  }

  /** The middle of the pane. */
  get #middle(): Point {
    return { x: this.#pane.clientWidth / 2, y: this.#pane.clientHeight / 2 };
  }

  /** Zooms; the point of the picture that is `at` in the pane stays there. */
  #setZoom(zoom: number, at = this.#middle): void {
    const under = this.#under(at);
    const least = Math.min(LEAST_ZOOM, this.#wholeZoom() / 1.5);
    this.#zoom = Math.min(Math.max(zoom, least), MOST_ZOOM);
    this.#applyZoom();
    this.#scrollTo(under, at);
    this.#refresh();
  }

  #applyZoom(): void {
    this.#onCanvas = undefined;
    const scale = this.#zoom;
    const { width, height } = this.#size;
    const { clientWidth, clientHeight } = this.#pane;
    const [x, y] = [Math.max(clientWidth - KEPT, 0), Math.max(clientHeight - KEPT, 0)];
    this.#room = { x, y };
    this.#svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.#svg.setAttribute('width', String(width * scale));
    this.#svg.setAttribute('height', String(height * scale));
    this.#svg.style.left = `${x}px`;
    this.#svg.style.top = `${y}px`;
    this.#field.style.width = `${width * scale + 2 * x}px`;
    this.#field.style.height = `${height * scale + 2 * y}px`;
  }

  /** The pane has another size: what is in its corner stays there. */
  #resized(): void {
    const corner = { x: 0, y: 0 };
    const under = this.#under(corner);
    this.#applyZoom();
    this.#scrollTo(under, corner);
    this.#refresh();
  }

  /** The point of the picture that is `at` in the pane. */
  #under(at: Point): Point {
    const { scrollLeft, scrollTop } = this.#pane;
    const { x, y } = this.#room;
    return { x: (scrollLeft + at.x - x) / this.#zoom, y: (scrollTop + at.y - y) / this.#zoom };
  }

  /** Scrolls so that a point of the picture is `at` in the pane. */
  #scrollTo(point: Point, at: Point): void {
    const { x, y } = this.#room;
    this.#pane.scrollTo(x + point.x * this.#zoom - at.x, y + point.y * this.#zoom - at.y);
  }

  /** Scrolls the title of an operator, and what is below it, into the middle. */
  #center({ box: { x, y, width, height } }: Located): void {
    this.#scrollTo({ x: x + width / 2, y: y + Math.min(height, 200) / 2 }, this.#middle);
  }

  /** Where the corner of an operator is in the pane. */
  #inPane(node: NodeId): Point | undefined {
    const box = this.#scene?.find(node)?.box;
    const under = this.#under({ x: 0, y: 0 });
    return box && { x: (box.x - under.x) * this.#zoom, y: (box.y - under.y) * this.#zoom };
  }
}

/** A view, and so much on every side of it. */
function around({ x, y, width, height }: Box, room: number): Box {
  return { x: x - room, y: y - room, width: width + 2 * room, height: height + 2 * room };
}

function contains(region: Box, view: Box): boolean {
  return (
    view.x >= region.x &&
    view.y >= region.y &&
    view.x + view.width <= region.x + region.width &&
    view.y + view.height <= region.y + region.height
  );
}

/** A view of all that a picture of this size has. */
function allOf({ width, height }: { readonly width: number; readonly height: number }): Box {
  return { x: -1, y: -1, width: width + 2, height: height + 2 };
}

function move(element: SVGElement, x: number, y: number): void {
  element.setAttribute('transform', `translate(${rounded(x)} ${rounded(y)})`);
}

function elementNode({ target }: Event): NodeId | undefined {
  const node = (target as Element).closest<SVGElement>('[data-node]')?.dataset['node'];
  return node === undefined ? undefined : Number(node);
}

function toggleSign(isOpen: boolean, x: number, y: number): SVGGElement {
  return s(
    'g',
    { class: 'sign', 'data-act': 'toggle' },
    s('title', {}, isOpen ? 'Close' : 'Open'),
    s('rect', { x, y, width: 22, height: 22, rx: 5 }),
    s('path', { d: `M${x + 6} ${y + 11}h10${isOpen ? '' : `M${x + 11} ${y + 6}v10`}` }),
  );
}

function pager({ page, pages, items }: Group, right: number, y: number): SVGElement[] {
  const shown = items.filter(({ kind }) => kind === 'operator').length;
  const text = `${format.count(page * PAGE + 1)} to ${format.count(page * PAGE + shown)}, part ${page + 1} of ${pages}`;
  const arrow = (act: 'previous' | 'next', x: number, enabled: boolean, d: string): SVGGElement =>
    s(
      'g',
      { class: enabled ? 'sign' : 'sign off', 'data-act': enabled ? act : undefined },
      s('rect', { x, y: y + 6, width: 22, height: 22, rx: 5 }),
      s('path', { d }),
    );
  const [a, b] = [right - 52, right - 26];
  return [
    s('text', { class: 'pages', x: a - 8, y: y + 22 }, text),
    arrow('previous', a, page > 0, `M${a + 13} ${y + 12}l-5 5l5 5`),
    arrow('next', b, page < pages - 1, `M${b + 9} ${y + 12}l5 5l-5 5`),
  ];
}
