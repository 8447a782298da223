// Inner products of vector pairs by hand on node-seal: many pairs per ciphertext, one multiplication for all of them,
// relinearized, switched down where the noise allows, summed by log2(length) rotations.
import { plainPrimes } from '../lib/primes.mjs';
import { level, makeBfv } from '../lib/seal.mjs';
import { packPairs } from './packing.mjs';

/** Parameters to choose from; see statistics-seal.mjs. */
export const INNER_PRODUCT_CANDIDATES = [
  { n: 4096, bits: [36, 36, 37], plainBits: [21], low: 1 },
  { n: 4096, bits: [36, 36, 37], plainBits: [21], low: 2 },
  { n: 8192, bits: [54, 54, 54], plainBits: [21], low: 1 },
];

/** The job under one candidate. */
export function openSealInnerProducts(pairs, { n, bits, plainBits, low }) {
  const layout = packPairs(n, pairs);
  const [t] = plainPrimes(n, plainBits);
  const bfv = makeBfv(n, { bits, t, steps: layout.steps });
  const { encoder, encryptor, evaluator, decryptor, relinKeys, galoisKeys, keyTime } = bfv;
  const target = level(bfv, low);
  const make = () => Array.from({ length: layout.groups }, () => bfv.ciphertext());
  const [as, bs, outputs] = [make(), make(), make()];
  const [[product], rotated, plain] = [make(), bfv.ciphertext(), bfv.plain()];
  const values = layout.factors();
  const encrypt = (slots, ciphertext) => {
    encoder.encode(BigInt64Array.from(slots, BigInt), plain);
    encryptor.encryptSymmetric(plain, ciphertext);
  };
  return {
    n,
    keyTime,
    encrypt: () => {
      for (const [group, [a, b]] of values.entries()) {
        encrypt(a, as[group]);
        encrypt(b, bs[group]);
      }
    },
    evaluate: () => {
      for (const [group, output] of outputs.entries()) {
        evaluator.multiply(as[group], bs[group], product);
        evaluator.relinearize(product, relinKeys, output);
        evaluator.cipherModSwitchToInplace(output, target);
        for (const step of layout.steps) {
          evaluator.rotateRows(output, step, galoisKeys, rotated);
          evaluator.addInplace(output, rotated);
        }
      }
    },
    decrypt: () => {
      const decoded = outputs.map((output) => {
        decryptor.decrypt(output, plain);
        return encoder.decodeBigInt64(plain);
      });
      return layout.read((group, slot) => Number(decoded[group][slot]));
    },
    budget: () => Math.min(...outputs.map((output) => decryptor.invariantNoiseBudget(output))),
  };
}
