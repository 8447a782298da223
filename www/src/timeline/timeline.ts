/** What ran where, and when: a canvas to zoom into. */
import { button, h } from '../ui/dom.js';
import { colorOf } from '../ui/theme.js';
import { axisOf, duration, moment } from './axis.js';
import { firstAfter, type Lane, lengthOf, type Range, spanAt } from './spans.js';

const LANE = 34;
const GAP = 6;
const AXIS = 24;
const LABEL = 66;
/** Least milliseconds in view: a hundred nanoseconds. */
const LEAST = 0.0001;
/** Pixels of the line on spans that are marked, and between two ticks. */
const [MARK, TICKS] = [4, 96];
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
  /** Not of what is looked at. */
  isFaded?(op: number): boolean;
  /** Marked by a line. */
  isMarked?(op: number): boolean;
  /** Drawn at half the height: its length says nothing. */
  isShort?(op: number): boolean;
  /** Takes ranges of time that are selected; without it there are none. */
  ranged?(range: Range | undefined): void;
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
  #range: Range | undefined;
  /** Dragging selects, also without the shift key. */
  #selects = false;
  #repainting = 0;

  constructor(elements: TimelineElements, looks: TimelineLooks) {
    this.#elements = elements;
    this.#looks = looks;
    this.#canvas = h('canvas', {
      tabindex: 0,
      role: 'img',
      'aria-label':
        `${looks.label} Up and down walk along a lane, Page Up and Page Down change the lane. ` +
        'Left and right move, plus and minus zoom.' +
        (looks.ranged ? ' S selects from the start of a bar, E to the end of one, Escape selects all.' : ''),
      'data-testid': looks.testId,
    });
    elements.canvas.append(this.#canvas);
    elements.tools.append(
      button('−', () => this.#zoom(2), { 'aria-label': 'Zoom out of the timeline', class: 'small' }),
      button('+', () => this.#zoom(0.5), { 'aria-label': 'Zoom into the timeline', class: 'small' }),
      button('All', () => this.#view(0, this.#length), { class: 'small' }),
    );
    if (looks.ranged) elements.tools.append(this.#rangeButton());
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
    this.#select(undefined);
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

  /** Marks a span, and brings it into view, as if it had been pointed at. */
  goTo(op: number): void {
    for (const lane of this.#lanes) {
      const span = lane.op.indexOf(op);
      if (span !== -1) return this.#goTo(lane, span);
    }
  }

  /** From when to when, milliseconds. */
  view(from: number, to: number): void {
    this.#view(from, to);
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
    this.#paintRange(context, width, height);
  }

  /** What is not selected is covered. */
  #paintRange(context: CanvasRenderingContext2D, width: number, height: number): void {
    if (this.#range === undefined) return;
    const x = (time: number): number =>
      Math.min(
        Math.max(LABEL + ((time - this.#from) / (this.#to - this.#from)) * (width - LABEL), LABEL),
        width,
      );
    const [left, right, bottom] = [x(this.#range.from), x(this.#range.to), height - AXIS + 5];
    context.save();
    context.fillStyle = colorOf('--card');
    context.globalAlpha = 0.7;
    context.fillRect(LABEL, 0, left - LABEL, bottom);
    context.fillRect(right, 0, width - right, bottom);
    context.restore();
    context.fillStyle = colorOf('--focus');
    context.fillRect(left - 1, 0, 2, bottom);
    context.fillRect(right - 1, 0, 2, bottom);
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
    /** Spans narrower than a pixel: one stands for those that it covers. */
    const each = (paint: (span: number, left: number, right: number) => boolean): void => {
      let painted = LABEL;
      for (let span = firstAfter(lane, this.#from); span < lane.op.length; span++) {
        if (lane.start[span]! > this.#to) break;
        const left = Math.max(x(lane.start[span]!), LABEL);
        const right = Math.max(Math.min(x(lane.end[span]!), width), left + 0.75);
        if (right > painted && paint(span, left, right)) painted = Math.max(right, painted + 0.75);
      }
    };
    const { isFaded, isMarked, isShort } = this.#looks;
    const bars = (faded: boolean): void =>
      each((span, left, right) => {
        const op = lane.op[span]!;
        if ((isFaded?.(op) ?? false) !== faded) return false;
        const tall = isShort?.(op) ? LANE / 2 : LANE;
        context.globalAlpha = faded ? 0.2 : 1;
        context.fillStyle = color(op);
        context.fillRect(left, top + LANE - tall, right - left - (right - left > 3 ? 0.75 : 0), tall);
        if (right - left > 60) this.#paintName(context, op, left, right, top);
        return true;
      });
    // What is looked at lies on what is not.
    if (isFaded) bars(true);
    bars(false);
    context.globalAlpha = 1;
    if (isMarked)
      each((span, left, right) => {
        if (!isMarked(lane.op[span]!)) return false;
        context.fillStyle = ink;
        context.fillRect(left, top + LANE - MARK, right - left, MARK);
        return true;
      });
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
    const { base, ticks } = axisOf(this.#from, this.#to, (width - LABEL) / TICKS);
    if (base !== undefined) {
      context.fillStyle = ink;
      context.fillText(base, 0, height - 4, LABEL - 6);
    }
    for (const { at, text } of ticks) {
      const x = LABEL + ((at - this.#from) / room) * (width - LABEL);
      context.fillStyle = line;
      context.fillRect(x, 0, 1, height - AXIS + 5);
      context.fillStyle = ink;
      context.fillText(text, Math.min(x, width - context.measureText(text).width), height - 4);
    }
  }

  // ------------------------------------------------------------------------------------------------ input

  #connectPointer(): void {
    const canvas = this.#canvas;
    let dragged: { x: number; from: number; moved: boolean; selects: boolean } | undefined;
    canvas.addEventListener('pointerdown', (event) => {
      const selects = this.#looks.ranged !== undefined && (this.#selects || event.shiftKey);
      dragged = { x: event.offsetX, from: this.#from, moved: false, selects };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', ({ offsetX, offsetY }) => {
      if (dragged !== undefined && Math.abs(offsetX - dragged.x) > 3) dragged.moved = true;
      if (dragged?.moved && dragged.selects) {
        const [a, b] = [this.#timeAt(dragged.x), this.#timeAt(offsetX)];
        this.#select({ from: Math.min(a, b), to: Math.max(a, b) });
      } else if (dragged?.moved) {
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
      '+': () => this.#zoom(0.5, this.#middle),
      '-': () => this.#zoom(2, this.#middle),
      Home: () => this.#view(0, this.#length),
      ArrowDown: () => this.#walk(1),
      ArrowUp: () => this.#walk(-1),
      PageDown: () => this.#changeLane(1),
      PageUp: () => this.#changeLane(-1),
      Enter: () => this.#pick(),
      ...(this.#looks.ranged && {
        s: () => this.#selectFrom(),
        e: () => this.#selectTo(),
        Escape: () => this.#select(undefined),
      }),
    };
    const action = actions[event.key];
    if (action === undefined || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    action();
  }

  #rangeButton(): HTMLButtonElement {
    const toggle = button(
      'Select a range',
      () => {
        this.#selects = !this.#selects;
        toggle.setAttribute('aria-pressed', String(this.#selects));
        this.#canvas.style.touchAction = this.#selects ? 'none' : '';
      },
      { class: 'small', 'aria-pressed': 'false', 'data-testid': `${this.#looks.testId}-range` },
    );
    return toggle;
  }

  /** From the start of the bar that is pointed at, to the end of the range or of all. */
  #selectFrom(): void {
    if (this.#pointed === undefined) return;
    const from = this.#pointed.lane.start[this.#pointed.span]!;
    this.#select({ from, to: Math.max(this.#range?.to ?? this.#length, from) });
  }

  #selectTo(): void {
    if (this.#pointed === undefined) return;
    const to = this.#pointed.lane.end[this.#pointed.span]!;
    this.#select({ from: Math.min(this.#range?.from ?? 0, to), to });
  }

  #select(range: Range | undefined): void {
    this.#range = range && { from: Math.max(range.from, 0), to: Math.min(range.to, this.#length) };
    this.#looks.ranged?.(this.#range);
    this.repaint();
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

  /** Of the span that is pointed at, where it is in view. */
  get #middle(): number | undefined {
    if (this.#pointed === undefined) return undefined;
    const { lane, span } = this.#pointed;
    const middle = (lane.start[span]! + lane.end[span]!) / 2;
    return middle >= this.#from && middle <= this.#to ? middle : undefined;
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
      `${this.#looks.told(op, lane)}: from ${moment(start)}, ` +
      (this.#looks.isShort?.(op) ? 'took less than the clock can tell' : `took ${duration(end - start)}`)
    );
  }
}
