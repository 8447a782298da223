import digits from '../../data/digits.csv?raw';
import network from '../../data/digits-network.json';
import { expect, test } from 'vitest';
import heldOut from '../src/applications/data/held-out-digits.json';
import { bestOf, pixelsFrom, scoresOf } from '../src/applications/digits/network.js';
import { pixelsOfStrokes } from '../src/applications/digits/strokes.js';

/** Points of an ellipse from one angle to another, in degrees. */
function arc(cx: number, cy: number, rx: number, ry: number, from: number, to: number): number[] {
  return Array.from({ length: 25 }, (_, i) => {
    const angle = ((from + ((to - from) * i) / 24) * Math.PI) / 180;
    return [cx + rx * Math.cos(angle), cy + ry * Math.sin(angle)];
  }).flat();
}

test.each([
  [0, [arc(50, 50, 28, 45, 0, 360)]],
  [1, [[50, 5, 50, 95]]],
  [2, [[...arc(50, 28, 24, 22, 180, 390), 20, 95, 85, 95]]],
  [3, [[...arc(45, 27, 24, 22, 200, 450), ...arc(45, 72, 27, 23, -90, 150)]]],
  [4, [[60, 5, 20, 60, 85, 60], [65, 35, 65, 95]]], // prettier-ignore
  [5, [[75, 5, 30, 5, 28, 45, ...arc(48, 66, 27, 28, -110, 140)]]],
  [7, [[20, 8, 80, 8, 45, 95]]],
  [8, [arc(50, 27, 20, 22, 0, 360), arc(50, 73, 25, 23, 0, 360)]],
  [9, [[...arc(50, 30, 23, 24, 0, 360), 73, 30, 68, 95]]],
])('the network reads a drawn %d', (digit, strokes) => {
  expect(bestOf(scoresOf(network, pixelsOfStrokes(strokes)))).toBe(digit);
});

test('where and how large it is drawn makes no difference', () => {
  const seven = [20, 8, 80, 8, 45, 95];
  const small = seven.map((at, i) => at / 4 + (i % 2 === 0 ? 3 : 60));
  expect(pixelsOfStrokes([small])).toEqual(pixelsOfStrokes([seven]));
});

test('dots and nothing are pictures, too', () => {
  expect(pixelsOfStrokes([])).toEqual(new Array(64).fill(0));
  const dot = pixelsOfStrokes([[10, 20]]);
  expect(dot.every(Number.isInteger)).toBe(true);
  expect(Math.max(...dot)).toBeGreaterThan(0);
});

test('pictures that come with the page were kept from learning, and most are read right', () => {
  const kept = digits
    .trim()
    .split('\n')
    .slice(1)
    .filter((_, i) => i % 3 === 0);
  for (const { pixels, digit } of heldOut) expect(kept).toContain(`${pixels},${digit}`);
  const right = heldOut.filter(
    ({ pixels, digit }) => bestOf(scoresOf(network, pixelsFrom(pixels))) === digit,
  );
  expect(heldOut.length).toBe(30);
  expect(right.length).toBeGreaterThanOrEqual(28);
});
