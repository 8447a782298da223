// Runs programs as circuits of cipherloom, level by level, as a cryptographer writes them.
import { f64, type } from 'cipherloom';

/**
 * Scale (CKKS) or factor (BGV; BFV has none) of each level: what a product of two of one level has after its division. All that comes to a level is
 * brought to it, so that any two of one level can be added.
 */
function levelsOf({ scheme, q, t, scale }) {
  const levels = [scheme === 'ckks' ? scale : 1n];
  for (let level = 0; level + 1 < q.length; level++) {
    const last = q[q.length - 1 - level];
    const before = levels[level];
    levels.push(scheme === 'ckks' ? (before * before) / Number(last) : (before * before * inverse(last, t)) % t);
  }
  return levels;
}

function inverse(x, t) {
  let [power, result] = [x % t, 1n];
  for (let e = t - 2n; e > 0n; e >>= 1n, power = (power * power) % t) if (e & 1n) result = (result * power) % t;
  return result;
}

/** The Galois element that rotates by so many slots to the left. */
function element(n, steps) {
  let g = 1;
  for (let i = 0; i < (steps + n / 2) % (n / 2); i++) g = (g * 3) % (2 * n);
  return g;
}

/** What a product of BFV is computed with beside these primes: the fewest of 50 bits that have a product as large, none of them in `taken`. */
export function auxiliary(n, q, taken) {
  const bits = (primes) => primes.reduce((sum, prime) => sum + Math.log2(Number(prime)), 0);
  const found = [];
  for (let next = 2n ** 50n + 1n; bits(found) < bits(q);) {
    next -= 2n * BigInt(n);
    if (!taken.includes(next) && isPrime(next)) found.push(next);
  }
  return found;
}

/** Of odd numbers below 2^64: Miller and Rabin's test, to bases that settle it there. */
export function isPrime(x) {
  const power = (base, exponent) => {
    let result = 1n;
    for (let e = exponent; e > 0n; e >>= 1n, base = (base * base) % x) if (e & 1n) result = (result * base) % x;
    return result;
  };
  let [odd, twos] = [x - 1n, 0];
  for (; odd % 2n === 0n; twos++) odd /= 2n;
  return [2n, 3n, 5n, 7n, 11n, 13n, 17n, 19n, 23n, 29n, 31n, 37n].every((base) => {
    let y = power(base, odd);
    for (let i = 0; i < twos && y !== 1n && y !== x - 1n; i++) y = i + 1 < twos ? (y * y) % x : 0n;
    return y === 1n || y === x - 1n;
  });
}

/** The slots of the outputs. `passes`: names of passes to run at the level of schemes. */
export async function runCipherloom(loom, program, parameters, options) {
  const { circuit, data } = await circuitOf(loom, program, parameters, options);
  const base = await (await circuit.expand({ platform: 'simd' })).optimize();
  const outputs = await base.run(data, { secret: true });
  base.dispose();
  return program.outputs.map((_, index) => outputs[String(index)]);
}

