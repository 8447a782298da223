// Reals under CKKS and integers under BGV, as graphs of a cryptographer's own. Run it after `npm run build`:
//   node examples/schemes.mjs
import assert from 'node:assert/strict';
import { randomFillSync } from 'node:crypto';
import { f64, load, type } from 'cipherloom';

const loom = await load();
// 218 bits at N = 8192: 128-bit security. The first prime leaves 9 bits above the scale for the numbers themselves.
const n = 8192;
const q = [562949952847873n, 1099511480321n, 1099511922689n, 1099512004609n];
const special = [562949952798721n];
const seeds = () => ({
  hidden: randomFillSync(new BigUint64Array(4)),
  open: randomFillSync(new BigUint64Array(4)),
});

/** Keys, as operands of one graph; a server would be given all but the secret one. */
function keysOf(g, errors = {}) {
  const [hidden, open] = [g.input('hidden', type('secret_seed')), g.input('open', type('public_seed'))];
  const secret = g.op('rlwe.secret_key', [hidden], { n, q: [...q, ...special] });
  const switching = (attributes) =>
    g.op('rlwe.switching_key', [secret, open, hidden], { q, special, digit: 1, ...errors, ...attributes });
  return { secret, switching, encryption: [open, hidden] };
}

// CKKS: 4096 reals in a ciphertext; x y + (x rotated by 1, 2 and 3), one level.
{
  const g = loom.graph({ unit: 64 });
  const { secret, switching, encryption } = keysOf(g);
  const scale = 2 ** 40;
  const encrypted = ['x', 'y'].map((name) => {
    const plain = g.op('ckks.encode', [g.input(name, f64(n / 2))], { scale });
    return g.op('ckks.encrypt_secret', [secret, plain, ...encryption], { q });
  });
  // Products are cheapest on values, where nothing needs a transform.
  const [x, y] = encrypted.map((fresh) => g.op('rlwe.ntt', [fresh]));
  const rotated = [3, 9, 27].map((element) => {
    const key = switching({ from: 'galois', g: element });
    return g.op('rlwe.automorphism', [x, key], { g: element });
  });
  const relinearization = switching({ from: 'square' });
  const product = g.op('rlwe.relinearize', [g.op('ckks.multiply', [x, y]), relinearization]);
  const below = { keep: q.length - 1, scale: (scale * scale) / Number(q.at(-1)) };
  // To one level and one scale: the product by its rescaling, the rotations by a scalar.
  const terms = [
    g.op('ckks.rescale', [product], below),
    ...rotated.map((term) => g.op('ckks.adjust', [term], below)),
  ];
  const sum = terms.reduce((a, b) => g.op('rlwe.add', [a, b]));
  g.output('sum', g.op('ckks.decode', [g.op('ckks.decrypt', [secret, sum])], { complex: 0 }));
  const circuit = await g.build();
  // The three rotations share one decomposition; relinearization and rescaling become one operator.
  const lean = await circuit.optimize({ passes: ['dedup', 'cancel', 'prune', 'hoist', 'fuse'] });
  const text = await lean.toText();
  assert.equal(text.match(/= rlwe\.decompose/g)?.length, 1);
  assert.match(text, /= ckks\.relinearize_rescale/);
  const data = { x: reals(1), y: reals(2), ...seeds() };
  const found = (await run(lean, data)).sum;
  const at = (slot) => data.x[slot % (n / 2)];
  const error = found.reduce((most, value, slot) => {
    const right = data.x[slot] * data.y[slot] + at(slot + 1) + at(slot + 2) + at(slot + 3);
    return Math.max(most, Math.abs(value - right));
  }, 0);
  console.log(
    `CKKS: ${found.length} sums, the first ${found[0].toFixed(6)}, the worst off by 2^${Math.log2(error).toFixed(1)}`,
  );
  assert.ok(error < 2 ** -18);
}

// BGV: 8192 integers modulo t in a ciphertext; x^2 y, two levels.
{
  const t = 1032193n;
  const g = loom.graph({ unit: 64 });
  // Errors are multiples of t.
  const { secret, switching, encryption } = keysOf(g, { factor: t });
  const [x, y] = ['x', 'y'].map((name) => {
    const plain = g.op('slots.encode', [g.input(name, type('slots', { n, t }))]);
    return g.op('bgv.encrypt_secret', [secret, plain, ...encryption], { q });
  });
  const down = (product, keep) => {
    const key = switching({ q: q.slice(0, keep + 1), from: 'square' });
    return g.op('bgv.mod_switch', [g.op('rlwe.relinearize', [product, key])], { keep });
  };
  const square = down(g.op('bgv.multiply', [x, x]), 3);
  // Switching down multiplies the plaintext with a number that the type knows, and decryption takes out.
  const low = g.op('bgv.mod_switch', [y], { keep: 3 });
  const cube = down(g.op('bgv.multiply', [square, low]), 2);
  g.output('product', g.op('slots.decode', [g.op('bgv.decrypt', [secret, cube])]));
  g.output('noise', g.op('bgv.noise', [secret, cube]));
  const data = { x: integers(3, t), y: integers(4, t), ...seeds() };
  const { product, noise } = await run(await g.build(), data);
  assert.ok(
    product.every((value, slot) => value === (((data.x[slot] * data.x[slot]) % t) * data.y[slot]) % t),
  );
  const bits = q.slice(0, 2).reduce((sum, prime) => sum + Math.log2(Number(prime)), 0) - 1;
  const used = new Float64Array(noise.buffer)[0];
  console.log(
    `BGV: ${product.length} products, the first ${product[0]}, ${(bits - used).toFixed(1)} bits of noise budget left`,
  );
}
await loom.dispose();

/** Runs it with memory overwritten afterwards: the data hold a secret seed. */
async function run(circuit, data) {
  const base = await circuit.expand({ platform: 'simd' }).then((expanded) => expanded.optimize());
  return base.run(data, { secret: true });
}

/** Numbers that look random: a step through the unit interval. */
function reals(seed) {
  return Float64Array.from({ length: n / 2 }, (_, slot) => ((seed + slot) * 0.6180339887) % 1);
}

function integers(seed, t) {
  return BigUint64Array.from({ length: n }, (_, slot) => (BigInt(slot + seed) * 2654435761n) % t);
}
