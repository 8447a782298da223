import csv from '../../data/breast-cancer-wisconsin.csv?raw';
import { parseTable } from 'cipherloom/table';
import { expect, test } from 'vitest';
import model from '../src/applications/data/records-model.json';
import { probabilitiesOf, recordsOf } from '../src/applications/records/records.js';

const records = recordsOf(parseTable(csv).numeric.map(({ values }) => values));

test('records have mean 0 and stay within bounds', () => {
  expect([records.length, records[0]!.length]).toEqual([569, 30]);
  expect(Math.max(...records.flat().map(Math.abs))).toBeLessThanOrEqual(4);
  const mean = records.reduce((sum, record) => sum + record[0]!, 0) / records.length;
  expect(Math.abs(mean)).toBeLessThan(0.01);
});

test('diagnoses are those of the table', () => {
  const last = csv.trim().split('\n').slice(1).map((line) => (line.endsWith('malignant') ? 'm' : 'b')); // prettier-ignore
  expect(model.diagnoses).toBe(last.join(''));
});

test('the model fits its declared bounds, and judges most records right', () => {
  expect(Math.max(...model.weights.map(Math.abs))).toBeLessThan(0.5);
  expect(Math.abs(model.bias)).toBeLessThan(1);
  const scores = records.map((record) =>
    record.reduce((sum, x, i) => sum + x * model.weights[i]!, model.bias),
  );
  expect(Math.max(...scores.map(Math.abs))).toBeLessThan(12);
  const found = probabilitiesOf(model, records);
  const right = found.filter((value, row) => value > 0.5 === (model.diagnoses[row] === 'm'));
  expect(right.length).toBeGreaterThan(540);
});
