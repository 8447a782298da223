/** What is drawn by hand, as the pictures that the network has learned from: 8 x 8 pixels, each of which counts 16 dots. */
import { MOST, SIDE } from './network.js';

/** Points x, y, x, y, ... of one line, in any unit. */
export type Stroke = readonly number[];

/** Dots along a side, and along a pixel's. */
const DOTS = 32;
const EACH = DOTS / SIDE;
/** How wide a pen is, in dots, and how wide a drawing may become: digits are higher than wide. */
const PEN = 5.5;
const WIDEST = 24;

/** A drawing, moved into the middle and as high as the picture. Nothing drawn gives an empty picture. */
export function pixelsOfStrokes(strokes: readonly Stroke[]): number[] {
  const pixels = new Array<number>(SIDE * SIDE).fill(0);
  const lines = fitted(strokes);
  for (let y = 0; y < DOTS; y++)
    for (let x = 0; x < DOTS; x++) {
      if (!lines.some((line) => touches(line, x + 0.5, y + 0.5))) continue;
      pixels[Math.floor(y / EACH) * SIDE + Math.floor(x / EACH)]!++;
    }
  return pixels.map((dots) => Math.min(dots, MOST));
}

function fitted(strokes: readonly Stroke[]): Stroke[] {
  const [left, right] = rangeOf(strokes, 0);
  const [top, bottom] = rangeOf(strokes, 1);
  const scale = Math.min((DOTS - PEN) / (bottom - top), (WIDEST - PEN) / (right - left));
  // A single dot has no size.
  const by = Number.isFinite(scale) ? scale : 1;
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  return strokes.map((stroke) => stroke.map((at, index) => (at - (index % 2 === 0 ? x : y)) * by + DOTS / 2));
}

function rangeOf(strokes: readonly Stroke[], axis: 0 | 1): [number, number] {
  let [least, most] = [Infinity, -Infinity];
  for (const stroke of strokes)
    for (let at: number = axis; at < stroke.length; at += 2) {
      least = Math.min(least, stroke[at]!);
      most = Math.max(most, stroke[at]!);
    }
  return [least, most];
}

/** Whether a point is under the pen. */
function touches(stroke: Stroke, x: number, y: number): boolean {
  for (let at = 0; at < stroke.length; at += 2) {
    const [ax, ay] = [stroke[at]!, stroke[at + 1]!];
    const [dx, dy] = [(stroke[at + 2] ?? ax) - ax, (stroke[at + 3] ?? ay) - ay];
    const length = dx ** 2 + dy ** 2;
    const along = length === 0 ? 0 : Math.min(Math.max(((x - ax) * dx + (y - ay) * dy) / length, 0), 1);
    if ((x - ax - along * dx) ** 2 + (y - ay - along * dy) ** 2 <= (PEN / 2) ** 2) return true;
  }
  return false;
}
