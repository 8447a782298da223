// Inner products of many pairs of vectors by hand on node-seal: a vector's coordinates lie across ciphertexts first, so that products are
// summed before one relinearization and the fewest slots are left to be summed by rotations.
//
// Under BGV a product is one of values in NTT form, and costs a fraction of BFV's.
import { plainPrimes } from '../lib/primes.mjs';
import { level, makeScheme } from '../lib/seal.mjs';

/** `low`: primes that are left when slots are summed; `early`: they are dropped before the relinearization. */
const PARAMETERS = [
  { scheme: 'bgv', n: 4096, bits: [36, 36, 37], low: 2 },
  { scheme: 'bgv', n: 4096, bits: [42, 30, 37], low: 1 },
  { scheme: 'bgv', n: 8192, bits: [48, 48, 50], low: 1 },
  { scheme: 'bgv', n: 8192, bits: [48, 48, 50], low: 1, early: true },
  { scheme: 'bfv', n: 4096, bits: [36, 36, 37], low: 1 },
  { scheme: 'bfv', n: 4096, bits: [36, 36, 37], low: 2 },
  { scheme: 'bfv', n: 8192, bits: [54, 54, 54], low: 1, early: true },
];

export const PRODUCT_CANDIDATES = PARAMETERS.map((parameters) => {
  const { scheme, low, early } = parameters;
  const order = early ? `dropped to ${low}, relinearized` : `relinearized, dropped to ${low}`;
  return { what: `${scheme.toUpperCase()}, ${order}`, plainBits: [23], ...parameters };
});

/** The job under one candidate: pairs of vectors of one length, a power of two. */
export function openSealProducts(pairs, { scheme, n, bits, plainBits, low, early }) {
  const [t] = plainPrimes(n, plainBits);
  const length = pairs[0][0].length;
  // Slot of a pair's coordinate: the pairs lie lowest.
  const width = 2 ** Math.ceil(Math.log2(pairs.length));
  const each = n / width;
  const groups = length / each;
  const steps = [];
  for (let step = width; step < n / 2; step *= 2) steps.push(step);
  const bfv = makeScheme(scheme, n, { bits, t, steps: [...steps, 0] });
  const { encoder, encryptor, evaluator, decryptor, relinKeys, galoisKeys, keyTime } = bfv;
  const target = level(bfv, low);
  const make = (count) => Array.from({ length: count }, () => bfv.ciphertext());
  const sides = [make(groups), make(groups)];
  const [product, sum, output, rotated] = make(4);
  const plain = bfv.plain();
  const slots = new BigInt64Array(n);
  return {
    n,
    keyTime,
    encrypt: () => {
      for (const [side, ciphertexts] of sides.entries()) {
        for (const [group, ciphertext] of ciphertexts.entries()) {
          slots.fill(0n);
          for (const [index, pair] of pairs.entries()) {
            for (let at = 0; at < each; at++) slots[at * width + index] = BigInt(pair[side][group * each + at]);
          }
          encoder.encode(slots, plain);
          encryptor.encryptSymmetric(plain, ciphertext);
        }
      }
    },
    evaluate: () => {
      const [as, bs] = sides;
      evaluator.multiply(as[0], bs[0], sum);
      for (let group = 1; group < groups; group++) {
        evaluator.multiply(as[group], bs[group], product);
        evaluator.addInplace(sum, product);
      }
      if (early) evaluator.cipherModSwitchToInplace(sum, target);
      evaluator.relinearize(sum, relinKeys, output);
      if (!early) evaluator.cipherModSwitchToInplace(output, target);
      for (const step of steps) {
        evaluator.rotateRows(output, step, galoisKeys, rotated);
        evaluator.addInplace(output, rotated);
      }
      evaluator.rotateColumns(output, galoisKeys, rotated);
      evaluator.addInplace(output, rotated);
    },
    decrypt: () => {
      decryptor.decrypt(output, plain);
      return Array.from(encoder.decodeBigInt64(plain).subarray(0, pairs.length), Number);
    },
    budget: () => decryptor.invariantNoiseBudget(output),
  };
}
