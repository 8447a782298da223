import { expect, test } from 'vitest';
import { curveMeets, pathOf, segmentMeets } from '../src/graph/lines.js';

/** Points of a path of the elements that draw lines, read from its text. */
function pointsOf(path: string): { x: number; y: number }[] {
  const found: { x: number; y: number }[] = [];
  let from: number[] = [];
  for (const [, command, text] of path.matchAll(/([MCQ])([^MCQ]+)/g)) {
    const numbers = text!.trim().split(/\s+/).map(Number);
    const all = [...from, ...numbers];
    from = numbers.slice(-2);
    if (command === 'M') continue;
    const of = (axis: number): number[] => all.filter((_, at) => at % 2 === axis);
    for (let step = 0; step <= 400; step++)
      found.push({ x: bezier(of(0), step / 400), y: bezier(of(1), step / 400) });
  }
  return found;
}

/** By Bernstein's polynomials. */
function bezier(of: number[], t: number): number {
  const degree = of.length - 1;
  const binomial = degree === 3 ? [1, 3, 3, 1] : [1, 2, 1];
  return of.reduce((sum, value, k) => sum + binomial[k]! * (1 - t) ** (degree - k) * t ** k * value, 0);
}

const far = (size: number): number => Math.round((Math.random() - 0.5) * size);

test('what is in a view is drawn, and what passes far from it is not', () => {
  let [seen, left] = [0, 0];
  for (let run = 0; run < 2000; run++) {
    const count = 2 + (run % 4);
    const line = Array.from({ length: 2 * count }, () => far(20_000));
    const [dx, dy] = [far(500), far(500)];
    const view = {
      x: far(10_000),
      y: far(10_000),
      width: 50 + Math.random() * 2000,
      height: 50 + Math.random() * 1500,
    };
    const points = pointsOf(pathOf(line, dx, dy));
    const isIn = ({ x, y }: { x: number; y: number }, room: number): boolean =>
      x >= view.x - room &&
      x <= view.x + view.width + room &&
      y >= view.y - room &&
      y <= view.y + view.height + room;
    const meets = curveMeets(line, dx, dy, view);
    // Points of the text are rounded.
    if (points.some((point) => isIn(point, -0.1))) {
      seen++;
      expect(meets, `${line}, ${JSON.stringify(view)}`).toBe(true);
    } else if (count === 2 && !points.some((point) => isIn(point, 700))) {
      left++;
      expect(meets, `${line}, ${JSON.stringify(view)}`).toBe(false);
    }
  }
  expect(Math.min(seen, left)).toBeGreaterThan(50);
});

test('straight lines meet a view where a point of them lies in it', () => {
  const view = { x: -10, y: -5, width: 20, height: 10 };
  let met = 0;
  for (let run = 0; run < 5000; run++) {
    const [x0, y0, x1, y1] = [far(60), far(60), far(60), far(60)];
    const at = (t: number): boolean =>
      Math.abs(x0 + (x1 - x0) * t) <= 10 && Math.abs(y0 + (y1 - y0) * t) <= 5;
    const expected = Array.from({ length: 2001 }, (_, step) => step / 2000).some(at);
    const meets = segmentMeets(x0, y0, x1, y1, view);
    // One that only touches a corner may be between two of the points.
    if (expected) expect(meets).toBe(true);
    met += Number(meets) - Number(expected);
  }
  expect(met).toBeLessThan(20);
  // From corner to corner around it.
  expect(segmentMeets(-30, 0, 0, -16, view)).toBe(false);
  expect(segmentMeets(-30, 0, 30, 1, view)).toBe(true);
  expect(segmentMeets(0, 0, 0, 0, view)).toBe(true);
});