/** The program as a circuit, from keys to decryption, and its data. */
export async function circuitOf(loom, program, parameters, { passes = [], form = 'coeff' } = {}) {
  const { scheme, n, q, special, t, scale } = parameters;
  const levels = levelsOf(parameters);
  const g = loom.graph({ unit: 64 });
  const [hidden, open] = [g.input('secret seed', type('secret_seed')), g.input('public seed', type('public_seed'))];
  const data = {};
  for (const name of ['secret seed', 'public seed']) data[name] = crypto.getRandomValues(new BigUint64Array(4));
  const secret = g.op('rlwe.secret_key', [hidden], { n, q: [...q, ...special] });
  const factor = scheme === 'bgv' ? { factor: t } : {};
  const keys = new Map();
  const key = (level, from) => {
    const name = `${level} ${JSON.stringify(from)}`;
    if (!keys.has(name)) {
      const attributes = { q: q.slice(0, q.length - level), special, digit: 1, ...factor, ...from };
      keys.set(name, g.op('rlwe.switching_key', [secret, open, hidden], attributes));
    }
    return keys.get(name);
  };
  const plain = (values, level) => {
    const name = `x${Object.keys(data).length}`;
    data[name] = values;
    if (scheme !== 'ckks') return g.op('slots.encode', [g.input(name, type('slots', { n, t }))]);
    return g.op('ckks.encode', [g.input(name, f64(n / 2))], { scale: levels[level] });
  };
  const keep = (level) => q.length - level;
  /** One level down, after a product. */
  const divided = (x, level) =>
    scheme === 'ckks'
      ? g.op('ckks.rescale', [x], { keep: keep(level + 1), scale: levels[level + 1] })
      : g.op(`${scheme}.mod_switch`, [x], { keep: keep(level + 1) });
  /** To that level and, of BGV, its factor, which is made before the division: what that costs in noise is divided, too. */
  const switched = (x, from, to) => {
    if (scheme === 'bfv') return g.op('bfv.mod_switch', [x], { keep: keep(to) });
    const dropped = q.slice(keep(to), keep(from)).reduce((product, prime) => (product * prime) % t, levels[to]);
    return g.op('bgv.mod_switch', [g.op('bgv.adjust', [x], { factor: dropped })], { keep: keep(to) });
  };
  /** To that level, without a product. */
  const lowered = ({ x, level }, to) => {
    if (level === to) return x;
    if (scheme === 'ckks') return g.op('ckks.adjust', [x], { keep: keep(to), scale: levels[to] });
    return switched(x, level, to);
  };
  const fresh = ({ values }) => {
    const attributes = { q };
    const x = g.op(`${scheme}.encrypt_secret`, [secret, plain(values, 0), open, hidden], attributes);
    return { x: form === 'ntt' ? g.op('rlwe.ntt', [x]) : x, level: 0 };
  };
  const operands = program.inputs.map(fresh);
  for (const { op, operands: chosen, steps, plain: values, level: to } of program.nodes) {
    const level = Math.max(...chosen.map((operand) => operands[operand].level));
    const [a, b = a] = chosen.map((operand) => lowered(operands[operand], level));
    const mapped = (element) => {
      const galois = key(level, { from: 'galois', g: element });
      return g.op('rlwe.automorphism', [a, galois], { g: element });
    };
    const product = (x, y) => {
      const primes = q.slice(0, keep(level));
      const attributes = scheme === 'bfv' ? { aux: auxiliary(n, primes, q) } : {};
      const three = g.op(`${scheme}.multiply`, [x, y], attributes);
      return divided(g.op('rlwe.relinearize', [three, key(level, { from: 'square' })]), level);
    };
    const compute = {
      add: () => g.op('rlwe.add', [a, b]),
      sub: () => g.op('rlwe.sub', [a, b]),
      negate: () => g.op('rlwe.negate', [a]),
      multiply: () => product(a, b),
      square: () => product(a, a),
      rotate: () => mapped(element(n, steps)),
      conjugate: () => mapped(2 * n - 1),
      addPlain: () => g.op(`${scheme}.add_plain`, [a, plain(values, level)]),
      multiplyPlain: () => {
        const x = g.op(`${scheme}.multiply_plain`, [a, plain(values, level)]);
        return scheme === 'ckks' ? divided(x, level) : switched(x, level, to);
      },
    };
    operands.push({ x: compute[op](), level: to });
  }
  for (const [index, operand] of program.outputs.entries()) {
    const opened = g.op(`${scheme}.decrypt`, [secret, operands[operand].x]);
    const slots = scheme === 'ckks' ? g.op('ckks.decode', [opened], { complex: 0 }) : g.op('slots.decode', [opened]);
    g.output(String(index), slots);
  }
  const circuit = await g.build();
  return { circuit: await circuit.optimize(passes.length > 0 ? { passes } : {}), data };
}
