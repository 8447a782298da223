/** What ran where, and when: a canvas to zoom into. */
import * as format from '../format.js';
import { button, h } from '../ui/dom.js';
import { colorOf } from '../ui/theme.js';
import { firstAfter, type Lane, lengthOf, spanAt } from './spans.js';

const LANE = 34;
const GAP = 6;
const AXIS = 24;
const LABEL = 66;
/** Least milliseconds in view. */
const LEAST = 0.02;
/** Pixels beside a span that still mean it. */
const NEAR = 3;

/** The elements that it fills in. */
export interface TimelineElements {
  readonly section: HTMLElement;
  readonly note: HTMLElement;
  readonly tools: HTMLElement;
  readonly canvas: HTMLElement;
  readonly detail: HTMLElement;
}

/** What spans and lanes are called, and look like. */
export interface TimelineLooks {
  /** Of the canvas: what it shows, and what Enter does. */
  readonly label: string;
  readonly testId: string;
  /** Said where nothing is pointed at. */
  readonly hint: string;
  /** What each lane is, at most eight letters. */
  lane(lane: Lane): string;
  /** On a span, where there is room. */
  name(op: number): string;
  /** Custom property of a span's color. */
  color(op: number): string;
  /** Who a span is, and by whom. */
  told(op: number, lane: Lane): string;
  picked?(op: number): void;
}

export class Timeline {
  readonly #elements: TimelineElements;
  readonly #looks: TimelineLooks;
  readonly #canvas: HTMLCanvasElement;
  #lanes: readonly Lane[] = [];
  #length = 1;
  #from = 0;
  #to = 1;
  #pointed: { lane: Lane; span: number } | undefined;
  #repainting = 0;

