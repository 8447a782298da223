#!/usr/bin/env node
// Writes the tables of BENCHMARKS.md from what `npm run bench -- --json FILE` wrote.
// Usage: node bench/report.mjs FILE [BENCHMARKS.md]
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { missed } from './targets.mjs';

/** Kernels that are the same on both sides differ by less. */
const NOISE = 0.05;
const MARK = '<!-- bench -->';
const PEERS = JSON.parse(readFileSync(new URL('peers.json', import.meta.url), 'utf8'));

const [source, target = join(fileURLToPath(new URL('..', import.meta.url)), 'BENCHMARKS.md')] = process.argv.slice(2);
if (source === undefined) {
  console.error('expected: node bench/report.mjs FILE [BENCHMARKS.md]');
  process.exit(2);
}
const parts = readFileSync(target, 'utf8').split(MARK);
if (parts.length !== 3) {
  console.error(`${target} must have the line ${MARK} twice`);
  process.exit(2);
}
const text = report(JSON.parse(readFileSync(source, 'utf8')));
writeFileSync(target, [parts[0], `\n${text}\n`, parts[2]].join(MARK));

function report({ machine, versions, rows }) {
  const of = (group, test = () => true) => rows.filter((row) => row.group === group && test(row));
  return [
    `${machine.processor} (${machine.kind}), ${machine.cores} cores, ${machine.memoryGB} GB, ${machine.system}, load ${machine.load} at the start;`,
    `cipherloom ${versions.cipherloom}, node-seal ${versions.nodeSeal}, Node ${versions.node} (V8 ${versions.v8}). Command: \`${versions.command}\`.`,
    ...operators(
      of('operator', ({ against }) => against === undefined),
      machine,
    ),
    ...secondThread(
      of('operator', ({ threads }) => threads > 1),
      machine,
    ),
    ...hoisted(of('operator', ({ name }) => name === 'hoisted')),
    ...tasks(of('task')),
    ...values(of('value')),
    ...inside(of('inside'), machine),
    ...scale(of('scale')),
    ...plain(of('plain'), versions),
    ...losses(rows),
  ].join('\n');
}

/** How many times native SEAL's time ours is contained in: above 1, the WebAssembly is faster. */
function againstNative({ name, n, ratio }) {
  const [native, peer] = [PEERS.native, PEERS.nodeSeal].map((table) => table[name]?.[n]);
  return native === undefined ? undefined : (native / peer) * ratio;
}

function operators(rows, machine) {
  const lines = [
    '',
    '### Operators, one thread',
    '',
    `On ${machine.processor}, ${machine.kind}:`,
    'ms for one operator, in a program of many, at the same primes as the peer. `native`: times faster than native SEAL, worked',
    'out as (native SEAL / node-seal, `bench/peers.json`) x (node-seal / ours, measured). `budget`: bits of noise budget left, ours',
    "and the peer's; `encrypt` uses the public key, the inputs of the others are encrypted with the secret key.",
  ];
  const sets = group(rows, ({ scheme, n, totalBits }) => `${scheme.toUpperCase()}, N = ${n}, ${totalBits} bits`);
  for (const [title, set] of sets) {
    // Of native SEAL there are figures for BFV at its own defaults.
    const [defaults] = [...sets.values()].filter((other) => other[0].n === set[0].n && other[0].scheme === 'bfv');
    lines.push(
      '',
      `**${title}**`,
      '',
      ...table(
        ['operator', 'ours', 'node-seal', 'ratio', 'native', 'budget'],
        set.map((row) => [
          row.name,
          ms(row.ours),
          ms(row.peer),
          number(row.ratio),
          set === defaults ? number(againstNative(row)) : '',
          row.budgetOurs === null || row.budgetPeer === null
            ? ''
            : `${row.budgetOurs} / ${row.budgetPeer}${row.unfair ? ' (not fair)' : ''}`,
        ]),
      ),
    );
  }
  return rows.length ? lines : [];
}

function secondThread(rows, machine) {
  if (rows.length === 0) return [];
  return [
    '',
    '### Operators, two threads against one of ours',
    '',
    `ms, on ${machine.processor}, ${machine.kind}.`,
    '',
    ...table(
      ['operator', 'N', 'two', 'one', 'ratio'],
      rows.map((row) => [row.name, row.n, ms(row.ours), ms(row.peer), number(row.ratio)]),
    ),
  ];
}

