/**
 * Random programs through the package and through the model, for as long as is wanted:
 *
 *   node run.mjs [--count 2000] [--seed 1] [--from 0] [--minutes M] [--processes P] [--mode auto] [--package FILE]
 *
 * A program is given by seed and number. Ends with status 1 if anything is wrong, and says with which --from to go on.
 */
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { numberFrom, numberOptions, runRanges } from '../lib/ranges.mjs';
import { addCounts, noCounts, programsIn, summary } from './suite.mjs';

/** Programs that a process does before it reports. */
const RANGE = 20;
const EVERY_MS = 60_000;

const { values } = parseArgs({
  options: {
    ...numberOptions({ count: 2_000, seed: 1, from: 0, minutes: 30 * 24 * 60, processes: availableParallelism() }),
    mode: { type: 'string', default: 'auto' },
    package: { type: 'string' },
  },
});
const [count, seed, from, minutes, processes] = ['count', 'seed', 'from', 'minutes', 'processes'].map((name) =>
  numberFrom(values[name], name),
);
const module = values.package ? pathToFileURL(resolve(values.package)).href : 'cipherloom';

const started = Date.now();
let [counts, build] = [noCounts(), 'none'];
let said = started;

const next = await runRanges({
  worker: fileURLToPath(new URL('worker.mjs', import.meta.url)),
  argument: { seed, module, mode: values.mode },
  ...{ from, count, minutes, processes, size: RANGE },
  heard({ ready, counts: more }) {
    if (ready) build = ready;
    if (more) counts = addCounts(counts, more);
    if (Date.now() - said <= EVERY_MS) return;
    said = Date.now();
    console.log(summary(counts));
  },
});
const seconds = (Date.now() - started) / 1000;
console.log(`${new Date(started).toISOString().slice(0, 10)}: ${summary(counts)}`);
const speed = `${seconds.toFixed(0)} s, ${(programsIn(counts) / seconds).toFixed(1)} programs per second`;
console.log(
  `seed ${seed}, numbers ${from} to ${next - 1}, build ${build}; ${speed}. To go on: --seed ${seed} --from ${next}`,
);
process.exitCode = counts.wrong > 0 ? 1 : 0;
