#!/usr/bin/env node
// The benchmark: cipherloom against node-seal 7, in one process and one run. `npm run bench` sets up and builds what it needs
// first, and takes a Node that is recent enough.
// Usage: npm run bench -- [options]
//   --quick         few samples: to see that it runs, not how fast
//   --json FILE     also writes { machine, versions, rows }
//   --group A,B     only these of: operator, task, value, inside, scale, plain
//   --name A,B      only rows of these names
//   --n A,B         only these ring dimensions of single operators and kernels
//   --threads A,B   only these numbers of threads
// Exit status: 0, 1 where a comparison is not fair (noise budgets too far apart), 2 where something could not be run.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { machine } from './lib/machine.mjs';
import { FULL, QUICK } from './lib/measure.mjs';

const OPTIONS = {
  quick: { type: 'boolean', default: false },
  json: { type: 'string' },
  group: { type: 'string', default: 'operator,inside,scale,plain,task,value' },
  name: { type: 'string' },
  n: { type: 'string' },
  threads: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
};
/** Load of the last minute above which figures say little. */
const BUSY = 0.7;
/** Each group's rows; imported where it runs, since node-seal does not load in an old Node. */
const GROUPS = {
  operator: async (options) => (await import('./operators.mjs')).operatorRows(options),
  inside: async (options) => (await import('./inside.mjs')).insideRows(options),
  scale: async (options) => (await import('./scale.mjs')).scaleRows(options),
  plain: async (options) => (await import('./plain.mjs')).plainRows(options),
  task: async (options) => (await import('./tasks.mjs')).taskRows(options),
  value: async (options) => (await import('./values.mjs')).valueRows(options),
};

try {
  process.exitCode = (await main(parseArgs({ options: OPTIONS }).values)) ? 0 : 1;
} catch (error) {
  console.error(error.code?.startsWith?.('ERR_PARSE_ARGS') ? error.message : error);
  process.exitCode = 2;
}
// A pool's workers do not keep the process alive, but other handles may.
process.exit();

async function main(options) {
  if (options.help) {
    console.log(
      readFileSync(new URL(import.meta.url), 'utf8')
        .split('\n')
        .slice(1, 11)
        .join('\n')
        .replaceAll(/^\/\/ ?/gm, ''),
    );
    return true;
  }
  const list = (text) => text?.split(',').map((item) => item.trim());
  const groups = list(options.group);
  const unknown = groups.find((group) => !(group in GROUPS));
  if (unknown !== undefined)
    throw new Error(`unknown group "${unknown}": expected some of ${Object.keys(GROUPS).join(', ')}`);
  const selection = {
    effort: options.quick ? QUICK : FULL,
    quick: options.quick,
    names: list(options.name),
    dimensions: list(options.n)?.map(Number),
    threads: list(options.threads)?.map(Number),
  };
  const about = machine();
  console.log(`${about.processor} (${about.kind}), ${about.cores} cores, Node ${process.versions.node}`);
  if (about.load > BUSY)
    console.warn(`the machine is busy (load ${about.load}): times will be too long, second threads without effect`);
  const rows = [];
  for (const group of groups) {
    for await (const row of await GROUPS[group](selection)) {
      rows.push(row);
      console.log(line(row));
    }
  }
  if (options.json !== undefined) {
    writeFileSync(options.json, `${JSON.stringify({ machine: about, versions: versions(), rows }, null, 1)}\n`);
  }
  const unfair = rows.filter((row) => row.unfair);
  for (const { name, n, budgetOurs, budgetPeer } of unfair) {
    console.error(`not fair: ${name} at N = ${n} leaves ${budgetOurs} bits of noise budget, the peer's ${budgetPeer}`);
  }
  return unfair.length === 0;
}

function line({
  group,
  name,
  scheme,
  n,
  count,
  threads,
  totalBits,
  ours,
  peer,
  unit,
  ratio,
  budgetOurs,
  budgetPeer,
  against,
}) {
  const number = (value) =>
    value === null || value === undefined ? '-' : value >= 100 ? value.toFixed(1) : value.toPrecision(3);
  return [
    group.padEnd(9),
    (scheme === null || scheme === undefined || scheme === 'bfv' ? name : `${scheme} ${name}`).padEnd(32),
    String(n ?? count ?? '').padStart(7),
    String(totalBits ?? '').padStart(4),
    `${threads}t`,
    `${number(ours)} ${unit}`.padStart(12),
    `${number(peer)} ${unit}`.padStart(12),
    ratio === undefined || ratio === null ? '' : `x ${number(ratio)}`.padStart(8),
    budgetOurs === undefined || budgetOurs === null ? '' : `budget ${budgetOurs} / ${budgetPeer}`,
    against ?? '',
  ]
    .join(' ')
    .trimEnd();
}

function versions() {
  const version = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')).version;
  return {
    cipherloom: version('../bindings/package.json'),
    onnxruntimeWeb: version(new URL('../package.json', import.meta.resolve('onnxruntime-web'))),
    nodeSeal: version(new URL('../package.json', import.meta.resolve('node-seal'))),
    node: process.versions.node,
    v8: process.versions.v8,
    command: ['npm run bench --', ...process.argv.slice(2)].join(' ').replace(/--json[ =]\S+/, '--json FILE'),
  };
}
