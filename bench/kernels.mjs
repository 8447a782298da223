#!/usr/bin/env node
// What kernels made at run time gain on this machine: schedules are searched, then measured beside the built-in kernels, in turns, in one process on one thread: every operator that has
// schedules, or is made of what has, then products that are relinearized at N = 8192. What does not win by more than noise does not replace what is built in, and is marked so.
// Usage: node bench/kernels.mjs [--trials N] [--runs N] [--n N,N]. Ends with 1 where an operator is slower than with built-in kernels by more than noise. Needs the build `relaxed` of tasks and of conformance, and bindings/dist.
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';

// Relaxed SIMD is behind a flag in Node 20.
if (Number(process.versions.node.split('.')[0]) < 22) setFlagsFromString('--experimental-wasm-relaxed-simd');
const { values: options } = parseArgs({
  options: {
    trials: { type: 'string', default: '60' },
    runs: { type: 'string', default: '31' },
    n: { type: 'string', default: '4096,8192,16384' },
  },
});
const { createTask, kernelsText, load } = await import('cipherloom');
const { newExplorerKeys, signRecord } = await import('cipherloom/tune');
const { chooseKernels, KernelExplorer } = await import('cipherloom/tune/kernels');
const { Bench } = await import('../bindings/dist/tune/kernels/bench.js');
const { derive } = await import('../bindings/dist/tune/kernels/derive.js');
const { beats, measure } = await import('../bindings/dist/tune/measure.js');

const FIFTY = [0x3_ffff_ffdf_0001, 0x3_ffff_ff91_0001];
const FORTY_THREE = 0x7ff_ffdb_0001;
/** Four primes of each size, for changes of base. */
const BASES = {
  50: [FIFTY[0], 0x3_ffff_ffd2_0001, 0x3_ffff_ffcd_0001, 0x3_ffff_ffc7_0001],
  43: [FORTY_THREE, 0x7ff_ffd2_0001, 0x7ff_ffad_0001, 0x7ff_ffaa_0001],
};
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
const slower = [];
/** What an inner product of key switching is given: factors of these forms, two outputs. */
const convolve = (n, q, forms, form) =>
  keyOf(
    'limb.convolve',
    `{${form === undefined ? '' : `form="${form}", `}outputs=2, q=${q}}`,
    [...forms.map((own) => limb(n, q, own)), ...Array.from({ length: 2 * forms.length }, () => limb(n, q, 'ntt'))],
    `limbs[${2 * n}]{count=2, form="${form ?? 'coeff'}", n=${n}, q=${q}}`,
  );
/** Searches a schedule, and keeps the record; the kernels that are to be taken, none where what is built in is as fast. */
const searched = async (key) => {
  const best = await explorer.explore(key, { signal });
  records.push(await signRecord({ key, best, at: 0, version: 'here', explorer: keys.publicKey }, keys));
  const { generated, library } = best;
  if (generated === undefined || !beats(generated, library)) return [];
  return [(await derive(generated.schedule)).kernel];
};
const row = async (name, n, bits, key, kernels) => {
  if (kernels.length === 0) return console.log(`| ${name} | ${n} | ${bits} | | | built in as fast | |`);
  // The least of five medians: what else the machine does comes and goes in longer stretches than a trial.
  const [built, made] = [{ time: Infinity }, { time: Infinity }];
  for (let round = 0; round < 5; round++) {
    const trial = await bench.trial(key, [{ platform: 'simd' }, { platform: 'simd', kernels }], FINAL);
    for (const [at, one] of [built, made].entries()) {
      if (trial[at].problem !== undefined) throw new Error(trial[at].problem);
      if (trial[at].time < one.time) Object.assign(one, trial[at]);
    }
  }
  if (beats(built, made)) slower.push(`${name} of ${n}, ${bits} bits`);
  const gain = `x ${(built.time / made.time).toFixed(2)}`;
  const schedules = kernels.map((kernel) => kernel.name.replace(/^[^:]*:/, '')).join('; ');
  console.log(`| ${name} | ${n} | ${bits} | ${micro(built.time)} | ${micro(made.time)} | ${gain} | ${schedules} |`);
};
for (const n of options.n.split(',').map(Number))
  for (const [bits, q] of [
    [50, FIFTY[0]],
    [43, FORTY_THREE],
  ]) {
    const both = [];
    for (const operator of ['limb.ntt', 'limb.intt']) {
      const forms = operator === 'limb.ntt' ? ['coeff', 'ntt'] : ['ntt', 'coeff'];
      const key = keyOf(operator, '{}', [limb(n, q, forms[0])], limb(n, q, forms[1]));
      const kernels = await searched(key);
      await row(operator, n, bits, key, kernels);
      if (operator === 'limb.ntt') {
        const from = keyOf('limb.ntt_from', `{q=${q}}`, [limb(n, FIFTY[1], 'coeff')], limb(n, q, 'ntt'));
        await row('limb.ntt_from', n, bits, from, kernels);
      }
      both.push(...kernels);
    }
    const ntt = limb(n, q, 'ntt');
    const four = (form) => Array.from({ length: 4 }, () => form);
    const alone = convolve(n, q, four('ntt'), 'ntt');
    await row('limb.convolve (4 terms, 2 outputs), no transforms', n, bits, alone, await searched(alone));
    const inner = convolve(n, q, four('coeff'));
    const sum = await searched(inner);
    await row('limb.convolve (4 terms, 2 outputs), sum made', n, bits, inner, sum);
    await row('limb.convolve (4 terms, 2 outputs), transforms made', n, bits, inner, both);
    await row('limb.convolve (4 terms, 2 outputs), all made', n, bits, inner, [...both, ...sum]);
    const poly = (primes) => `poly[${primes.length * n}]{form="coeff", n=${n}, q=[${primes.join(', ')}]}`;
    const all = BASES[bits];
    const [some, others] = [all.slice(0, 2), all.slice(2)];
    for (const [name, operator, attributes, from, to] of [
      ['rns.extend (2 to 2)', 'rns.extend', `{to=[${others.join(', ')}]}`, some, others],
      ['rns.scale_round (drops 2 of 4)', 'rns.scale_round', `{drop=[${some.join(', ')}], factor=1}`, all, others],
      ['rns.scale_round (drops 1 of 4)', 'rns.scale_round', `{drop=[${all[0]}], factor=1}`, all, all.slice(1)],
    ]) {
      const key = keyOf(operator, attributes, [poly(from)], poly(to));
      await row(name, n, bits, key, await searched(key));
    }
    await row('limb.tensor', n, bits, keyOf('limb.tensor', '{}', [ntt, ntt, ntt, ntt], ntt), both);
  }

