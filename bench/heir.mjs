#!/usr/bin/env node
// The ten programs of `programs/` as cipherloom compiles them, and as HEIR's compiler compiles the same questions (`heir/*.mlir`): what the server does.
// Usage: node bench/heir.mjs [NAME ...]   (by hand; HEIR_OPT=FILE or `.tools/heir/bin/heir-opt`, which
//   python3 -m venv .tools/heir && .tools/heir/bin/pip install heir_py==2026.10.1
// makes). HEIR gets everything that it can do well with: each program is compiled for two backends, with several counts of slots and ways to lower
// polynomials, and the output with the fewest key switches is compared.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from 'cipherloom';
import { countsOf } from './lib/heir-counts.mjs';
import { ownCounts } from './lib/own-counts.mjs';
import { PROGRAMS } from './programs/index.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const HEIR_OPT = process.env.HEIR_OPT ?? join(HERE, '..', '.tools', 'heir', 'bin', 'heir-opt');
/** Lattigo's parameters come from HEIR's own model of noise; what it writes for OpenFHE is chosen anew by OpenFHE at run time. */
const BACKENDS = ['lattigo', 'openfhe'];
const SLOTS = [1024, 2048, 4096, 8192, 16384];
/** Where one program has several texts, the first one is the question as it is put. */
const TEXTS = { 'matrix-matrix': ['matrix-matrix', 'matrix-matrix-padded'] };
const LIMIT = 120_000;

if (!existsSync(HEIR_OPT)) {
  console.error(`no heir-opt at ${HEIR_OPT}: set HEIR_OPT, or make the environment as the head of this file says`);
  process.exit(2);
}
const names = process.argv.slice(2);
const unknown = names.find((name) => !(name in PROGRAMS));
if (unknown) {
  console.error(`unknown program "${unknown}": expected ${Object.keys(PROGRAMS).join(', ')}`);
  process.exit(2);
}

const loom = await load({ threads: 1 });
const rows = [];
const remarks = [];
for (const [name, { describe }] of Object.entries(PROGRAMS)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const program = await describe(loom).compile();
  const ours = ownCounts(program.info, await program.toText('packed'));
  const { best, failures } = heirCounts(name, program.info);
  rows.push([name, ours, best]);
  for (const [what, why] of failures) remarks.push(`${name}, ${what}: ${why}`);
}
loom.dispose();

const COLUMNS = [
  ['rotations', ({ rotations }) => rotations],
  ['products', ({ products }) => products],
  ['relinearizations', ({ relinearizations }) => relinearizations],
  ['key switches', ({ keySwitches }) => keySwitches],
  ['decompositions', ({ decompositions }) => decompositions],
  ['plain products', ({ plainProducts }) => plainProducts],
  ['levels', ({ moduli }) => moduli.length],
  ['bits', ({ moduli, special }) => [...moduli, ...special].reduce((sum, prime) => sum + bits(prime), 0)],
  ['keys', ({ keys }) => keys],
  ['n', ({ n }) => n],
  ['inputs', ({ inputs }) => inputs],
];
console.log(`| program | | ${COLUMNS.map(([title]) => title).join(' | ')} |`);
console.log(`|---|---|${COLUMNS.map(() => '---|').join('')}`);
for (const [name, ours, best] of rows) {
  console.log(line(name, 'ours', ours));
  console.log(line('', best ? `HEIR (${best.how})` : 'HEIR', best));
}
const more = rows.flatMap(([name, ours, best]) =>
  best === undefined
    ? []
    : COLUMNS.filter(([, of]) => of(ours) > of(best)).map(
        ([title, of]) => `${name}, ${title}: ${of(ours)} beside ${of(best)}`,
      ),
);
if (more.length > 0) console.log(`\nWhere ours is more:\n\n${more.map((what) => `- ${what}`).join('\n')}`);
if (remarks.length > 0)
  console.log(`\nWhat HEIR does not compile:\n\n${remarks.map((remark) => `- ${remark}`).join('\n')}`);

