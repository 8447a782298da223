/** The picture as SVG, in a pane that scrolls: around the picture is room, so that any point of it can be anywhere. */
import * as format from '../format.js';
import { h, s } from '../ui/dom.js';
import type { PlacedBox, PlacedGroup } from './layout.js';
import { TITLE } from './layout.js';
import { type Looks, operatorLooks } from './looks.js';
import { type Group, type Item, type OperatorItem, PAGE, type PortItem } from './picture.js';
import { type NodeId, opOf, stageOf } from './staged-graphs.js';

/** What the person does with the picture. */
export interface DiagramEvents {
  select(node: NodeId): void;
  toggle(node: NodeId): void;
  turn(node: NodeId, page: number): void;
  /** The pointer is over an operator, or over none. */
  hover(node: NodeId | undefined): void;
}

/** What is marked. */
export interface Marks {
  readonly selected: NodeId | undefined;
  /** Whose producers and readers are marked: it is selected, or pointed at. */
  readonly subject: NodeId | undefined;
  readonly producers: ReadonlySet<NodeId>;
  readonly readers: ReadonlySet<NodeId>;
  readonly found: ReadonlySet<NodeId>;
}

interface Drawn {
  readonly element: SVGGElement;
  readonly item: OperatorItem;
  /** Absolute. */
  readonly box: { x: number; y: number; width: number; height: number };
}

const LEAST_ZOOM = 0.1;
const MOST_ZOOM = 2;
/** Below this, names are hard to read. */
const READABLE = 0.7;
/** Pixels of the picture that stay in the pane, however far it is moved. */
const KEPT = 80;
/** Pixels that a pointer may move and still click. */
const STILL = 4;

interface Point {
  readonly x: number;
  readonly y: number;
}

export class Diagram {
  readonly #pane: HTMLElement;
  readonly #events: DiagramEvents;
  readonly #looks: Looks;
  readonly #svg = s('svg', { class: 'picture', role: 'group' });
  /** The picture and the room around it. */
  readonly #field = h('div', { class: 'field' }, this.#svg);
  readonly #drawn = new Map<NodeId, Drawn>();
  #edges: { element: SVGPathElement; from: NodeId | undefined; to: NodeId | undefined }[] = [];
  #size = { width: 0, height: 0 };
  #zoom = 1;
  /** Room on either side of the picture, in pixels. */
  #room: Point = { x: 0, y: 0 };
  /** The one operator in the tab order. */
  #current: NodeId | undefined;

