// The model itself, by what can be worked out in one's head: it shares no code with the package, but a mistake in both would not be seen.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSingle } from './cells.mjs';
import { fraction, nearest } from './fraction.mjs';
import { digitsOf } from './model/digits.mjs';
import { isUndefined, predict } from './model/predict.mjs';
import { call as modelCall, ModelTask } from './model/task.mjs';

const call = (on, method, ...args) => ({ on, method, args: args.map((value) => ({ value })) });
const input = (cells, options, place = 'encrypted') => ({ place, name: `x${Math.random()}`, options, cells });
const integers = (cells, more) => input(cells, { shape: [cells.length], min: -100, max: 100, ...more });

/** What steps make of inputs: the numbers of the last value. */
function last(inputs, steps, { off, ...more } = {}) {
  const operand = inputs.length + steps.length - 1;
  const { refusal, outputs } = predict(
    { scheme: 'BGV', inputs, steps, outputs: [{ name: 'a', operand }], ...more },
    off,
  );
  if (refusal) return refusal;
  const [{ value }] = outputs;
  if (isUndefined(value)) return 'no value';
  return value.cells.map((cell) =>
    !cell ? 'anything' : isSingle(cell) ? nearest(cell.low) : [cell.low, cell.high].map(nearest),
  );
}

test('sums, products and decimals are exact', () => {
  const x = integers([0.1, 0.2, -0.3], { decimals: 1 });
  assert.deepEqual(last([x], [call(0, 'sum')]), [0]);
  assert.deepEqual(last([x], [call(0, 'multiply', 0.1)]), [0.01, 0.02, -0.03]);
  assert.deepEqual(last([x], [call(0, 'polynomial', [1, 0, 10])]), [1.1, 1.4, 1.9]);
  assert.deepEqual(last([x], [call(0, 'dot', [1, 2, 3])]), [-0.4]);
});

test('statistics are those of the cells that are there', () => {
  const x = integers([3, null, 5, 100], { missing: true });
  assert.deepEqual(last([x], [call(0, 'mean')]), [36]);
  assert.deepEqual(last([x], [call(0, 'count')]), [3]);
  assert.deepEqual(last([x], [call(0, 'variance')]), [3073]);
  assert.deepEqual(last([x], [call(0, 'variance', { of: 'population' })]), [6146 / 3]);
  const y = integers([1.5, 2, NaN, 3.5], { missing: true, decimals: 1 });
  const both = { on: 0, method: 'covariance', args: [{ operand: 1 }] };
  assert.deepEqual(last([x, y], [both]), [97]);
  assert.deepEqual(
    last([integers([0, 1, 2]), integers([1, 3, 5])], [{ on: 0, method: 'regression', args: [{ operand: 1 }] }]),
    [2, 1],
  );
  assert.deepEqual(
    last([integers([0, 1, 2]), integers([1, 3, 5])], [{ on: 0, method: 'correlation', args: [{ operand: 1 }] }]),
    [1],
  );
  assert.equal(last([integers([null, null], { missing: true })], [call(0, 'mean')]), 'no value');
  assert.equal(last([integers([-2])], [call(0, 'sum'), call(1, 'sqrt')]), 'no value');
});

test('cells move as they do in NumPy', () => {
  const x = input(
    [
      [1, 2, 3],
      [4, 5, 6],
    ],
    { shape: [2, 3], min: 0, max: 9 },
  );
  assert.deepEqual(last([x], [call(0, 'rotate', -1, 1)]), [3, 1, 2, 6, 4, 5]);
  assert.deepEqual(last([x], [call(0, 'at', -1, 0)]), [4]);
  assert.deepEqual(last([x], [call(0, 'slice', [0, 1], [2])]), [2, 3, 5, 6]);
  assert.deepEqual(last([x], [call(0, 'sum', 0)]), [5, 7, 9]);
  assert.deepEqual(last([x], [call(0, 'concat', [[7], [8]], 1)]), [1, 2, 3, 7, 4, 5, 6, 8]);
  assert.deepEqual(last([x], [call(0, 'add', [10, 20, 30])]), [11, 22, 33, 14, 25, 36]);
  assert.deepEqual(last([x], [call(0, 'matmul', [1, 0, 2])]), [7, 16]);
  assert.deepEqual(last([x], [call(0, 'at', 0), call(1, 'matmul', [[1], [1], [1]])]), [6]);
});

