import { expect, test } from 'vitest';
import { firstAfter, lanesOf, lengthOf, spanAt, timeByType } from '../src/timeline/spans.js';

const lanes = lanesOf({
  op: Uint32Array.from([3, 1, 2, 0]),
  thread: Uint32Array.from([1, 0, 0, 0]),
  start: Float64Array.from([0, 4, 0, 2]),
  end: Float64Array.from([7, 6, 2, 3]),
});

test('spans are kept by thread, in order of time', () => {
  expect(lanes.map(({ thread, op, busy }) => [thread, [...op], busy])).toEqual([
    [0, [2, 0, 1], 5],
    [1, [3], 7],
  ]);
  expect(lengthOf(lanes)).toBe(7);
});

test('a time leads to its span, or to one nearby', () => {
  const [lane] = lanes;
  expect(firstAfter(lane!, 2)).toBe(1);
  expect(spanAt(lane!, 1, 0)).toBe(0);
  expect(spanAt(lane!, 3.5, 0)).toBeUndefined();
  expect(spanAt(lane!, 3.2, 0.5)).toBe(1);
  expect(spanAt(lane!, 3.8, 0.5)).toBe(2);
  expect(spanAt(lane!, 99, 1)).toBeUndefined();
});

test('times add up by type', () => {
  const rows = timeByType(lanes, (op) => (op < 2 ? 'low' : 'high'));
  expect(rows).toEqual([
    { type: 'high', count: 2, milliseconds: 9 },
    { type: 'low', count: 2, milliseconds: 3 },
  ]);
});
