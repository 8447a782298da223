// Whole tasks through the public package against the same tasks by hand on node-seal; and what a user meets besides:
// one call's latency, load time, size, memory.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { load } from 'cipherloom';
import { PARTS, VARIANTS } from '../scripts/lib/variants.mjs';
import { compare, figures, statistics } from './lib/measure.mjs';
import { level, makeScheme } from './lib/seal.mjs';
import { effortOf, fastest, jobRows } from './lib/whole.mjs';
import { JOBS } from './tasks/jobs.mjs';

/** N and prime sizes of the one-multiplication program, the same on both sides. */
const CALL = { 8192: [42, 43, 43, 43, 43], 16384: [47, 47, 48, 48, 48, 48, 48, 48, 48] };

export async function* taskRows({ effort, quick, names, threads = [1, 2] }) {
  const wanted = (name) => names === undefined || names.includes(name);
  const few = effortOf(effort, quick);
  for (const [name, job] of Object.entries(JOBS)) {
    if (wanted(name)) yield* jobRows('task', name, job, threads, few);
  }
  if (wanted('api_multiply_relinearize')) yield* callRows(effort);
  if (wanted('load')) yield* loadRows(quick ? 2 : 9);
  if (wanted('wasm_size')) yield* sizeRows(quick);
  if (wanted('peak_rss')) yield* memoryRows();
}

/** One multiplication as a user calls it: `program.run`, against the two calls of node-seal. */
async function* callRows(effort) {
  const loom = await load({ threads: 1 });
  for (const [dimension, bits] of Object.entries(CALL)) {
    const n = Number(dimension);
    const bgv = makeScheme('bgv', n, { bits });
    const task = loom.task();
    const [x, y] = ['a', 'b'].map((name) => task.encrypted(name, { shape: [n], min: 0, max: 511 }));
    task.output('product', x.multiply(y));
    const [moduli, special] = [bgv.data, bgv.special].map((primes) => primes.map(String));
    const parameters = { scheme: 'BGV', n, moduli, special, plainModuli: [String(bgv.t)] };
    const program = await task.compile({ parameters, security: 'standard-2018' });
    const client = await program.client();
    const values = [0, 1].map((side) => Array.from({ length: n }, (_, slot) => (slot * (3 + side)) % 512));
    const inputs = await client.encrypt({ a: values[0], b: values[1] });
    const [plain, a, b, product, out] = [bgv.plain(), ...Array.from({ length: 4 }, () => bgv.ciphertext())];
    for (const [side, ciphertext] of [a, b].entries()) {
      bgv.encoder.encode(BigUint64Array.from(values[side], BigInt), plain);
      bgv.encryptor.encryptSymmetric(plain, ciphertext);
    }
    // Ours comes down to the primes that decryption needs before it is relinearized.
    const target = level(bgv, program.info.ciphertexts[0].level);
    const theirs = () => {
      bgv.evaluator.multiply(a, b, product);
      bgv.evaluator.cipherModSwitchToInplace(product, target);
      bgv.evaluator.relinearize(product, bgv.relinKeys, out);
    };
    const ours = () => program.run(inputs, client.evaluationKeys);
    const { product: found } = await client.decryptDetails(await ours());
    if (found.value.some(({ units }, slot) => Number(units) !== values[0][slot] * values[1][slot]))
      throw new Error('wrong product');
    const measured = await compare([ours, theirs], effort);
    yield {
      group: 'task',
      name: 'api_multiply_relinearize',
      scheme: 'bgv',
      n,
      threads: 1,
      ...figures(measured),
      budgetOurs: round(found.budgetBits),
      budgetPeer: bgv.decryptor.invariantNoiseBudget(out),
    };
    client.dispose();
    program.dispose();
  }
  loom.dispose();
}

/** From the import to the first usable engine, each time in a fresh process. */
async function* loadRows(times) {
  const cases = { ours1: ['ours', '1'], ours2: ['ours', '2'], inline: ['inline'], peer: ['peer'] };
  const samples = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
  for (let i = 0; i < times; i++) {
    for (const [name, args] of Object.entries(cases)) samples[name].push(child('lib/load-time.mjs', args).milliseconds);
  }
  const peer = statistics(samples.peer);
  for (const threads of [1, 2]) {
    yield {
      group: 'task',
      name: 'load',
      scheme: null,
      n: null,
      threads,
      ...figures([statistics(samples[`ours${threads}`]), peer]),
    };
  }
  const inline = figures([statistics(samples.inline), peer]);
  yield { group: 'task', name: 'load', scheme: null, n: null, threads: 1, variant: 'without workers', ...inline };
}

/** The wasm file of every module and build, as it is fetched; `ours` and `peer` are kilobytes of gzip. Brotli takes five seconds for each: not if few samples will do. */
async function* sizeRows(quick) {
  const seal = sizes(quick, new URL('seal_throws.wasm', import.meta.resolve('node-seal')));
  const builds = Object.entries(PARTS).flatMap(([part, folder]) =>
    Object.entries(VARIANTS).map(([name, { file }]) => ({
      variant: `${part}, ${name}`,
      name,
      path: `${folder}/${file}`,
    })),
  );
  for (const { variant, name, path } of builds) {
    const own = sizes(quick, new URL(`../bindings/wasm/${path}`, import.meta.url));
    yield {
      group: 'task',
      name: 'wasm_size',
      scheme: null,
      n: null,
      threads: name === 'single' ? 1 : 2,
      variant,
      ours: own.gzip,
      peer: seal.gzip,
      unit: 'kB',
      ratio: seal.gzip / own.gzip,
      sizeOurs: own,
      sizePeer: seal,
      against: `${variant}, gzip`,
    };
  }
}

function sizes(quick, file) {
  const bytes = readFileSync(file);
  const kilobytes = ({ length }) => length / 1000;
  return {
    raw: kilobytes(bytes),
    gzip: kilobytes(gzipSync(bytes, { level: 9 })),
    ...(!quick && { brotli: kilobytes(brotliCompressSync(bytes)) }),
  };
}

/** Peak memory of a fresh process that does nothing but the 100,000-row job, once. */
async function* memoryRows() {
  const job = JOBS.statistics_100000;
  const { best } = await fastest(job, job.input());
  const peer = child('lib/peak-memory.mjs', ['peer', String(best.whole.index)]).megabytes;
  for (const threads of [1, 2]) {
    const ours = child('lib/peak-memory.mjs', ['ours', String(threads)]).megabytes;
    yield {
      group: 'task',
      name: 'peak_rss',
      scheme: 'bgv',
      n: null,
      threads,
      ours,
      peer,
      unit: 'MB',
      ratio: peer / ours,
      against: 'statistics_100000',
    };
  }
}

/** What a script of this folder prints, as JSON. */
function child(script, args) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${script} ${args.join(' ')} failed: ${stderr}`);
  return JSON.parse(stdout);
}

function round(bits) {
  return Math.round(bits * 10) / 10;
}