test('records are computed one by one', () => {
  const x = input(
    [
      [1, 2],
      [3, 4],
      [5, 6],
    ],
    { shape: [3, 2], min: 0, max: 9 },
  );
  const of = (...steps) => last([x], [{ records: [0], steps, results: [1 + steps.length] }]);
  assert.deepEqual(of(call(1, 'sum')), [3, 7, 11]);
  assert.deepEqual(of(call(1, 'sum'), call(2, 'square')), [9, 49, 121]);
  assert.deepEqual(of(call(1, 'mean')).codes, ['operator.invalid']);
  assert.deepEqual(of(call(1, 'at', 2)), { step: 'step 0.0', codes: ['graph.shape'] });
});

test('what is counted in groups is what is there', () => {
  const names = ['north', 'south', 'west'];
  const regions = input(['south', null, 'north', 'south'], {
    kind: 'category',
    categories: names,
    shape: [4],
    missing: true,
  });
  assert.deepEqual(last([regions], [call(0, 'counts')]), [1, 2, 0]);
  assert.deepEqual(last([regions], [call(0, 'filled'), call(1, 'equals', 'south')]), [1, 0, 0, 1]);
  assert.deepEqual(last([regions], [call(0, 'filled'), call(1, 'equals', 'east')]).codes, ['range.value']);
  assert.deepEqual(last([regions], [call(0, 'filled'), call(1, 'equals', 1)]).codes, ['input.type']);
  assert.deepEqual(last([regions], [call(0, 'filled'), call(1, 'lookup', [5, 6, 7])]), [6, 5, 5, 6]);
  const x = integers([0, 10, 20, 30, NaN], { missing: true });
  assert.deepEqual(last([x], [call(0, 'histogram', [0, 10, 30])]), [1, 3]);
  assert.deepEqual(last([x], [call(0, 'histogram', [-5, -1, 0.5])]), [0, 1]);
  assert.deepEqual(last([x], [call(0, 'histogram', [1, 1])]).codes, ['input.type']);
  assert.deepEqual(last([x], [call(0, 'quantile', 0.5, [0, 20, 40])]), [20]);
  assert.deepEqual(last([x], [call(0, 'quantile', 0.75, [0, 20, 40])]), [30]);
  assert.deepEqual(last([x], [call(0, 'quantile', 0.25, [10, 40])]), 'no value');
  assert.deepEqual(last([integers([-1, 0, 1, 2])], [call(0, 'lookup', [7, 8])]), [0, 7, 8, 0]);
});

test('missing cells go through operators, and what others decide is known', () => {
  const x = integers([3, null, 5, null], { missing: true });
  const y = integers([1, 2, null, null], { missing: true });
  const shown = (inputs, ...steps) => {
    const operand = inputs.length + steps.length - 1;
    const { outputs } = predict({ scheme: 'BGV', inputs, steps, outputs: [{ name: 'a', operand }] });
    const [{ value }] = outputs;
    return value.nested().map((cell) => cell && nearest(cell.low));
  };
  const both = (on, method, operand) => ({ on, method, args: [{ operand }] });
  const none = undefined;
  assert.deepEqual(shown([x, y], both(0, 'add', 1)), [4, none, none, none]);
  assert.deepEqual(shown([x, y], call(0, 'greaterThan', 3), call(1, 'atMost', 2), both(2, 'or', 3)), [1, 1, 1, none]);
  assert.deepEqual(shown([x, y], call(0, 'greaterThan', 3), call(1, 'atMost', 1), both(2, 'and', 3)), [
    0,
    0,
    none,
    none,
  ]);
  assert.deepEqual(shown([x], call(0, 'greaterThan', 4), call(1, 'select', 7, 8)), [8, none, 7, none]);
  assert.deepEqual(shown([x], call(0, 'rotate', 1), call(1, 'filled', 9)), [9, 5, 9, 3]);
});

test('statistics along a dimension, and planes', () => {
  const cells = [
    [1, 2, 4],
    [3, null, 8],
  ];
  const x = input(cells, { shape: [2, 3], min: 0, max: 9, missing: true });
  assert.deepEqual(last([x], [call(0, 'mean', 0)]), [2, 2, 6]);
  assert.deepEqual(last([x], [call(0, 'mean', 1)]), [7 / 3, 5.5]);
  assert.deepEqual(last([x], [call(0, 'count', 1)]), [3, 2]);
  assert.deepEqual(last([x], [call(0, 'variance', { axis: 0, of: 'population' })]), [1, 0, 4]);
  assert.deepEqual(last([x], [call(0, 'filled'), call(1, 'transpose')]), [1, 3, 2, 0, 4, 8]);
  const rows = [
    [0, 1],
    [1, 0],
    [2, 5],
    [1, 1],
    [null, 9],
  ];
  const predictors = input(rows, { shape: [5, 2], min: 0, max: 9, missing: true });
  // 2 a + 3 b + 1
  const y = integers([4, 3, 20, 6, 77]);
  const plane = { on: 0, method: 'regression', args: [{ operand: 1 }] };
  assert.deepEqual(last([predictors, y], [plane]), [2, 3, 1]);
  const same = input(
    rows.map(([a]) => [a, a]),
    { shape: [5, 2], min: 0, max: 9, missing: true },
  );
  assert.deepEqual(last([same, y], [plane]), 'no value');
});

