/** A small picture of the whole, with a frame around what is in view; pressed, it leads there. */
import { h } from '../ui/dom.js';
import type { Box } from './scene.js';

/** What it shows. */
export interface Mapped {
  readonly size: { readonly width: number; readonly height: number };
  readonly view: Box;
  drawMap(context: CanvasRenderingContext2D, scale: number): void;
  lookAt(point: { readonly x: number; readonly y: number }): void;
}

/** Pixels of its longer sides at most. */
const [MOST_WIDTH, MOST_HEIGHT] = [170, 120];
/** Milliseconds of quiet before the whole is drawn anew. */
const QUIET = 150;

export class Minimap {
  readonly #canvas = h('canvas', {});
  readonly #frame = h('div', { class: 'map-frame' });
  readonly #host: HTMLElement;
  #shown: Mapped | undefined;
  #scale = 1;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #request = 0;

  constructor(pane: HTMLElement) {
    // The keyboard walks the picture itself; a map says nothing to those who do not see it.
    this.#host = h(
      'div',
      { class: 'map', 'aria-hidden': 'true', hidden: true, 'data-testid': 'map' },
      this.#canvas,
      this.#frame,
    );
    pane.append(this.#host);
    let isDown = false;
    const look = (event: PointerEvent): void => {
      const { left, top } = this.#canvas.getBoundingClientRect();
      this.#shown?.lookAt({
        x: (event.clientX - left) / this.#scale,
        y: (event.clientY - top) / this.#scale,
      });
    };
    this.#host.addEventListener('pointerdown', (event) => {
      isDown = true;
      this.#host.setPointerCapture(event.pointerId);
      look(event);
    });
    this.#host.addEventListener('pointermove', (event) => isDown && look(event));
    for (const type of ['pointerup', 'pointercancel'] as const)
      this.#host.addEventListener(type, () => (isDown = false));
  }

  /** Another picture, or the same in other colours: it is drawn when nothing else has been for a moment. */
  show(mapped: Mapped | undefined): void {
    this.#shown = mapped;
    clearTimeout(this.#timer);
    if (mapped === undefined) this.#host.hidden = true;
    else this.#timer = setTimeout(() => this.#draw(mapped), QUIET);
    this.moved();
  }

  /** Another part is in view. */
  moved(): void {
    if (this.#request !== 0) return;
    this.#request = requestAnimationFrame(() => {
      this.#request = 0;
      this.#place();
    });
  }

  #draw(mapped: Mapped): void {
    const { width, height } = mapped.size;
    if (!(width > 0 && height > 0)) return;
    this.#scale = Math.min(MOST_WIDTH / width, MOST_HEIGHT / height);
    const ratio = devicePixelRatio;
    const canvas = this.#canvas;
    canvas.width = Math.max(1, Math.round(width * this.#scale * ratio));
    canvas.height = Math.max(1, Math.round(height * this.#scale * ratio));
    canvas.style.width = `${canvas.width / ratio}px`;
    canvas.style.height = `${canvas.height / ratio}px`;
    mapped.drawMap(canvas.getContext('2d')!, this.#scale * ratio);
    this.#place();
  }

  #place(): void {
    const mapped = this.#shown;
    if (mapped === undefined) return;
    const { size, view } = mapped;
    const isWhole = view.width >= size.width * 0.98 && view.height >= size.height * 0.98;
    this.#host.hidden = isWhole || size.width === 0;
    if (isWhole) return;
    const clamp = (value: number, most: number): number => Math.min(Math.max(value, 0), most);
    const [left, top] = [clamp(view.x, size.width), clamp(view.y, size.height)];
    const right = clamp(view.x + view.width, size.width);
    const bottom = clamp(view.y + view.height, size.height);
    const { style } = this.#frame;
    style.transform = `translate(${left * this.#scale}px, ${top * this.#scale}px)`;
    style.width = `${Math.max((right - left) * this.#scale, 4)}px`;
    style.height = `${Math.max((bottom - top) * this.#scale, 4)}px`;
  }
}
