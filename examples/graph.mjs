// Graphs of one's own: a matrix product, and a small graph whose dependencies are known. Run it after `npm run build`:
//   node examples/graph.mjs
import assert from 'node:assert/strict';
import { f32, load } from 'cipherloom';

const loom = await load();

// A row of 1,024 numbers times a matrix of 1,024 rows and 4 columns.
const g = loom.graph({ unit: 32 });
const a = g.input('a', f32(1024));
const w = g.input('w', f32(1024, 4));
const y = g.op('f32.matmul', [a, w]);
g.output('y', y);

const base = await g.expand({ platform: 'simd' });
const lean = await base.optimize({ passes: ['dedup', 'prune'] });
const row = Float32Array.from({ length: 1024 }, (_, k) => k % 7);
const weights = Float32Array.from({ length: 4096 }, (_, i) => (i % 5) - 2);
const out = await lean.run({ a: row, w: weights }, { keep: [y] });

// Whole numbers, so that every order of adding gives the same.
const expected = new Float32Array(4);
row.forEach((value, k) => expected.forEach((_, j) => (expected[j] += value * weights[4 * k + j])));
assert.deepEqual(out.y, expected);
assert.deepEqual(out.kept.get(y), expected);
console.log('y', out.y);

// Printed, opened again, and the same graph still.
const opened = await loom.circuit(await lean.toText());
assert.equal(opened.id, lean.id);

// Seven operators, called 1, 2, 3, 4, 6, 5 and 7: operator 5 reads 1, 2, 3 and 6, operator 6 reads 4, operator 7 reads 5.
const t = loom.graph({ unit: 32 });
const inputs = ['p', 'q', 'r', 's'].map((name) => t.input(name, f32(1)));
const [op1, op2, op3, op4] = inputs.map((input) => t.op('f32.neg', [input]));
const op6 = t.op('f32.neg', [op4]);
const op5 = t.op('f32.sum', [t.merge([op1, op2, op3, op6], f32(4))], { axis: 0 });
t.output('out', t.op('f32.neg', [op5]));

const table = await t.build();
const { operators, waves, inputs: outside } = await table.analyze();
const called = [1, 2, 3, 4, 6, 5, 7];
const names = (numbers) => Array.from(numbers, (number) => called[number]).sort();
const rows = Object.fromEntries(
  operators.map(({ dependsOn, notifies }, number) => [called[number], [names(dependsOn), names(notifies)]]),
);
console.table(rows);
assert.deepEqual(rows, {
  1: [[], [5]],
  2: [[], [5]],
  3: [[], [5]],
  4: [[], [6]],
  5: [[1, 2, 3, 6], [7]],
  6: [[4], [5]],
  7: [[5], []],
});
assert.deepEqual(waves.map(names), [[1, 2, 3, 4], [6], [5], [7]]);
assert.deepEqual(outside, [[0, 4]]);
const [p, q, r, s] = [1, 2, 3, 4].map((value) => Float32Array.of(value));
assert.deepEqual((await table.run({ p, q, r, s })).out, Float32Array.of(1 + 2 + 3 - 4));

loom.dispose();
