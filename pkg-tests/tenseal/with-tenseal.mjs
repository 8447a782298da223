// TenSEAL's answers, and by how much they can be off.
//
// TenSEAL tells no error, so it is derived from what SEAL does. Noise is followed as the most that a slot is off by, in units of the numbers:
// eight standard deviations of a sum over n coefficients. sigma = 3.2; s is ternary, so a product with it has 2n/3 times the variance.
// - Dividing by a prime rounds both polynomials: variance (1 + 2n/3) / 12 for each coefficient.
// - A fresh ciphertext has the public key's noise, sigma^2 (1 + 4n/3), at one prime more, which is then divided away; encoding rounds, too.
// - Switching keys, with one special prime P as large as the largest other one: n sigma^2 / 12 for each prime (q / P)^2, and a rounding.
// - Rescaling divides by a prime q near to the scale; TenSEAL then says that the scale is what it was, so numbers are off by |scale / q - 1|, too,
//   which is far more than the noise.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { LIMIT } from './questions.mjs';

const N = 8192;
const BITS = [60, 40, 40, 60];
const SCALE_BITS = 40;
const SCALE = 2 ** SCALE_BITS;
const SIGMA = 3.2;
/** Rotations that one rotation can take, each of a power of two. */
const HOPS = Math.log2(N / 2);

const most = (variance) => (8 * Math.sqrt(N * variance)) / SCALE;
const ENCODING = most(1 / 12);
const ROUNDING = most((1 + (2 * N) / 3) / 12);
const FRESH = most(SIGMA ** 2 * (1 + (4 * N) / 3)) / 2 ** 59 + ROUNDING + ENCODING;
const KEY_SWITCH = most(((N * SIGMA ** 2) / 12) * 1.001) + ROUNDING;
const RESCALE = scalePrimes(BITS.filter((bits) => bits === SCALE_BITS).length)
  .map((q) => Math.abs(SCALE / q - 1))
  .reduce((a, b) => Math.max(a, b));

/** Numbers of at most `most`, off by at most `error`. */
const OF = { encrypted: { most: LIMIT, error: FRESH }, plain: { most: LIMIT, error: ENCODING } };

const BOUNDS = {
  add: ([a, b]) => a.error + b.error,
  sub: ([a, b]) => a.error + b.error,
  mul: ([a, b]) => product(a, b).error,
  square: ([a]) => product(a, a).error,
  dot: ([a, b], { inputs: [{ cells }] }) => sum(product(a, b), cells.length),
  vector_matrix: ([a, b], { inputs: [{ cells }] }) =>
    cells.length * product({ ...a, error: a.error + HOPS * KEY_SWITCH }, b).error,
  matrix_matrix: ([a, b], { inputs: [, { cells }] }) => cells.length * product(a, b).error,
  // c x^3 is x^2 times c x, and so on: no more than a product of products for each of the powers.
  polynomial: ([x], { coefficients }) =>
    coefficients.reduce((error, c, power) => error + term(Math.abs(c), power, x).error, 0),
};

/** By how much an answer of TenSEAL's can be off. */
export function tensealBound(question) {
  const values = question.inputs.map(({ place }) => OF[place]);
  return BOUNDS[question.op](values, question);
}

/** Resolves with the answers, in order, and TenSEAL's version. Errors: what Python printed. */
export function askTenseal(python, questions) {
  const child = spawn(python, [fileURLToPath(new URL('with_tenseal.py', import.meta.url))]);
  child.stdin.end(JSON.stringify({ n: N, bits: BITS, scaleBits: SCALE_BITS, questions }));
  const [out, errors] = [child.stdout, child.stderr].map((stream) => stream.setEncoding('utf8').toArray());
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', async (code) => {
      if (code !== 0) return fail(new Error(`TenSEAL ended with ${code}: ${(await errors).join('')}`));
      done(JSON.parse((await out).join('')));
    });
  });
}

function product(a, b) {
  const size = a.most * b.most;
  const error = a.most * b.error + b.most * a.error + a.error * b.error + KEY_SWITCH / SCALE;
  return { most: size, error: error * (1 + RESCALE) + size * RESCALE + ROUNDING };
}

/** Rotated and added, by halves. */
function sum(value, count) {
  return count * (value.error + 2 * KEY_SWITCH);
}

function term(c, power, x) {
  const coefficient = { most: c, error: ENCODING };
  if (power === 0) return { most: c, error: ENCODING };
  if (power === 1) return product(x, coefficient);
  return product(product(x, x), power === 2 ? coefficient : product(x, coefficient));
}

/** The primes that SEAL takes for that many bits: the largest that are 1 modulo 2n. */
function scalePrimes(count) {
  const primes = [];
  for (let q = SCALE - 2 * N + 1; primes.length < count; q -= 2 * N) if (isPrime(q)) primes.push(q);
  return primes;
}

function isPrime(q) {
  for (let divisor = 3; divisor * divisor <= q; divisor += 2) if (q % divisor === 0) return false;
  return true;
}
