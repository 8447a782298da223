#!/usr/bin/env node
// What kernels made at run time gain on this machine: schedules are searched, then measured beside the built-in kernels, in turns, in one process on one thread.
// Usage: node bench/kernels.mjs [--trials N] [--runs N]. Needs the build `relaxed` of tasks and of conformance, and bindings/dist.
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';

// Relaxed SIMD is behind a flag in Node 20.
if (Number(process.versions.node.split('.')[0]) < 22) setFlagsFromString('--experimental-wasm-relaxed-simd');
const { values: options } = parseArgs({
  options: { trials: { type: 'string', default: '60' }, runs: { type: 'string', default: '31' } },
});
const { createTask, load } = await import('cipherloom');
const { newExplorerKeys, signRecord } = await import('cipherloom/tune');
const { chooseKernels, KernelExplorer } = await import('cipherloom/tune/kernels');
const { Bench } = await import('../bindings/dist/tune/kernels/bench.js');
const { derive } = await import('../bindings/dist/tune/kernels/derive.js');
const { measure } = await import('../bindings/dist/tune/measure.js');

const FIFTY = [0x3_ffff_ffdf_0001, 0x3_ffff_ff91_0001];
const FORTY_THREE = 0x7ff_ffdb_0001;
const FINAL = { warmUp: 3, rounds: Number(options.runs), sample: 1e6 };
const { signal } = new AbortController();
const bench = new Bench();
const explorer = new KernelExplorer({ device: 'here', trials: Number(options.trials) });
const limb = (n, q, form) => `limb[${n}]{form="${form}", n=${n}, q=${q}}`;
const keyOf = (operator, attributes, inputs, output) => ({
  operator,
  attributes,
  inputs,
  outputs: [output],
  device: 'here',
});
const micro = (nanoseconds) => (nanoseconds / 1000).toFixed(1);
const records = [];
const keys = await newExplorerKeys();

console.log(`${cpus()[0].model}, Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}`);
console.log('\n| operator | N | bits | built in, µs | made, µs | gain | schedule |');
console.log('| --- | --- | --- | --- | --- | --- | --- |');
const row = async (name, n, bits, key, kernels) => {
  // The least of five medians: what else the machine does comes and goes in longer stretches than a trial.
  const [built, made] = [{ time: Infinity }, { time: Infinity }];
  for (let round = 0; round < 5; round++) {
    const trial = await bench.trial(key, [{ platform: 'simd' }, { platform: 'simd', kernels }], FINAL);
    for (const [at, one] of [built, made].entries()) {
      if (trial[at].problem !== undefined) throw new Error(trial[at].problem);
      one.time = Math.min(one.time, trial[at].time);
    }
  }
  const gain = `x ${(built.time / made.time).toFixed(2)}`;
  const schedules = kernels.map((kernel) => kernel.name.replace(/^[^:]*:/, '')).join('; ');
  console.log(`| ${name} | ${n} | ${bits} | ${micro(built.time)} | ${micro(made.time)} | ${gain} | ${schedules} |`);
};
for (const n of [4096, 8192, 16384])
  for (const [bits, q] of [
    [50, FIFTY[0]],
    [43, FORTY_THREE],
  ]) {
    const both = [];
    for (const operator of ['limb.ntt', 'limb.intt']) {
      const forms = operator === 'limb.ntt' ? ['coeff', 'ntt'] : ['ntt', 'coeff'];
      const key = keyOf(operator, '{}', [limb(n, q, forms[0])], limb(n, q, forms[1]));
      const best = await explorer.explore(key, { signal });
      const { kernel } = await derive(best.generated.schedule);
      await row(operator, n, bits, key, [kernel]);
      both.push(kernel);
      records.push(await signRecord({ key, best, at: 0, version: 'here', explorer: keys.publicKey }, keys));
    }
    const ntt = limb(n, q, 'ntt');
    const inner = Array.from({ length: 4 }, () => limb(n, q, 'coeff')).concat(Array.from({ length: 8 }, () => ntt));
    const convolve = keyOf(
      'limb.convolve',
      `{outputs=2, q=${q}}`,
      inner,
      `limbs[${2 * n}]{count=2, form="coeff", n=${n}, q=${q}}`,
    );
    await row('limb.convolve (4 terms, 2 outputs)', n, bits, convolve, both);
    await row('limb.tensor', n, bits, keyOf('limb.tensor', '{}', [ntt, ntt, ntt, ntt], ntt), both);
  }
bench.close();
explorer.close();

// As a user runs it: what a worker takes for a product that is relinearized, bytes in and out included.
console.log('\n| run | N | primes | built in, ms | made, ms | gain |');
console.log('| --- | --- | --- | --- | --- | --- |');
const kernels = await chooseKernels({ records, explorers: [keys.publicKey], device: 'here' });
if (kernels.refused.length > 0) throw kernels.refused[0];
const [plain, tuned] = [await load({ threads: 1 }), await load({ threads: 1, kernels })];
const task = createTask();
const [x, y] = ['x', 'y'].map((name) => task.encrypted(name, { shape: [64], min: -1000, max: 1000 }));
task.output('product', x.multiply(y));
task.output('other', x.multiply(x).multiply(y));
const program = await plain.compile(task);
const client = await program.client();
const cells = Array.from({ length: 64 }, (_, at) => 31 * at - 999);
const inputs = await client.encrypt({ x: cells, y: cells });
const same = await tuned.program(program.toBytes());
const results = [];
const candidates = [program, same].map((one, at) => ({
  name: String(at),
  run: async () => void (results[at] = await one.run(inputs, client.evaluationKeys)),
}));
const [one, other] = await measure(candidates, { warmUp: 5, rounds: Number(options.runs), sample: 2e7 });
for (const [name, bytes] of Object.entries(results[0]))
  if (!Buffer.from(bytes).equals(Buffer.from(results[1][name]))) throw new Error(`${name}: other bytes`);
const { n, moduli } = program.info.parameters ?? program.info;
console.log(
  `| products of two and three | ${n} | ${moduli?.length} | ${micro(one.time / 1000)} | ${micro(other.time / 1000)} | x ${(one.time / other.time).toFixed(2)} |`,
);
plain.dispose();
tuned.dispose();
