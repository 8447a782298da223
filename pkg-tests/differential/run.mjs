/**
 * Random programs through the package and through the model, for as long as is wanted:
 *
 *   node run.mjs [--count 100000] [--seed 1] [--from 0] [--minutes M] [--processes P]
 *                [--plain] [--mode auto] [--package FILE]
 *
 * A program is given by seed and number. Ends with status 1 if anything is wrong, and says with which --from to go on.
 */
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { addCounts, noCounts, summary } from './suite.mjs';

/** Programs that a process does before it reports. */
const RANGE = 50;
const EVERY_MS = 60_000;

const number = (text, name) => {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new Error(`--${name} must be a number, found ${text}`);
  return Number(text);
};
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
    minutes: { type: 'string', default: String(30 * 24 * 60) },
    processes: { type: 'string', default: String(availableParallelism()) },
    plain: { type: 'boolean', default: false },
    mode: { type: 'string', default: 'auto' },
    package: { type: 'string' },
  },
});
const [count, seed, from, minutes, processes] = ['count', 'seed', 'from', 'minutes', 'processes'].map((name) =>
  number(values[name], name),
);
const module = values.package ? pathToFileURL(resolve(values.package)).href : 'cipherloom';

const started = Date.now();
let next = from;
let stopped = false;
let counts = noCounts();
let said = started;
process.once('SIGINT', () => (stopped = true));

await Promise.all(Array.from({ length: processes }, work));
const seconds = (Date.now() - started) / 1000;
console.log(`${new Date(started).toISOString().slice(0, 10)}: ${summary(counts)}`);
const build = values.plain ? 'without encryption' : `build ${counts.build}`;
const speed = `${seconds.toFixed(0)} s, ${(counts.programs / seconds).toFixed(1)} programs per second`;
console.log(
  `seed ${seed}, numbers ${from} to ${next - 1}, ${build}; ${speed}. To go on: --seed ${seed} --from ${next}`,
);
process.exitCode = counts.wrong > 0 ? 1 : 0;

/** One process from its start to its end. A range is begun only while there is time. */
function work() {
  const argument = JSON.stringify({ seed, plain: values.plain, module, mode: values.mode });
  const child = fork(fileURLToPath(new URL('worker.mjs', import.meta.url)), [argument]);
  let ended = false;
  return new Promise((done, fail) => {
    const hand = () => {
      const range = { from: next, to: Math.min(next + RANGE, from + count) };
      const over = stopped || range.from >= range.to || Date.now() - started > minutes * 60_000;
      if (over) return void (ended = child.kill());
      next = range.to;
      child.send(range);
    };
    child.on('message', ({ print, ready, counts: more }) => {
      if (print) return console.log(print);
      if (ready) counts.build = ready;
      if (more) counts = { ...addCounts(counts, more), build: counts.build };
      if (Date.now() - said > EVERY_MS) {
        said = Date.now();
        console.log(summary(counts));
      }
      hand();
    });
    child.on('exit', (code, signal) => {
      if (ended) done();
      else fail(new Error(`a process ended with ${signal ?? `status ${code}`}`));
    });
  });
}
