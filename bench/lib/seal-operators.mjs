// Single operators of a scheme with node-seal: K of one kind, each on inputs and a destination of its own, as ours.
import { randomReals, randomValues } from './random.mjs';

/** How far from the right result a slot under CKKS may be. */
const NEAR = 2 ** -14;

/** What differs between exact schemes and CKKS: slots, and what is done with them. */
function slotArithmetic({ scheme, n, t, scale, encoder, evaluator, galoisKeys }) {
  if (scheme === 'ckks') {
    return {
      slots: n / 2,
      values: (index) => randomReals(index, n / 2),
      encode: (values, plain) => encoder.encode(values, scale, plain),
      decode: (plain) => encoder.decodeFloat64(plain),
      add: (x, y) => x + y,
      multiply: (x, y) => x * y,
      alike: (found, expected) => Math.abs(found - expected) < NEAR,
      rotate: (a, keys, out) => evaluator.rotateVector(a, 1, keys ?? galoisKeys, out),
      drop: (a, out) => evaluator.rescaleToNext(a, out),
    };
  }
  return {
    slots: n,
    values: (index) => randomValues(index, n, t),
    encode: (values, plain) => encoder.encode(values, plain),
    decode: (plain) => encoder.decodeBigUint64(plain),
    add: (x, y) => (x + y) % t,
    multiply: (x, y) => (x * y) % t,
    alike: (found, expected) => BigInt(found) === expected,
    rotate: (a, keys, out) => evaluator.rotateRows(a, 1, keys ?? galoisKeys, out),
    drop: (a, out) => evaluator.cipherModSwitchToNext(a, out),
  };
}

/** What a user calls each operator for; `check` throws unless all results are right and gives the least noise budget. */
export function prepareSeal(peer, name, k) {
  const { n, scheme, evaluator, encryptor, decryptor, relinKeys, generator } = peer;
  const arithmetic = slotArithmetic(peer);
  const items = Array.from({ length: k }, (_, index) => {
    const [x, y] = [arithmetic.values(2 * index), arithmetic.values(2 * index + 1)];
    const [plain, other, a, b] = [peer.plain(), peer.plain(), peer.ciphertext(), peer.ciphertext()];
    arithmetic.encode(x, plain);
    arithmetic.encode(y, other);
    // By the secret key, on both sides: operators start from the same noise.
    encryptor.encryptSymmetric(plain, a);
    encryptor.encryptSymmetric(other, b);
    const product = peer.ciphertext();
    if (/relinear/.test(name)) evaluator.multiply(a, b, product);
    const [outPlain, out, middle] = [peer.plain(), peer.ciphertext(), peer.ciphertext()];
    const last = peer.ciphertext();
    return { x, y, plain, other, a, b, product, outPlain, out, middle, last, made: undefined };
  });
  const half = n / 2;
  const rotated = ({ x }) => x.map((_, slot) => x[slot - (slot % half) + ((slot + 1) % half)]);
  const product = ({ x, y }) => x.map((value, slot) => arithmetic.multiply(value, y[slot]));
  const sum = ({ x, y }) => x.map((value, slot) => arithmetic.add(value, y[slot]));
  const same = ({ x }) => x;
  const remake = (make) => (item) => {
    item.made?.delete();
    item.made = make();
  };
  const operators = {
    encode: [same, ({ x, outPlain }) => arithmetic.encode(x, outPlain)],
    decode: [same, (item) => (item.made = arithmetic.decode(item.plain))],
    encrypt: [same, ({ plain, out }) => encryptor.encrypt(plain, out)],
    encrypt_symmetric: [same, ({ plain, out }) => encryptor.encryptSymmetric(plain, out)],
    decrypt: [same, ({ a, outPlain }) => decryptor.decrypt(a, outPlain)],
    add: [sum, ({ a, b, out }) => evaluator.add(a, b, out)],
    add_plain: [sum, ({ a, other, out }) => evaluator.addPlain(a, other, out)],
    multiply: [product, ({ a, b, out }) => evaluator.multiply(a, b, out)],
    relinearize: [product, (item) => evaluator.relinearize(item.product, relinKeys, item.out)],
    multiply_relinearize: [
      product,
      ({ a, b, middle, out }) => {
        evaluator.multiply(a, b, middle);
        evaluator.relinearize(middle, relinKeys, out);
      },
    ],
    multiply_relinearize_switch: [
      product,
      ({ a, b, middle, last, out }) => {
        evaluator.multiply(a, b, middle);
        evaluator.relinearize(middle, relinKeys, last);
        arithmetic.drop(last, out);
      },
    ],
    multiply_plain: [product, ({ a, other, out }) => evaluator.multiplyPlain(a, other, out)],
    rotate: [rotated, ({ a, out }) => arithmetic.rotate(a, undefined, out)],
    mod_switch: [same, ({ a, out }) => arithmetic.drop(a, out)],
    keygen_relinearization: [product, remake(() => generator.createRelinKeys())],
    keygen_galois: [rotated, remake(() => generator.createGaloisKeysWithSteps(Int32Array.from([1])))],
  };
  const [expected, work] = operators[name];
  const run = () => {
    for (const item of items) work(item);
  };
  const slotsOf = (item) => {
    const decoded = (plain) => arithmetic.decode(plain);
    const decrypted = (ciphertext) => {
      decryptor.decrypt(ciphertext, item.outPlain);
      const slots = decoded(item.outPlain);
      return scheme === 'ckks' ? { slots } : { slots, budget: decryptor.invariantNoiseBudget(ciphertext) };
    };
    switch (name) {
      case 'encode':
      case 'decrypt':
        return { slots: decoded(item.outPlain) };
      case 'decode':
        return { slots: item.made };
      // The keys are tried out.
      case 'keygen_relinearization':
        evaluator.relinearize(item.product, item.made, item.out);
        return decrypted(item.out);
      case 'keygen_galois':
        arithmetic.rotate(item.a, item.made, item.out);
        return decrypted(item.out);
      default:
        return decrypted(item.out);
    }
  };
  const check = () => {
    run();
    let least = Infinity;
    for (const [index, item] of items.entries()) {
      const { slots, budget = Infinity } = slotsOf(item);
      const right = Array.from(expected(item));
      if (!right.every((value, slot) => arithmetic.alike(slots[slot], value))) {
        throw new Error(`node-seal: ${name} ${index} at N = ${n} gives the wrong slots`);
      }
      least = Math.min(least, budget);
    }
    return least;
  };
  const free = () => {
    for (const item of items) {
      for (const value of Object.values(item))
        if (typeof value?.delete === 'function' && !ArrayBuffer.isView(value)) value.delete();
    }
  };
  return { run, check, free };
}
