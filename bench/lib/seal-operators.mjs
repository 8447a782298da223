// Single BFV operators with node-seal: K of one kind, each on inputs and a destination of its own, as ours.
import { randomValues } from './random.mjs';

/** What a user calls each operator for; `check` throws unless all results are right and gives the least noise budget. */
export function prepareSeal(bfv, name, k) {
  const { n, t, evaluator, encoder, encryptor, decryptor, relinKeys, galoisKeys, generator } = bfv;
  const items = Array.from({ length: k }, (_, index) => {
    const [x, y] = [randomValues(2 * index, n, t), randomValues(2 * index + 1, n, t)];
    const [plain, other, a, b] = [bfv.plain(), bfv.plain(), bfv.ciphertext(), bfv.ciphertext()];
    encoder.encode(x, plain);
    encoder.encode(y, other);
    // By the secret key, on both sides: operators start from the same noise.
    encryptor.encryptSymmetric(plain, a);
    encryptor.encryptSymmetric(other, b);
    const product = bfv.ciphertext();
    if (/relinear/.test(name)) evaluator.multiply(a, b, product);
    const [outPlain, out, middle] = [bfv.plain(), bfv.ciphertext(), bfv.ciphertext()];
    return { x, y, plain, other, a, b, product, outPlain, out, middle, made: undefined };
  });
  const half = n / 2;
  const rotated = ({ x }) => x.map((_, slot) => x[slot - (slot % half) + ((slot + 1) % half)]);
  const product = ({ x, y }) => x.map((value, slot) => (value * y[slot]) % t);
  const sum = ({ x, y }) => x.map((value, slot) => (value + y[slot]) % t);
  const same = ({ x }) => x;
  const remake = (make) => (item) => {
    item.made?.delete();
    item.made = make();
  };
  const operators = {
    encode: [same, ({ x, outPlain }) => encoder.encode(x, outPlain)],
    decode: [same, (item) => (item.made = encoder.decodeBigUint64(item.plain))],
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
    multiply_plain: [product, ({ a, other, out }) => evaluator.multiplyPlain(a, other, out)],
    rotate: [rotated, ({ a, out }) => evaluator.rotateRows(a, 1, galoisKeys, out)],
    mod_switch: [same, ({ a, out }) => evaluator.cipherModSwitchToNext(a, out)],
    keygen_relinearization: [product, remake(() => generator.createRelinKeys())],
    keygen_galois: [rotated, remake(() => generator.createGaloisKeysWithSteps(Int32Array.from([1])))],
  };
  const [expected, work] = operators[name];
  const run = () => {
    for (const item of items) work(item);
  };
  const slotsOf = (item) => {
    const decoded = (plain) => encoder.decodeBigUint64(plain);
    const decrypted = (ciphertext) => {
      decryptor.decrypt(ciphertext, item.outPlain);
      return { slots: decoded(item.outPlain), budget: decryptor.invariantNoiseBudget(ciphertext) };
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
        evaluator.rotateRows(item.a, 1, item.made, item.out);
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
      const right = expected(item);
      if (right.some((value, slot) => value !== BigInt(slots[slot]))) {
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