function hoisted(rows) {
  if (rows.length === 0) return [];
  return [
    '',
    '### Rotations of one ciphertext that share its decomposition, against as many that do not',
    '',
    'ms for one of eight, ours on both sides, one thread.',
    '',
    ...table(
      ['scheme', 'N', 'shared', 'alone', 'ratio'],
      rows.map((row) => [row.scheme, row.n, ms(row.ours), ms(row.peer), number(row.ratio)]),
    ),
  ];
}

function tasks(rows) {
  const whole = rows.filter(({ phases }) => phases !== undefined);
  const others = rows.filter(({ phases }) => phases === undefined);
  const lines = [];
  if (whole.length) {
    lines.push(
      '',
      '### Whole tasks',
      '',
      'Encrypt + evaluate + decrypt, ms; the peer is one thread of node-seal, written by hand (`bench/tasks/`). `speedup`: against',
      "our one thread. `after a pause`: the first run after another side worked, ours and the peer's. The peer is its fastest",
      'program for the question; the others that were tried stand below.',
      '',
      ...table(
        [
          'task',
          'threads',
          'N, ours and peer',
          'ours',
          'node-seal',
          'ratio',
          'speedup',
          'after a pause',
          'keys',
          'compile',
        ],
        whole.map((row) => [
          row.name,
          row.threads,
          `${row.n}, ${row.peerParameters.n}`,
          phases(row, 'ours'),
          phases(row, 'peer'),
          number(row.ratio),
          number(row.speedup),
          `${ms(row.firstOurs)} / ${ms(row.firstPeer)}`,
          `${ms(row.keys.ours)} / ${ms(row.keys.peer)}`,
          ms(row.compile),
        ]),
      ),
      ...peerPrograms(whole),
    );
  }
  if (others.length) {
    lines.push(
      '',
      '### Calls, load, size, memory',
      '',
      ...table(
        ['what', 'N', 'threads', 'ours', 'node-seal', 'ratio', ''],
        others.map((row) => [
          row.name,
          row.n ?? '',
          row.threads,
          `${ms(row.ours)} ${row.unit}`,
          `${ms(row.peer)} ${row.unit}`,
          number(row.ratio),
          row.sizeOurs ? `${row.variant}: ${packed(row.sizeOurs)}` : (row.against ?? ''),
        ]),
      ),
    );
  }
  return lines;
}

/** The sizes that were taken of a file: by Brotli only where there was time for it. */
function packed(sizes) {
  return Object.entries(sizes)
    .map(([how, kilobytes]) => `${how} ${ms(kilobytes)}`)
    .join(', ')
    .concat(' kB');
}

/** All programs of the peer, the fastest that leaves noise budget being the one compared with. */
function peerPrograms(rows) {
  const lines = unique(rows).flatMap(({ name, peerParameters, peerTried }) =>
    peerTried.map(({ n, bits, plainBits, low, packed, milliseconds, budget }) => {
      const chosen = JSON.stringify({ n, bits, plainBits, low, packed }) === JSON.stringify(pick(peerParameters));
      const layout = packed === undefined ? '' : packed ? 'columns share ciphertexts' : 'a column after the other';
      const time = milliseconds === null ? `none: ${budget} bits of noise budget` : ms(milliseconds);
      return [name, layout, n, bits.join(' + '), plainBits.join(' + '), low, chosen ? `**${time}**` : time];
    }),
  );
  return [
    '',
    'Programs of the peer, ms in a short measurement; the one in bold is compared with.',
    '',
    ...table(['task', 'layout', 'N', 'bits of primes', 'of plain moduli', 'primes left for sums', 'ms'], lines),
  ];
}

