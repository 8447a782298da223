/** A field to draw in, with mouse, pen or finger. */
import { h, s } from '../../ui/dom.js';
import type { Stroke } from './strokes.js';

/** Of the field, in its own units. */
const SIDE = 100;

export class DrawingPad {
  readonly element: HTMLElement;
  readonly #svg = s('svg', {
    class: 'pad',
    viewBox: `0 0 ${SIDE} ${SIDE}`,
    role: 'img',
    'aria-label': 'A field to draw a digit in. Without a pointer, take one of the pictures beside it.',
    'data-testid': 'drawing-pad',
  });
  readonly #changed: (strokes: readonly Stroke[]) => void;
  #lines: { readonly points: number[]; readonly element: SVGPolylineElement }[] = [];
  #pointer: number | undefined;

  constructor(changed: (strokes: readonly Stroke[]) => void) {
    this.#changed = changed;
    this.element = h('div', { class: 'pad-frame' }, this.#svg);
    this.#svg.addEventListener('pointerdown', (event) => this.#begin(event));
    this.#svg.addEventListener('pointermove', (event) => {
      if (event.pointerId !== this.#pointer) return;
      const events = event.getCoalescedEvents?.() ?? [];
      for (const one of events.length > 0 ? events : [event]) this.#add(one);
    });
    for (const type of ['pointerup', 'pointercancel'] as const)
      this.#svg.addEventListener(type, ({ pointerId }) => {
        if (pointerId === this.#pointer) this.#pointer = undefined;
      });
  }

  clear(): void {
    this.#lines = [];
    this.#svg.replaceChildren();
  }

  #begin(event: PointerEvent): void {
    if (event.button !== 0) return;
    event.preventDefault();
    this.#pointer = event.pointerId;
    this.#svg.setPointerCapture(event.pointerId);
    const element = s('polyline', {});
    this.#svg.append(element);
    this.#lines.push({ points: [], element });
    this.#add(event);
  }

  #add({ clientX, clientY }: PointerEvent): void {
    const { left, top, width, height } = this.#svg.getBoundingClientRect();
    const { points, element } = this.#lines.at(-1)!;
    points.push(((clientX - left) / width) * SIDE, ((clientY - top) / height) * SIDE);
    // A single point is a line from it to itself, which round ends make visible.
    element.setAttribute('points', (points.length === 2 ? [...points, ...points] : points).join(' '));
    this.#changed(this.#lines.map((line) => line.points));
  }
}
