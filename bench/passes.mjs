#!/usr/bin/env node
// The ten programs of `programs/`, with all passes of the compiler and with none, and what each pass is worth: counts of what the server does.
// Usage: node bench/passes.mjs [--times] [--write] [NAME ...]
//   --times  compiles and runs, too: milliseconds on this machine
//   --write  keeps the counts in passes.golden.json, which a test compares with
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { load } from 'cipherloom';
import { countsOfPasses, GOLDEN, PASSES } from './lib/passes.mjs';
import { differ, PROGRAMS } from './programs/index.mjs';

const SAMPLES = 5;
const FIGURES = ['keySwitches', 'decompositions', 'transforms', 'levels', 'keys', 'keyMegabytes', 'n'];

const args = process.argv.slice(2);
const options = args.filter((arg) => arg.startsWith('--'));
const names = args.filter((arg) => !arg.startsWith('--'));
const unknown = [
  ...options.filter((option) => !['--times', '--write'].includes(option)),
  ...names.filter((name) => !(name in PROGRAMS)),
][0];
if (unknown !== undefined) {
  console.error(`unknown argument "${unknown}": expected --times, --write or ${Object.keys(PROGRAMS).join(', ')}`);
  process.exit(2);
}
const chosen = names.length > 0 ? names : Object.keys(PROGRAMS);

const loom = await load({ threads: 1 });
const counts = {};
for (const name of chosen) counts[name] = await countsOfPasses(loom, PROGRAMS[name]);
console.log(table(['program', '', ...FIGURES], rowsOfPrograms()));
console.log('\nKey switches and transforms with one pass off, in percent of those with all:\n');
console.log(table(['program', ...PASSES], rowsOfPasses()));
if (options.includes('--times')) {
  console.log(
    `\nMilliseconds, one thread, best of ${SAMPLES}: ${cpus()[0].model}, Node ${process.versions.node}, ${loom.mode.variant}\n`,
  );
  const heads = ['program', 'compile', 'run', 'compile, no pass', 'run, no pass', 'ratio of runs'];
  console.log(table(heads, await rowsOfTimes()));
}
loom.dispose();
if (options.includes('--write')) writeFileSync(GOLDEN, `${JSON.stringify(counts, null, 2)}\n`);

function rowsOfPrograms() {
  return Object.entries(counts).flatMap(([name, { all, none }]) => [
    [name, 'all passes', ...FIGURES.map((figure) => all[figure])],
    ['', 'none', ...FIGURES.map((figure) => none[figure] ?? none.refused)],
  ]);
}

function rowsOfPasses() {
  const work = ({ keySwitches, transforms }) => keySwitches + transforms;
  return Object.entries(counts).map(([name, { all, without }]) => [
    name,
    ...PASSES.map((pass) =>
      without[pass].refused ? 'refused' : `${Math.round((100 * work(without[pass])) / work(all))}`,
    ),
  ]);
}

async function rowsOfTimes() {
  const rows = [];
  for (const name of chosen) {
    const times = [];
    for (const passes of [{}, Object.fromEntries(PASSES.map((pass) => [pass, false]))])
      times.push(await timesOf(PROGRAMS[name], passes));
    const [all, none] = times;
    const shown = times.flatMap(({ compile, run }) => [compile.toFixed(0), run.toFixed(1)]);
    rows.push([name, ...shown, (none.run / all.run).toFixed(2)]);
  }
  return rows;
}

async function timesOf({ describe, sample }, passes) {
  const { inputs, plain, expected } = sample();
  const start = performance.now();
  const program = await describe(loom).compile({ passes });
  const compile = performance.now() - start;
  const client = await program.client();
  const encrypted = await client.encrypt(inputs);
  const runs = [];
  let results;
  for (let i = 0; i < SAMPLES; i++) {
    const from = performance.now();
    results = await program.run(encrypted, client.evaluationKeys, { plain });
    runs.push(performance.now() - from);
  }
  const difference = differ(await client.decrypt(results), expected);
  if (difference > 2 ** -18) throw new Error(`off by ${difference}`);
  client.dispose();
  program.dispose();
  return { compile, run: Math.min(...runs) };
}

function table(heads, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}
