#!/usr/bin/env node
// Labels deal work out to two threads: a product of 512 x 512 matrices, cut by its rows, and a batch of 64 ciphertexts, squared and relinearized, each thread half of them. Beside each the same
// operators on one thread, and on two without labels. Times are those of a circuit's operators, from the first to the last, by its trace; all sides in turns in one process; results must be the same bytes.
// Usage: node bench/layout.mjs [--quick], after `npm run build`. Prints medians and least times in ms, and what two threads gain.
import assert from 'node:assert/strict';
import { f32, load, type } from 'cipherloom';
import { deviceMachine, labelOperator, ruleStrategy, split, splitBatch } from 'cipherloom/layout';
import { machine } from './lib/machine.mjs';
import { FULL, QUICK, compare } from './lib/measure.mjs';

const SIZE = 512;
const BATCH = 64;
/** Ring dimension, ciphertext primes, the special prime. */
const [N, Q, SPECIAL] = [8192, [0x3_ffff_ffdf_0001n, 0x3_ffff_ffd2_0001n, 0x3_ffff_ffcd_0001n], 0x3_ffff_ffc7_0001n];

const { processor, cores, load: busy } = machine();
console.log(`${processor}, ${cores} cores, load ${busy}, Node ${process.versions.node}`);
const looms = [await load({ threads: 1 }), await load({ threads: 2 })];
const on = deviceMachine({ threads: 2 }).machine;
const label = (category, type, dims, sizes) => ({ category, type, dims, sizes });
const matrices = labelOperator(
  'mlp',
  { input: label('in', 'float32', 'NC', [SIZE, SIZE]), weight: label('iw', 'float32', 'CN', [SIZE, SIZE]) },
  on,
  { strategy: ruleStrategy },
);
const items = label('in', 'uint32', 'N', [BATCH]);
const batch = labelOperator('mul', { input: items, weight: items }, on);

console.log('\n| task | one thread | two, no labels | two, by label | gain of the label |');
console.log('| --- | --- | --- | --- | --- |');
await row(
  `product of ${SIZE} x ${SIZE}`,
  {
    a: Float32Array.from({ length: SIZE * SIZE }, (_, i) => Math.sin(i)),
    b: Float32Array.from({ length: SIZE * SIZE }, (_, i) => Math.cos(i)),
  },
  (loom, labelled) => product(loom, labelled),
);
await row(`${BATCH} ciphertexts`, await ciphertexts(looms[0]), (loom, labelled) => squares(loom, labelled));
for (const loom of looms) loom.dispose();

/** One line of the table. */
async function row(name, data, make) {
  const sides = [];
  const results = [];
  for (const [loom, labelled] of [
    [looms[0], false],
    [looms[1], false],
    [looms[1], true],
  ]) {
    const circuit = await make(loom, labelled);
    const run = async () => {
      let trace;
      const out = await circuit.run(data, { onTrace: (seen) => (trace = seen) });
      return { out, time: Math.max(...trace.end) - Math.min(...trace.start) };
    };
    results.push(Buffer.concat(Object.values((await run()).out).map((words) => Buffer.from(words.buffer))));
    sides.push(async () => (await run()).time);
  }
  for (const other of results.slice(1)) assert(results[0].equals(other), `${name}: other bytes`);
  const measured = await compare(sides, {
    ...(process.argv.includes('--quick') ? QUICK : FULL),
    least: 15,
    counted: true,
  });
  const cells = measured.map(({ median, least }) => `${median.toFixed(1)} (${least.toFixed(1)})`);
  const [one, , two] = measured;
  const gain = `${(one.median / two.median).toFixed(2)} (${(one.least / two.least).toFixed(2)})`;
  console.log(`| ${[name, ...cells, gain].join(' | ')} |`);
}

function product(loom, labelled) {
  const g = loom.graph({ unit: 32 });
  const [a, b] = ['a', 'b'].map((name) => g.input(name, f32(SIZE, SIZE)));
  g.output('c', labelled ? split(g, matrices, { input: a, weight: b }).output : g.op('f32.matmul', [a, b]));
  return g.build();
}

/** Ciphertexts of nothing in particular, and a relinearization key. */
async function ciphertexts(loom) {
  const g = loom.graph({ unit: 64 });
  const [hidden, open] = [g.input('hidden', type('secret_seed')), g.input('open', type('public_seed'))];
  const secret = g.op('rlwe.secret_key', [hidden], { n: N, q: [...Q, SPECIAL] });
  const settings = { q: Q, special: [SPECIAL], digit: 1, from: 'square' };
  g.output('key', g.op('rlwe.switching_key', [secret, open, hidden], settings));
  const circuit = await g.expand({ platform: 'simd' });
  const seed = () => crypto.getRandomValues(new BigUint64Array(4));
  const { key } = await circuit.run({ hidden: seed(), open: seed() });
  circuit.dispose();
  const words = () =>
    BigUint64Array.from({ length: 2 * Q.length * N }, (_, i) =>
      BigInt(Math.floor(Math.random() * Number(Q[Math.floor(i / N) % Q.length]))),
    );
  return { key, ...Object.fromEntries(Array.from({ length: BATCH }, (_, at) => [`x${at}`, words()])) };
}

/** Squares of a batch, each relinearized; what a thread is dealt is one output. */
async function squares(loom, labelled) {
  const g = loom.graph({ unit: 64 });
  const key = g.input('key', type('switching_key', { n: N, q: Q, special: [SPECIAL], digit: 1 }));
  const of = type('ciphertext', { n: N, q: Q, parts: 2, form: 'ntt', scale: 2 ** 40 });
  const inputs = Array.from({ length: BATCH }, (_, at) => g.input(`x${at}`, of));
  const square = (x) => g.op('rlwe.relinearize', [g.op('ckks.multiply', [x, x]), key]);
  const parts = labelled ? splitBatch(batch.input, on, inputs) : inputs.map((x) => ({ items: [x] }));
  for (const [part, { items: own }] of parts.entries()) {
    const results = own.map(square);
    const merged = () => g.merge(results, type('raw', {}, results.length * 2 * Q.length * N));
    g.output(`part ${part}`, labelled ? merged() : results[0]);
  }
  return (await g.build()).expand({ platform: 'simd' });
}
