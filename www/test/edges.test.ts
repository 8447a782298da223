import { expect, test } from 'vitest';
import { cells, edgePicture, MOST, SIDE, steepnessOf } from '../src/applications/edges/edges.js';
import { grayOf } from '../src/applications/edges/read-picture.js';
import { samplePicture } from '../src/applications/edges/sample.js';

test('a step is steep on both of its sides, and where the picture wraps around', () => {
  const steepness = steepnessOf(cells((_, x) => (x < 32 ? 0 : 100)));
  const steep = steepness[10]!.flatMap((value, x) => (value === 0 ? [] : [[x, value]]));
  expect(steep).toEqual([
    [0, 160_000],
    [31, 160_000],
    [32, 160_000],
    [63, 160_000],
  ]);
});

test('no picture is steeper than the program was told', () => {
  const steepness = steepnessOf(cells((y, x) => ((x >> 1) + (y >> 1)) % 2 === 0 ? MOST : 0)); // prettier-ignore
  expect(Math.max(...steepness.flat())).toBeLessThanOrEqual(2 * (4 * MOST) ** 2);
});

test('a flat picture has no edges, and the border is none', () => {
  expect(new Set(edgePicture(steepnessOf(cells(() => 9))).flat())).toEqual(new Set([MOST]));
  const gray = edgePicture(steepnessOf(cells((_, x) => (x < 32 ? 0 : 100))));
  expect([gray[10]![0], gray[10]![31], gray[10]![20], gray[10]![63]]).toEqual([MOST, 0, MOST, MOST]);
});

test('the sample is a picture in whole shades', () => {
  const all = samplePicture().flat();
  expect(all.length).toBe(SIDE * SIDE);
  expect(all.every((gray) => Number.isInteger(gray) && gray >= 0 && gray <= MOST)).toBe(true);
  expect(new Set(all).size).toBeGreaterThan(8);
});

test('colors become gray as eyes weigh them', () => {
  const colors = new Uint8ClampedArray(4 * SIDE * SIDE);
  colors.set([255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255]);
  expect(grayOf(colors)[0]!.slice(0, 5)).toEqual([76, 150, 29, 255, 0]);
});