test('digits are of inputs, moved, times and plus known numbers', () => {
  const task = new ModelTask();
  const wide = (name, more) => task.input('encrypted', name, { shape: [2], min: 0, max: 1e9, ...more });
  const [x, y] = [wide('x'), wide('y', { decimals: 2 })];
  const made = (on, ...steps) => steps.reduce((value, [method, ...args]) => modelCall(value, method, args), on);
  const digits = (a, b) => digitsOf(a, b, Math.max(a.decimals, b.decimals), false);
  assert.equal(digits(x, x), 10);
  // In hundredths.
  assert.equal(digits(x, y), 13);
  assert.equal(digits(made(x, ['multiply', -3], ['add', 5], ['rotate', 1], ['concat', y], ['slice', 1, 3]), y), 13);
  assert.equal(digits(made(x, ['add', y]), y), undefined);
  assert.equal(digits(made(x, ['multiply', [1, 2]]), y), undefined);
  assert.equal(digits(made(x, ['multiply', 10n ** 25n]), y), undefined);
  const few = wide('few', { max: 20 });
  assert.equal(digits(few, few), undefined);
});

test('comparisons are strict or not, and approximate under a gap', () => {
  const x = integers([1, 2, 3]);
  assert.deepEqual(last([x], [call(0, 'lessThan', 2)]), [1, 0, 0]);
  assert.deepEqual(last([x], [call(0, 'atLeast', 2)]), [0, 1, 1]);
  assert.deepEqual(last([x], [call(0, 'max', 2)]), [2, 2, 3]);
  assert.deepEqual(last([x], [call(0, 'lessThan', 2, { gap: 1 })], { scheme: 'CKKS' }), [1, 0, 0]);
  const either = [0, 1];
  assert.deepEqual(last([x], [call(0, 'lessThan', 3, { gap: 1.5 })], { scheme: 'CKKS' }), [1, either, either]);
  const real = input([0, 1], { kind: 'real', shape: [2], min: 0, max: 1 });
  assert.deepEqual(last([real], [call(0, 'lessThan', 0.5)]).codes, ['operator.invalid']);
  assert.deepEqual(last([real], [call(0, 'equals', 0.5, { gap: 1 })]).codes, ['operator.invalid']);
});

test('what the client reads is off by as much as it may be', () => {
  const real = input([1, 3], { kind: 'real', shape: [2], min: 0, max: 4 });
  const off = fraction(0.5);
  assert.deepEqual(last([real], [call(0, 'sum')], { off }), [4]);
  assert.deepEqual(last([real], [call(0, 'sum'), call(1, 'finish')], { off }), [[3.5, 4.5]]);
  assert.deepEqual(last([real], [call(0, 'mean')], { off }), [[1.75, 2.25]]);
  assert.deepEqual(last([real], [call(0, 'sum'), call(1, 'finish'), call(2, 'sub', 4), call(3, 'sqrt')], { off }), [
    'anything',
  ]);
});

test('what does not fit is refused at its call, and data where they are read', () => {
  const x = integers([1, 2]);
  const refused = (...steps) => last([x], steps);
  assert.deepEqual(refused(call(0, 'add', [1, 2, 3])), { step: 'step 0', codes: ['graph.shape'] });
  assert.deepEqual(refused(call(0, 'negate'), call(1, 'divide', 3)), { step: 'step 1', codes: ['operator.invalid'] });
  assert.deepEqual(refused({ on: 0, method: 'add', args: [{ foreign: true }] }).codes, ['graph.foreign']);
  assert.deepEqual(last([integers([1, 200])], [call(0, 'negate')]), { step: 'encrypt', codes: ['range.value'] });
  assert.deepEqual(last([integers([1, 0.5])], [call(0, 'negate')]), { step: 'encrypt', codes: ['input.decimals'] });
  const hidden = [x, input([1, 2], { shape: [2], min: 0, max: 9 }, 'plain')];
  assert.deepEqual(last(hidden, [call(1, 'negate')]), { step: 'output 0', codes: ['operator.invalid'] });
});
