// What a GPU computes in a run, and what the processors of this machine do: the same bytes, in Node and in pages.
import { mulberry32 } from '../lib/random.mjs';
import { DEPTH, randomPrograms } from '../schemes/programs.mjs';
import { circuitOf, isPrime } from '../schemes/with-cipherloom.mjs';

/** Rings with transforms of one pass and, from 4096 on, of two; of BFV products leave the base. The suite of shaders has larger ones. */
const RINGS = [
  { scheme: 'bgv', n: 256, t: 7681n, count: 3 },
  { scheme: 'bfv', n: 256, t: 7681n, count: 3 },
  { scheme: 'ckks', n: 4096, t: undefined, count: 1 },
  { scheme: 'bgv', n: 4096, t: 65537n, count: 1 },
];
const SCALE = 2 ** 40;
const PASSES = ['dedup', 'cancel', 'prune', 'hoist', 'fuse'];

/**
 * Random programs of every scheme, from keys to decryption, as graphs: on the processors alone, with all on the GPU that has a shader, and with operators here
 * and there; `most` of them, the first ones. Gives for each what the GPU did, and which outputs are other ones.
 */
export async function onGpu({ load }, { seed = 5, most = Infinity, ...options } = {}) {
  const loom = await load(options);
  const found = [];
  try {
    for (const { scheme, n, t, count } of RINGS) {
      const slots = scheme === 'ckks' ? n / 2 : n;
      for (const program of randomPrograms(scheme, count, seed, slots, t).slice(0, most - found.length)) {
        const [q, special] = [primes(n, 40, DEPTH + 1), primes(n, 49, 1)];
        const parameters = { scheme, n, q, special, t, scale: SCALE };
        const form = scheme === 'bfv' ? 'coeff' : 'ntt';
        const { circuit, data } = await circuitOf(loom, program, parameters, { form, passes: PASSES });
        found.push({ scheme, n, ...(await everywhere(loom, circuit, data, seed)) });
        circuit.dispose();
      }
    }
    return found;
  } finally {
    loom.dispose();
  }
}

const ROWS = 569;

/** Tasks, with values for them: statistics, for which nothing needs a key, and products that do. */
const TASKS = {
  statistics(x, y, task) {
    task.output('mean', x.mean());
    task.output('variance', x.variance());
    task.output('covariance', x.covariance(y));
  },
  products(x, y, task) {
    task.output('product', x.multiply(x).multiply(y).sub(3));
    task.output('sum', x.multiply(y).sum());
  },
};

/** Programs, run by processors alone and with a GPU, twice, and on values that stay: what the GPU did, and which results are other ones. */
export async function programsOnGpu({ load, createTask }, options = {}) {
  const loom = await load(options);
  const found = [];
  try {
    for (const [name, build] of Object.entries(TASKS)) {
      const task = createTask();
      const x = task.encrypted('x', { shape: [ROWS], min: 0, max: 121, decimals: 1 });
      const y = task.encrypted('y', { shape: [ROWS], min: 0, max: 1000 });
      build(x, y, task);
      const program = await loom.compile(task);
      const client = await program.client();
      const values = {
        x: Array.from({ length: ROWS }, (_, row) => ((row * 7919) % 1201) / 10),
        y: Array.from({ length: ROWS }, (_, row) => (row * row) % 1000),
      };
      const inputs = await client.encrypt(values);
      const keys = client.evaluationKeys;
      const expected = await program.run(inputs, keys);
      const held = await program.hold(inputs, keys);
      const runs = {
        first: (told) => program.run(inputs, keys, { gpu: true, onTrace: told }),
        second: (told) => program.run(inputs, keys, { gpu: true, onTrace: told }),
        held: (told) => held.run({}, { gpu: true, onTrace: told }),
      };
      for (const [run, start] of Object.entries(runs)) {
        let trace;
        const results = await start((told) => (trace = told));
        const wrong = Object.keys(expected).filter((output) => !same(results[output], expected[output]));
        found.push({ name, run, keys: keys.length, outputs: Object.keys(expected).length, wrong, ...trace.gpu });
      }
    }
    return found;
  } finally {
    loom.dispose();
  }
}

/** A circuit's runs, in all places. */
async function everywhere(loom, circuit, data, seed) {
  const fused = await (await circuit.expand({ platform: 'simd' })).optimize();
  const expected = await fused.run(data);
  const base = await (await circuit.expand({ platform: ['gpu', 'scalar'] })).optimize();
  const variants = {
    'all that has a shader': await base.place({ platform: ['gpu', 'simd'] }),
    'here and there': await loom.circuit(scattered(await base.toText(), seed)),
  };
  const runs = {};
  for (const [name, placed] of Object.entries(variants)) {
    let trace;
    const outputs = await placed.run(data, { onTrace: (told) => (trace = told) });
    const wrong = Object.keys(expected).filter((output) => !same(outputs[output], expected[output]));
    const lane = trace.threads + 1;
    const ops = trace.thread.filter((thread) => thread === lane).length;
    runs[name] = { wrong, operators: placed.operators, ops, ...trace.gpu };
    placed.dispose();
  }
  return { outputs: Object.keys(expected).length, runs };
}

/** Half of the operators on limbs on the GPU, of those that its shaders take. */
function scattered(text, seed) {
  const random = mulberry32(seed);
  const place = (call) => (random() < 0.5 ? `${call}@gpu` : call);
  const names = 'add|sub|neg|mul|ntt|intt|mul_scalar|scale_sub|automorphism|permute|from_small|dot';
  return text.replace(new RegExp(`(?<= = )limb\\.(${names})(?=[(#])`, 'g'), place);
}

function same(a, b) {
  return a.length === b.length && a.every((word, index) => Object.is(word, b[index]));
}

/** The largest primes below so many bits of which the ring has roots. */
function primes(n, bits, count) {
  const found = [];
  for (let next = 2n ** BigInt(bits) + 1n; found.length < count;) {
    next -= 2n * BigInt(n);
    if (isPrime(next)) found.push(next);
  }
  return found;
}
