// A cryptographer's own circuits through the public API alone: BFV with keys of one's own, and a statistic of a column
// without the column layer. tests/own_scheme.rs builds the same in Rust: both have these golden bytes.
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

describe('a statistic without the column layer', () => {
  const rows = Array.from({ length: 20 }, (_, row) => ((7 * row + 3) % 61) - 30);

  it('is the compiler’s, bit for bit, and gives what a program gives', async () => {
    const task = loom.task();
    task.output('variance', task.encrypted('x', { rows: 20, min: -30, max: 30 }).variance());
    using program = await task.compile({ n: 4096 });
    const { n, low, ...primes } = program.info.params;
    const [q, special] = [primes.moduli.map(BigInt), primes.special.map(BigInt)];
    const t = BigInt(primes.plainModuli[0] as string);
    const names = program.info.keys.map(({ name }) => name);
    const aux = [1125899906826241n, 1125899906629633n];
    const attributes = { aux, low };

    // Types of columns tell their size: two polynomials; a key has two for each prime of its level, special ones too.
    const words = (polynomials: number) => n * polynomials;
    const column = { missing: 0, n, parts: 2, q, rings: 0, rows: rows.length, t: [t] };
    const levels = names.map((name) => Number(name.split('@')[1]));
    const units = levels.reduce((sum, level) => sum + words(2 * level * (level + special.length)), 0);
    const columnType = type('column', column, words(2 * q.length));
    const keysType = type('keys', { digit: 1, n, names, q, special }, units);

    using own = await circuit((g) => {
      const [x, keys] = [g.input('x', columnType), g.input('evaluation keys', keysType)];
      return { variance: g.op('stats.variance', [x, keys], attributes) };
    });
    expect(own.id).toBe('f5e691cea546668c33556101c9e9d931');
    expect(await own.toText()).toBe(await program.toText('task'));

    // With keys, encryption and decryption around it.
    using whole = await circuit((g) => {
      const [hidden, open] = [g.input('secret seed', SECRET_SEED), g.input('public seed', PUBLIC_SEED)];
      const slots = g.input('slots', type('slots', { n, t }));
      const secret = g.op('rlwe.secret_key', [hidden], { n, q: [...q, ...special] });
      const made = names.map((name, index) => {
        const element = /^galois (\d+)/.exec(name)?.[1];
        const from = element === undefined ? { from: 'square' } : { from: 'galois', g: BigInt(element) };
        const attributes = { q: q.slice(0, levels[index]), special, digit: 1, ...from };
        return g.op('rlwe.switching_key', [secret, open, hidden], attributes);
      });
      const keys = g.merge(made, keysType);
      const plain = g.op('slots.encode', [slots]);
      const encrypted = g.op('bfv.encrypt_secret', [secret, plain, open, hidden], { q });
      const sums = g.op('stats.variance', [g.view(encrypted, columnType), keys], attributes);
      const number = type('ciphertext', { n, t, q: q.slice(0, low), parts: 2 });
      const read = (index: number) => {
        const sum = g.view(sums, number, { from: index * words(2 * low) });
        return g.op('slots.decode', [g.op('bfv.decrypt', [secret, sum])]);
      };
      return { sum: read(0), sumSquares: read(1) };
    });
    expect(whole.id).toBe('bee449d1ad3b8d920b33bf719ae985be');

    // Twenty rows lie in every 64th slot: half of the slots, divided by the next power of two.
    const slots = new BigUint64Array(n);
    rows.forEach(
      (value, row) => (slots[(row * n) / 2 / 32] = BigInt.asUintN(64, ((BigInt(value) % t) + t) % t)),
    );
    const data = { 'secret seed': seed(1, 2, 3, 4), 'public seed': seed(5, 6, 7, 8), slots };
    const out = await run(whole, data);
    const first = (name: string) => {
      const value = (out[name] as BigUint64Array)[0] as bigint;
      return value > t / 2n ? value - t : value;
    };

    const client = await program.client();
    const result = await program.run(await client.encrypt({ x: rows }), client.evaluationKeys);
    const { variance } = await client.decryptDetails(result);
    const parts = { sum: [first('sum')], sumSquares: [first('sumSquares')] };
    expect(parts).toEqual({ sum: variance?.parts['sum'], sumSquares: variance?.parts['sumSquares'] });
    expect(parts.sum).toEqual([rows.reduce((sum, x) => sum + BigInt(x), 0n)]);
    client.dispose();
  }, 60_000);
});
