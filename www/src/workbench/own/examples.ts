/** Operators of one's own to begin with. */
import type { OwnOperator } from './own-operators.js';

export const POLYNOMIAL: OwnOperator = {
  name: 'my.polynomial',
  code: `// y = 1 + x/2 + x^2/3 + ..., by Horner's rule.
function expand(g, [x], { types: [type], attributes: { degree } }) {
  const at = (k) => g.constant(f32(1), Float32Array.of(1 / (k + 1)));
  let sum = g.op('f32.broadcast', [at(degree)], { shape: type.shape });
  for (let k = degree - 1; k >= 0; k--)
    sum = g.op('f32.add', [g.op('f32.mul', [sum, x]), at(k)]);
  return sum;
}
`,
};

/** Nearly a division: it is rounded twice. */
export const RECIPROCAL: OwnOperator = {
  name: 'my.divide',
  code: `// a / b as a times 1 / b: two roundings instead of one.
function expand(g, [a, b]) {
  const one = g.constant(f32(1), Float32Array.of(1));
  return g.op('f32.mul', [a, g.op('f32.div', [one, b])]);
}
`,
};

/** Of the graph that shows absorb: D becomes three operators. */
export const DOUBLE: OwnOperator = {
  name: 'demo.d',
  code: `// D becomes D1, D2, D3: 4 x.
function expand(g, [x]) {
  const d1 = g.op('u8.add', [x, x]);
  const d2 = g.op('u8.add', [d1, x]);
  return g.op('demo.d3', [d2, x]);
}
`,
};

/** D3 is expanded in turn. */
export const CHAIN: OwnOperator = {
  name: 'demo.d3',
  code: `// D3, a + b, becomes two operators: the last one writes what D3 wrote.
function expand(g, [a, b]) {
  const negative = g.op('u8.neg', [b]);
  return g.op('u8.sub', [a, negative]);
}
`,
};
