// An operator of one's own: a polynomial activation, y = c0 + c1 x + c2 x^2 + ..., as one operator of a graph. Run it after
// `npm run build`:
//   node examples/own-operator.mjs
import assert from 'node:assert/strict';
import { f32, load } from 'cipherloom';

const loom = await load();

// What it means, in lower operators. Asked once for every combination of attributes and operand types.
loom.operator({
  name: 'my.polynomial',
  expand(g, [x], { types: [type], attributes: { degree } }) {
    const at = (k) => g.constant(f32(1), Float32Array.of(1 / (k + 1)));
    let sum = g.op('f32.broadcast', [at(degree)], { shape: type.shape });
    for (let k = degree - 1; k >= 0; k--) sum = g.op('f32.add', [g.op('f32.mul', [sum, x]), at(k)]);
    return sum;
  },
});

// Used like any other operator.
const g = loom.graph({ unit: 32 });
const x = g.input('x', f32(4));
g.output('y', g.op('my.polynomial', [x], { degree: 3 }));

const circuit = await g.build();
console.log(await circuit.toText());
const base = await circuit.expand({ platform: 'simd' });
const out = await base.run({ x: Float32Array.of(0, 1, 2, -2) });
console.log('y', out.y);
const expected = [0, 1, 2, -2].map((x) =>
  [3, 2, 1, 0].reduce((sum, k) => Math.fround(Math.fround(sum * x) + Math.fround(1 / (k + 1))), 0),
);
assert.deepEqual([...out.y], expected);

// Its bytes carry the name and a hash of what it meant, never code: who opens them has to know the operator.
assert.equal((await loom.circuit(await circuit.toBytes())).id, circuit.id);
loom.dispose();
