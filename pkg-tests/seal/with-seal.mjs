// Runs programs with Microsoft SEAL, through node-seal.
// The build that takes x - x, a ciphertext without noise, as any other.
import SEAL from 'node-seal/allows_wasm_node_umd.js';

/** Gives `run(program, n)`: the outputs' slots, and the least noise budget among them. Contexts and keys are kept. */
export async function openSeal() {
  const seal = await SEAL();
  const contexts = new Map();
  const contextFor = (n, t) => {
    const name = `${n} ${t}`;
    if (!contexts.has(name)) contexts.set(name, makeContext(seal, n, t));
    return contexts.get(name);
  };
  return { run: (program, n) => run(contextFor(n, program.plainModulus), program, n) };
}

function makeContext(seal, n, t) {
  const parameters = seal.EncryptionParameters(seal.SchemeType.bfv);
  parameters.setPolyModulusDegree(n);
  parameters.setCoeffModulus(seal.CoeffModulus.BFVDefault(n, seal.SecurityLevel.tc128));
  parameters.setPlainModulus(seal.Modulus(BigInt(t)));
  const context = seal.Context(parameters, true, seal.SecurityLevel.tc128);
  if (!context.parametersSet()) throw new Error(`SEAL refuses N = ${n}, t = ${t}`);
  const keys = seal.KeyGenerator(context);
  return {
    evaluator: seal.Evaluator(context),
    encoder: seal.BatchEncoder(context),
    encryptor: seal.Encryptor(context, keys.createPublicKey()),
    decryptor: seal.Decryptor(context, keys.secretKey()),
    relinKeys: keys.createRelinKeys(),
    galoisKeys: keys.createGaloisKeys(),
  };
}

function run({ evaluator, encoder, encryptor, decryptor, relinKeys, galoisKeys }, { inputs, nodes, outputs }, n) {
  // Objects of the wasm, which have to be given back.
  const made = [];
  const keep = (object) => {
    made.push(object);
    return object;
  };
  const encode = (values) => keep(encoder.encode(Int32Array.from(values(n))));
  const compute = {
    add: (a, b) => evaluator.add(a, b),
    sub: (a, b) => evaluator.sub(a, b),
    negate: (a) => evaluator.negate(a),
    multiply: (a, b) => evaluator.relinearize(keep(evaluator.multiply(a, b)), relinKeys),
    rotateRows: (a, _, { steps }) => evaluator.rotateRows(a, steps, galoisKeys),
    rotateColumns: (a) => evaluator.rotateColumns(a, galoisKeys),
    addPlain: (a, _, { plain }) => evaluator.addPlain(a, encode(plain)),
    multiplyPlain: (a, _, { plain }) => evaluator.multiplyPlain(a, encode(plain)),
  };
  try {
    const operands = inputs.map(({ values }) => keep(encryptor.encrypt(encode(values))));
    for (const node of nodes) {
      const [a, b] = node.operands.map((operand) => operands[operand]);
      operands.push(keep(compute[node.op](a, b, node)));
    }
    return {
      slots: outputs.map((operand) => Array.from(encoder.decode(keep(decryptor.decrypt(operands[operand])), true))),
      budget: Math.min(...outputs.map((operand) => decryptor.invariantNoiseBudget(operands[operand]))),
    };
  } finally {
    for (const object of made) object.delete();
  }
}
