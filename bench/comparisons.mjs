#!/usr/bin/env node
// How many of 2,000 encrypted numbers are above a known one, by the width of their bounds: by digits, which come with an input, and as one polynomial, as of
// what nobody has digits of.
// Usage: node bench/comparisons.mjs [--threads 1]
import { load } from 'cipherloom';
import { machine } from './lib/machine.mjs';
import { statistics } from './lib/measure.mjs';

const ROWS = 2000;
const RUNS = 5;
const WIDTHS = [31, 63, 120, 1000, 4000, 99_999, 10 ** 9];
const at = process.argv.indexOf('--threads');
const loom = await load({ threads: at < 0 ? 2 : Number(process.argv[at + 1]) });

const { processor, cores, load: busy } = machine();
console.log(`${processor}, ${cores} cores, load ${busy}, Node ${process.versions.node}`);
console.log('| values | way | N | primes | compile, ms | upload, MB | keys, MB | run, ms |');
console.log('|---|---|---|---|---|---|---|---|');
for (const most of WIDTHS) {
  for (const way of ['digits', 'polynomial']) await row(most, way);
}
loom.dispose();

async function row(most, way) {
  const task = loom.task();
  const x = task.encrypted('x', { shape: [ROWS], min: 0, max: most });
  // Of a sum of inputs nobody has digits.
  const compared = way === 'digits' ? x : x.add(task.encrypted('nothing', { min: 0, max: 0 }));
  const limit = most >> 1;
  task.output('above', compared.greaterThan(limit).count());
  const started = performance.now();
  let program;
  try {
    program = await task.compile();
  } catch ({ code }) {
    console.log(`| ${most + 1} | ${way} | ${code} | | | | | |`);
    return;
  }
  const compile = performance.now() - started;
  const client = await program.client();
  const cells = Array.from({ length: ROWS }, (_, i) => (i * 7919) % (most + 1));
  const inputs = await client.encrypt({ x: cells, ...(way === 'polynomial' && { nothing: 0 }) });
  const run = () => program.run(inputs, client.evaluationKeys);
  const { above } = await client.decrypt(await run());
  const expected = cells.filter((cell) => cell > limit).length;
  if (above !== expected) throw new Error(`found ${above} above ${limit}, expected ${expected}`);
  const times = [];
  for (let count = 0; count < RUNS; count++) {
    const from = performance.now();
    await run();
    times.push(performance.now() - from);
  }
  const upload = Object.values(inputs).reduce((sum, { length }) => sum + length, 0);
  const { n, moduli, cost } = program.info;
  const shown = [compile, upload / 1e6, cost.keyBytes / 1e6, statistics(times).median];
  const figures = shown.map((one) => one.toPrecision(3)).join(' | ');
  console.log(`| ${most + 1} | ${way} | ${n} | ${moduli.length} | ${figures} |`);
  client.dispose();
  program.dispose();
}
