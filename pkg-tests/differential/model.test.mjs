// The model itself, on programs that a hand can follow.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { predict } from './model.mjs';

const slots = { rows: 6, min: -9, max: 9, layout: 'slots', rings: 2 };

/** What a program of one input gives at its only output. */
function given(options, values, nodes, inputs = []) {
  const program = { inputs: [{ name: 'a', options, values }, ...inputs], nodes };
  program.outputs = [{ name: 'o', operand: program.inputs.length + nodes.length - 1 }];
  const { refusal, outputs } = predict(program);
  if (refusal) return refusal;
  const [{ value, problem }] = outputs;
  return problem ?? (Array.isArray(value) ? value.map(({ units, decimals }) => `${units}e-${decimals}`) : value);
}

const call = (method, on, ...args) => ({ on, method, args });
const value = (plain) => ({ value: plain });

test('rings turn each for itself', () => {
  const turn = (...nodes) => given(slots, [1, 2, 3, 4, 5, 6], nodes).map((text) => Number.parseInt(text, 10));
  assert.deepEqual(turn(call('rotateRows', 0, value(1))), [2, 3, 1, 5, 6, 4]);
  assert.deepEqual(turn(call('rotateRows', 0, value(-1))), [3, 1, 2, 6, 4, 5]);
  assert.deepEqual(turn(call('rotateRows', 0, value(7))), [2, 3, 1, 5, 6, 4]);
  assert.deepEqual(turn(call('rotateColumns', 0)), [4, 5, 6, 1, 2, 3]);
});

test('a plain number reaches each row, wherever it stands', () => {
  const nodes = [
    call('rotateRows', 0, value(1)),
    call('add', 1, value(5)),
    call('variance', 2, value({ population: true })),
  ];
  const column = { rows: 3, min: 0, max: 9, layout: 'slots' };
  assert.equal(given(column, [1, 9, 0], nodes), 16.22222222222222);
});

test('decimals are aligned, or add up', () => {
  const column = { rows: 2, min: -1, max: 20, decimals: 2 };
  assert.deepEqual(given(column, [0.25, -1], [call('add', 0, value(0.125))]), ['375e-3', '-875e-3']);
  assert.deepEqual(given(column, [0.25, -1], [call('multiply', 0, value([1.5, 2n]))]), ['375e-3', '-2000e-3']);
});

test('statistics are over the rows that are there', () => {
  const column = { rows: 4, min: 0, max: 300, missing: true };
  assert.equal(given(column, [1, null, 4, NaN], [call('mean', 0)]), 2.5);
  assert.equal(given(column, [1, null, 4, NaN], [call('variance', 0)]), 4.5);
  assert.equal(given(column, [null, null, null, undefined], [call('count', 0)]), 0);
  assert.equal(given(column, [null, null, null, undefined], [call('mean', 0)]), 'statistic.empty');
  assert.equal(given(column, [null, null, null, 2], [call('variance', 0)]), 'statistic.too_few');
  const other = { name: 'b', options: column, values: [120, 135, null, 150] };
  assert.equal(given(column, [54, 61, 47, 70], [call('covariance', 0, { operand: 1 })], [other]), 120);
  assert.equal(
    given(column, [54, 54, 47, 54], [call('correlation', 0, { operand: 1 })], [other]),
    'statistic.zero_variance',
  );
});

test("known answers of the package's page", () => {
  const age = { rows: 4, min: 0, max: 120 };
  const bp = { name: 'b', options: { rows: 4, min: 0, max: 300 }, values: [120, 135, 118, 150] };
  assert.equal(given(age, [54, 61, 47, 70], [call('mean', 0)]), 58);
  assert.equal(given(age, [54, 61, 47, 70], [call('covariance', 0, { operand: 1 })], [bp]), 142.33333333333334);
});

test('refusals', () => {
  const column = { rows: 2, min: 0, max: 9 };
  const refused = (...args) => given(...args).codes;
  assert.deepEqual(refused({ ...column, max: -1 }, [1, 2], []), ['parameters.bounds']);
  assert.deepEqual(refused({ ...column, max: 2n ** 62n }, [1, 2], []), ['range.integer']);
  assert.deepEqual(refused({ ...column, decimals: 19 }, [1, 2], []), ['parameters.decimals']);
  assert.deepEqual(refused(column, [1, 2], [call('rotateRows', 0, value(1))]), ['graph.layout']);
  assert.deepEqual(refused({ ...column, missing: true }, [1, 2], [call('add', 0, value(1))]), ['graph.missing']);
  assert.deepEqual(refused(column, [1, 2], [call('add', 0, value([1]))]), ['input.length']);
  assert.deepEqual(refused(column, [1, 10], [call('negate', 0)]), ['range.value']);
  assert.deepEqual(refused(column, [1, 0.5], [call('negate', 0)]), ['input.decimals']);
  assert.deepEqual(refused(column, [1, null], [call('negate', 0)]), ['input.missing_value']);
});
