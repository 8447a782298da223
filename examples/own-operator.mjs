// Operators of one's own, one on plain data and one on ciphertexts. Run it after `npm run build`:
//   node examples/own-operator.mjs
import assert from 'node:assert/strict';
import { randomFillSync } from 'node:crypto';
import { f32, load, type } from 'cipherloom';
import { activation } from './operators/activation.mjs';
import { bitonicSort } from './operators/bitonic-sort.mjs';

const loom = await load();

// What they mean is asked once for every combination of attributes and operand types.
loom.operator(bitonicSort);
loom.operator(activation);

// Used like any other operator.
const g = loom.graph({ unit: 32 });
g.output('y', g.op('my.bitonic_sort', [g.input('x', f32(8))]));
const circuit = await g.build();
console.log(await circuit.toText());
const numbers = Float32Array.of(3, 1, 4, 1, 5, 9, 2, 6);
const { y } = await circuit.expand({ platform: 'simd' }).then((base) => base.run({ x: numbers }));
console.log('sorted', y);
assert.deepEqual(y, numbers.toSorted());
// Its bytes carry the name and a hash of what it meant, never code: who opens them has to know the operator.
assert.equal((await loom.circuit(await circuit.toBytes())).id, circuit.id);

// Keys, encryption, the activation and decryption, in one graph; the ring is far too small to be secure.
const [n, t, q, special] = [64, 130817, [35184372087937, 35184372086657], [35184372088321]];
const h = loom.graph({ unit: 64 });
const [hidden, open, fresh] = ['hidden', 'open', 'fresh'].map((name) =>
  h.input(name, type(name === 'open' ? 'public_seed' : 'secret_seed')),
);
const secret = h.op('rlwe.secret_key', [hidden], { n, q: [...q, ...special] });
const publicKey = h.op('rlwe.public_key', [secret, open, hidden], { q });
const key = h.op('rlwe.switching_key', [secret, open, hidden], { q, special, digit: 1, from: 'square' });
const plain = h.op('slots.encode', [h.input('x', type('slots', { n, t }))]);
const encrypted = h.op('bfv.encrypt_public', [publicKey, plain, fresh]);
const aux = [1125899906840833n, 1125899906839937n];
const activated = h.op('my.activation', [encrypted, key], { aux });
h.output('y', h.op('slots.decode', [h.op('bfv.decrypt', [secret, activated])]));

const seed = () => randomFillSync(new BigUint64Array(4));
const x = BigUint64Array.from({ length: n }, (_, i) => BigInt(i));
const base = await h.expand({ platform: 'simd' });
const out = await base.run({ x, hidden: seed(), open: seed(), fresh: seed() }, { secret: true });
console.log('x^2 + x', out.y.slice(0, 8));
assert.deepEqual(
  out.y,
  x.map((x) => x * x + x),
);
loom.dispose();
