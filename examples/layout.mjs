// Labels say where data lie, cut how: a small network placed on two machines, each core's instructions step by step, its result beside plain loops;
// then a product of 512 x 512 matrices on this device, split by its labels into a part for each of two threads. Run it after `npm run build`:
//   node examples/layout.mjs
import assert from 'node:assert/strict';
import { f32, load } from 'cipherloom';
import {
  compile,
  deviceMachine,
  execute,
  labelOperator,
  machine,
  printDynamic,
  printInstruction,
  printStatic,
  ruleStrategy,
  split,
  tensor,
} from 'cipherloom/layout';

const clusters = (cache) => [
  { cores: 2, cache },
  { cores: 2, cache },
];
const MACHINES = [
  machine({ name: 'caches in two clusters', memories: 2, clusters: clusters(true), tile: 4 }),
  machine({
    name: 'no caches, one memory, two hops',
    architecture: 'smp',
    memories: 1,
    clusters: clusters(false),
  }),
];

// Two layers, of whole numbers, so that every order of adding gives the same.
const [items, features, hidden, classes] = [1, 10, 6, 3];
const whole = (length, step) => Float32Array.from({ length }, (_, i) => ((step * i) % 7) - 3);
const x = tensor('NC', [items, features], whole(items * features, 3));
const w1 = tensor('CN', [features, hidden], whole(features * hidden, 2));
const w2 = tensor('CN', [hidden, classes], whole(hidden * classes, 5));

/** Plain loops: rows times a matrix. */
function product(rows, matrix, n, k, m) {
  return Float64Array.from({ length: n * m }, (_, at) => {
    const [i, j] = [Math.floor(at / m), at % m];
    return Array.from({ length: k }, (_, c) => rows[i * k + c] * matrix[c * m + j]).reduce(
      (a, b) => a + b,
      0,
    );
  });
}
const first = product(x.values, w1.values, items, features, hidden).map((value) => Math.max(value, 0));
const expected = product(first, w2.values, items, hidden, classes);

for (const on of MACHINES) {
  console.log(`\n${on.name}`);
  const layers = [
    ['mlp', (last) => ({ input: last, weight: w1 })],
    ['relu', (last) => ({ input: last })],
    ['mlp', (last) => ({ input: last, weight: w2 })],
  ];
  let last = x;
  for (const [operator, data] of layers) {
    const { output, labelled, plan, simulation } = execute(operator, data(last), on, {
      strategy: ruleStrategy,
    });
    for (const port of ['input', 'weight', 'output'])
      if (labelled[port] !== undefined) {
        console.log(`  ${port}: ${printStatic(labelled[port].static)}`);
        console.log(`    ${printDynamic(labelled[port].dynamic)}`);
      }
    for (const [step, cores] of plan.steps.entries())
      for (const { core, instructions } of cores)
        console.log(`  step ${step + 1}, core ${core + 1}: ${instructions.map(printInstruction).join('; ')}`);
    const { core, cluster, memory } = simulation.counts;
    console.log(
      `  ${simulation.time} cycles; exchanged: ${core.bytes} B in clusters, ${cluster.bytes} B between caches, ${memory.bytes} B through memory`,
    );
    last = output;
  }
  assert.deepEqual(last.values, expected);
  console.log(`  result ${last.values.join(', ')}`);
}

// The same labels on this device.
const loom = await load({ threads: 2 });
const size = 512;
const on = deviceMachine({ threads: 2 }).machine;
const label = (category, dims) => ({ category, type: 'float32', dims, sizes: [size, size] });
const labelled = labelOperator('mlp', { input: label('in', 'NC'), weight: label('iw', 'CN') }, on, {
  strategy: ruleStrategy,
});
console.log(
  `\nthis device, ${on.clusterOf.length} threads\n  input: ${printDynamic(labelled.input.dynamic)}`,
);
assert.equal(compile(labelled).steps.flat().length, 2);

const data = {
  a: Float32Array.from({ length: size * size }, (_, i) => Math.sin(i)),
  b: Float32Array.from({ length: size * size }, (_, i) => Math.cos(i)),
};
/** A circuit of one product, whole or split, run until it is warm; its result, and the shortest time. */
async function time(record) {
  const g = loom.graph({ unit: 32 });
  g.output('c', record(g, g.input('a', f32(size, size)), g.input('b', f32(size, size))));
  const circuit = await g.build();
  let best = Infinity;
  let result, trace;
  for (let round = 0; round < 10; round++) {
    result = await circuit.run(data, { onTrace: (found) => (trace = found) });
    best = Math.min(best, Math.max(...trace.end) - Math.min(...trace.start));
  }
  circuit.dispose();
  return { c: result.c, best, threads: [...new Set(trace.thread)] };
}
const one = await time((g, a, b) => g.op('f32.matmul', [a, b]));
const parts = await time((g, a, b) => split(g, labelled, { input: a, weight: b }).output);
assert.deepEqual(parts.c, one.c);
console.log(
  `  whole: ${one.best.toFixed(1)} ms; split: ${parts.best.toFixed(1)} ms, on threads ${parts.threads.sort().join(', ')}`,
);
loom.dispose();
