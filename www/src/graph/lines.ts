/**
 * Lines of a group, as points x, y, x, y, ...: as curves where they are elements, straight from point to point on a canvas. What of them
 * meets a view is told closely enough that a long line which passes far away is not drawn: a processor that paints pays for all of it.
 */
import type { Box } from './scene.js';

/** Parts of a curve between two points that are looked at one by one. */
const PARTS = 32;

/** A line as a curve: down, across, down; through the middles of more points. */
export function pathOf(points: readonly number[], dx: number, dy: number): string {
  const at = (index: number): string => `${rounded(points[index]! + dx)} ${rounded(points[index + 1]! + dy)}`;
  if (points.length === 4) {
    const middle = rounded((points[1]! + points[3]!) / 2 + dy);
    return `M${at(0)}C${rounded(points[0]! + dx)} ${middle} ${rounded(points[2]! + dx)} ${middle} ${at(2)}`;
  }
  let path = `M${at(0)}`;
  for (let index = 2; index < points.length - 2; index += 2) {
    const [toX, toY] = endOf(points, index);
    path += `Q${at(index)} ${rounded(toX + dx)} ${rounded(toY + dy)}`;
  }
  return path;
}

/** Whether {@link pathOf} of a line meets a view; of what just misses it, it may. */
export function curveMeets(line: readonly number[], left: number, top: number, view: Box): boolean {
  const within = { ...view, x: view.x - left, y: view.y - top };
  const [x0, y0, x1, y1] = line as [number, number, number, number];
  if (line.length === 4) return boundsMeet(x0, y0, x1, y1, within) && steepMeets(x0, y0, x1, y1, within);
  let [fromX, fromY] = [x0, y0];
  for (let index = 2; index < line.length - 2; index += 2) {
    // It lies within the bounds of its three points.
    const [x, y] = [line[index]!, line[index + 1]!];
    const [toX, toY] = endOf(line, index);
    const [least, most] = [Math.min(fromX, x, toX), Math.max(fromX, x, toX)];
    if (boundsMeet(least, Math.min(fromY, y, toY), most, Math.max(fromY, y, toY), within)) return true;
    [fromX, fromY] = [toX, toY];
  }
  return false;
}

/** Whether the straight line between two points meets a view. */
export function segmentMeets(x0: number, y0: number, x1: number, y1: number, view: Box): boolean {
  if (!boundsMeet(x0, y0, x1, y1, view)) return false;
  // It misses where all corners of the view lie on one side of it.
  const [dx, dy] = [x1 - x0, y1 - y0];
  const corner = dx * (view.y - y0) - dy * (view.x - x0);
  const [across, down] = [-dy * view.width, dx * view.height];
  const [least, most] = [Math.min(across, 0) + Math.min(down, 0), Math.max(across, 0) + Math.max(down, 0)];
  return corner + least <= 0 && corner + most >= 0;
}

/** Whether the curve down, across, down meets a view. It never turns back: each part lies within the bounds of its ends. */
function steepMeets(x0: number, y0: number, x1: number, y1: number, view: Box): boolean {
  const middle = (y0 + y1) / 2;
  let [fromX, fromY] = [x0, y0];
  for (let part = 1; part <= PARTS; part++) {
    const t = part / PARTS;
    const rest = 1 - t;
    const toX = x0 + (x1 - x0) * t * t * (3 - 2 * t);
    const toY = rest * rest * rest * y0 + 3 * t * rest * middle + t * t * t * y1;
    if (boundsMeet(fromX, fromY, toX, toY, view)) return true;
    [fromX, fromY] = [toX, toY];
  }
  return false;
}

/** Where the piece of a curve ends that has a point in its middle. */
function endOf(points: readonly number[], index: number): [number, number] {
  const [x, y, nextX, nextY] = [points[index]!, points[index + 1]!, points[index + 2]!, points[index + 3]!];
  return index === points.length - 4 ? [nextX, nextY] : [(x + nextX) / 2, (y + nextY) / 2];
}

function boundsMeet(x0: number, y0: number, x1: number, y1: number, view: Box): boolean {
  const [right, bottom] = [view.x + view.width, view.y + view.height];
  if ((x0 < view.x && x1 < view.x) || (x0 > right && x1 > right)) return false;
  return !((y0 < view.y && y1 < view.y) || (y0 > bottom && y1 > bottom));
}

/** To a tenth of a unit: shorter texts of what nobody sees the rest of. */
export function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
