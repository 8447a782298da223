// Looms that are disposed of while a GPU computes for them, sooner and later: how each run ended, as JSON.
import { load, type } from 'cipherloom';

const n = 8192;
const q = 1099511480321n;
const ended = [];
for (const milliseconds of [0, 40, 80, 120, 200, 300, 500, 800]) {
  const loom = await load({ mode: 'single' });
  const g = loom.graph({ unit: 64 });
  let x = g.input('x', type('limb', { n, q, form: 'ntt' }));
  for (let count = 0; count < 300; count++) x = g.op('limb.mul', [x, x]);
  g.output('y', x);
  const circuit = await (await g.build()).place({ platform: ['gpu', 'simd'] });
  const run = circuit.run({ x: new BigUint64Array(n).fill(3n) }).then(
    () => 'done',
    ({ code }) => code,
  );
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  loom.dispose();
  ended.push(await run);
}
console.log(JSON.stringify(ended));
