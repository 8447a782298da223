import { expect, test } from 'vitest';
import { placeFlat } from '../src/graph/flat-layout.js';

test('every operator has a cell of its own, below all that it reads', () => {
  const operators = 3000;
  const inputs: number[] = [];
  const inputsStart = [0];
  const wave = new Uint32Array(operators);
  for (let op = 0; op < operators; op++) {
    for (const back of [7, 1 + (op % 31)]) {
      const producer = op - back * 20;
      inputs.push(producer >= 0 ? producer : -1);
      if (producer >= 0) wave[op] = Math.max(wave[op]!, wave[producer]! + 1);
    }
    inputsStart.push(inputs.length);
  }
  const places = placeFlat({
    wave,
    inputsStart: Uint32Array.from(inputsStart),
    inputs: Int32Array.from(inputs),
  });
  const cells = Array.from(wave, (_, op) => `${places.row[op]} ${places.column[op]}`);
  expect(new Set(cells).size).toBe(operators);
  expect([...places.order].sort((a, b) => a - b)).toEqual(Array.from(wave, (_, op) => op));
  for (let op = 0; op < operators; op++) {
    expect(places.column[op]).toBeGreaterThanOrEqual(0);
    expect(places.column[op]).toBeLessThanOrEqual(places.columns - 1);
    for (const producer of inputs.slice(inputsStart[op], inputsStart[op + 1]))
      if (producer >= 0) expect(places.row[op]).toBeGreaterThan(places.row[producer]!);
  }
});