  constructor(pane: HTMLElement, events: DiagramEvents, looks: Looks = operatorLooks) {
    this.#pane = pane;
    this.#events = events;
    this.#looks = looks;
    this.#svg.setAttribute('aria-label', looks.title);
    pane.append(this.#field);
    this.#svg.addEventListener('click', (event) => this.#clicked(event));
    this.#svg.addEventListener('dblclick', (event) => {
      const node = nodeAt(event);
      if (node !== undefined) events.toggle(node);
    });
    this.#svg.addEventListener('pointerover', (event) => events.hover(nodeAt(event)));
    this.#svg.addEventListener('pointerleave', () => events.hover(undefined));
    this.#svg.addEventListener('keydown', (event) => this.#key(event));
    // On the pane: an SVG that listens to focus events becomes a tab stop.
    pane.addEventListener('focusin', (event) => this.#makeCurrent(nodeAt(event)));
    pane.addEventListener(
      'wheel',
      (event) => {
        if (!event.ctrlKey && !event.metaKey) return; // a plain wheel scrolls
        event.preventDefault();
        const { left, top } = this.#pane.getBoundingClientRect();
        this.#setZoom(this.#zoom * Math.exp(-event.deltaY / 300), {
          x: event.clientX - left - this.#pane.clientLeft,
          y: event.clientY - top - this.#pane.clientTop,
        });
      },
      { passive: false },
    );
    this.#dragToScroll();
    new ResizeObserver(() => this.#resized()).observe(pane);
  }

  /** Draws a picture; focus and scroll position stay with the operators that stay. */
  draw(group: Group, placed: PlacedGroup): void {
    const focused = this.#svg.contains(document.activeElement) ? this.#current : undefined;
    const anchor = this.#current === undefined ? undefined : this.#inPane(this.#current);
    this.#drawn.clear();
    this.#edges = [];
    this.#svg.replaceChildren(...this.#group(group, placed, 0, 0));
    this.#size = placed;
    this.#applyZoom();
    if (this.#current === undefined || !this.#drawn.has(this.#current)) this.#current = firstOf(this.#drawn);
    this.#makeCurrent(this.#current);
    if (anchor !== undefined) this.#scrollTo(this.#drawn.get(this.#current!)!.box, anchor);
    if (focused !== undefined) this.#drawn.get(focused)?.element.focus({ preventScroll: true });
  }

  /** The picture as it is drawn. */
  get svg(): SVGSVGElement {
    return this.#svg;
  }

  /** Operators that are drawn. */
  has(node: NodeId): boolean {
    return this.#drawn.has(node);
  }

  mark({ selected, subject, producers, readers, found }: Marks): void {
    for (const [node, { element }] of this.#drawn) {
      element.classList.toggle('selected', node === selected);
      element.classList.toggle('subject', node === subject);
      element.classList.toggle('producer', producers.has(node));
      element.classList.toggle('reader', readers.has(node));
      element.classList.toggle('found', found.has(node));
      element.setAttribute('aria-pressed', String(node === selected));
    }
    for (const { element, from, to } of this.#edges) {
      const comes = to !== undefined && to === subject;
      const goes = from !== undefined && from === subject;
      element.classList.toggle('producer', comes);
      element.classList.toggle('reader', goes);
    }
  }

  /** Whether the picture is there, or something else in its pane. */
  set hidden(hidden: boolean) {
    this.#field.hidden = hidden;
    if (hidden) this.#drawn.clear();
  }

  /** What is in the middle of the pane stays there. */
  zoomBy(factor: number): void {
    this.#setZoom(this.#zoom * factor);
  }

  /** Scrolls an operator into the middle, unless its title can be seen. */
  bringIntoView(node: NodeId): void {
    const at = this.#inPane(node);
    if (at === undefined) return;
    this.#makeCurrent(node);
    const { clientWidth, clientHeight } = this.#pane;
    if (at.x >= 0 && at.y >= 0 && at.x < clientWidth - 80 && at.y < clientHeight - 40) return;
    this.#center(node);
  }

  /** Shows all of it, as far as the zoom goes. */
  fit(): void {
    this.#setZoom(Math.min(this.#wholeZoom(), 1));
    this.#scrollTo({ x: this.#size.width / 2, y: this.#size.height / 2 }, this.#middle);
  }

  /** Shows all of it, or, where that could not be read, the place with most operators of a stage. */
  showStart(stage: number): void {
    if (this.#wholeZoom() >= READABLE) return this.fit();
    this.#setZoom(READABLE);
    const deepest = Math.min(stage, Math.max(...Array.from(this.#drawn.keys(), stageOf)));
    const members = [...this.#drawn].filter(([node]) => stageOf(node) === deepest);
    const [width, height] = [this.#middle.x / this.#zoom, this.#middle.y / this.#zoom];
    const near = ({ box: a }: Drawn): number =>
      members.filter(([, { box: b }]) => Math.abs(a.x - b.x) < width && Math.abs(a.y - b.y) < height).length;
    const [[node]] = members.reduce<[(typeof members)[0], number]>(
      (best, member) => {
        const count = near(member[1]);
        return count > best[1] ? [member, count] : best;
      },
      [members[0]!, 0],
    );
    this.#center(node);
    this.#makeCurrent(node);
  }

  // --------------------------------------------------------------------------------------------- drawing

  #group(group: Group, placed: PlacedGroup, x: number, y: number): SVGElement[] {
    const edges = placed.lines.map((line, edge) => {
      const element = s('path', { class: 'edge', d: pathOf(line, x, y) });
      const ends = [group.edges[2 * edge]!, group.edges[2 * edge + 1]!].map((at) => nodeOf(group.items[at]!));
      this.#edges.push({ element, from: ends[0], to: ends[1] });
      return element;
    });
    const boxes = group.items.map((item, index) => {
      const box = placed.boxes[index]!;
      return item.kind === 'operator'
        ? this.#operator(item, box, x + box.x, y + box.y)
        : this.#port(item, box, x + box.x, y + box.y);
    });
    return [s('g', { class: 'edges' }, ...edges), ...boxes];
  }

  #operator(item: OperatorItem, box: PlacedBox, x: number, y: number): SVGGElement {
    const { node, type, children, inner } = item;
    const { width, height } = box;
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
    this.#drawn.set(node, { element, item, box: { x, y, width, height } });
    if (inner === undefined || box.inner === undefined) return element;
    const left = x + (width - box.inner.width) / 2;
    return s('g', {}, element, ...this.#group(inner, box.inner, left, y + TITLE));
  }

  #port({ kind, text, target }: PortItem, { width, height }: PlacedBox, x: number, y: number): SVGGElement {
    return s(
      'g',
      { class: `port ${kind}`, 'data-target': target },
      s('rect', { x, y, width, height, rx: height / 2 }),
      s('text', { x: x + width / 2, y: y + height / 2 + 4 }, text),
    );
  }

  // ------------------------------------------------------------------------------------------------ input

  #clicked(event: Event): void {
    const sign = (event.target as Element).closest<SVGElement>('[data-act]');
    const target = (event.target as Element).closest<SVGElement>('[data-target]')?.dataset['target'];
    const node = nodeAt(event) ?? (target === undefined ? undefined : Number(target));
    if (node === undefined) return;
    const page = this.#drawn.get(node)?.item.inner?.page ?? 0;
    const act = sign?.dataset['act'];
    if (act === 'toggle') this.#events.toggle(node);
    else if (act === 'previous') this.#events.turn(node, page - 1);
    else if (act === 'next') this.#events.turn(node, page + 1);
    else this.#events.select(node);
  }

  #key(event: KeyboardEvent): void {
    const node = nodeAt(event);
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

  /** To the nearest operator in a direction. */
  #move(from: NodeId, dx: number, dy: number): void {
    const start = this.#drawn.get(from)!.box;
    let best: NodeId | undefined;
    let least = Infinity;
    for (const [node, { box }] of this.#drawn) {
      const [x, y] = [box.x + box.width / 2 - start.x - start.width / 2, box.y - start.y];
      const ahead = x * dx + y * dy;
      if (node === from || ahead < 4) continue;
      const cost = ahead + 2.5 * Math.abs(x * dy + y * dx);
      if (cost < least) [best, least] = [node, cost];
    }
    if (best === undefined) return;
    const { element } = this.#drawn.get(best)!;
    element.focus({ preventScroll: true });
    element.querySelector('.type')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  #makeCurrent(node: NodeId | undefined): void {
    if (node === undefined || !this.#drawn.has(node)) return;
    if (this.#current !== undefined) this.#drawn.get(this.#current)?.element.setAttribute('tabindex', '-1');
    this.#current = node;
    this.#drawn.get(node)!.element.setAttribute('tabindex', '0');
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
      dragged = true;
      pane.classList.add('dragged');
      pane.scrollBy(last.clientX - event.clientX, last.clientY - event.clientY);
      last = event;
    });
    for (const type of ['pointerup', 'pointercancel'] as const)
      addEventListener(type, () => {
        start = undefined;
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
    this.#zoom = Math.min(Math.max(zoom, LEAST_ZOOM), MOST_ZOOM);
    this.#applyZoom();
    this.#scrollTo(under, at);
  }

  #applyZoom(): void {
    const scale = this.#zoom;
    const { width, height } = this.#size;
    const { clientWidth, clientHeight } = this.#pane;
    const [x, y] = [Math.max(clientWidth - KEPT, 0), Math.max(clientHeight - KEPT, 0)];
    this.#room = { x, y };
    this.#svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.#svg.setAttribute('width', String(width * scale));
    this.#svg.setAttribute('height', String(height * scale));
    this.#field.style.padding = `${y}px ${x}px`;
  }

  /** The pane has another size: what is in its corner stays there. */
  #resized(): void {
    const corner = { x: 0, y: 0 };
    const under = this.#under(corner);
    this.#applyZoom();
    this.#scrollTo(under, corner);
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
  #center(node: NodeId): void {
    const { x, y, width, height } = this.#drawn.get(node)!.box;
    this.#scrollTo({ x: x + width / 2, y: y + Math.min(height, 200) / 2 }, this.#middle);
  }

  /** Where the corner of an operator is in the pane. */
  #inPane(node: NodeId): Point | undefined {
    const box = this.#drawn.get(node)?.box;
    const under = this.#under({ x: 0, y: 0 });
    return box && { x: (box.x - under.x) * this.#zoom, y: (box.y - under.y) * this.#zoom };
  }
}

function firstOf(drawn: ReadonlyMap<NodeId, Drawn>): NodeId | undefined {
  return drawn.keys().next().value;
}

function nodeOf(item: Item): NodeId | undefined {
  return item.kind === 'operator' ? item.node : undefined;
}

function nodeAt({ target }: Event): NodeId | undefined {
  const node = (target as Element).closest<SVGElement>('[data-node]')?.dataset['node'];
  return node === undefined ? undefined : Number(node);
}

/** A smooth line through points. */
function pathOf(points: readonly number[], dx: number, dy: number): string {
  const at = (index: number): string => `${round(points[index]! + dx)} ${round(points[index + 1]! + dy)}`;
  if (points.length === 4) {
    const middle = round((points[1]! + points[3]!) / 2 + dy);
    return `M${at(0)}C${round(points[0]! + dx)} ${middle} ${round(points[2]! + dx)} ${middle} ${at(2)}`;
  }
  let path = `M${at(0)}`;
  for (let index = 2; index < points.length - 2; index += 2) {
    const [x, y] = [points[index]!, points[index + 1]!];
    const last = index === points.length - 4;
    const toX = last ? points[index + 2]! : (x + points[index + 2]!) / 2;
    const toY = last ? points[index + 3]! : (y + points[index + 3]!) / 2;
    path += `Q${round(x + dx)} ${round(y + dy)} ${round(toX + dx)} ${round(toY + dy)}`;
  }
  return path;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
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
