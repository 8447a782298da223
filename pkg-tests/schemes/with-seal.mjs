// Runs programs with Microsoft SEAL, through node-seal: BFV, BGV and CKKS at given prime sizes.
import SEAL from 'node-seal/allows_wasm_node_umd.js';

/** A scheme's context and tools; `primes` are those that SEAL made of these sizes, the last one for keys. */
export async function openSeal({ scheme, n, bits, t, scale }) {
  const seal = await SEAL();
  const parameters = seal.EncryptionParameters(seal.SchemeType[scheme]);
  parameters.setPolyModulusDegree(n);
  parameters.setCoeffModulus(seal.CoeffModulus.Create(n, Int32Array.from(bits)));
  if (scheme !== 'ckks') parameters.setPlainModulus(seal.Modulus(t));
  const context = seal.Context(parameters, true, seal.SecurityLevel.tc128);
  if (!context.parametersSet()) throw new Error(`SEAL refuses N = ${n}, bits ${bits}`);
  const keys = seal.KeyGenerator(context);
  const tools = {
    scheme,
    scale,
    context,
    evaluator: seal.Evaluator(context),
    encoder: scheme === 'ckks' ? seal.CKKSEncoder(context) : seal.BatchEncoder(context),
    encryptor: seal.Encryptor(context, keys.createPublicKey()),
    decryptor: seal.Decryptor(context, keys.secretKey()),
    relinKeys: keys.createRelinKeys(),
    galoisKeys: keys.createGaloisKeys(),
  };
  return { primes: Array.from(parameters.coeffModulus), run: (program) => run(tools, program) };
}

function run(tools, { inputs, nodes, outputs }) {
  const { scheme, evaluator, encoder, encryptor, decryptor, relinKeys, galoisKeys, scale } = tools;
  const made = [];
  const keep = (object) => {
    made.push(object);
    return object;
  };
  const approximate = scheme === 'ckks';
  const encode = (values, like) => {
    if (!approximate) return keep(encoder.encode(values));
    const plain = keep(encoder.encode(values, like?.scale ?? scale));
    return like === undefined ? plain : keep(evaluator.plainModSwitchTo(plain, like.parmsId));
  };
  const divide = (x) => keep(approximate ? evaluator.rescaleToNext(x) : evaluator.cipherModSwitchToNext(x));
  // SEAL compares scales bit by bit: values that are 2^-20 apart are declared to have one.
  const alike = (a, b) => {
    if (a.level === b.level) return [a.x, b.x];
    const [high, low] = a.level < b.level ? [a, b] : [b, a];
    const x = keep(evaluator.cipherModSwitchTo(high.x, low.x.parmsId));
    return a.level < b.level ? [x, low.x] : [low.x, x];
  };
  const sameScale = ([a, b]) => {
    if (approximate) b.setScale(a.scale);
    return [a, b];
  };
  try {
    const operands = inputs.map(({ values }) => ({ x: keep(encryptor.encrypt(encode(values))), level: 0 }));
    for (const { op, operands: chosen, steps, plain, level } of nodes) {
      const [first, second = first] = chosen.map((operand) => operands[operand]);
      const [a, b] = alike(first, second);
      const product = (x, y) => divide(keep(evaluator.relinearize(keep(evaluator.multiply(x, y)), relinKeys)));
      const compute = {
        add: () => keep(evaluator.add(...sameScale([a, b]))),
        sub: () => keep(evaluator.sub(...sameScale([a, b]))),
        negate: () => keep(evaluator.negate(a)),
        multiply: () => product(a, b),
        square: () => divide(keep(evaluator.relinearize(keep(evaluator.square(a)), relinKeys))),
        rotate: () =>
          keep(approximate ? evaluator.rotateVector(a, steps, galoisKeys) : evaluator.rotateRows(a, steps, galoisKeys)),
        conjugate: () =>
          keep(approximate ? evaluator.complexConjugate(a, galoisKeys) : evaluator.rotateColumns(a, galoisKeys)),
        addPlain: () => keep(evaluator.addPlain(a, encode(plain, a))),
        multiplyPlain: () => divide(keep(evaluator.multiplyPlain(a, encode(plain, a)))),
      };
      operands.push({ x: compute[op](), level });
    }
    return outputs.map((operand) => {
      const plain = keep(decryptor.decrypt(operands[operand].x));
      return approximate ? Float64Array.from(encoder.decode(plain)) : Array.from(encoder.decode(plain, false), BigInt);
    });
  } finally {
    for (const object of new Set(made)) object.delete();
  }
}
