// Runs that are placed by measured times, in Node and in pages.
const ROWS = 64;

/** A loom with a program that multiplies and adds, and what runs it and says what became of that. */
export async function start({ createTask, load }, options) {
  const loom = await load(options);
  const task = createTask();
  const x = task.encrypted('x', { shape: [ROWS], min: 0, max: 100 });
  const y = task.encrypted('y', { shape: [ROWS], min: 0, max: 100 });
  task.output('product', x.multiply(y).add(x));
  const program = await loom.compile(task);
  const client = await program.client();
  const cells = Array.from({ length: ROWS }, (_, row) => row);
  const inputs = await client.encrypt({ x: cells, y: cells });
  const keys = client.evaluationKeys;
  const expected = await program.run(inputs, keys);
  const run = async (gpu) => {
    let trace;
    const found = await program.run(inputs, keys, { gpu, onTrace: (told) => (trace = told) });
    const wrong = Object.keys(expected).filter((name) => !same(found[name], expected[name]));
    const lane = (isIt) => trace.thread.filter((thread) => isIt(thread - trace.threads)).length;
    const there = lane((lane) => lane === 1);
    const copies = lane((lane) => lane > 1);
    return { wrong, there, copies, placement: trace.placement, gpu: trace.gpu };
  };
  return { loom, run };
}

/** The times that one loom measures, and those that the next one has, from the store of both. */
export async function measuredTwice(cipherloom, options) {
  const found = [];
  for (let go = 0; go < 2; go++) {
    const { loom, run } = await start(cipherloom, options);
    try {
      const first = await run('measured');
      const times = await loom.gpuTimes();
      found.push({ first, times, second: await run('measured') });
    } finally {
      loom.dispose();
    }
  }
  return found;
}

const [N, Q, CHAINS, LENGTH] = [1024, 12289n, 4, 6];

/** A graph of chains of products that share nothing, placed by each of these times and run: how, and whether the results are those of the graph as it was. */
export async function circuitPlaced(loom, { type }, tables) {
  const graph = loom.graph({ unit: 64 });
  const limb = type('limb', { n: N, q: Q, form: 'ntt' });
  const inputs = {};
  for (let chain = 0; chain < CHAINS; chain++) {
    const name = `x${chain}`;
    inputs[name] = BigUint64Array.from({ length: N }, (_, at) => BigInt(at * at + chain) % Q);
    let value = graph.input(name, limb);
    for (let step = 0; step < LENGTH; step++) value = graph.op('limb.mul', [value, value]);
    graph.output(`y${chain}`, value);
  }
  const circuit = await graph.build();
  const expected = await circuit.run(inputs);
  const found = {};
  for (const [name, times] of Object.entries(tables)) {
    const placed = await circuit.place({ times });
    let trace;
    const outputs = await placed.run(inputs, { onTrace: (told) => (trace = told) });
    const wrong = Object.keys(expected).filter((output) => !same(outputs[output], expected[output]));
    const marked = (await placed.toText()).split('limb.mul@gpu').length - 1;
    found[name] = { wrong, marked, placement: placed.placement, gpu: trace.gpu };
  }
  return found;
}

function same(a, b) {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
