// Logistic regression on encrypted records by hand on node-seal, under CKKS. Weights are encoded before anything is timed.
//
// The polynomial c0 + c1 s + c3 s^3 costs no multiplication by a coefficient: with y = k s, where k^3 = c3, it is c0 + y (y^2 + c1 / k), and k goes
// into the weights. Rescaling is put off for as long as numbers stay below the primes, since a prime less makes all else cheaper.
import { level, makeScheme } from '../lib/seal.mjs';

/**
 * `bits` and log2 of the scales of features and weights; after which steps there is a rescaling. A weight's scale is that of its prime
 * where the products are rescaled. The first chain has room for probabilities up to 4, which they are where the polynomial is near a sigmoid; the
 * others for all that the bounds of features and weights allow, as ours has. The special prime is the largest: turns are off by what the others
 * are of it. Two primes of 60 bits and no rescaling at all were tried, too: results were off by about 2^-12 and more.
 */
const CHAINS = [
  { n: 8192, bits: [54, 54, 50, 60], scale: 35, weight: 50, rescaled: ['weights'] },
  { n: 8192, bits: [46, 38, 38, 38, 58], scale: 38, weight: 38, rescaled: ['weights', 'square'] },
  { n: 16384, bits: [50, 40, 40, 40, 60], scale: 40, weight: 40, rescaled: ['weights', 'square'] },
];
/** How many features share a ciphertext: with one there is nothing to turn, and most to encrypt. */
const FEATURES = { 8192: [4, 2, 1], 16384: [8] };

export const REGRESSION_CANDIDATES = CHAINS.flatMap((chain) =>
  FEATURES[chain.n].flatMap((features) =>
    [true, false].map((relinearized) => {
      const layout = features === 1 ? 'a ciphertext for each feature' : `${features} features in a ciphertext`;
      const after = `rescaled after ${chain.rescaled.join(' and ')}`;
      const parts = relinearized ? 'relinearized' : 'result of four parts';
      return { what: `CKKS, ${layout}, ${after}, ${parts}`, ...chain, features, relinearized };
    }),
  ),
);

/** The job under one candidate. `tolerance`: how far results may be off. */
export function openSealRegression({ records, weights, bias, sigmoid, expected, tolerance }, candidate) {
  const { n, bits, scale, weight, rescaled, features, relinearized } = candidate;
  const [c0, c1, c2, c3] = sigmoid;
  if (c2 !== 0) throw new Error('a sigmoid has no square');
  const k = Math.cbrt(c3);
  const [slots, count] = [n / 2, weights.length];
  const block = slots / features;
  const groups = Math.ceil(count / features);
  const steps = [];
  for (let step = block; step < slots; step *= 2) steps.push(step);
  const peer = makeScheme('ckks', n, { bits, scale: 2 ** scale, steps });
  const { encoder, encryptor, evaluator, decryptor, relinKeys, galoisKeys, keyTime } = peer;
  const make = (length) => Array.from({ length }, () => peer.ciphertext());
  const values = (value, rows = records.length) => {
    const all = new Float64Array(slots);
    for (let at = 0; at < features; at++) {
      for (let row = 0; row < rows; row++) all[at * block + row] = value(row, at);
    }
    return all;
  };
  const start = performance.now();
  const encoded = Array.from({ length: groups }, (_, group) => {
    const plain = peer.plain();
    // In all slots: a plaintext of few different numbers is rounded least.
    const all = values((_, at) => k * (weights[group * features + at] ?? 0), block);
    encoder.encode(all, 2 ** weight, plain);
    return plain;
  });
  const encodeTime = performance.now() - start;
  // What is added is encoded once, when it is first seen at which level and scale.
  const added = new Map();
  const addConstant = (ciphertext, name, value) => {
    if (!added.has(name)) {
      const plain = peer.plain();
      encoder.encode(
        values(() => value),
        ciphertext.scale(),
        plain,
      );
      evaluator.plainModSwitchToInplace(plain, ciphertext.parmsId());
      added.set(name, plain);
    }
    evaluator.addPlainInplace(ciphertext, added.get(name));
  };
  const last = level(peer, bits.length - 1 - rescaled.length);
  const xs = make(groups);
  const [product, y, square, output, rotated] = make(5);
  const plain = peer.plain();
  let found;
  return {
    n,
    keyTime,
    encodeTime,
    encrypt: () => {
      for (const [group, ciphertext] of xs.entries()) {
        encoder.encode(
          values((row, at) => records[row][group * features + at] ?? 0),
          2 ** scale,
          plain,
        );
        encryptor.encryptSymmetric(plain, ciphertext);
      }
    },
    evaluate: () => {
      for (const [group, ciphertext] of xs.entries()) {
        evaluator.multiplyPlain(ciphertext, encoded[group], group === 0 ? y : product);
        if (group > 0) evaluator.addInplace(y, product);
      }
      if (rescaled.includes('weights')) evaluator.rescaleToNextInplace(y);
      for (const step of steps) {
        evaluator.rotateVector(y, step, galoisKeys, rotated);
        evaluator.addInplace(y, rotated);
      }
      addConstant(y, 'bias', k * bias);
      evaluator.square(y, square);
      if (relinearized) evaluator.relinearizeInplace(square, relinKeys);
      if (rescaled.includes('square')) evaluator.rescaleToNextInplace(square);
      addConstant(square, 'c1', c1 / k);
      evaluator.cipherModSwitchToInplace(y, last);
      evaluator.multiply(square, y, output);
      if (relinearized) evaluator.relinearizeInplace(output, relinKeys);
      addConstant(output, 'c0', c0);
    },
    decrypt: () => {
      decryptor.decrypt(output, plain);
      found = encoder.decodeFloat64(plain).slice(0, records.length);
      return found;
    },
    /** Bits by which results are nearer than they have to be. */
    budget: () =>
      Math.floor(Math.log2(tolerance / Math.max(...found.map((value, row) => Math.abs(value - expected[row]))))),
    free: () => {
      for (const one of [...encoded, ...xs, galoisKeys]) one.delete();
    },
  };
}
