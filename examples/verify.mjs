// Verification: that a graph still means what it meant, after an expansion, after passes, on each platform; and where it does
// not, which operator it is. Run it after `npm run build`:
//   node examples/verify.mjs
import assert from 'node:assert/strict';
import { f32, load } from 'cipherloom';

const loom = await load();

// Softmax of a row, all by operators of the core, or with an operator of one's own for the division.
const softmax = (divide) => {
  const g = loom.graph({ unit: 32 });
  const x = g.input('x', f32(1, 8));
  const largest = g.op('f32.reduce_max', [x], { axis: 1 });
  const powers = g.op('f32.exp', [g.op('f32.sub', [x, g.view(largest, f32(1, 1))])]);
  const total = g.view(g.op('f32.sum', [powers], { axis: 1 }), f32(1, 1));
  g.output('y', g.op(divide, [powers, total]));
  return g.build();
};

// Against its expansion: inputs are drawn at random, outputs compared bit for bit.
const circuit = await softmax('f32.div');
const base = await circuit.expand({ platform: 'simd' });
const expansion = await base.verify({ against: circuit, trials: 9 });
assert.ok(expansion.passed);

// Before and after each pass, and every operator on both platforms.
const { passed, checks } = await base.verify({
  passes: ['dedup', 'cancel', 'prune'],
  platforms: ['simd', 'scalar'],
});
assert.ok(passed);
console.table(
  checks.map(({ kind, name = '', compared, bytes }) => ({ kind, name, compared: compared.length, bytes })),
);

// A wrong operator of one's own: it divides by the reciprocal of the reciprocal, which rounds three times.
loom.operator({
  name: 'my.divide',
  expand(g, [a, b], { types: [, type] }) {
    const one = g.constant(type, Float32Array.of(1));
    const reciprocal = (x) => g.op('f32.div', [one, x]);
    return g.op('f32.div', [a, reciprocal(reciprocal(b))]);
  },
});
const planted = await softmax('my.divide');
const report = await planted.verify({ against: circuit, trials: 30 });
assert.ok(!report.passed);
const { difference } = report.checks.find((check) => !check.passed);
console.log(`${difference.what} differs, seen in ${difference.seenIn}, at units`, difference.units);
assert.equal(difference.name, 'my.divide');
assert.equal(difference.seenIn, 'output `y`');
assert.ok((await planted.analyze()).operators[difference.operator].dependsOn.length > 0);

// The kernels themselves, on this device.
const suite = await loom.conformance({ platforms: ['simd'] });
console.log(
  `${suite.cases} cases of ${suite.platforms[0].operators.length} operators, ${suite.passed ? 'all' : 'not all'} right`,
);
assert.ok(suite.passed);
assert.deepEqual(suite.platforms[0].failed, []);
loom.dispose();