function line(name, side, counts) {
  return `| ${[name, side, ...COLUMNS.map(([, of]) => (counts ? of(counts) : '-'))].join(' | ')} |`;
}

function bits(prime) {
  return BigInt(prime).toString(2).length;
}

/** The output of HEIR with the fewest key switches, of those the one with the fewest levels; and why texts gave none at all. */
function heirCounts(name, { scheme, plainModuli }) {
  const found = [];
  const failures = new Map();
  for (const text of TEXTS[name] ?? [name]) {
    for (const backend of BACKENDS) {
      let error;
      let any = false;
      for (const options of variants(scheme, text, plainModuli)) {
        const { output, problem } = heir(text, backend, scheme, options);
        if (problem !== undefined) error ??= problem;
        else {
          any = true;
          const counts = countsOf(output);
          const keys = counts.rotationKeys + (counts.relinearizations > 0 ? 1 : 0);
          found.push({
            ...counts,
            keys,
            decompositions: counts.keySwitches,
            how: `${text === name ? '' : 'padded, '}${backend}, ${options.slots} slots`,
          });
        }
      }
      if (!any) failures.set(`${text === name ? '' : 'padded, '}${backend}`, error);
    }
  }
  found.sort((a, b) => a.keySwitches - b.keySwitches || a.n - b.n || a.moduli.length - b.moduli.length);
  return { best: found[0], failures };
}

function* variants(scheme, text, plainModuli) {
  const polynomials = readFileSync(join(HERE, 'heir', `${text}.mlir`), 'utf8').includes('polynomial.eval');
  const modulus = scheme === 'BGV' ? plainModulus(plainModuli) : undefined;
  for (const slots of SLOTS) {
    for (const lower of polynomials ? ['ps', 'horner'] : [undefined]) yield { slots, lower, modulus };
  }
}

function heir(text, backend, scheme, { slots, lower, modulus }) {
  const source = readFileSync(join(HERE, 'heir', `${text}.mlir`), 'utf8');
  const aliases = source.match(/^!.*$/gm)?.join('\n') ?? '';
  const own = scheme.toLowerCase();
  const module = `${aliases}\nmodule attributes {backend.${backend}, scheme.${own}} {\n${source.replace(/^!.*$/gm, '')}}\n`;
  const options = [`min-slot-count=${slots}`, 'unroll-fhe-kernel-loops=true'];
  if (modulus !== undefined) options.push(`plaintext-modulus=${modulus}`);
  const args = [`--mlir-to-${own}=${options.join(' ')}`];
  if (lower !== undefined) args.unshift(`--lower-polynomial-eval=method=${lower}`);
  const run = spawnSync(HEIR_OPT, args, { input: module, encoding: 'utf8', timeout: LIMIT, maxBuffer: 2 ** 30 });
  if (run.status === 0) return { output: run.stdout };
  const [said] = run.stderr.match(/error: .*/) ?? [];
  return { problem: said ?? (run.error?.code === 'ETIMEDOUT' ? `no end in ${LIMIT / 1000} s` : 'it crashes') };
}

/** The least prime from the product of ours on that any ring up to n = 32768 has slots for: HEIR takes one. */
function plainModulus(ours) {
  const least = ours.reduce((product, prime) => product * BigInt(prime), 1n);
  let t = ((least + 65534n) / 65536n) * 65536n + 1n;
  while (!isPrime(t)) t += 65536n;
  return t;
}

function isPrime(x) {
  const odd = x - 1n;
  const power = (base, exponent) => {
    let result = 1n;
    for (let square = base; exponent > 0n; exponent >>= 1n, square = (square * square) % x)
      if (exponent & 1n) result = (result * square) % x;
    return result;
  };
  // Miller and Rabin: with these bases right for all below 3.3e24.
  return [2n, 3n, 5n, 7n, 11n, 13n, 17n, 19n, 23n, 29n, 31n, 37n, 41n].every((base) => {
    let exponent = odd;
    let value = power(base, exponent);
    while (value === 1n && exponent % 2n === 0n) value = power(base, (exponent /= 2n));
    return value === 1n ? true : value === odd;
  });
}
