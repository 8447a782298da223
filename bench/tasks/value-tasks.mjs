// Tasks over values with cipherloom's public API: each is written as its question is put; packing, levels and keys are the compiler's.

/** Inner products of pairs of vectors. */
export async function openProducts(loom, pairs, limit) {
  const task = loom.task();
  const options = { shape: [pairs.length, pairs[0][0].length], min: -limit, max: limit };
  const [a, b] = ['a', 'b'].map((name) => task.encrypted(name, options));
  task.output('products', a.multiply(b).sum(1));
  const [as, bs] = [0, 1].map((side) => pairs.map((pair) => pair[side]));
  return open(task, { a: as, b: bs }, {}, ({ products }) => products);
}

/** A matrix times a vector: a matrix that is part of the program, or one of the server's that is `given` to each run. */
export async function openMatrix(loom, { matrix, vector }, limit, { given = false } = {}) {
  const task = loom.task();
  const x = task.encrypted('x', { shape: [vector.length], min: -limit, max: limit });
  const shape = [matrix.length, vector.length];
  const m = given ? task.plain('m', { shape, min: -limit, max: limit }) : task.constant(matrix);
  task.output('y', m.matmul(x));
  return open(task, { x: vector }, {}, ({ y }) => y, given ? { m: matrix } : {});
}

/** Probabilities by a model of the server's. */
export async function openRegression(loom, { records, weights, bias, sigmoid, limit }) {
  const task = loom.task();
  const shape = [records.length, weights.length];
  const features = task.encrypted('features', { kind: 'real', shape, min: -limit, max: limit });
  const model = task.plain('weights', { kind: 'real', shape: [weights.length], min: -0.5, max: 0.5 });
  // Scores lie where the polynomial is near to a sigmoid, as the peer's program takes for granted, too.
  const score = features.matmul(model).add(bias).within(-16, 16);
  task.output('probability', score.polynomial(sigmoid));
  return open(task, { features: records }, { weights }, ({ probability }) => probability);
}

/**
 * Phases, each a function of the one before. The server holds what it is sent and the values of its own in `plain`, as the peer's program has ciphertexts and
 * encoded weights at hand; `given` is what comes with each run.
 */
async function open(task, values, plain, read, given = {}) {
  const start = performance.now();
  const program = await task.compile();
  const compiled = performance.now();
  const client = await program.client();
  const run = (inputs) => program.run(inputs, client.evaluationKeys, { plain: { ...plain, ...given } });
  let held;
  const serve = async (options) => {
    held ??= await program.hold(await client.encrypt(values), client.evaluationKeys, { plain });
    return held.run({}, { plain: given, ...options });
  };
  return {
    n: program.info.n,
    compileTime: compiled - start,
    keyTime: performance.now() - compiled,
    encrypt: () => client.encrypt(values),
    evaluate: run,
    serve,
    decrypt: async (outputs) => read(await client.decrypt(outputs)),
    about: async () => {
      const { moduli, special, plainModuli, operators, keys, ciphertexts } = program.info;
      const inputs = await client.encrypt(values);
      return {
        parametersOurs: {
          bits: [...moduli, ...special].map((prime) => BigInt(prime).toString(2).length),
          plainBits: plainModuli.map((prime) => BigInt(prime).toString(2).length),
          levels: ciphertexts.map(({ level }) => level),
          budgets: ciphertexts.map(({ budgetBits, errorBits }) => errorBits ?? budgetBits),
        },
        bytes: { inputs: size(Object.values(inputs)), keys: keys.reduce((sum, { bytes }) => sum + bytes, 0) },
        operators,
        inside: await inside(program, serve),
      };
    },
  };
}

function size(parts) {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/** Runs that are traced: the one of the shortest time is told. */
const TRACED = 5;

/**
 * Where the time of a run goes: how often each operator is run, and its milliseconds. `steps` is from the first operator to the last, and
 * `around` what is before and after: calls, what is clear made slots of, ciphertexts read and written.
 */
async function inside(program, run) {
  const { types, type } = await program.graph('base');
  let best;
  for (let i = 0; i < TRACED; i++) {
    let trace;
    const start = performance.now();
    await run({ onTrace: (found) => (trace = found) });
    const all = performance.now() - start;
    if (best === undefined || all < best.all) best = { all, trace };
  }
  const { all, trace } = best;
  const operators = {};
  for (const [index, op] of trace.op.entries()) {
    const name = types[type[op]] ?? 'other';
    operators[name] ??= { count: 0, milliseconds: 0 };
    operators[name].count++;
    operators[name].milliseconds += trace.end[index] - trace.start[index];
  }
  const steps = trace.end.reduce((most, end) => Math.max(most, end), 0);
  return { steps, around: all - steps, operators };
}
