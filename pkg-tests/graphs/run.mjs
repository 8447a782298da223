/**
 * Random graphs through the package and through the interpreter, for as long as is wanted:
 *
 *   node run.mjs [--count 10000] [--seed 1] [--from 0] [--minutes M] [--processes P] [--package FILE]
 *
 * A graph is given by seed and number. Ends with status 1 if anything is wrong, and says with which --from to go on.
 */
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { numberFrom, numberOptions, runRanges } from '../lib/ranges.mjs';
import { addCounts, noCounts, summary } from './suite.mjs';

/** Graphs that a process does before it reports. */
const RANGE = 50;
const EVERY_MS = 60_000;

const { values } = parseArgs({
  options: {
    ...numberOptions({ count: 10_000, seed: 1, from: 0, minutes: 30 * 24 * 60, processes: availableParallelism() }),
    package: { type: 'string' },
  },
});
const [count, seed, from, minutes, processes] = ['count', 'seed', 'from', 'minutes', 'processes'].map((name) =>
  numberFrom(values[name], name),
);

const started = Date.now();
let counts = noCounts();
let build;
let said = started;
const next = await runRanges({
  worker: fileURLToPath(new URL('worker.mjs', import.meta.url)),
  argument: { seed, module: values.package ? pathToFileURL(resolve(values.package)).href : 'cipherloom' },
  ...{ from, count, minutes, processes, size: RANGE },
  heard({ ready, counts: more }) {
    build ??= ready;
    if (more) counts = addCounts(counts, more);
    if (Date.now() - said <= EVERY_MS) return;
    said = Date.now();
    console.log(summary(counts));
  },
});
const seconds = (Date.now() - started) / 1000;
console.log(`${new Date(started).toISOString().slice(0, 10)}: ${summary(counts)}`);
const speed = `${seconds.toFixed(0)} s, ${(counts.graphs / seconds).toFixed(1)} graphs per second`;
console.log(
  `seed ${seed}, numbers ${from} to ${next - 1}, ${build}; ${speed}. To go on: --seed ${seed} --from ${next}`,
);
process.exitCode = counts.wrong > 0 ? 1 : 0;
