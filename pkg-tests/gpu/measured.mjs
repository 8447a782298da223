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

function same(a, b) {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
