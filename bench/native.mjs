#!/usr/bin/env node
// The native build against WebAssembly and node-seal, on one thread, in one process and in turns: multiplication with relinearization of BFV,
// at SEAL's default primes. Usage: node bench/native.mjs [--quick] [N...], after `node scripts/build-native.mjs`, with the package where Node
// finds it: npm install --no-save ./native
// Ours is the time of a circuit's operators, from the first to the last, by its trace; both builds must give the same bytes. The least times
// count, ms for one operator, as whoever else computes on the machine makes them longer only.
// Prints, for each N: the build in WebAssembly, ms of native, WebAssembly and node-seal; how many times faster native is than
// WebAssembly, node-seal, and native SEAL, worked out as in `report.mjs`.
import { load, type } from 'cipherloom';
import { machine } from './lib/machine.mjs';
import { FULL, QUICK, compare } from './lib/measure.mjs';
import { auxiliary } from '../pkg-tests/schemes/with-cipherloom.mjs';
import { prepareSeal } from './lib/seal-operators.mjs';
import { makeBfv } from './lib/seal.mjs';
import { readFileSync } from 'node:fs';

const PEERS = JSON.parse(readFileSync(new URL('peers.json', import.meta.url), 'utf8'));
const NAME = 'multiply_relinearize';
/** Operators of one program, as in `operators.mjs`. */
const operatorsPerRun = (n) => Math.max(4, (8 * 4096) / n);

const quick = process.argv.includes('--quick');
const dimensions = process.argv
  .slice(2)
  .filter((word) => /^\d+$/.test(word))
  .map(Number);
const { processor, cores, load: busy } = machine();
console.log(`${processor}, ${cores} cores, load ${busy}, Node ${process.versions.node}`);
const builds = [await load({ native: true, threads: 1 }), await load({ native: false, threads: 1 })];
for (const n of dimensions.length > 0 ? dimensions : [8192, 16384]) console.log(await row(n));
for (const loom of builds) loom.dispose();
process.exit();

/** One dimension, as a line of a table. */
async function row(n) {
  const [peer, k] = [makeBfv(n), operatorsPerRun(n)];
  const seal = prepareSeal(peer, NAME, k);
  seal.check();
  const data = await inputs(builds[1], peer, k);
  const sides = [];
  const bytes = [];
  for (const loom of builds) {
    const circuit = await evaluation(loom, peer, k);
    const run = async () => {
      let trace;
      const out = await circuit.run(data, { onTrace: (seen) => (trace = seen) });
      return { out, time: span(trace) };
    };
    bytes.push(Object.values((await run()).out).map((words) => Buffer.from(words.buffer)));
    sides.push(async () => (await run()).time);
  }
  if (!bytes[0].every((own, at) => own.equals(bytes[1][at]))) throw new Error(`N = ${n}: other bytes`);
  const theirs = () => {
    const start = performance.now();
    seal.run();
    return performance.now() - start;
  };
  const measured = await compare([...sides, theirs], { ...(quick ? QUICK : FULL), counted: true });
  const [native, wasm, other] = measured.map(({ least }) => least / k);
  const ratio = PEERS.native[NAME][n] / PEERS.nodeSeal[NAME][n];
  seal.free();
  const cells = [
    n,
    builds[1].mode.variant,
    native,
    wasm,
    other,
    wasm / native,
    other / native,
    (other / native) * ratio,
  ];
  return cells.map((cell) => (typeof cell === 'number' && cell !== n ? cell.toFixed(2) : cell)).join(' | ');
}

/** From the first operator's start to the last one's end, in ms. */
function span({ start, end }) {
  return end.reduce((a, b) => Math.max(a, b)) - start.reduce((a, b) => Math.min(a, b));
}

/** Ciphertexts of nothing in particular, and a relinearization key. */
async function inputs(loom, { n, data: q, special }, k) {
  const g = loom.graph({ unit: 64 });
  const [hidden, open] = [g.input('hidden', type('secret_seed')), g.input('open', type('public_seed'))];
  const secret = g.op('rlwe.secret_key', [hidden], { n, q: [...q, ...special] });
  g.output('key', g.op('rlwe.switching_key', [secret, open, hidden], { q, special, digit: 1, from: 'square' }));
  const built = await g.build();
  const base = await built.expand({ platform: 'simd' });
  const seed = () => crypto.getRandomValues(new BigUint64Array(4));
  const { key } = await base.run({ hidden: seed(), open: seed() });
  const given = { key };
  for (let at = 0; at < 2 * k; at++) {
    const words = new BigUint64Array(2 * q.length * n);
    for (let i = 0; i < words.length; i++)
      words[i] = BigInt(Math.floor(Math.random() * Number(q[Math.floor(i / n) % q.length])));
    given[`x${at}`] = words;
  }
  return given;
}

/** Products of pairs of ciphertexts, each relinearized. */
async function evaluation(loom, { n, t, data: q, special }, k) {
  const g = loom.graph({ unit: 64 });
  const key = g.input('key', type('switching_key', { n, q, special, digit: 1 }));
  const aux = auxiliary(n, q, [...q, ...special]);
  const ciphertext = type('ciphertext', { n, t, q, parts: 2 });
  for (let at = 0; at < k; at++) {
    const [a, b] = [2 * at, 2 * at + 1].map((index) => g.input(`x${index}`, ciphertext));
    g.output(`${at}`, g.op('rlwe.relinearize', [g.op('bfv.multiply', [a, b], { aux }), key]));
  }
  const optimized = await (await g.build()).optimize();
  return (await optimized.expand({ platform: 'simd' })).optimize();
}
