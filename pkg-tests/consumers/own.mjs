// Operators of one's own, as a page or a program has them: two that expand, and a function in a module.

const NUMBERS = [3, 1, 4, 1, 5, 9, 2, 6];
const RING = { n: 64, t: 130817, q: [35184372087937, 35184372086657], special: [35184372088321] };

/**
 * Builds circuits of the operators of `examples/operators` in one loom, and runs their bytes in another one. `reverse`: the
 * address of a module that turns arrays around. Gives numbers sorted and turned around, and x^2 + x of the numbers through ciphertexts.
 */
export async function own(cipherloom, { activation, bitonicSort, reverse }, options) {
  const looms = await Promise.all([cipherloom.load(options), cipherloom.load(options)]);
  try {
    for (const loom of looms) {
      loom.operator(activation);
      loom.operator(bitonicSort);
      loom.operator({ name: 'my.reverse', module: reverse, output: ({ types: [type] }) => type });
    }
    const [here, there] = looms;
    const elsewhere = async (g) => there.circuit(await (await g.build()).toBytes());
    const sorts = await (await elsewhere(sorting(here, cipherloom))).expand({ platform: ['simd', 'javascript'] });
    const falling = await sorts.run({ x: Float32Array.from(NUMBERS) });
    const scheme = await (await elsewhere(activating(here, cipherloom))).expand({ platform: 'simd' });
    const seeds = ['hidden', 'open', 'fresh'].map((name) => [name, crypto.getRandomValues(new BigUint64Array(4))]);
    const x = BigUint64Array.from({ length: RING.n }, (_, i) => BigInt(NUMBERS[i] ?? 0));
    const { y } = await scheme.run({ x, ...Object.fromEntries(seeds) }, { secret: true });
    return { falling: [...falling.y], activated: Array.from(y.slice(0, NUMBERS.length), Number) };
  } finally {
    for (const loom of looms) loom.dispose();
  }
}

/** What `own` must find. */
export const OWN = {
  falling: NUMBERS.toSorted().toReversed(),
  activated: NUMBERS.map((x) => x * x + x),
};

/** Sorts, and turns around. */
function sorting(loom, { f32 }) {
  const g = loom.graph({ unit: 32 });
  const sorted = g.op('my.bitonic_sort', [g.input('x', f32(NUMBERS.length))]);
  g.output('y', g.op('my.reverse', [sorted]));
  return g;
}

/** Keys, encryption, activation, decryption. */
function activating(loom, { type }) {
  const { n, t, q, special } = RING;
  const g = loom.graph({ unit: 64 });
  const [hidden, open, fresh] = ['hidden', 'open', 'fresh'].map((name) =>
    g.input(name, type(name === 'open' ? 'public_seed' : 'secret_seed')),
  );
  const secret = g.op('rlwe.secret_key', [hidden], { n, q: [...q, ...special] });
  const publicKey = g.op('rlwe.public_key', [secret, open, hidden], { q });
  const key = g.op('rlwe.switching_key', [secret, open, hidden], { q, special, digit: 1, from: 'square' });
  const plain = g.op('slots.encode', [g.input('x', type('slots', { n, t }))]);
  const encrypted = g.op('bfv.encrypt_public', [publicKey, plain, fresh]);
  const activated = g.op('my.activation', [encrypted, key], { aux: [1125899906840833n, 1125899906839937n] });
  g.output('y', g.op('slots.decode', [g.op('bfv.decrypt', [secret, activated])]));
  return g;
}
