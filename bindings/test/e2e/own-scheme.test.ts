// A cryptographer's own circuits: BFV with keys of one's own, which tests/own_scheme.rs builds in Rust, with the same golden bytes; and
// the ciphertexts' half of a task, under such keys.
import {
  type Circuit,
  type DataArray,
  type GraphBuilder,
  load,
  type Loom,
  type Operand,
  type,
} from 'cipherloom';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readType } from '../../dist/type-text.js';

let loom: Loom;
beforeAll(async () => {
  loom = await load({ mode: 'single' });
});
afterAll(() => loom?.dispose());

/** The ring of the small scheme, far from secure, and primes of both. */
const RING = {
  n: 64,
  t: 130817,
  q: [35184372087937, 35184372086657, 35184372084353],
  special: [35184372088321],
  aux: [1125899906840833n, 1125899906839937n, 1125899906837633n],
};
const [SECRET_SEED, PUBLIC_SEED] = [type('secret_seed'), type('public_seed')];
const seed = (...words: number[]) => BigUint64Array.from(words, BigInt);
/** What the core runs, with memory overwritten afterwards. */
async function run(circuit: Circuit, data: Record<string, DataArray>) {
  using base = await circuit.expand({ platform: 'simd' });
  using lean = await base.optimize();
  return (await lean.run(data, { secret: true })) as Readonly<Record<string, BigUint64Array>>;
}

/** A circuit of these calls. */
async function circuit(calls: (g: GraphBuilder) => Record<string, Operand>): Promise<Circuit> {
  const g = loom.graph({ unit: 64 });
  for (const [name, operand] of Object.entries(calls(g))) g.output(name, operand);
  return g.build();
}

describe('a scheme with keys of one’s own', () => {
  const { n, t, q, special, aux } = RING;
  const all = [...q, ...special];
  const [slots, ciphertext] = [type('slots', { n, t }), type('ciphertext', { n, t, q, parts: 2 })];
  const switchingKey = { q, special, digit: 1 };

  const keys = () =>
    circuit((g) => {
      const [hidden, open] = [g.input('secret seed', SECRET_SEED), g.input('public seed', PUBLIC_SEED)];
      const secret = g.op('rlwe.secret_key', [hidden], { n, q: all });
      return {
        secret,
        public: g.op('rlwe.public_key', [secret, open, hidden], { q }),
        relinearization: g.op('rlwe.switching_key', [secret, open, hidden], {
          ...switchingKey,
          from: 'square',
        }),
      };
    });
  const encryption = () =>
    circuit((g) => {
      const key = g.input('public', type('public_key', { n, q }));
      const [values, random] = [g.input('slots', slots), g.input('seed', SECRET_SEED)];
      const plain = g.op('slots.encode', [values]);
      return { ciphertext: g.op('bfv.encrypt_public', [key, plain, random]) };
    });
  const evaluation = () =>
    circuit((g) => {
      const [a, b] = [g.input('a', ciphertext), g.input('b', ciphertext)];
      const key = g.input('relinearization', type('switching_key', { n, ...switchingKey }));
      const product = g.op('rlwe.relinearize', [g.op('bfv.multiply', [a, b], { aux }), key]);
      return { sum: g.op('rlwe.add', [product, a]) };
    });
  const decryption = () =>
    circuit((g) => {
      const secret = g.input('secret', type('secret_key', { n, q: all }));
      const x = g.input('ciphertext', ciphertext);
      const values = g.op('slots.decode', [g.op('bfv.decrypt', [secret, x])]);
      return { slots: values, noise: g.op('bfv.noise', [secret, x]) };
    });

  it('encrypts, multiplies, decrypts, and has the bytes that Rust gives', async () => {
    const circuits = [await keys(), await encryption(), await evaluation(), await decryption()] as const;
    expect(circuits.map(({ id }) => id)).toEqual([
      'b9360a811d52102b0c1b76ca3ffff03c',
      'f4bc1e8484fb743cd9f16109278efeb6',
      '64e3f2bfdb4cb6cf111ad7432d132d50',
      'f9f49a7b9b2c220af4eead2cbbb2caf9',
    ]);
    const [keygen, encrypts, evaluates, decrypts] = circuits;
    const own = await run(keygen, { 'secret seed': seed(1, 2, 3, 4), 'public seed': seed(5, 6, 7, 8) });
    const [secret, open, relinearization] = [own['secret'], own['public'], own['relinearization']];
    if (!secret || !open || !relinearization) throw new Error('no keys');
    const [a, b] = [7, 11].map((k) =>
      BigUint64Array.from({ length: n }, (_, i) => BigInt((k * i * i + 5) % t)),
    );
    if (!a || !b) throw new Error('no numbers');
    // One seed for each encryption: circuits draw the same numbers of the same seed.
    const encrypt = async (values: BigUint64Array, number: number) =>
      (await run(encrypts, { public: open, slots: values, seed: seed(number, 10, 11, 12) }))[
        'ciphertext'
      ] as BigUint64Array;
    const [x, y] = [await encrypt(a, 100), await encrypt(b, 101)];
    expect(await encrypt(a, 102)).not.toEqual(x);
    const { sum } = await run(evaluates, { a: x, b: y, relinearization });
    const out = await run(decrypts, { secret, ciphertext: sum as BigUint64Array });
    expect(out['slots']).toEqual(a.map((value, i) => (value * (b[i] as bigint) + value) % BigInt(t)));
    // What is no residue is refused, and says nothing of the key.
    await expect(run(decrypts, { secret: secret.map(() => 2n ** 63n), ciphertext: x })).rejects.toMatchObject(
      {
        code: 'task.invalid',
        details: { at: 'input `secret`' },
      },
    );
    // The same on the other platform, and the scheme's operators mean what they are expanded to.
    const { passed } = await evaluates.verify({ passes: ['dedup', 'cancel', 'prune'], trials: 2 });
    expect(passed).toBe(true);
    using base = await evaluates.expand({ level: 'base' });
    expect((await base.verify({ against: evaluates, trials: 1, platform: 'scalar' })).passed).toBe(true);
    for (const one of circuits) one.dispose();
  });
});