/** Tasks over values: the server's run is what is compared. */
function values(rows) {
  if (rows.length === 0) return [];
  const pair = (row, which) => `${ms(row.phases[which].ours)} / ${ms(row.phases[which].peer)}`;
  return [
    '',
    '### Tasks over values',
    '',
    "ms, one thread on both sides; the peer is node-seal, written by hand (`bench/tasks/*-seal.mjs`). The ratio is that of the server's run.",
    'Our run takes and gives bytes, checked, through a worker, and makes clear values slots each time; the peer has its ciphertexts at hand and',
    'its matrix or weights encoded beforehand (`encoded`: what that took), but for `matrix-vector-given`, where each run encodes. `whole` is',
    'encrypt + evaluate + decrypt, against the program of the peer that is the fastest at that.',
    '',
    ...table(
      [
        'task',
        'N, ours and peer',
        'ours',
        'node-seal',
        'ratio',
        'encrypt',
        'decrypt',
        'whole',
        'ratio',
        'encoded',
        'keys',
        'compile',
      ],
      rows.map((row) => [
        row.name,
        `${row.n}, ${row.peerParameters.n}`,
        ms(row.ours),
        ms(row.peer),
        number(row.ratio),
        pair(row, 'encrypt'),
        pair(row, 'decrypt'),
        `${ms(row.whole.ours)} / ${ms(row.whole.peer)}`,
        number(row.whole.ratio),
        ms(row.peerEncode),
        `${ms(row.keys.ours)} / ${ms(row.keys.peer)}`,
        ms(row.compile),
      ]),
    ),
    '',
    'Where the time of our run goes: one that is traced, ms. `around`: what is before its first operator and after its last.',
    '',
    ...table(
      ['task', 'bits of primes', 'operators on ciphertexts', 'steps', 'around', 'operators that are run, and ms'],
      rows.map(({ name, parametersOurs, operators, inside }) => [
        name,
        parametersOurs.bits.join(' + '),
        counts(Object.entries(operators)),
        ms(inside.steps),
        ms(inside.around),
        Object.entries(inside.operators)
          .sort(([, a], [, b]) => b.milliseconds - a.milliseconds)
          .map(([operator, { count, milliseconds }]) => `${count} ${operator} ${ms(milliseconds)}`)
          .join(', '),
      ]),
    ),
    '',
    "Programs of the peer, ms of the server's run and of the whole in a short measurement; those in bold are compared with.",
    '',
    ...table(
      ['task', 'program', 'N', 'bits of primes', 'of plain moduli', "server's run", 'whole', 'bits to spare'],
      rows.flatMap(({ name, peerParameters, whole, peerTried }) =>
        peerTried.map((tried) => {
          const { what, n, bits, plainBits = [], milliseconds, budget } = tried;
          const same = (other) => other.what === what && other.n === n && other.bits.join() === bits.join();
          const cell = (value, chosen) => (milliseconds === null ? 'none' : chosen ? `**${ms(value)}**` : ms(value));
          const [run, all] = [cell(milliseconds, same(peerParameters)), cell(tried.whole, same(whole.peerParameters))];
          return [name, what, n, bits.join(' + '), plainBits.join(' + '), run, all, budget];
        }),
      ),
    ),
  ];
}

function counts(entries) {
  return entries.map(([name, count]) => `${count} ${name}`).join(', ');
}

function pick({ n, bits, plainBits, low, packed }) {
  return { n, bits, plainBits, low, packed };
}

function phases(row, side) {
  const { encrypt, evaluate, decrypt } = row.phases;
  return `${ms(row[side])} (${[encrypt, evaluate, decrypt].map((phase) => ms(phase[side])).join(' + ')})`;
}

function inside(rows, machine) {
  const kernels = group(
    rows.filter(({ name }) => name.startsWith('kernel:')),
    ({ name }) => name.slice(7),
  );
  const lines = [];
  if (kernels.size) {
    const dimensions = [...new Set([...kernels.values()].flat().map(({ n }) => n))];
    lines.push(
      '',
      '### Kernels',
      '',
      `On ${machine.processor}, ${machine.kind}: us of the vector kernel, prime of 50 bits, and how many times faster than`,
      'the scalar reference.',
      '',
      ...table(
        ['base operator', ...dimensions.map((n) => `N = ${n}`)],
        [...kernels].map(([name, all]) => [
          name,
          ...dimensions
            .map((n) => all.find((row) => row.n === n))
            .map((row) => (row ? `${ms(row.ours)} (x ${number(row.ratio)})` : '')),
        ]),
      ),
    );
  }
  const others = rows.filter(({ name }) => !name.startsWith('kernel:'));
  if (others.length) {
    lines.push(
      '',
      '### Engine',
      '',
      ...table(
        ['what', 'figure'],
        others.map((row) => [
          `scheduling, ${row.what}, ${row.baseOperators} base operators`,
          `${ms(row.ours)} ms; in a fixed order ${ms(row.peer)} ms: ratio ${row.ratio.toFixed(3)}; storage, in both, ${ms(row.storage)} ms`,
        ]),
      ),
    );
  }
  return lines;
}