// As a user runs it: what a worker takes for a product that is relinearized, bytes in and out included.
console.log('\n| run | N | primes | built in, ms | made, ms | gain |');
console.log('| --- | --- | --- | --- | --- | --- |');
const plain = await load({ threads: 1 });
const task = createTask();
const [x, y] = ['x', 'y'].map((name) => task.encrypted(name, { shape: [64], min: -1000, max: 1000 }));
task.output('product', x.multiply(y));
task.output('other', x.multiply(x).multiply(y));
const program = await plain.compile(task);
const { n } = program.info;
const moduli = program.info.moduli.length;
// The transforms of its ring, if they were not searched yet, and its inner products: of one digit for each prime, of which one may be there as values already.
if (!options.n.split(',').includes(String(n)))
  for (const [operator, from, to] of [
    ['limb.ntt', 'coeff', 'ntt'],
    ['limb.intt', 'ntt', 'coeff'],
  ])
    await searched(keyOf(operator, '{}', [limb(n, FIFTY[0], from)], limb(n, FIFTY[0], to)));
for (let terms = 1; terms <= moduli; terms++)
  for (const residues of [0, 1]) {
    const forms = Array.from({ length: terms }, (_, at) => (at < residues ? 'ntt' : 'coeff'));
    await searched(convolve(n, FIFTY[0], forms, 'ntt'));
  }
bench.close();
explorer.close();
const kernels = await chooseKernels({ records, explorers: [keys.publicKey], device: 'here' });
if (kernels.refused.length > 0) throw kernels.refused[0];
const tuned = await load({ threads: 1, kernels });
const client = await program.client();
const cells = Array.from({ length: 64 }, (_, at) => 31 * at - 999);
const inputs = await client.encrypt({ x: cells, y: cells });
const same = await tuned.program(program.toBytes());
const results = [];
const traces = [];
for (const [at, one] of [program, same].entries())
  await one.run(inputs, client.evaluationKeys, { onTrace: (trace) => (traces[at] = trace) });
const candidates = [program, same].map((one, at) => ({
  name: String(at),
  run: async () => void (results[at] = await one.run(inputs, client.evaluationKeys)),
}));
const [one, other] = await measure(candidates, { warmUp: 5, rounds: Number(options.runs), sample: 2e7 });
for (const [name, bytes] of Object.entries(results[0]))
  if (!Buffer.from(bytes).equals(Buffer.from(results[1][name]))) throw new Error(`${name}: other bytes`);
console.log(
  `| products of two and three | ${n} | ${moduli} | ${micro(one.time / 1000)} | ${micro(other.time / 1000)} | x ${(one.time / other.time).toFixed(2)} |`,
);
if (beats(one, other)) slower.push('products of two and three');
console.log('\nKernels that ran, of each type of operator:\n');
const trace = traces[1];
const ran = Array.from(trace.op, (op) => `${trace.types[trace.type[op]]}: ${kernelsText(trace, op, kernels.chosen)}`);
for (const line of [...new Set(ran)].sort()) console.log(`- ${line}`);
plain.dispose();
tuned.dispose();
for (const name of slower) console.error(`slower by more than noise: ${name}`);
process.exitCode = slower.length > 0 ? 1 : 0;