describe('what the compiler makes of a task', () => {
  const cells = Array.from({ length: 20 }, (_, i) => ((7 * i + 3) % 61) - 30);

  it('is a circuit like any other: under keys of one’s own it gives what the program gives', async () => {
    const task = loom.task();
    const x = task.encrypted('x', { shape: [cells.length], min: -30, max: 30 });
    task.output('squares', x.square().sum());
    task.output('sum', x.sum());
    using program = await task.compile({ passes: { openResults: false } });
    const { info } = program;
    const [n, t] = [info.n, BigInt(info.plainModuli[0] as string)];
    const [q, special] = [info.moduli.map(BigInt), info.special.map(BigInt)];
    // Errors are multiples of t.
    const switching = { q, special, digit: 1, factor: t };
    using compiled = await loom.circuit(await program.toText('scheme'));
    const typeOf = ({ type }: { readonly type: string }) => readType(type);
    const [fresh, result] = [compiled.inputs.at(-1), compiled.outputs[0]];
    if (fresh === undefined || result === undefined) throw new Error('no ciphertexts');

    const made = await circuit((g) => {
      const [hidden, open] = [g.input('secret seed', SECRET_SEED), g.input('public seed', PUBLIC_SEED)];
      const secret = g.op('rlwe.secret_key', [hidden], { n, q: [...q, ...special] });
      const keys = info.keys.map(({ name }) => {
        const element = /^galois (\d+)$/.exec(name)?.[1];
        const from = element === undefined ? { from: 'square' } : { from: 'galois', g: BigInt(element) };
        return [name, g.op('rlwe.switching_key', [secret, open, hidden], { ...switching, ...from })];
      });
      const plain = g.op('slots.encode', [g.input('slots', type('slots', { n, t }))]);
      const encrypted = g.op('bgv.encrypt_secret', [secret, plain, open, hidden], { q });
      return {
        secret,
        [fresh.name]: g.view(g.op('rlwe.ntt', [encrypted]), typeOf(fresh)),
        ...Object.fromEntries(keys),
      };
    });
    // One cell at every so many slots, as the program says.
    const [[size, low]] = info.inputs[0]?.layout?.axes as [[number, number]];
    expect(size).toBe(cells.length);
    const slots = new BigUint64Array(n);
    cells.forEach((cell, i) => (slots[i << low] = (BigInt(cell) + t) % t));
    const seeds = { 'secret seed': seed(1, 2, 3, 4), 'public seed': seed(5, 6, 7, 8) };
    const { secret, ...given } = await run(made, { ...seeds, slots });

    const read = await circuit((g) => {
      const key = g.input('secret', type('secret_key', { n, q: [...q, ...special] }));
      const sealed = g.input('result', typeOf(result));
      return { slots: g.op('slots.decode', [g.op('bgv.decrypt', [key, sealed])]) };
    });
    const results = await run(compiled, given);
    const out = await run(read, {
      secret: secret as BigUint64Array,
      result: results[result.name] as BigUint64Array,
    });
    const signed = (value: bigint) => Number(value > t / 2n ? value - t : value);

    using client = await program.client();
    const found = await client.decrypt(
      await program.run(await client.encrypt({ x: cells }), client.evaluationKeys),
    );
    expect(found['squares']).toBe(cells.reduce((sum, cell) => sum + cell * cell, 0));
    const decoded = Array.from(out['slots'] as BigUint64Array, signed);
    for (const value of Object.values(found)) expect(decoded).toContain(value);
    for (const one of [made, read]) one.dispose();
  }, 60_000);
});