function plain(rows, versions) {
  if (rows.length === 0) return [];
  return [
    '',
    '### Plain data',
    '',
    `A call of a circuit in its worker (\`circuit.run\`) beside one of onnxruntime-web ${versions.onnxruntimeWeb} (WebAssembly, one thread) or of`,
    'WebCrypto, each with the copies of data that it takes. Ratios: times faster than the other.',
    '',
    ...table(
      ['what', 'ours', 'theirs', 'ratio', ''],
      rows.map((row) => [
        row.name,
        `${ms(row.ours)} ${row.unit}`,
        `${ms(row.peer)} ${row.unit}`,
        row.ratio.toPrecision(2),
        row.against,
      ]),
    ),
  ];
}

function scale(rows) {
  if (rows.length === 0) return [];
  const stages = Object.keys(rows[0].seconds);
  const cells = (row) => [row.name.slice(6), row.baseOperators, ...stages.map((stage) => ms(row.seconds[stage]))];
  const lines = rows.flatMap((row) => [
    [...cells(row), ms(row.ours), ms(row.memoryMB), row.bytesEach.toFixed(1)],
    ...(row.exponents
      ? [
          [
            row.name.slice(6),
            'exponent',
            ...[...stages, 'together'].map((stage) => number(row.exponents[stage])),
            '',
            '',
          ],
        ]
      : []),
  ]);
  return [
    '',
    '### Scale',
    '',
    'Seconds of the processor for each stage, on one thread of WebAssembly (`bench/wasm/src/shapes.rs` has the graphs), means.',
    '`together`: up to the plan; MB: by how much the memory of a fresh instance grew until then, where a graph is dropped once the',
    'next one is made of it; bytes: those saved of an operator.',
    '`exponent`: stage time grows as that power of the number of operators, from the smallest graph to the largest.',
    '',
    ...table(['graph', 'base operators', ...stages, 'together', 'MB', 'bytes'], lines),
  ];
}

/** Rows where somebody else is faster or smaller, where a target is missed, or a vector kernel loses. */
function losses(rows) {
  const peers = rows.filter(
    ({ ratio, group, against }) =>
      !['inside', 'scale', 'plain'].includes(group) && against !== 'ours, 1 thread' && ratio < 1,
  );
  const native = unique(rows.filter((row) => row.group === 'operator' && !row.against && againstNative(row) < 1));
  const targets = rows.flatMap((row) => missed(row).map((target) => ({ ...row, target })));
  const kernels = rows.filter(({ name, ratio }) => name.startsWith('kernel:') && ratio < 1 - NOISE);
  const where = ({ name, n, totalBits, threads: count }) => {
    const details = [n && `N = ${n}`, totalBits && `${totalBits} bits`, count > 1 && `${count} threads`].filter(
      Boolean,
    );
    return details.length ? `${name} (${details.join(', ')})` : name;
  };
  const list = (title, all, figure) =>
    all.length ? ['', title, '', ...all.map((row) => `- ${where(row)}: ${figure(row)}`)] : [];
  const lists = [
    ...list('To node-seal:', peers, (row) => number(row.ratio)),
    ...list('To native SEAL:', native, (row) => number(againstNative(row))),
    ...list(
      'Targets that are missed (`bench/targets.mjs`; two threads gain nothing on a busy machine):',
      targets,
      (row) => {
        const { what, found, least, most } = row.target;
        return `${what} ${found >= 1000 ? ms(found) : number(found)}, wanted ${least === undefined ? `at most ${most}` : `at least ${least}`}`;
      },
    ),
    ...list('Vector kernels slower than scalar ones:', kernels, (row) => number(row.ratio)),
  ];
  return [
    '',
    '### Where we lose',
    '',
    lists.length ? 'Ratios below 1, and targets.' : 'Nowhere in this run.',
    ...lists,
  ];
}

/** One row per operator and N: native SEAL was measured at one set of primes. */
function unique(rows) {
  return [...group(rows, ({ name, n }) => `${name} ${n}`).values()].map(([first]) => first);
}

function group(items, key) {
  const groups = new Map();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return groups;
}

function table(head, lines) {
  const row = (cells) => `| ${cells.join(' | ')} |`;
  return [row(head), row(head.map(() => '---')), ...lines.map(row)];
}

function ms(value) {
  if (value === null || value === undefined) return '';
  return value >= 1000 ? value.toFixed(0) : Number(value.toPrecision(3)).toString();
}

function number(value) {
  return value === undefined || value === null ? '' : value.toFixed(2);
}
