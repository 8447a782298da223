/** The picture that comes with the page, drawn by code: a sailing boat, the sun and the sea. */
import { cells, type Picture } from './edges.js';

type Shape = (x: number, y: number) => boolean;

const disk =
  (cx: number, cy: number, radius: number): Shape =>
  (x, y) =>
    (x - cx) ** 2 + (y - cy) ** 2 <= radius ** 2;

/** Corners in order, the inside on the right of each side. */
const polygon =
  (...corners: readonly (readonly [number, number])[]): Shape =>
  (x, y) =>
    corners.every(([ax, ay], i) => {
      const [bx, by] = corners[(i + 1) % corners.length]!;
      return (bx - ax) * (y - ay) - (by - ay) * (x - ax) >= 0;
    });

/** The one further down the list lies above. */
const SHAPES: readonly (readonly [Shape, number])[] = [
  [disk(50, 13, 7), 250],
  [(x, y) => y > 44 + 1.2 * Math.sin(x / 3), 70],
  [(x, y) => y > 53 + 1.2 * Math.sin(x / 3 + 2), 50],
  [polygon([30, 8], [30, 38], [12, 38]), 245],
  [polygon([33, 12], [47, 38], [33, 38]), 215],
  [polygon([30.5, 6], [32.5, 6], [32.5, 42], [30.5, 42]), 40],
  [polygon([10, 41], [52, 41], [45, 50], [17, 50]), 25],
  [polygon([13, 43], [49, 43], [48, 45], [14, 45]), 190],
];

export function samplePicture(): Picture {
  return cells((y, x) => {
    const sky = 165 - y;
    return SHAPES.reduce((below, [inside, gray]) => (inside(x + 0.5, y + 0.5) ? gray : below), sky);
  });
}
