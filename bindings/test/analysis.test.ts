import { expect, it } from 'vitest';
import { Dependencies } from '../src/analysis.js';
import type { RawAnalysis } from '../src/raw.js';

/** K-G3: operators 1, 2, 3, 4, 6, 5, 7 at places 0 to 6. */
const TABLE_1: RawAnalysis = {
  dependsStart: Uint32Array.of(0, 0, 0, 0, 0, 1, 5, 6),
  depends: Uint32Array.of(3, 0, 1, 2, 4, 5),
  notifiesStart: Uint32Array.of(0, 1, 2, 3, 4, 5, 6, 6),
  notifies: Uint32Array.of(5, 5, 5, 4, 5, 6),
  wave: Uint32Array.of(0, 0, 0, 0, 1, 2, 3),
  inputs: Float64Array.of(0, 4, 2 ** 40, 2 ** 40 + 1),
  outputs: Uint32Array.of(6),
  criticalPath: Uint32Array.of(3, 4, 5, 6),
};

it('dependencies are lists, operator by operator and wave by wave', () => {
  const found = new Dependencies(TABLE_1);
  const lists = found.operators.map(({ dependsOn, notifies, wave }) => [[...dependsOn], [...notifies], wave]);
  expect(lists).toEqual([
    [[], [5], 0],
    [[], [5], 0],
    [[], [5], 0],
    [[], [4], 0],
    [[3], [5], 1],
    [[0, 1, 2, 4], [6], 2],
    [[5], [], 3],
  ]);
  expect(found.waves.map((wave) => [...wave])).toEqual([[0, 1, 2, 3], [4], [5], [6]]);
  expect(found.inputs).toEqual([
    [0, 4],
    [2 ** 40, 2 ** 40 + 1],
  ]);
  expect([...found.outputs, ...found.criticalPath]).toEqual([6, 3, 4, 5, 6]);
  expect(found.operators).toBe(found.operators);
});

it('waves need not come in order', () => {
  const waves = (...wave: number[]) =>
    new Dependencies({ ...TABLE_1, wave: Uint32Array.from(wave) }).waves.map((wave) => [...wave]);
  expect(waves(2, 0, 1, 0)).toEqual([[1, 3], [2], [0]]);
  expect(waves()).toEqual([]);
});
