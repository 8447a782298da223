// A GPU beside the processors: a question about a table that nobody here can read, and a graph whose operators are placed by hand, with
// the same bytes wherever they are computed; then a step of 4,096 bodies, whose bands processors and GPU share.
// Browsers have WebGPU. Node has it from a package, which has to be installed; without one, or without a GPU, all this is done by processors,
// and said so. Run it after `npm run build`:
//   npm install --no-save webgpu && node examples/gpu.mjs
import assert from 'node:assert/strict';
import { createTask, load, type } from 'cipherloom';
import { fromModule, loadJob, threads, Var, VectorMap, SparseValueVector } from 'cipherloom/job';
import { SOFTENING } from './operators/bodies.mjs';

const loom = await load();
/** Whether a GPU is there: the first run that asks for one says so. */
let gpu = true;

await statistics(10_000);
await placed(8192);
loom.dispose();
await bodies({ count: 4096, band: 256, time: 0.001 });

/** What was asked of a GPU; where there is none, what processors make of it. */
async function onGpu(run) {
  try {
    return await run(gpu);
  } catch (error) {
    if (error.code !== 'gpu.none') throw error;
    console.log(`${error.message}. Processors do it all.`);
    gpu = false;
    return run(false);
  }
}

/** Mean, variance and covariance of two encrypted columns. */
async function statistics(rows) {
  const task = createTask();
  const x = task.encrypted('x', { shape: [rows], min: 0, max: 250 });
  const y = task.encrypted('y', { shape: [rows], min: 0, max: 100 });
  task.output('mean', x.mean());
  task.output('variance', x.variance());
  task.output('covariance', x.covariance(y));
  const program = await loom.compile(task);
  const client = await program.client();
  const values = {
    x: Array.from({ length: rows }, (_, row) => (row * 7919) % 251),
    y: Array.from({ length: rows }, (_, row) => (row * row) % 101),
  };
  const inputs = await client.encrypt(values);
  const processors = await timed(() => program.run(inputs, client.evaluationKeys));
  const device = await timed(() => onGpu((gpu) => program.run(inputs, client.evaluationKeys, { gpu })));
  assert.deepEqual(device.result, processors.result);

  const { mean, variance, covariance } = await client.decrypt(device.result);
  const total = (numbers) => numbers.reduce((sum, number) => sum + number, 0);
  const [ofX, ofY] = [total(values.x) / rows, total(values.y) / rows];
  const near = (found, expected) => assert.ok(Math.abs(found - expected) < 1e-6 * (1 + Math.abs(expected)));
  near(mean, ofX);
  near(variance, total(values.x.map((value) => (value - ofX) ** 2)) / (rows - 1));
  near(covariance, total(values.x.map((value, row) => (value - ofX) * (values.y[row] - ofY))) / (rows - 1));
  console.log(
    `${rows} encrypted rows: the same bytes, processors ${processors.time}, ${gpu ? `GPU ${device.time}` : 'no GPU'}`,
  );
}

/** A product of polynomials by transforms: these on the GPU, since they are pinned there, what is between them on processors. */
async function placed(n) {
  const q = 1125899906826241n;
  const graph = loom.graph({ unit: 64 });
  const operands = ['a', 'b'].map((name) => graph.input(name, type('limb', { n, q, form: 'coeff' })));
  const values = operands.map((operand) => graph.op('limb.ntt', [operand]));
  graph.output('product', graph.op('limb.intt', [graph.op('limb.mul', values)]));
  const circuit = await graph.build();
  // (a + x^1) (b + x^(n-1)), modulo x^n + 1.
  const [a, b] = [123456789n, 987654321n];
  const data = { a: new BigUint64Array(n), b: new BigUint64Array(n) };
  [data.a[0], data.a[1], data.b[0], data.b[n - 1]] = [a, 1n, b, 1n];
  const { product } = await onGpu(async (gpu) => {
    if (!gpu) return circuit.run(data);
    const pin = { 'limb.ntt': 'gpu', 'limb.intt': 'gpu' };
    const mixed = await circuit.place({ platform: ['simd', 'gpu'], pin });
    return mixed.run(data);
  });
  const expected = new BigUint64Array(n);
  [expected[0], expected[1], expected[n - 1]] = [(a * b - 1n) % q, b, a];
  assert.deepEqual(product, expected);
  console.log(
    `a product of polynomials of dimension ${n}: right, ${gpu ? 'its transforms by the GPU' : 'no GPU'}`,
  );
}

/** A step of bodies that attract each other: processors and the GPU take bands, each as fast as it is. */
async function bodies({ count, band, time }) {
  const all = Float32Array.from({ length: 4 * count }, (_, at) =>
    at % 4 === 3 ? 1 / count : ((at * 7919) % 10_007) / 10_007,
  );
  const module = new URL('operators/bodies.mjs', import.meta.url);
  const on = { gpu: { module: new URL('operators/bodies-gpu.mjs', import.meta.url), name: 'step' } };
  const operator = fromModule(module, { name: 'step', type: 'float', ...(gpu && { on }) });
  const crew = threads({ cpu: 2, gpu: gpu ? 1 : 0 });
  const inputs = { bands: SparseValueVector({ parts: count / band }) };
  const job = await loadJob({ inputs, globals: { world: Var() }, rounds: [VectorMap(operator)] }, { crew });
  await job.globals.world.emit('now', { bodies: all, band, time });
  for (let first = 0; first < count; first += band) await job.inputs.bands.emit(first, first);
  const gained = new Float32Array(3 * count);
  for await (const [first, velocities] of (await job.run()).getItr()) gained.set(velocities, 3 * first);
  const shares = job.statistics().workers.map(({ kind, tasks }) => `${kind} ${tasks}`);
  job.dispose();
  await crew.close();

  // Momentum stays what it was, and a few bodies are as doubles have them.
  const most = gained.reduce((most, number) => Math.max(most, Math.abs(number)), 0);
  for (let axis = 0; axis < 3; axis++) {
    let sum = 0;
    for (let body = 0; body < count; body++) sum += gained[3 * body + axis];
    assert.ok(Math.abs(sum) < 1e-3 * most * count ** 0.5, `momentum along ${axis}: ${sum}`);
  }
  for (const body of [0, 1234, count - 1]) {
    const pulled = [0, 0, 0];
    for (let other = 0; other < count; other++) {
      const towards = [0, 1, 2].map((axis) => all[4 * other + axis] - all[4 * body + axis]);
      const squared = towards.reduce((sum, number) => sum + number * number, SOFTENING);
      towards.forEach(
        (number, axis) => (pulled[axis] += (time * number * all[4 * other + 3]) / squared ** 1.5),
      );
    }
    for (let axis = 0; axis < 3; axis++)
      assert.ok(Math.abs(gained[3 * body + axis] - pulled[axis]) < 1e-4 * most);
  }
  console.log(`a step of ${count} bodies: right; bands by ${shares.join(', ')}`);
}

/** What comes of it, and how long it took. */
async function timed(run) {
  const began = performance.now();
  const result = await run();
  return { result, time: `${(performance.now() - began).toFixed(1)} ms` };
}