  constructor(elements: TimelineElements, looks: TimelineLooks) {
    this.#elements = elements;
    this.#looks = looks;
    this.#canvas = h('canvas', {
      tabindex: 0,
      role: 'img',
      'aria-label':
        `${looks.label} Up and down walk along a lane, Page Up and Page Down change the lane. ` +
        'Left and right move, plus and minus zoom.',
      'data-testid': looks.testId,
    });
    elements.canvas.append(this.#canvas);
    elements.tools.append(
      button('−', () => this.#zoom(2), { 'aria-label': 'Zoom out of the timeline', class: 'small' }),
      button('+', () => this.#zoom(0.5), { 'aria-label': 'Zoom into the timeline', class: 'small' }),
      button('All', () => this.#view(0, this.#length), { class: 'small' }),
    );
    this.#connectPointer();
    this.#canvas.addEventListener('keydown', (event) => this.#key(event));
    new ResizeObserver(() => this.repaint()).observe(elements.canvas);
  }

  clear(): void {
    this.#elements.section.hidden = true;
  }

  /** Shows all lanes, from 0 to the end of their last span or to `length`, milliseconds. */
  show(lanes: readonly Lane[], length = lengthOf(lanes)): void {
    this.#lanes = lanes;
    this.#length = Math.max(length, LEAST);
    this.#pointed = undefined;
    this.#elements.section.hidden = false;
    this.#canvas.style.height = `${lanes.length * (LANE + GAP) + AXIS}px`;
    const spans = lanes.reduce((sum, { op }) => sum + op.length, 0);
    this.#elements.section.dataset['spans'] = String(spans);
    this.#elements.section.dataset['lanes'] = String(lanes.length);
    this.#view(0, this.#length);
    this.#say();
  }

  /** Says what it comes to. */
  say(text: string): void {
    this.#elements.note.textContent = text;
  }

  repaint(): void {
    cancelAnimationFrame(this.#repainting);
    this.#repainting = requestAnimationFrame(() => this.#paint());
  }

  // --------------------------------------------------------------------------------------------- painting

  #paint(): void {
    const canvas = this.#canvas;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (width === 0 || this.#lanes.length === 0) return;
    canvas.width = width * devicePixelRatio;
    canvas.height = height * devicePixelRatio;
    const context = canvas.getContext('2d')!;
    context.scale(devicePixelRatio, devicePixelRatio);
    context.font = `12px ${getComputedStyle(canvas).fontFamily}`;
    const colors = new Map<string, string>();
    const color = (op: number): string => {
      const property = this.#looks.color(op);
      const known = colors.get(property) ?? colorOf(property);
      colors.set(property, known);
      return known;
    };
    const [ink, soft, line, sunken] = ['--ink', '--ink-soft', '--line', '--sunken'].map(colorOf);
    this.#paintAxis(context, width, height, soft!, line!);
    for (const [row, lane] of this.#lanes.entries()) {
      const top = row * (LANE + GAP);
      context.fillStyle = soft!;
      context.fillText(this.#looks.lane(lane), 0, top + LANE / 2 + 4);
      context.fillStyle = sunken!;
      context.fillRect(LABEL, top, width - LABEL, LANE);
      this.#paintLane(context, lane, top, width, color, ink!);
    }
  }

  #paintLane(
    context: CanvasRenderingContext2D,
    lane: Lane,
    top: number,
    width: number,
    color: (op: number) => string,
    ink: string,
  ): void {
    const scale = (width - LABEL) / (this.#to - this.#from);
    const x = (time: number): number => LABEL + (time - this.#from) * scale;
    let painted = LABEL;
    for (let span = firstAfter(lane, this.#from); span < lane.op.length; span++) {
      if (lane.start[span]! > this.#to) break;
      const left = Math.max(x(lane.start[span]!), LABEL);
      const right = Math.min(x(lane.end[span]!), width);
      // Spans narrower than a pixel: one stands for those that it covers.
      if (right <= painted) continue;
      context.fillStyle = color(lane.op[span]!);
      context.fillRect(left, top, Math.max(right - left - (right - left > 3 ? 0.75 : 0), 0.75), LANE);
      painted = Math.max(right, painted + 0.75);
      if (right - left > 60) this.#paintName(context, lane.op[span]!, left, right, top);
    }
    if (this.#pointed?.lane !== lane) return;
    const { span } = this.#pointed;
    const left = Math.max(x(lane.start[span]!), LABEL);
    context.strokeStyle = ink;
    context.lineWidth = 2;
    context.strokeRect(left, top + 1, Math.max(Math.min(x(lane.end[span]!), width) - left, 2), LANE - 2);
  }

  #paintName(context: CanvasRenderingContext2D, op: number, left: number, right: number, top: number): void {
    context.save();
    context.beginPath();
    context.rect(left, top, right - left - 4, LANE);
    context.clip();
    context.fillStyle = colorOf('--card');
    context.fillText(this.#looks.name(op), left + 6, top + LANE / 2 + 4);
    context.restore();
  }

  #paintAxis(
    context: CanvasRenderingContext2D,
    width: number,
    height: number,
    ink: string,
    line: string,
  ): void {
    const room = this.#to - this.#from;
    const rough = (room * 90) / (width - LABEL);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough)!;
    for (let tick = Math.ceil(this.#from / step) * step; tick <= this.#to; tick += step) {
      const x = LABEL + ((tick - this.#from) / room) * (width - LABEL);
      context.fillStyle = line;
      context.fillRect(x, 0, 1, height - AXIS + 5);
      context.fillStyle = ink;
      const text = format.seconds(tick / 1000);
      context.fillText(text, Math.min(x, width - context.measureText(text).width), height - 4);
    }
  }

  // ------------------------------------------------------------------------------------------------ input

  #connectPointer(): void {
    const canvas = this.#canvas;
    let dragged: { x: number; from: number; moved: boolean } | undefined;
    canvas.addEventListener('pointerdown', (event) => {
      dragged = { x: event.offsetX, from: this.#from, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', ({ offsetX, offsetY }) => {
      if (dragged !== undefined && Math.abs(offsetX - dragged.x) > 3) dragged.moved = true;
      if (dragged?.moved) {
        const room = this.#to - this.#from;
        const from = dragged.from - ((offsetX - dragged.x) / (canvas.clientWidth - LABEL)) * room;
        this.#view(from, from + room);
      } else this.#point(offsetX, offsetY);
    });
    canvas.addEventListener('pointerup', () => {
      if (dragged !== undefined && !dragged.moved) this.#pick();
      dragged = undefined;
    });
    canvas.addEventListener('pointercancel', () => (dragged = undefined));
    canvas.addEventListener(
      'wheel',
      (event) => {
        if (!event.ctrlKey && !event.metaKey) return; // a plain wheel scrolls the page
        event.preventDefault();
        this.#zoom(event.deltaY < 0 ? 0.7 : 1.4, this.#timeAt(event.offsetX));
      },
      { passive: false },
    );
  }

  #key(event: KeyboardEvent): void {
    const room = this.#to - this.#from;
    const actions: Record<string, () => void> = {
      ArrowLeft: () => this.#view(this.#from - room / 5, this.#to - room / 5),
      ArrowRight: () => this.#view(this.#from + room / 5, this.#to + room / 5),
      '+': () => this.#zoom(0.5),
      '-': () => this.#zoom(2),
      Home: () => this.#view(0, this.#length),
      ArrowDown: () => this.#walk(1),
      ArrowUp: () => this.#walk(-1),
      PageDown: () => this.#changeLane(1),
      PageUp: () => this.#changeLane(-1),
      Enter: () => this.#pick(),
    };
    const action = actions[event.key];
    if (action === undefined || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    action();
  }

  #timeAt(x: number): number {
    return this.#from + ((x - LABEL) / (this.#canvas.clientWidth - LABEL)) * (this.#to - this.#from);
  }

  #point(x: number, y: number): void {
    const lane = this.#lanes[Math.floor(y / (LANE + GAP))];
    const slack = (NEAR * (this.#to - this.#from)) / (this.#canvas.clientWidth - LABEL);
    const span = lane && x >= LABEL ? spanAt(lane, this.#timeAt(x), slack) : undefined;
    this.#canvas.style.cursor = span === undefined || !this.#looks.picked ? '' : 'pointer';
    this.#mark(lane !== undefined && span !== undefined ? { lane, span } : undefined);
  }

  #mark(pointed: { lane: Lane; span: number } | undefined): void {
    if (pointed?.lane === this.#pointed?.lane && pointed?.span === this.#pointed?.span) return;
    this.#pointed = pointed;
    this.#say();
    this.repaint();
  }

  /** To the next or previous span of the lane; to the first in view, if none is marked. */
  #walk(step: 1 | -1): void {
    const lane = this.#pointed?.lane ?? this.#lanes[0]!;
    const span = this.#pointed === undefined ? firstAfter(lane, this.#from) : this.#pointed.span + step;
    this.#goTo(lane, span);
  }

  /** To what ran at the same time on the next or previous lane. */
  #changeLane(step: 1 | -1): void {
    if (this.#pointed === undefined) return this.#walk(step);
    const { lane, span } = this.#pointed;
    const other = this.#lanes[this.#lanes.indexOf(lane) + step];
    if (other !== undefined) this.#goTo(other, spanAt(other, lane.start[span]!, Infinity) ?? 0);
  }

  /** Marks a span, and brings it into view. */
  #goTo(lane: Lane, span: number): void {
    if (span < 0 || span >= lane.op.length) return;
    const [start, end, room] = [lane.start[span]!, lane.end[span]!, this.#to - this.#from];
    if (start < this.#from || end > this.#to) this.#view(start - room / 3, start + (room * 2) / 3);
    this.#mark({ lane, span });
  }

  #pick(): void {
    if (this.#pointed !== undefined) this.#looks.picked?.(this.#pointed.lane.op[this.#pointed.span]!);
  }

  #zoom(factor: number, around = (this.#from + this.#to) / 2): void {
    this.#view(around - (around - this.#from) * factor, around + (this.#to - around) * factor);
  }

  #view(from: number, to: number): void {
    const room = Math.min(Math.max(to - from, LEAST), this.#length);
    this.#from = Math.min(Math.max(from, 0), this.#length - room);
    this.#to = this.#from + room;
    this.repaint();
  }

  #say(): void {
    const { detail } = this.#elements;
    const text = this.#told();
    // Screen readers read every change.
    if (detail.textContent !== text) detail.textContent = text;
  }

  #told(): string {
    if (this.#pointed === undefined) return this.#looks.hint;
    const { lane, span } = this.#pointed;
    const [op, start, end] = [lane.op[span]!, lane.start[span]!, lane.end[span]!];
    return (
      `${this.#looks.told(op, lane)}: from ${format.seconds(start / 1000)}, ` +
      `took ${format.seconds((end - start) / 1000)}`
    );
  }
}
