import { createTask } from 'cipherloom';
import { expect, test } from 'vitest';
import { type Declaration, fillTask, type Selection, wantedOf } from '../src/selection.js';

const column = (name: string): Declaration => {
  return { name, shape: [5], min: 0, max: 10, decimals: 1, missing: false };
};

test('every pair of columns has its statistics, after those of each column', () => {
  const selection: Selection = {
    columns: ['a', 'b', 'c'].map(column),
    statistics: ['correlation', 'mean'],
  };
  expect(wantedOf(selection).map(({ output }) => output)).toEqual([
    'mean(a)',
    'mean(b)',
    'mean(c)',
    'correlation(a, b)',
    'correlation(a, c)',
    'correlation(b, c)',
  ]);
});

test('outputs keep different names where columns are named alike', () => {
  const names = wantedOf({
    columns: ['a', 'b, c', 'a, b', 'c'].map(column),
    statistics: ['covariance'],
  }).map(({ output }) => output);
  expect(new Set(names).size).toBe(6);
});

test('a selection becomes a task with its inputs and outputs', () => {
  const selection: Selection = {
    columns: [column('a'), column('b')],
    statistics: ['count', 'sum', 'mean', 'variance', 'covariance', 'correlation'],
  };
  const task = createTask();
  fillTask(task, selection);
  const { inputs, outputs } = task.literal();
  expect(inputs.map(({ name, max }) => [name, max])).toEqual([
    ['a', '100'],
    ['b', '100'],
  ]);
  expect(outputs.map(({ name }) => name)).toEqual(wantedOf(selection).map(({ output }) => output));
});
